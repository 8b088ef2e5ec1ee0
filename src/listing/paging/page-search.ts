// Finds what follows the last known row: tries what is proposed, then narrows by halves, until an answer proves itself by its
// overlap, or until nothing older is found and the last rows are shown to be whole.
import { CursorBounds, CursorNotes, MAX_CURSOR, probeCursors } from "./cursors.ts";
import { isNewestFirst, type Judgement, judge, type Refusal } from "./judge.ts";
import type { KnownRows, RowKey } from "./known-rows.ts";
import { type Proposal, type Proposals, SEARCH } from "./proposals.ts";
import type { Reply, Requests } from "./requests.ts";
import type { Flag, NothingBelow } from "./verdict.ts";

/** What follows the last known row. */
export type Step<T> =
  | {
      readonly kind: "page";
      /** At least one row, newest first. */
      readonly fresh: readonly T[];
      /** The whole answer, known rows first, and how many were asked for. */
      readonly answer: readonly T[];
      readonly limit: number;
      readonly by: string;
      readonly cursor: bigint;
      readonly isReordered: boolean;
    }
  | { readonly kind: "end"; readonly nothingBelow: NothingBelow }
  | {
      readonly kind: "stuck";
      readonly flag: Flag;
      /** Unix milliseconds of the newest row that is listed below, where one is. */
      readonly olderMs?: number | undefined;
    };

/** An answer that ended with the last known row. */
interface Ending {
  /** Undefined for the newest page. */
  readonly cursor: bigint | undefined;
  readonly limit: number;
  readonly length: number;
  /** It is sure with which of the known rows it began. */
  readonly isPlaced: boolean;
}

type Variation = Pick<Ending, "cursor" | "limit">;

/** The last rows are whole when so many answers to different requests end with them. */
const ENDINGS = 4;
const ENDING_TRIES = 8;
/** Rows above the last ones that have more text than any one row. */
const ROOM_ROWS = 3;
/** Answers from other cursors and with other limits that are tried where rows lie below, but none runs on to them. */
const REACH_TRIES = 6;
/** Times that rows are found below what seemed to be the end, before this is given up. */
const ROUNDS = 6;
/** Requests that find out whether the service filters what it has found. */
const FILTER_TRIES = 3;
/** By so many rows the limits of requests at one cursor differ. */
const LIMIT_STEP = 7;

interface SearchOptions {
  /** Most requests below what seems to be the end; 0 for none, so that no end is ever proven. */
  readonly probes: number;
  readonly isOtherWay: boolean;
  /** The cursor of the last accepted page of an earlier run. */
  readonly high?: bigint | undefined;
  /** The newest transaction, where it is known from elsewhere. */
  readonly newestIndex?: bigint | undefined;
}

/** Gets from one page to the one behind it, whatever the cursor means. */
export class PageSearch<T extends object> {
  readonly #known: KnownRows<T>;
  readonly #requests: Requests<T>;
  readonly #proposals: Proposals<T>;
  readonly #options: SearchOptions;
  readonly #notes = new CursorNotes();
  /** Every later page begins below the accepted one, so its cursor is lower. */
  #high: bigint | undefined;
  /** The answer with which the last known rows came. */
  #lastAnswer: Ending | undefined;
  /** Requests below an end were made before it was sure that it is one. */
  #hasAskedBelow = false;
  /** Cursors below what seemed to be an end, where rows are listed: another look must not miss them. */
  readonly #shown = new Set<bigint>();

  // Of the search that is under way.
  #bounds = new CursorBounds(MAX_CURSOR);
  #refusals = new Set<Refusal>();
  #endings: Ending[] = [];
  /** Who proposed the cursor whose answer ends the listing. */
  #by = SEARCH;
  #isMaxRefused = false;
  /** Cursors whose answers held more rows than are known. */
  #contradicted = new Set<bigint>();
  /** An answer has held more rows of the tail's time, or older ones, than are known. */
  #hasShownMore = false;
  /** Unix milliseconds of the newest row that was found below the tail. */
  #olderMs: number | undefined;

