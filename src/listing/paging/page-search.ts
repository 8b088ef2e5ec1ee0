// Finds what follows the last known row: tries proposals, then bisects, until a response proves itself by overlap, or nothing
// older is found and the last rows are shown to be complete.
import { CursorBounds, CursorNotes, MAX_CURSOR, probeCursors } from "./cursors.ts";
import { isNewestFirst, type Judgement, judge, type Refusal } from "./judge.ts";
import type { KnownRows, RowKey } from "./known-rows.ts";
import { type Proposal, type Proposals, SEARCH } from "./proposals.ts";
import type { Reply, Requests } from "./requests.ts";
import type { Flag, NothingBelow } from "./verdict.ts";

export type Step<T> =
  | {
      readonly kind: "page";
      /** Newest first; at least one. */
      readonly fresh: readonly T[];
      /** Including known rows. */
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
      /** Unix milliseconds of the newest row found below. */
      readonly olderMs?: number | undefined;
    };

/** A response that ended with the last known row. */
interface Ending {
  /** Undefined for the newest page. */
  readonly cursor: bigint | undefined;
  readonly limit: number;
  readonly length: number;
  /** It is certain which known row it began with. */
  readonly isPlaced: boolean;
}

type Variation = Pick<Ending, "cursor" | "limit">;

/** Required number of responses to different requests that all end with the last known row. */
const ENDINGS = 4;
const ENDING_TRIES = 8;
const ROOM_ROWS = 3;
/** Attempts when rows exist below, but no response joins them. */
const REACH_TRIES = 6;
/** How often rows may turn up below the apparent end. */
const ROUNDS = 6;
/** Responses without the last row that show that the oldest ones expire: a single one could be cut. */
const EXPIRY_TRIES = 3;
/** Requests that find out whether the service filters its results. */
const FILTER_TRIES = 3;
/** Difference between the limits of requests at one cursor. */
const LIMIT_STEP = 7;

interface SearchOptions {
  /** Maximum number of requests below the apparent end; with 0 no end is ever proven. */
  readonly probes: number;
  readonly usesOtherCursors: boolean;
  /** Cursor and limit of the last accepted page of an earlier run. */
  readonly high?: bigint | undefined;
  readonly highLimit?: number | undefined;
  /** The newest transaction index, if known from elsewhere. */
  readonly newestIndex?: bigint | undefined;
}

/** Leads from one page to the next, whatever the cursor means. */
export class PageSearch<T extends object> {
  readonly #known: KnownRows<T>;
  readonly #requests: Requests<T>;
  readonly #proposals: Proposals<T>;
  readonly #options: SearchOptions;
  readonly #notes = new CursorNotes();
  /** Cursor of the accepted page: later cursors are lower. */
  #high: bigint | undefined;
  /** Its limit; undefined if unknown. */
  #highLimit: number | undefined;
  /** The response that ended with the last known row. */
  #lastAnswer: Ending | undefined;
  /** Whether requests below an apparent end have been made ahead. */
  #hasAskedBelow = false;
  /** Cursors below an apparent end that returned rows: the next probing must include them. */
  readonly #shown = new Set<bigint>();

