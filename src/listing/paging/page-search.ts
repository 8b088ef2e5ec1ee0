// One search for what follows the last known row: tries what is proposed, then narrows by halves, until an answer proves
// itself by its overlap, or until nothing older is found and the last rows are shown to be whole.
import { CursorBounds, CursorNotes, type FirstRow, MAX_CURSOR } from "./cursor-bounds.ts";
import { AT_ONCE, probeCursors } from "./end-probes.ts";
import { isNewestFirst, type Judgement, judge, type Refusal } from "./judge.ts";
import type { KnownRows } from "./known-rows.ts";
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
  | { readonly kind: "end"; readonly by: string; readonly nothingBelow: NothingBelow }
  | {
      readonly kind: "stuck";
      readonly flag: Flag;
      /** Unix milliseconds of the newest row that is listed below, where one is. */
      readonly olderMs?: number | undefined;
    };

/** An answer that ended with the last known row. */
export interface Ending {
  /** Undefined for the newest page. */
  readonly cursor: bigint | undefined;
  readonly limit: number;
  readonly length: number;
  /** It is sure with which of the known rows it began. */
  readonly isPlaced: boolean;
}

/** What is known of the way to a last row, across the searches for what follows it. */
interface SearchOptions<T extends object> {
  readonly known: KnownRows<T>;
  readonly requests: Requests<T>;
  readonly proposals: Proposals<T>;
  readonly notes: CursorNotes;
  /** The answer with which the last known rows came. */
  readonly lastAnswer: Ending | undefined;
  /** No later page begins at this cursor or above. */
  readonly high: bigint;
  readonly isHighAnswered: boolean;
  /** Most requests below what seems to be the end; 0 for none, so that no end is ever proven. */
  readonly probes: number;
  readonly isOtherWay: boolean;
}

/** The last rows are whole when so many answers to different requests end with them. */
const ENDINGS = 4;
/** Tries to get so many. */
const ENDING_TRIES = 8;
/** Answers from other cursors and with other limits that are tried where rows lie below, but none runs on to them. */
const REACH_TRIES = 6;
/** Times that rows are found below what seemed to be the end, before this is given up. */
const ROUNDS = 6;
/** Requests that find out whether the service filters what it has found. */
const FILTER_TRIES = 3;
/** By so many rows the limits of requests at one cursor differ. */
const LIMIT_STEP = 7;

/** One more request for the end of the listing; without a cursor the newest page. */
interface Variation {
  readonly cursor: bigint | undefined;
  readonly limit: number;
}

/** One search; `run` is called once. */
class Search<T extends object> {
  readonly #options: SearchOptions<T>;
  readonly #bounds: CursorBounds;
  readonly #refusals = new Set<Refusal>();
  readonly #endings: Ending[] = [];
  #by = SEARCH;
  #isMaxRefused = false;
  /** Cursors whose answers held more rows than are known. */
  readonly #contradicted = new Set<bigint>();
  /** Of the newest row that was found below the tail. */
  #olderMs: number | undefined;

  constructor(options: SearchOptions<T>) {
    this.#options = options;
    this.#bounds = new CursorBounds(options.high, options.isHighAnswered);
    const { lastAnswer } = options;
    if (lastAnswer !== undefined && lastAnswer.length < lastAnswer.limit) {
      this.#endings.push(lastAnswer);
    }
  }

  /** Finds what follows the last known row. Afterwards the rows of a found page are known. */
  async run(): Promise<Step<T>> {
    const found = await this.#tryProposals();
    if (found !== undefined) return found;
    this.#recall(true);
    return (await this.#narrow()) ?? (await this.#conclude());
  }

  /** Narrows the range by what has been answered before. @param isEmptyLow whether answers without rows count */
  #recall(isEmptyLow: boolean): void {
    const { notes } = this.#options;
    const bounds = this.#bounds;
    let empty = -1n;
    for (const [cursor, first] of notes.all) {
      if (first !== undefined) this.#learnFirst(cursor, first);
      else if (cursor > empty) empty = cursor;
    }
    if (isEmptyLow && empty < bounds.high) bounds.tooLow(empty, "empty");
  }