  constructor(
    known: KnownRows<T>,
    requests: Requests<T>,
    proposals: Proposals<T>,
    options: SearchOptions,
  ) {
    this.#known = known;
    this.#requests = requests;
    this.#proposals = proposals;
    this.#options = options;
    this.#high = options.high;
  }

  /** A page was accepted, which ends with the last known row. @param cursor undefined for the newest rows */
  begin(cursor: bigint | undefined, length: number, limit: number): void {
    this.#high = cursor;
    this.#lastAnswer = { cursor, length, limit, isPlaced: true };
  }

  /** Finds what follows the last known row. Afterwards the rows of a found page are known. */
  async next(): Promise<Step<T>> {
    let step = await this.#find(this.#high);
    // A second look from the top: the answers may have come from replicas that lag behind each other.
    if (step.kind === "stuck" && this.#high !== undefined) step = await this.#find(undefined);
    if (step.kind === "page") {
      if (this.#high !== undefined) this.#notes.forgetAbove(this.#high);
      this.begin(step.cursor, step.answer.length, step.limit);
    }
    return step;
  }

  /**
   * The answer that is on its way may be the last one: makes the requests that every end needs while it is awaited.
   * @param own the cursor whose answer begins with the last known row, if its field is the index
   * @param likelihood whether nothing speaks against it, and whether there is an answer to `own`
   */
  askBesideEnd(own: bigint, { isLikely = false, isOwnAsked = false }): void {
    const requests = this.#requests;
    if (!isOwnAsked) requests.askBeside(own, requests.fullLimit);
    requests.askBeside(own - 1n, requests.fullLimit);
    // Once: where it was not the end, the service may have many pages that look like one.
    const isInVain = this.#options.probes === 0 || own <= 0n || own > MAX_CURSOR;
    if (!isLikely || isInVain || this.#hasAskedBelow) return;
    this.#hasAskedBelow = true;
    requests.askBeside(own, this.#limitAt(1));
    const filters = this.#filterCursors(own);
    for (const cursor of filters) requests.askBeside(cursor, 1);
    const range = this.#probeRange(own);
    const cursors = probeCursors({ ...range, isDense: requests.isFiltering });
    // Whether the service filters is not known yet: those that are asked for anyway.
    const dense =
      filters.length > 0 ? new Set(probeCursors({ ...range, isDense: true })) : undefined;
    for (const cursor of cursors) {
      if (dense?.has(cursor) ?? true) requests.askBeside(cursor, requests.fullLimit);
    }
  }

  async #find(high: bigint | undefined): Promise<Step<T>> {
    this.#bounds = new CursorBounds(high ?? MAX_CURSOR, high !== undefined);
    this.#refusals = new Set();
    const last = this.#lastAnswer;
    this.#endings = last !== undefined && last.length < last.limit ? [last] : [];
    this.#by = SEARCH;
    this.#isMaxRefused = false;
    this.#contradicted = new Set();
    this.#hasShownMore = false;
    this.#olderMs = undefined;
    if (high === undefined) await this.#lookAtTop();
    const found = await this.#tryProposals();
    if (found !== undefined) return found;
    this.#recall(true);
    return (await this.#narrow()) ?? (await this.#conclude());
  }

  /** Narrows the range by what has been answered before. @param isEmptyLow whether answers without rows count */
  #recall(isEmptyLow: boolean): void {
    let empty = -1n;
    for (const [cursor, first] of this.#notes.all) {
      if (first !== undefined) this.#learnFirst(cursor, first);
      else if (cursor > empty) empty = cursor;
    }
    if (isEmptyLow && empty < this.#bounds.high) this.#bounds.tooLow(empty, "empty");
  }

  #learnFirst(cursor: bigint, first: RowKey): void {
    if (!this.#bounds.contains(cursor)) return;
    const { position } = this.#known.locate(first);
    if (position === "older") this.#bounds.tooLow(cursor, "older");
    else if (position !== "tied") this.#bounds.tooHigh(cursor);
  }

  /** Where the answer at the newest transaction begins with a newest row, no cursor of the listing is higher. */
  async #lookAtTop(): Promise<void> {
    const { newestIndex } = this.#options;
    if (newestIndex === undefined || newestIndex < 0n || newestIndex >= MAX_CURSOR) return;
    const cursor = newestIndex + 1n;
    const row = await this.#firstRow(cursor);
    if (row === "refused" || row === undefined) return;
    const { position, distance } = this.#known.locate(this.#known.keyOf(row));
    if (position !== "known" && position !== "newer") return;
    this.#bounds.tooHigh(cursor);
    this.#bounds.top = cursor;
    const firstRow = position === "newer" ? 0 : this.#known.count - distance;
    this.#proposals.landed({ cursor, firstRow, length: 1 });
  }

  async #tryProposals(): Promise<Step<T> | undefined> {
    const { rows } = this.#known;
    const wasHigher = this.#proposals.isBeginningHigher;
    for (const proposal of this.#proposals.after(rows)) {
      const found = await this.#propose(proposal);
      if (found !== undefined) return found;
    }
    // Where it is sure that an answer ended with the last row, higher cursors show no more of what follows.
    const isEnded = this.#endings.some((each) => each.isPlaced && each !== this.#lastAnswer);
    if (wasHigher || isEnded || !this.#refusals.has("ambiguous")) return undefined;
    // Equal rows: the same fields of a row that stands further above.
    this.#proposals.isBeginningHigher = true;
    for (const { by, cursor } of this.#proposals.after(rows)) {
      const found = by === SEARCH ? undefined : await this.#tryPage(by, cursor);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #propose(proposal: Proposal): Promise<Step<T> | undefined> {
    const { cursor, by, own } = proposal;
    if (cursor !== this.#bounds.high && !this.#bounds.contains(cursor)) return undefined;
    const reply = await this.#requests.page(cursor);
    if (reply.isRefused) return this.#lost(by);
    const found = await this.#weigh(by, cursor, reply);
    if (found !== undefined) return found;
    if (!this.#isEnding(cursor)) {
      return this.#refusals.has("ambiguous") ? undefined : this.#lost(by);
    }
    this.#by = by;
    const isShort = this.#requests.limit < this.#requests.fullLimit;
    const more = isShort ? await this.#tryFull(by, cursor) : undefined;
    if (more !== undefined || own === undefined) return more;
    // If the field is the index, the last row's own answer and the one just below it show that the listing ends here.
    this.askBesideEnd(own, { isLikely: true, isOwnAsked: own === cursor });
    const ownFound = own === cursor ? undefined : await this.#tryFull(by, own);
    return ownFound ?? (await this.#tryFull(by, own - 1n));
  }

  #lost(by: string): undefined {
    this.#proposals.lost(by);
    return undefined;
  }

  #isEnding(cursor: bigint): boolean {
    return this.#endings.some((ending) => ending.cursor === cursor);
  }

  /** Halves the range until there is no cursor left in it. */
  async #narrow(): Promise<Step<T> | undefined> {
    const bounds = this.#bounds;
    for (let cursor = bounds.middle(); cursor !== undefined; cursor = bounds.middle()) {
      const found = await this.#look(cursor);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Asks for one row; and for the page, where that row is near enough to the last known one. */
  async #look(cursor: bigint): Promise<Step<T> | undefined> {
    const row = await this.#firstRow(cursor);
    if (row === "refused") await this.#refused(cursor);
    else if (row === undefined) this.#bounds.tooLow(cursor, "empty");
    else {
      const { position, distance } = this.#known.locate(this.#known.keyOf(row));
      const isNear =
        position === "tied" || (position === "known" && distance < this.#requests.longest);
      if (isNear) return this.#tryPage(SEARCH, cursor);
      if (position === "older") this.#tooLow(cursor, row);
      else this.#bounds.tooHigh(cursor);
    }
    return undefined;
  }

  async #firstRow(cursor: bigint): Promise<T | "refused" | undefined> {
    const { rows, isRefused } = await this.#requests.first(cursor);
    if (isRefused) return "refused";
    this.#note(cursor, rows[0]);
    return rows[0];
  }

  #note(cursor: bigint, first: T | undefined): void {
    this.#notes.note(cursor, first && this.#known.keyOf(first));
  }

  /** A cursor that is refused is beyond what the service takes: above all, unless higher ones have been answered. */
  async #refused(cursor: bigint): Promise<void> {
    const bounds = this.#bounds;
    if (!bounds.isHighAnswered && bounds.high === MAX_CURSOR && !this.#isMaxRefused) {
      this.#isMaxRefused = (await this.#requests.single(MAX_CURSOR)).isRefused;
      bounds.tooHigh(MAX_CURSOR, !this.#isMaxRefused);
    }
    if (bounds.isHighAnswered) bounds.tooLow(cursor, "refused");
    else bounds.tooHigh(cursor, false);
  }

  #tooLow(cursor: bigint, first: T): void {
    const ms = this.#known.fields.timeMs(first);
    this.#olderMs = Math.max(ms, this.#olderMs ?? ms);
    this.#bounds.tooLow(cursor, "older");
  }

  async #tryPage(by: string, cursor: bigint): Promise<Step<T> | undefined> {
    return this.#weigh(by, cursor, await this.#requests.page(cursor));
  }

  async #tryFull(by: string, cursor: bigint): Promise<Step<T> | undefined> {
    return this.#weigh(by, cursor, await this.#requests.full(cursor));
  }