  // State of the current search.
  #bounds = new CursorBounds(MAX_CURSOR);
  #refusals = new Set<Refusal>();
  #endings: Ending[] = [];
  /** Source of the cursor whose response ends the listing. */
  #by = SEARCH;
  #isMaxRefused = false;
  /** Cursors whose responses held more rows than are known. */
  #contradicted = new Set<bigint>();
  /** A response held more rows of the tail's time, or older, than are known. */
  #hasShownMore = false;
  /** Unix milliseconds. */
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
    this.#highLimit = options.highLimit;
  }

  /** Call when an accepted page ends with the last known row. @param cursor undefined for the newest rows */
  begin(cursor: bigint | undefined, length: number, limit: number): void {
    this.#high = cursor;
    this.#highLimit = limit;
    this.#lastAnswer = { cursor, length, limit, isPlaced: true };
  }

  /** The rows of a returned page are known from then on. */
  async next(): Promise<Step<T>> {
    let step = await this.#find(this.#high);
    // Restart from the top: responses may have come from lagging replicas.
    if (step.kind === "stuck" && this.#high !== undefined) step = await this.#find(undefined);
    if (step.kind === "page") {
      if (this.#high !== undefined) this.#notes.forgetAbove(this.#high);
      this.begin(step.cursor, step.answer.length, step.limit);
    }
    return step;
  }

  /**
   * The pending response may be the last one: makes the requests that proving an end always needs, in parallel with it.
   * @param own the cursor whose response begins with the last known row, if its field is the index
   */
  prefetchEndProof(own: bigint, { isLikely = false, isOwnAsked = false }): void {
    const requests = this.#requests;
    if (!isOwnAsked) requests.prefetchOther(own, requests.fullLimit);
    requests.prefetchOther(own - 1n, requests.fullLimit);
    // Only once: with this service, many pages may look like the end.
    const isInVain = this.#options.probes === 0 || own <= 0n || own > MAX_CURSOR;
    if (!isLikely || isInVain || this.#hasAskedBelow) return;
    this.#hasAskedBelow = true;
    requests.prefetchOther(own, this.#limitAt(1));
    const filters = this.#filterCursors(own);
    for (const cursor of filters) requests.prefetchOther(cursor, 1);
    const range = this.#probeRange(own);
    const cursors = probeCursors({ ...range, isDense: requests.isFiltering });
    // While it is unknown whether the service filters, request only what is needed either way.
    const dense =
      filters.length > 0 ? new Set(probeCursors({ ...range, isDense: true })) : undefined;
    for (const cursor of cursors) {
      if (dense?.has(cursor) ?? true) requests.prefetchOther(cursor, requests.fullLimit);
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
    const result = await this.#tryProposals();
    if (result !== undefined) return result;
    this.#recall(true);
    return (await this.#narrow()) ?? (await this.#conclude());
  }

  /** Narrows the range by earlier responses. */
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

  /** If the response at the newest transaction begins with a newest row, higher cursors give nothing more. */
  async #lookAtTop(): Promise<void> {
    const { newestIndex } = this.#options;
    if (newestIndex === undefined || newestIndex < 0n || newestIndex >= MAX_CURSOR) return;
    const cursor = newestIndex + 1n;
    const { position, distance } = await this.#locateFirst(cursor);
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
      const result = await this.#propose(proposal);
      if (result !== undefined) return result;
    }
    // Once a response certainly ended with the last row, higher cursors do not help.
    const isEnded = this.#endings.some((each) => each.isPlaced && each !== this.#lastAnswer);
    if (wasHigher || isEnded || !this.#refusals.has("ambiguous")) return undefined;
    // Equal rows: try the field of a row further above.
    this.#proposals.isBeginningHigher = true;
    for (const { by, cursor } of this.#proposals.after(rows)) {
      const result = by === SEARCH ? undefined : await this.#tryPage(by, cursor);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  async #propose(proposal: Proposal): Promise<Step<T> | undefined> {
    const { cursor, by, own } = proposal;
    if (cursor !== this.#bounds.high && !this.#bounds.contains(cursor)) return undefined;
    const reply = await this.#requests.page(cursor);
    if (reply.isRefused) return this.#lost(by);
    const result = await this.#weigh(by, cursor, reply);
    if (result !== undefined) return result;
    if (!this.#isEnding(cursor)) {
      return this.#refusals.has("ambiguous") ? undefined : this.#lost(by);
    }
    this.#by = by;
    const isShort = this.#requests.limit < this.#requests.fullLimit;
    const more = isShort ? await this.#tryFull(by, cursor) : undefined;
    if (more !== undefined || own === undefined) return more;
    // If the field is the index, the responses at the last row and just below show that the listing ends here.
    this.prefetchEndProof(own, { isLikely: true, isOwnAsked: own === cursor });
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

  /** Bisects the range until it is empty. */
  async #narrow(): Promise<Step<T> | undefined> {
    const bounds = this.#bounds;
    for (let cursor = bounds.middle(); cursor !== undefined; cursor = bounds.middle()) {
      const result = await this.#look(cursor);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** Requests one row, then the whole page if that row is near the last known one. */
  async #look(cursor: bigint): Promise<Step<T> | undefined> {
    const { row, position, distance } = await this.#locateFirst(cursor);
    const isNear = position === "known" && distance < this.#requests.longest;
    if (position === "refused") await this.#refused(cursor);
    else if (row === undefined) this.#bounds.tooLow(cursor, "empty");
    else if (isNear || position === "tied") return this.#tryPage(SEARCH, cursor);
    else if (position === "older") this.#tooLow(cursor, row);
    else this.#bounds.tooHigh(cursor);
    return undefined;
  }

  /** Requests the first row at a cursor and locates it among the known rows. */
  async #locateFirst(cursor: bigint) {
    const { rows, isRefused } = await this.#requests.first(cursor);
    const [row] = rows;
    if (isRefused) return { row, position: "refused", distance: 0 } as const;
    this.#note(cursor, row);
    if (row === undefined) return { row, position: "empty", distance: 0 } as const;
    return { row, ...this.#known.locate(this.#known.keyOf(row)) };
  }

  #note(cursor: bigint, first: T | undefined): void {
    this.#notes.note(cursor, first && this.#known.keyOf(first));
  }

  /** Refused cursors are too high, unless higher ones have been accepted. */
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

  /** Accepts a response that proves itself; otherwise learns from it. */
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
    // Equal rows of another transaction look like known rows, but there are too many of them.
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

  /** The response to the next higher cursor begins with the known row just above these. */
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
    // A tied row is below the tail, unless a known row follows it.
    const isBelow =
      position === "older" ||
      (position === "tied" && !rows.some((row) => this.#known.positionOf(row) === "known"));
    if (isBelow) this.#tooLow(cursor, first);
    else this.#bounds.tooHigh(cursor);
  }

  /** The range is empty: the response at `high` begins with a known row, the one just below does not. */
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

  /** @returns undefined when rows were found below the apparent end, which reopens the range */
  async #settle(): Promise<Step<T> | undefined> {
    const { high } = this.#bounds;
    const result = this.#isEnding(high) ? undefined : await this.#tryFull(SEARCH, high);
    if (result !== undefined) return result;
    if (this.#olderMs !== undefined) return (await this.#reach()) ?? this.#stuck();
    // Will be needed anyway, so request it ahead.
    if (!this.#isConfirmed()) this.#requests.prefetchOther(high, this.#limitAt(1));
    const nothingBelow = await this.#lookBelow();
    if (nothingBelow === undefined) return undefined;
    const confirmed = await this.#confirm(nothingBelow);
    if (confirmed !== undefined) return confirmed;
    return (await this.#isExpiring()) ? { kind: "end", nothingBelow } : this.#stuck();
  }

  /**
   * The last row is listed no more, nor is anything below it: the request that has shown it is answered without it, and never with
   * more rows than before.
   */
  async #isExpiring(): Promise<boolean> {
    const page = { cursor: this.#high, limit: this.#highLimit };
    const { cursor, limit } = this.#endings.find((each) => each.cursor !== undefined) ?? page;
    if (cursor === undefined || limit === undefined || this.#options.probes === 0) return false;
    let most = limit;
    for (let tries = 0; tries < EXPIRY_TRIES; tries++) {
      const { rows, isRefused } = await this.#requests.page(cursor, limit);
      const isLess = rows.length <= most && this.#known.holds(rows) && !this.#hasTail(rows);
      if (isRefused || !isLess) return false;
      most = rows.length;
    }
    return !this.#isContradicted();
  }

  #hasTail(rows: readonly T[]): boolean {
    const { tailMs, fields } = this.#known;
    return rows.some((row) => fields.timeMs(row) === tailMs && this.#known.distance(row) === 1);
  }

  /** If all known rows are equal, only the newest page shows how many there are. */
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

  /** @returns undefined when rows were found, which reopens the range */
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

  /** Requests single rows in the widest gaps of the last page, where each request must return one. */
  async #findFilter(): Promise<void> {
    const requests = this.#requests;
    const cursors = this.#filterCursors(this.#bounds.high);
    const replies = await Promise.all(cursors.map((cursor) => requests.single(cursor)));
    if (replies.some(({ rows: [row], isRefused }) => row === undefined && !isRefused)) {
      requests.isFiltering = true;
    }
  }

  /** Empty if the service is already known to filter. */
  #filterCursors(high: bigint): readonly bigint[] {
    const { limit, isFiltering } = this.#requests;
    if (isFiltering) return [];
    return this.#proposals.widest(high - 1n, this.#known.rows.slice(-limit), FILTER_TRIES);
  }

  #probeRange(high: bigint) {
    const { probes, usesOtherCursors } = this.#options;
    return { high, span: this.#span(high), most: probes, isShifted: usesOtherCursors };
  }

  /** Index units that a page covers near the last row. */
  #span(high: bigint): bigint {
    const { rows, tail } = this.#known;
    const length = this.#lastAnswer?.length ?? this.#requests.limit;
    const pageRows = Math.min(rows.length, Math.max(2, length));
    const first = rows.at(-pageRows);
    if (first !== undefined && tail !== undefined && pageRows > 1) {
      const byField = this.#proposals.distance(high - 1n, first, tail);
      if (byField !== undefined) return byField;
    }
    // By earlier cursors: each is at least as far above as the first row of its response.
    const spans = [...this.#notes.all].flatMap(([cursor, row]) => {
      const distance = row === undefined ? 0 : this.#known.locate(row).distance;
      const isAbove = cursor > high && distance > 0;
      return isAbove ? ((cursor - high) * BigInt(pageRows)) / BigInt(distance) : [];
    });
    return spans.reduce((least, each) => (least > 0n && least < each ? least : each), 0n) || 1n;
  }

  /**
   * Are the last rows complete? The last index could have more rows than a page holds. It does not, if responses from different
   * cursors, of different lengths, all end with the last known row.
   */
  async #confirm(nothingBelow: NothingBelow): Promise<Step<T> | undefined> {
    const variations = this.#variations();
    for (let tries = 0; !this.#isConfirmed() && tries < ENDING_TRIES; ) {
      const some = await take(variations, Math.max(1, ENDINGS - this.#endings.length));
      if (some.length === 0) break;
      tries += some.length;
      const result = await this.#tryLimits(some);
      if (result !== undefined) return result;
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

  /** A response held other rows where only the last ones should be, or more rows than are known. */
  #isContradicted(): boolean {
    return this.#hasShownMore || this.#contradicted.has(this.#bounds.high);
  }

  /**
   * A page can hold more rows than the shorter ending, so that ending was not cut. If pages are limited by bytes, a short row
   * might still have fitted: the longer ending must exceed the shorter by at least the text of any single row.
   */
  #isOfTwoLengths(): boolean {
    const lengths = this.#placedLengths();
    const [shorter, longer] = [Math.min(...lengths), Math.max(...lengths)];
    if (lengths.length === 0 || shorter === longer) return false;
    const known = this.#known;
    const isFarFromCut = known.isFarFromCut(shorter, this.#requests.longest);
    return isFarFromCut || known.isLongerByRow(shorter, longer);
  }

  /** Sends all requests at once. */
  async #tryLimits(some: readonly Variation[]): Promise<Step<T> | undefined> {
    const replies = await Promise.all(
      some.map(({ cursor, limit }) => this.#requests.page(cursor, limit)),
    );
    for (const [i, reply] of replies.entries()) {
      const cursor = some[i]?.cursor;
      if (cursor !== undefined) {
        const result = await this.#weigh(this.#by, cursor, reply);
        if (result !== undefined) return result;
      } else if (reply.rows.length === this.#known.count && this.#known.endsWith(reply.rows)) {
        this.#end(undefined, reply, true);
      }
    }
    return undefined;
  }

  /** Each `i` gives a different limit. */
  #limitAt(i: number): number {
    return Math.max(1, this.#requests.fullLimit - LIMIT_STEP * i);
  }

  /** Different requests whose responses should contain the last row: other cursors first, then other limits. */
  async *#variations(): AsyncGenerator<Variation, void, void> {
    const { high } = this.#bounds;
    yield { cursor: high, limit: this.#limitAt(1) };
    // Just below a response that begins with a row above, it is certain which row the next response begins with.
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

  /** Rows above the last ones, plus one further up if pages may be limited by bytes. */
  #endAnchors(): readonly T[] {
    const known = this.#known;
    const anchors = known.anchors();
    const [nearest] = anchors;
    if (nearest === undefined) return anchors;
    if (known.isFarFromCut(known.distance(nearest), this.#requests.longest)) return anchors;
    const further = known.above(nearest, ROOM_ROWS);
    return further === undefined ? anchors : [...new Set([nearest, further, ...anchors])];
  }

  /** The row above the endings: a response that begins there has another length. */
  #aboveEndings(): readonly T[] {
    const longest = Math.max(0, ...this.#placedLengths());
    const row = longest === 0 ? undefined : this.#known.rows.at(-1 - longest);
    return row === undefined ? [] : [row];
  }

  #placedLengths(): readonly number[] {
    return this.#endings.flatMap(({ isPlaced, length }) => (isPlaced ? [length] : []));
  }

  /** Older rows are listed: tries to join them to a known row. */
  async #reach(): Promise<Step<T> | undefined> {
    for await (const { by, cursor } of this.#toKnown()) {
      const result = await this.#tryFull(by, cursor);
      if (result !== undefined) return result;
    }
    const { high } = this.#bounds;
    const cursors = [...new Set(this.#endings.map(({ cursor }) => cursor)), high];
    for (let i = 1; i <= REACH_TRIES; i++) {
      const cursor = cursors[i % cursors.length] ?? high;
      const result = await this.#tryLimits([{ cursor, limit: this.#limitAt(i) }]);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  /** Cursors whose responses begin with known rows. */
  async *#toKnown(): AsyncGenerator<Proposal, void, void> {
    const anchors = this.#known.anchors();
    yield* this.#proposals.from(anchors);
    for (const anchor of anchors) {
      for await (const cursor of this.#cursorsAbove(anchor)) yield { by: SEARCH, cursor };
    }
  }

  /** The lowest cursor whose response begins at this row or above. */
  async #lowestAbove(anchor: T): Promise<bigint | undefined> {
    let lowest: bigint | undefined;
    for await (const cursor of this.#cursorsAbove(anchor)) lowest = cursor;
    return lowest;
  }

  /** Cursors whose pages can begin at this row or above, descending; the lowest one twice. */
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

  /** Number of rows from the first row of a response to the tail: 0 below the tail, infinite far above. */
  async #distanceAt(cursor: bigint): Promise<number> {
    const { position, distance } = await this.#locateFirst(cursor);
    const isFarAbove = position === "newer" || position === "refused";
    return isFarAbove ? Number.POSITIVE_INFINITY : distance;
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

async function take<V>(values: AsyncGenerator<V, void, void>, count: number): Promise<V[]> {
  const some: V[] = [];
  while (some.length < count) {
    const { value, done } = await values.next();
    if (done) break;
    some.push(value);
  }
  return some;
}