  #learnFirst(cursor: bigint, first: FirstRow): void {
    if (!this.#bounds.contains(cursor)) return;
    const { place } = this.#options.known.locate(first);
    if (place === "older") this.#bounds.tooLow(cursor, "older");
    else if (place !== "tied") this.#bounds.tooHigh(cursor);
  }

  async #tryProposals(): Promise<Step<T> | undefined> {
    const { known, proposals } = this.#options;
    const wasHigher = proposals.isBeginningHigher;
    for (const proposal of proposals.after(known.rows)) {
      const found = await this.#propose(proposal);
      if (found !== undefined) return found;
    }
    if (wasHigher || !this.#refusals.has("ambiguous")) return undefined;
    // Equal rows: the same fields of a row that stands further above.
    proposals.beginHigher();
    for (const { by, cursor } of proposals.after(known.rows)) {
      const found = by === SEARCH ? undefined : await this.#tryPage({ by, cursor });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #propose(proposal: Proposal): Promise<Step<T> | undefined> {
    const { requests } = this.#options;
    const { cursor, by, own } = proposal;
    if (cursor !== this.#bounds.high && !this.#bounds.contains(cursor)) return undefined;
    const reply = await requests.page(cursor);
    if (reply.isRefused) return this.#lost(proposal);
    const found = await this.#weigh(by, cursor, reply);
    if (found !== undefined) return found;
    if (!this.#isEnding(cursor)) {
      return this.#refusals.has("ambiguous") ? undefined : this.#lost(proposal);
    }
    this.#by = by;
    const more = requests.limit < requests.fullLimit ? await this.#tryFull(proposal) : undefined;
    if (more !== undefined || own === undefined) return more;
    // If the field is the index, the last row's own answer and the one just below it show that the listing ends here.
    const ownFound = own === cursor ? undefined : await this.#tryFull({ by, cursor: own });
    return ownFound ?? (await this.#tryFull({ by, cursor: own - 1n }));
  }

  #lost(proposal: Proposal): undefined {
    this.#options.proposals.lost(proposal);
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
    const { known, requests } = this.#options;
    const row = await this.#firstRow(cursor);
    if (row === "refused") {
      await this.#refused(cursor);
      return undefined;
    }
    if (row === undefined) {
      this.#bounds.tooLow(cursor, "empty");
      return undefined;
    }
    const place = known.place(row);
    const isNear =
      place === "tied" || (place === "known" && known.distance(row) < requests.longest);
    if (isNear) return this.#tryPage({ by: SEARCH, cursor });
    if (place === "older") this.#tooLow(cursor, row);
    else this.#bounds.tooHigh(cursor);
    return undefined;
  }

  /** A service may count rows of others in its limit: where one row is none, as many as can be are asked for. */
  async #firstRow(cursor: bigint): Promise<T | "refused" | undefined> {
    const { requests } = this.#options;
    const one = await requests.single(cursor);
    if (one.isRefused) return "refused";
    const first = one.rows[0] ?? (await requests.full(cursor)).rows[0];
    if (one.rows.length === 0 && first !== undefined) requests.noteFiltering();
    this.#note(cursor, first);
    return first;
  }

  #note(cursor: bigint, first: T | undefined): void {
    const { known, notes } = this.#options;
    notes.note(cursor, first && { ms: known.fields.timeMs(first), text: known.textOf(first) });
  }

  /** A cursor that is refused is beyond what the service takes: above all, unless higher ones have been answered. */
  async #refused(cursor: bigint): Promise<void> {
    const bounds = this.#bounds;
    if (!bounds.isHighAnswered && bounds.high === MAX_CURSOR && !this.#isMaxRefused) {
      this.#isMaxRefused = (await this.#options.requests.single(MAX_CURSOR)).isRefused;
      bounds.tooHigh(MAX_CURSOR, !this.#isMaxRefused);
    }
    if (bounds.isHighAnswered) bounds.tooLow(cursor, "refused");
    else bounds.tooHigh(cursor, false);
  }