  /** Accepts an answer if it proves itself; otherwise keeps what it teaches. */
  async #weigh(by: string, cursor: bigint, reply: Reply<T>): Promise<Step<T> | undefined> {
    const { rows, isRefused } = reply;
    if (isRefused) {
      await this.#refused(cursor);
      return undefined;
    }
    const judgement = judge(this.#known, rows);
    if (judgement.isProof && judgement.fresh.length > 0) {
      return this.#accept(by, cursor, reply, judgement);
    }
    if (!judgement.isProof) this.#refusals.add(judgement.refusal);
    if (rows.length > 0 && this.#known.endsWith(rows)) this.#end(cursor, reply, judgement.isProof);
    this.#learn(cursor, rows);
    // Equal rows of another transaction look like known ones, but are too many.
    if (cursor === this.#bounds.high && !this.#known.holds(rows)) this.#contradicted.add(cursor);
    this.#hasShownMore ||= !this.#known.holdsTied(rows);
    return undefined;
  }

  #end(
    cursor: bigint | undefined,
    { rows, limit }: Omit<Reply<T>, "isRefused">,
    isPlaced: boolean,
  ) {
    const isSame = (each: Ending) => each.cursor === cursor && each.limit === limit;
    if (rows.length >= limit || this.#endings.some(isSame)) return;
    const isSure = isPlaced || (cursor !== undefined && this.#isBelowKnown(cursor, rows));
    this.#endings.push({ cursor, limit, length: rows.length, isPlaced: isSure });
  }

  /** True when the answer to the next higher cursor begins with the known row that stands above these ones. */
  #isBelowKnown(cursor: bigint, rows: readonly T[]): boolean {
    const above = this.#known.rows.at(-1 - rows.length);
    const [first] = rows;
    if (above === undefined || first === undefined) return false;
    const text = this.#known.textOf(above);
    return this.#notes.firstAt(cursor + 1n)?.text === text && this.#known.textOf(first) !== text;
  }

  #accept(
    by: string,
    cursor: bigint,
    { rows, limit }: Omit<Reply<T>, "isRefused">,
    { fresh, overlap, isReordered }: Omit<Extract<Judgement<T>, { isProof: true }>, "isProof">,
  ): Step<T> {
    this.#note(cursor, rows[0]);
    this.#proposals.won(by);
    this.#proposals.landed({
      cursor,
      firstRow: this.#known.count - overlap,
      length: rows.length,
    });
    if (limit > this.#requests.limit) this.#requests.limit = this.#requests.fullLimit;
    this.#known.append(fresh);
    return { kind: "page", fresh, answer: rows, limit, by, cursor, isReordered };
  }

  #learn(cursor: bigint, rows: readonly T[]): void {
    const [first] = rows;
    this.#note(cursor, first);
    if (first === undefined) {
      this.#bounds.tooLow(cursor, "empty");
      return;
    }
    const position = this.#known.positionOf(first);
    // A tied row stands below the tail, unless a known one follows it.
    const isBelow =
      position === "older" ||
      (position === "tied" && !rows.some((row) => this.#known.positionOf(row) === "known"));
    if (isBelow) this.#tooLow(cursor, first);
    else this.#bounds.tooHigh(cursor);
  }

  /** The range is closed: at `high` the answer begins with a known row, just below it with none. */
  async #conclude(): Promise<Step<T>> {
    const bounds = this.#bounds;
    if (!bounds.isHighAnswered) await this.#tryFull(SEARCH, bounds.high);
    if (!bounds.isHighAnswered) return this.#stuck();
    const fromTop = await this.#tryTop();
    if (fromTop !== undefined) return fromTop;
    for (let round = 0; round < ROUNDS; round++) {
      const step = (await this.#settle()) ?? (await this.#narrow());
      if (step !== undefined) return step;
    }
    return this.#stuck();
  }

  /** @returns undefined when rows were found below what seemed to be the end: the range is open again */
  async #settle(): Promise<Step<T> | undefined> {
    const { high } = this.#bounds;
    const found = this.#isEnding(high) ? undefined : await this.#tryFull(SEARCH, high);
    if (found !== undefined) return found;
    if (this.#olderMs !== undefined) return (await this.#reach()) ?? this.#stuck();
    // What is asked for after that, while it is looked.
    if (!this.#isConfirmed()) this.#requests.askBeside(high, this.#limitAt(1));
    const below = await this.#lookBelow();
    return below === undefined ? undefined : ((await this.#confirm(below)) ?? this.#stuck());
  }

  /** Where all known rows are equal, only the newest page shows how many there are: nothing stands above it. */
  async #tryTop(): Promise<Step<T> | undefined> {
    const known = this.#known;
    const isFirst = this.#lastAnswer !== undefined && this.#lastAnswer.cursor === undefined;
    if (!isFirst || known.count !== known.rows.length || known.anchors().length > 0)
      return undefined;
    const limit = this.#requests.fullLimit;
    const rows = await this.#requests.newest(limit);
    const isSame = known.rows.every((row, i) => {
      const other = rows[i];
      return other !== undefined && known.textOf(other) === known.textOf(row);
    });
    const fresh = rows.slice(known.count);
    if (!isSame || fresh.length === 0 || !isNewestFirst(known.fields, rows)) return undefined;
    const facts = { fresh, overlap: known.count, isReordered: false };
    return this.#accept(SEARCH, MAX_CURSOR, { rows, limit }, facts);
  }

  /**
   * Looks far below what seems to be the end.
   * @returns undefined when rows were found: the range is open again
   */
  async #lookBelow(): Promise<NothingBelow | undefined> {
    const bounds = this.#bounds;
    const { high } = bounds;
    const index = high - 1n;
    if (this.#options.probes === 0) return { index, probes: 0, isRefused: false };
    await this.#findFilter();
    const range = { ...this.#probeRange(high), isDense: this.#requests.isFiltering };
    const isAsked = bounds.lowKind === "empty" ? bounds.low : undefined;
    const shown = [...this.#shown].filter((cursor) => cursor < high);
    const ladder = new Set([...shown, ...probeCursors(range)]);
    const cursors = [...ladder].filter((cursor) => cursor !== isAsked);
    const { found, answered } = await this.#requests.below(cursors, high);
    if (found !== undefined) {
      this.#shown.add(found.cursor);
      this.#requests.isFiltering = true;
      bounds.reopen();
      this.#recall(false);
      const isBelow = this.#known.positionOf(found.first) === "older";
      if (isBelow) this.#tooLow(found.cursor, found.first);
      else bounds.tooHigh(found.cursor);
      return undefined;
    }
    const count = answered + (isAsked === undefined ? 0 : 1);
    return { index, probes: count, isRefused: count === 0 && high > 1n };
  }

  /** Asks for one row where it is known which must come, in the widest gaps of the last page. */
  async #findFilter(): Promise<void> {
    const requests = this.#requests;
    const cursors = this.#filterCursors(this.#bounds.high);
    const replies = await Promise.all(cursors.map((cursor) => requests.single(cursor)));
    if (replies.some(({ rows: [row], isRefused }) => row === undefined && !isRefused)) {
      requests.isFiltering = true;
    }
  }

  /** None where it is seen already that the service filters. */
  #filterCursors(high: bigint): readonly bigint[] {
    const { limit, isFiltering } = this.#requests;
    if (isFiltering) return [];
    return this.#proposals.widest(high - 1n, this.#known.rows.slice(-limit), FILTER_TRIES);
  }

  #probeRange(high: bigint) {
    const { probes, isOtherWay } = this.#options;
    return { high, span: this.#span(high), most: probes, isShifted: isOtherWay };
  }

  /** Index units that a page spans, near the last row. */
  #span(high: bigint): bigint {
    const { rows, tail } = this.#known;
    const length = this.#lastAnswer?.length ?? this.#requests.limit;
    const pageRows = Math.min(rows.length, Math.max(2, length));
    const first = rows.at(-pageRows);
    if (first !== undefined && tail !== undefined && pageRows > 1) {
      const byField = this.#proposals.distance(high - 1n, first, tail);
      if (byField !== undefined) return byField;
    }
    // By the cursors that were asked for: each lies at least so far above as the row with which its answer begins.
    const spans = [...this.#notes.all].flatMap(([cursor, row]) => {
      const distance = row === undefined ? 0 : this.#known.locate(row).distance;
      const isAbove = cursor > high && distance > 0;
      return isAbove ? ((cursor - high) * BigInt(pageRows)) / BigInt(distance) : [];
    });
    return spans.reduce((least, each) => (least > 0n && least < each ? least : each), 0n) || 1n;
  }

  /**
   * Are the last rows whole? Nothing lies below, but more rows of the last index could, beyond what a page can hold. They
   * do not where answers from different cursors, of different lengths, all end with the last known row.
   */
  async #confirm(nothingBelow: NothingBelow): Promise<Step<T> | undefined> {
    const variations = this.#variations();
    for (let tries = 0; !this.#isConfirmed() && tries < ENDING_TRIES; ) {
      const some = await take(variations, Math.max(1, ENDINGS - this.#endings.length));
      if (some.length === 0) break;
      tries += some.length;
      const found = await this.#tryLimits(some);
      if (found !== undefined) return found;
    }
    if (!this.#isConfirmed() || this.#options.probes === 0) return undefined;
    return { kind: "end", nothingBelow };
  }

  #isConfirmed(): boolean {
    return (
      !this.#isContradicted() &&
      this.#endings.length >= ENDINGS &&
      this.#isOfTwoLengths() &&
      this.#isEnding(this.#bounds.high)
    );
  }

  /** Where only the last rows should be listed, there were others, too; or somewhere more of them than are known. */
  #isContradicted(): boolean {
    return this.#hasShownMore || this.#contradicted.has(this.#bounds.high);
  }

  /**
   * A page can hold more rows than the shorter of them has: it ends where the listing does. Where pages are cut by their bytes,
   * a short row may still have found room: the longer one needs as many more as a row that would be left out.
   */
  #isOfTwoLengths(): boolean {
    const lengths = this.#placedLengths();
    const [shorter, longer] = [Math.min(...lengths), Math.max(...lengths)];
    if (lengths.length === 0 || shorter === longer) return false;
    const known = this.#known;
    const isFarFromCut = known.isFarFromCut(shorter, this.#requests.longest);
    return isFarFromCut || known.isLongerByRow(shorter, longer);
  }

  /** Asks all at once. */
  async #tryLimits(some: readonly Variation[]): Promise<Step<T> | undefined> {
    const replies = await Promise.all(
      some.map(({ cursor, limit }) => this.#requests.page(cursor, limit)),
    );
    for (const [i, reply] of replies.entries()) {
      const cursor = some[i]?.cursor;
      if (cursor !== undefined) {
        const found = await this.#weigh(this.#by, cursor, reply);
        if (found !== undefined) return found;
      } else if (reply.rows.length === this.#known.count && this.#known.endsWith(reply.rows)) {
        this.#end(undefined, reply, true);
      }
    }
    return undefined;
  }

  /** Others than that of the pages, in turn. */
  #limitAt(i: number): number {
    return Math.max(1, this.#requests.fullLimit - LIMIT_STEP * i);
  }

  /** Requests that no other one was like, whose answers hold the last row: other cursors first, then other limits. */
  async *#variations(): AsyncGenerator<Variation, void, void> {
    const { high } = this.#bounds;
    yield { cursor: high, limit: this.#limitAt(1) };
    // Just below an answer that begins with a row above, it is sure with which row another one begins.
    const anchors = this.#endAnchors();
    const byFields = this.#proposals.from(anchors).flatMap(({ cursor }) => [cursor, cursor - 1n]);
    for (const cursor of byFields) {
      if (cursor > high && !this.#isEnding(cursor)) yield { cursor, limit: this.#limitAt(0) };
    }
    if (!this.#isOfTwoLengths()) yield* this.#lowestAboveEach(anchors);
    if (!this.#isOfTwoLengths()) yield* this.#lowestAboveEach(this.#aboveEndings());
    const above = [...new Set(this.#endings.map(({ cursor }) => cursor))].filter((c) => c !== high);
    for (let i = 2; i < ENDING_TRIES + 2; i++) {
      for (const cursor of [...above, high]) yield { cursor, limit: this.#limitAt(i) };
    }
  }

  async *#lowestAboveEach(anchors: readonly T[]): AsyncGenerator<Variation, void, void> {
    for (const anchor of anchors) {
      const lowest = await this.#lowestAbove(anchor);
      if (lowest === undefined) continue;
      yield { cursor: lowest, limit: this.#limitAt(0) };
      yield { cursor: lowest - 1n, limit: this.#limitAt(0) };
    }
  }

  /** Rows above the last ones; one further up where pages may be cut by their bytes. */
  #endAnchors(): readonly T[] {
    const known = this.#known;
    const anchors = known.anchors();
    const [nearest] = anchors;
    if (nearest === undefined) return anchors;
    if (known.isFarFromCut(known.distance(nearest), this.#requests.longest)) return anchors;
    const further = known.above(nearest, ROOM_ROWS);
    return further === undefined ? anchors : [...new Set([nearest, further, ...anchors])];
  }

  /** The row above the answers that are known to end the listing: where all have one length, one that begins here has another. */
  #aboveEndings(): readonly T[] {
    const longest = Math.max(0, ...this.#placedLengths());
    const row = longest === 0 ? undefined : this.#known.rows.at(-1 - longest);
    return row === undefined ? [] : [row];
  }

  #placedLengths(): readonly number[] {
    return this.#endings.flatMap(({ isPlaced, length }) => (isPlaced ? [length] : []));
  }

  /** Older rows are listed: tries to get an answer that begins with a known row and runs on to them. */
  async #reach(): Promise<Step<T> | undefined> {
    for await (const { by, cursor } of this.#toKnown()) {
      const found = await this.#tryFull(by, cursor);
      if (found !== undefined) return found;
    }
    const { high } = this.#bounds;
    const cursors = [...new Set(this.#endings.map(({ cursor }) => cursor)), high];
    for (let i = 1; i <= REACH_TRIES; i++) {
      const cursor = cursors[i % cursors.length] ?? high;
      const found = await this.#tryLimits([{ cursor, limit: this.#limitAt(i) }]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Cursors whose answers begin with known rows. */
  async *#toKnown(): AsyncGenerator<Proposal, void, void> {
    const anchors = this.#known.anchors();
    yield* this.#proposals.from(anchors);
    for (const anchor of anchors) {
      for await (const cursor of this.#cursorsAbove(anchor)) yield { by: SEARCH, cursor };
    }
  }

  /** The lowest cursor whose answer begins at this row or above; undefined when none does. */
  async #lowestAbove(anchor: T): Promise<bigint | undefined> {
    let lowest: bigint | undefined;
    for await (const cursor of this.#cursorsAbove(anchor)) lowest = cursor;
    return lowest;
  }

  /** Cursors whose pages can begin at this row or above, each lower than the one before; the lowest one twice. */
  async *#cursorsAbove(anchor: T): AsyncGenerator<bigint, void, void> {
    const least = this.#known.distance(anchor);
    const bounds = this.#boundsAbove(least);
    for (let cursor = bounds.middle(); cursor !== undefined; cursor = bounds.middle()) {
      const distance = await this.#distanceAt(cursor);
      if (distance < least) {
        bounds.tooLow(cursor, "older");
        continue;
      }
      bounds.tooHigh(cursor);
      if (distance < this.#requests.longest) yield cursor;
    }
    if (bounds.isHighAnswered) yield bounds.high;
  }

  #boundsAbove(least: number): CursorBounds {
    const { high } = this.#bounds;
    const bounds = new CursorBounds(MAX_CURSOR);
    bounds.tooLow(high, "older");
    for (const [cursor, first] of this.#notes.all) {
      if (first === undefined || cursor <= high) continue;
      const { position, distance } = this.#known.locate(first);
      if (position === "newer" || distance >= least) bounds.tooHigh(cursor);
      else if (distance > 0) bounds.tooLow(cursor, "older");
    }
    return bounds;
  }

  /** Rows from the first one of an answer down to the tail; none for one below it, any number for one far above. */
  async #distanceAt(cursor: bigint): Promise<number> {
    const row = await this.#firstRow(cursor);
    if (row === "refused") return Number.POSITIVE_INFINITY;
    if (row === undefined) return 0;
    const { position, distance } = this.#known.locate(this.#known.keyOf(row));
    return position === "newer" ? Number.POSITIVE_INFINITY : distance;
  }

  #stuck(): Step<T> {
    return { kind: "stuck", flag: this.#flag(), olderMs: this.#olderMs };
  }

  #flag(): Flag {
    const { high, low, lowKind } = this.#bounds;
    const refusals = this.#refusals;
    if (high === 0n) return "cursor-ignored";
    if (refusals.has("disordered")) return "out-of-order";
    if (refusals.has("hole")) return "history-changed";
    if (this.#olderMs !== undefined) {
      return lowKind === "older" && low === high - 1n ? "group-fills-page" : "not-joined";
    }
    if (this.#options.probes === 0) return "end-not-probed";
    if (this.#endings.length === 0) return "no-continuation";
    if (this.#isContradicted() || this.#isOfTwoLengths()) return "end-unsure";
    const isOne = this.#known.ties().length === this.#known.count;
    return isOne ? "one-transaction" : "last-group-fills-page";
  }
}

/** The next few. */
async function take<V>(values: AsyncGenerator<V, void, void>, count: number): Promise<V[]> {
  const some: V[] = [];
  while (some.length < count) {
    const { value, done } = await values.next();
    if (done) break;
    some.push(value);
  }
  return some;
}