  #tooLow(cursor: bigint, first: T): void {
    const ms = this.#options.known.fields.timeMs(first);
    this.#olderMs = Math.max(ms, this.#olderMs ?? ms);
    this.#bounds.tooLow(cursor, "older");
  }

  async #tryPage({ by, cursor }: Proposal): Promise<Step<T> | undefined> {
    return this.#weigh(by, cursor, await this.#options.requests.page(cursor));
  }

  async #tryFull({ by, cursor }: Proposal): Promise<Step<T> | undefined> {
    return this.#weigh(by, cursor, await this.#options.requests.full(cursor));
  }

  /** Accepts an answer if it proves itself; otherwise keeps what it teaches. */
  async #weigh(by: string, cursor: bigint, reply: Reply<T>): Promise<Step<T> | undefined> {
    const { known } = this.#options;
    const { rows, isRefused } = reply;
    if (isRefused) {
      await this.#refused(cursor);
      return undefined;
    }
    const judgement = judge(known, rows);
    if (judgement.isProof && judgement.fresh.length > 0) {
      return this.#accept(by, cursor, reply, judgement);
    }
    if (!judgement.isProof) this.#refusals.add(judgement.refusal);
    if (rows.length > 0 && known.endsWith(rows)) this.#end(cursor, reply, judgement.isProof);
    this.#learn(cursor, rows);
    // Equal rows of another transaction look like known ones, but are too many.
    if (cursor === this.#bounds.high && !known.holds(rows)) this.#contradicted.add(cursor);
    return undefined;
  }

  #end(cursor: bigint, { rows, limit }: Reply<T>, isPlaced: boolean): void {
    const isSame = (each: Ending) => each.cursor === cursor && each.limit === limit;
    if (rows.length >= limit || this.#endings.some(isSame)) return;
    const isSure = isPlaced || this.#isBelowKnown(cursor, rows);
    this.#endings.push({ cursor, limit, length: rows.length, isPlaced: isSure });
  }

  /** True when the answer to the next higher cursor begins with the known row that stands above these ones. */
  #isBelowKnown(cursor: bigint, rows: readonly T[]): boolean {
    const { known, notes } = this.#options;
    const above = known.rows[known.rows.length - rows.length - 1];
    const [first] = rows;
    if (above === undefined || first === undefined) return false;
    const text = known.textOf(above);
    return notes.firstAt(cursor + 1n)?.text === text && known.textOf(first) !== text;
  }

  #accept(
    by: string,
    cursor: bigint,
    { rows, limit }: Reply<T>,
    { fresh, overlap, isReordered }: Extract<Judgement<T>, { isProof: true }>,
  ): Step<T> {
    const { known, requests, proposals } = this.#options;
    this.#note(cursor, rows[0]);
    proposals.won({ by, cursor });
    proposals.landed({ cursor, firstRow: known.count - overlap, length: rows.length });
    if (limit > requests.limit) requests.enlarge();
    known.append(fresh);
    return { kind: "page", fresh, answer: rows, limit, by, cursor, isReordered };
  }

  #learn(cursor: bigint, rows: readonly T[]): void {
    const { known } = this.#options;
    const [first] = rows;
    this.#note(cursor, first);
    if (first === undefined) {
      this.#bounds.tooLow(cursor, "empty");
      return;
    }
    const place = known.place(first);
    // A tied row stands below the tail, unless a known one follows it.
    const isBelow =
      place === "older" || (place === "tied" && !rows.some((row) => known.place(row) === "known"));
    if (isBelow) this.#tooLow(cursor, first);
    else this.#bounds.tooHigh(cursor);
  }

  /** The range is closed: at `high` the answer begins with a known row, just below it with none. */
  async #conclude(): Promise<Step<T>> {
    const bounds = this.#bounds;
    if (!bounds.isHighAnswered) await this.#tryFull({ by: SEARCH, cursor: bounds.high });
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
    const found = this.#isEnding(high)
      ? undefined
      : await this.#tryFull({ by: SEARCH, cursor: high });
    if (found !== undefined) return found;
    if (this.#olderMs !== undefined) return (await this.#reach()) ?? this.#stuck();
    const below = await this.#lookBelow();
    return below === undefined ? undefined : ((await this.#confirm(below)) ?? this.#stuck());
  }

  /** Where all known rows are equal, only the newest page shows how many there are: nothing stands above it. */
  async #tryTop(): Promise<Step<T> | undefined> {
    const { known, requests, lastAnswer } = this.#options;
    const isFirst = lastAnswer !== undefined && lastAnswer.cursor === undefined;
    if (!isFirst || known.count !== known.rows.length || known.anchors().length > 0)
      return undefined;
    const rows = await requests.newest(requests.fullLimit);
    const isSame = known.rows.every((row, i) => {
      const other = rows[i];
      return other !== undefined && known.textOf(other) === known.textOf(row);
    });
    const fresh = rows.slice(known.count);
    if (!isSame || fresh.length === 0 || !isNewestFirst(known.fields, rows)) return undefined;
    const [overlap, limit] = [known.count, requests.fullLimit];
    const reply = { rows, limit, isRefused: false };
    return this.#accept(SEARCH, MAX_CURSOR, reply, {
      isProof: true,
      fresh,
      overlap,
      isReordered: false,
    });
  }

  /**
   * Looks far below what seems to be the end.
   * @returns undefined when rows were found: the range is open again
   */
  async #lookBelow(): Promise<NothingBelow | undefined> {
    const { requests, probes, isOtherWay } = this.#options;
    const { high } = this.#bounds;
    const index = high - 1n;
    if (probes === 0) return { index, probes: 0, isRefused: false };
    await this.#findFilter();
    const isAsked = this.#bounds.lowKind === "empty" ? this.#bounds.low : undefined;
    const cursors = probeCursors({
      ...{ high, span: this.#span(), most: probes, shift: isOtherWay },
      isDense: requests.isFiltering,
    }).filter((cursor) => cursor !== isAsked);
    const answered = await this.#probe(cursors);
    if (answered === undefined) return undefined;
    const count = answered + (isAsked === undefined ? 0 : 1);
    return { index, probes: count, isRefused: count === 0 && high > 1n };
  }

  /** @returns how many of these cursors are answered, all without rows; undefined as soon as one is not */
  async #probe(cursors: readonly bigint[]): Promise<number | undefined> {
    let answered = 0;
    for (let from = 0; from < cursors.length; from += AT_ONCE) {
      const some = cursors.slice(from, from + AT_ONCE);
      const replies = await Promise.all(some.map((each) => this.#options.requests.below(each)));
      const at = replies.findIndex(({ rows }) => rows.length > 0);
      const [first, cursor] = [replies[at]?.rows[0], some[at]];
      if (first !== undefined && cursor !== undefined) {
        this.#reopen(cursor, first);
        return undefined;
      }
      answered += replies.filter(({ isRefused }) => !isRefused).length;
    }
    return answered;
  }

  /** Asks for one row where it is known which must come, in the widest gaps of the last page. */
  async #findFilter(): Promise<void> {
    const { known, requests, proposals } = this.#options;
    if (requests.isFiltering) return;
    const rows = known.rows.slice(-requests.limit);
    const cursors = proposals.widest(this.#bounds.high - 1n, rows, FILTER_TRIES);
    const replies = await Promise.all(cursors.map((cursor) => requests.single(cursor)));
    if (replies.some(({ rows: [row], isRefused }) => row === undefined && !isRefused)) {
      requests.noteFiltering();
    }
  }

  #reopen(cursor: bigint, first: T): void {
    this.#options.requests.noteFiltering();
    this.#bounds.reopen();
    this.#recall(false);
    if (this.#options.known.place(first) === "older") this.#tooLow(cursor, first);
    else this.#bounds.tooHigh(cursor);
  }

  /** Index units that a page spans, near the last row. */
  #span(): bigint {
    const { known, requests, proposals, lastAnswer } = this.#options;
    const { high } = this.#bounds;
    const { rows, tail } = known;
    const pageRows = Math.min(rows.length, Math.max(2, lastAnswer?.length ?? requests.limit));
    const first = rows[rows.length - pageRows];
    if (first !== undefined && tail !== undefined && pageRows > 1) {
      const byField = proposals.distance(high - 1n, first, tail);
      if (byField !== undefined) return byField;
    }
    // By the cursors that were asked for: each lies at least so far above as the row with which its answer begins.
    const spans = [...this.#options.notes.all].flatMap(([cursor, row]) => {
      const distance = row === undefined ? 0 : known.locate(row).distance;
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
    return { kind: "end", by: this.#by, nothingBelow };
  }

  #isConfirmed(): boolean {
    return (
      !this.#isContradicted() &&
      this.#endings.length >= ENDINGS &&
      this.#isOfTwoLengths() &&
      this.#isEnding(this.#bounds.high)
    );
  }

  /** Where only the last rows should be listed, there were others, too. */
  #isContradicted(): boolean {
    return this.#contradicted.has(this.#bounds.high);
  }

  /** A page can hold more rows than the shorter of them has: it ends where the listing does. */
  #isOfTwoLengths(): boolean {
    const placed = this.#endings.filter(({ isPlaced }) => isPlaced);
    return new Set(placed.map(({ length }) => length)).size > 1;
  }

  /** Asks all at once. */
  async #tryLimits(some: readonly Variation[]): Promise<Step<T> | undefined> {
    const { requests } = this.#options;
    const replies = await Promise.all(
      some.map(({ cursor, limit }) =>
        cursor === undefined ? requests.newest(limit) : requests.page(cursor, limit),
      ),
    );
    for (const [i, reply] of replies.entries()) {
      const [cursor, limit] = [some[i]?.cursor, some[i]?.limit ?? 0];
      if (!("rows" in reply)) this.#endNewest(reply, limit);
      else if (cursor !== undefined) {
        const found = await this.#weigh(this.#by, cursor, reply);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #endNewest(rows: readonly T[], limit: number): void {
    const { known } = this.#options;
    const isWhole = rows.length < limit && rows.length === known.count && known.endsWith(rows);
    if (
      isWhole &&
      !this.#endings.some((each) => each.cursor === undefined && each.limit === limit)
    ) {
      this.#endings.push({ cursor: undefined, limit, length: rows.length, isPlaced: true });
    }
  }

  /** Requests that no other one was like, whose answers hold the last row: other cursors first, then other limits. */
  async *#variations(): AsyncGenerator<Variation, void, void> {
    const { known, requests, proposals } = this.#options;
    const { high } = this.#bounds;
    const limitAt = (i: number) => Math.max(1, requests.fullLimit - LIMIT_STEP * i);
    yield { cursor: high, limit: limitAt(1) };
    // Just below an answer that begins with a row above, it is sure with which row another one begins.
    const byFields = proposals.from(known.anchors()).flatMap(({ cursor }) => [cursor, cursor - 1n]);
    for (const cursor of byFields) {
      if (cursor > high && !this.#isEnding(cursor)) yield { cursor, limit: limitAt(0) };
    }
    if (!this.#isOfTwoLengths()) yield* this.#cursorsAbove(limitAt(0));
    const above = [...new Set(this.#endings.map(({ cursor }) => cursor))].filter((c) => c !== high);
    for (let i = 2; i < ENDING_TRIES + 2; i++) {
      for (const cursor of [...above, high]) yield { cursor, limit: limitAt(i) };
    }
  }

  async *#cursorsAbove(limit: number): AsyncGenerator<Variation, void, void> {
    const { known } = this.#options;
    for (const anchor of known.anchors()) {
      const cursor = await this.#cursorAbove(known.distance(anchor));
      if (cursor === undefined) continue;
      yield { cursor, limit };
      yield { cursor: cursor - 1n, limit };
    }
  }

  /** Older rows are listed: tries to get an answer that begins with a known row and runs on to them. */
  async #reach(): Promise<Step<T> | undefined> {
    const { known, requests, proposals } = this.#options;
    const anchors = known.anchors();
    for (const { by, cursor } of proposals.from(anchors)) {
      const found = await this.#tryFull({ by, cursor });
      if (found !== undefined) return found;
    }
    for (const anchor of anchors) {
      const found = await this.#searchAbove(known.distance(anchor));
      if (found !== undefined) return found;
    }
    const cursors = [...new Set(this.#endings.map(({ cursor }) => cursor)), this.#bounds.high];
    for (let i = 1; i <= REACH_TRIES; i++) {
      const cursor = cursors[i % cursors.length] ?? this.#bounds.high;
      const limit = Math.max(1, requests.fullLimit - LIMIT_STEP * i);
      const found = await this.#tryLimits([{ cursor, limit }]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Tries pages that begin at least so many rows above the tail, the lowest cursor first. */
  async #searchAbove(least: number): Promise<Step<T> | undefined> {
    const bounds = this.#boundsAbove(least);
    for (let cursor = bounds.middle(); cursor !== undefined; cursor = bounds.middle()) {
      const distance = await this.#distanceAt(cursor);
      if (distance < least) {
        bounds.tooLow(cursor, "older");
        continue;
      }
      bounds.tooHigh(cursor);
      if (distance >= this.#options.requests.longest) continue;
      const found = await this.#tryFull({ by: SEARCH, cursor });
      if (found !== undefined) return found;
    }
    return bounds.isHighAnswered ? this.#tryFull({ by: SEARCH, cursor: bounds.high }) : undefined;
  }

  /** The lowest cursor whose answer begins at least so many rows above the tail; undefined when none does. */
  async #cursorAbove(least: number): Promise<bigint | undefined> {
    const bounds = this.#boundsAbove(least);
    for (let cursor = bounds.middle(); cursor !== undefined; cursor = bounds.middle()) {
      if ((await this.#distanceAt(cursor)) < least) bounds.tooLow(cursor, "older");
      else bounds.tooHigh(cursor);
    }
    return bounds.isHighAnswered ? bounds.high : undefined;
  }

  #boundsAbove(least: number): CursorBounds {
    const { known, notes } = this.#options;
    const bounds = new CursorBounds(MAX_CURSOR);
    bounds.tooLow(this.#bounds.high, "older");
    for (const [cursor, first] of notes.all) {
      if (first === undefined || cursor <= this.#bounds.high) continue;
      const { place, distance } = known.locate(first);
      if (place === "newer" || distance >= least) bounds.tooHigh(cursor);
      else if (distance > 0) bounds.tooLow(cursor, "older");
    }
    return bounds;
  }

  /** Rows from the first one of an answer down to the tail; none for one below it, any number for one far above. */
  async #distanceAt(cursor: bigint): Promise<number> {
    const { known } = this.#options;
    const row = await this.#firstRow(cursor);
    if (row === "refused") return Number.POSITIVE_INFINITY;
    if (row === undefined) return 0;
    return known.place(row) === "newer" ? Number.POSITIVE_INFINITY : known.distance(row);
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
    return this.#isContradicted() || this.#isOfTwoLengths()
      ? "end-unsure"
      : "last-group-fills-page";
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

interface PageSearchOptions<T extends object> {
  readonly known: KnownRows<T>;
  readonly requests: Requests<T>;
  readonly proposals: Proposals<T>;
  /** Most requests below what seems to be the end. */
  readonly probes: number;
  readonly isOtherWay: boolean;
  /** The cursor of the last accepted page of an earlier run. */
  readonly high?: bigint | undefined;
}

/** Gets from one page to the one behind it, whatever the cursor means. */
export class PageSearch<T extends object> {
  readonly #options: PageSearchOptions<T>;
  /** Every later page begins below the accepted one, so its cursor is lower. */
  #high: bigint | undefined;
  #lastAnswer: Ending | undefined;
  readonly #notes = new CursorNotes();

  constructor(options: PageSearchOptions<T>) {
    this.#options = options;
    this.#high = options.high;
  }

  /** The first page, which ends with the last known row. @param cursor undefined for the newest rows */
  begin(cursor: bigint | undefined, length: number, limit: number): void {
    this.#high = cursor;
    this.#lastAnswer = { cursor, length, limit, isPlaced: true };
  }

  /** Finds what follows the last known row. Afterwards the rows of a found page are known. */
  async next(): Promise<Step<T>> {
    let step = await this.#search(this.#high);
    // A second look from the top: the answers may have come from replicas that lag behind each other.
    if (step.kind === "stuck" && this.#high !== undefined) step = await this.#search(undefined);
    if (step.kind === "page") {
      const { cursor, answer, limit } = step;
      if (this.#high !== undefined) this.#notes.forgetAbove(this.#high);
      this.#high = cursor;
      this.#lastAnswer = { cursor, length: answer.length, limit, isPlaced: true };
    }
    return step;
  }

  #search(high: bigint | undefined): Promise<Step<T>> {
    return new Search<T>({
      ...this.#options,
      notes: this.#notes,
      lastAnswer: this.#lastAnswer,
      high: high ?? MAX_CURSOR,
      isHighAnswered: high !== undefined,
    }).run();
  }
}
