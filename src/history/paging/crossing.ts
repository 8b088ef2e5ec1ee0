// From the last known row to the rows after it: tries what is proposed, then searches, until an answer proves
// itself by its overlap, or until it is proven that nothing older is listed.
import { Bracket, MAX_CURSOR } from "./bracket.ts";
import { type Judgement, judge, type Refusal } from "./judge.ts";
import type { KnownRows } from "./known-rows.ts";
import { type Proposal, type Proposals, SEARCH } from "./proposals.ts";
import type { Requests } from "./requests.ts";
import type { Flag } from "./verdict.ts";

/** What follows the last known row. */
export type Step<T> =
  | {
      readonly kind: "page";
      /** At least one row, newest first. */
      readonly fresh: readonly T[];
      /** The whole answer, known rows first. */
      readonly answer: readonly T[];
      readonly by: string;
      readonly cursor: bigint;
      readonly isReordered: boolean;
    }
  | { readonly kind: "end"; readonly by: string }
  | { readonly kind: "stuck"; readonly flag: Flag };

/** One search for the page after the last known row. */
interface Attempt {
  readonly bracket: Bracket;
  readonly refusals: Set<Refusal>;
  /** The lowest cursor whose answer is proven to end exactly with the last known row. */
  last: { readonly proposal: Proposal; readonly length: number } | undefined;
  /** The lowest cursor whose answer had rows, and whether all of them are known. */
  lowest: { readonly cursor: bigint; readonly isKnown: boolean } | undefined;
}

interface CrossingOptions<T extends object> {
  readonly known: KnownRows<T>;
  readonly requests: Requests<T>;
  readonly proposals: Proposals<T>;
  /** Rows that any page can have, if there are so many: fewer can mean that the listing ends. */
  readonly leastCapacity: number;
  /** The cursor of the last accepted page of an earlier run. */
  readonly high?: bigint | undefined;
}

/** Gets from one page to the one behind it, whatever the cursor means. */
export class Crossing<T extends object> {
  readonly #known: KnownRows<T>;
  readonly #requests: Requests<T>;
  readonly #proposals: Proposals<T>;
  readonly #leastCapacity: number;
  /** Every later page begins below the accepted one, so its cursor is lower. */
  #high: bigint;

  constructor({ known, requests, proposals, leastCapacity, high }: CrossingOptions<T>) {
    this.#known = known;
    this.#requests = requests;
    this.#proposals = proposals;
    this.#leastCapacity = leastCapacity;
    this.#high = high ?? MAX_CURSOR;
  }

  /** Finds what follows the last known row. Afterwards the rows of a found page are known. */
  async next(tail: T): Promise<Step<T>> {
    const step = await this.#attempt(tail, this.#high);
    // A second look from the top: the answers may have come from replicas that lag behind each other.
    return step.kind === "stuck" ? this.#attempt(tail, MAX_CURSOR) : step;
  }

  async #attempt(tail: T, high: bigint): Promise<Step<T>> {
    const attempt: Attempt = {
      bracket: new Bracket(high),
      refusals: new Set(),
      last: undefined,
      lowest: undefined,
    };
    for (const proposal of this.#proposals.after(tail)) {
      const found = await this.#propose(proposal, attempt);
      if (found !== undefined) return found;
    }
    return this.#search(attempt);
  }

  async #propose(proposal: Proposal, attempt: Attempt): Promise<Step<T> | undefined> {
    const { bracket } = attempt;
    if (!bracket.contains(proposal.cursor)) return undefined;
    const found = await this.#try(proposal, attempt);
    if (found !== undefined) return found;
    if (attempt.last?.proposal !== proposal) {
      this.#proposals.lost(proposal);
      return undefined;
    }
    // If the field is the index, the listing ends here, and the cursor just below shows it.
    const isNextOpen = proposal.by !== SEARCH && bracket.contains(proposal.cursor - 1n);
    return isNextOpen ? this.#look(proposal.cursor - 1n, attempt) : undefined;
  }

  /**
   * Answers that begin within the tail's ties prove nothing where those come in any order, or are equal: asks
   * for answers that begin above them.
   */
  async #widen(attempt: Attempt): Promise<Step<T> | undefined> {
    const anchors = this.#known.anchors();
    for (const proposal of this.#proposals.from(anchors)) {
      const found = await this.#try(proposal, attempt);
      if (found !== undefined) return found;
    }
    for (const anchor of anchors) {
      const found = await this.#searchAbove(this.#known.distance(anchor), attempt);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Finds the lowest cursor whose answer begins at least so many rows above the tail. */
  async #searchAbove(least: number, attempt: Attempt): Promise<Step<T> | undefined> {
    const bracket = new Bracket(MAX_CURSOR);
    bracket.tooLow(attempt.bracket.high, false);
    for (let cursor = bracket.middle(); cursor !== undefined; cursor = bracket.middle()) {
      const distance = this.#distanceOf(await this.#requests.probe(cursor));
      if (distance < least) {
        bracket.tooLow(cursor, false);
        continue;
      }
      bracket.tooHigh(cursor);
      if (distance >= this.#requests.longest) continue;
      const found = await this.#try({ by: SEARCH, cursor }, attempt);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Rows from this one down to the tail; none for one below it, any number for one above what is kept. */
  #distanceOf(row: T | undefined): number {
    if (row === undefined) return 0;
    return this.#known.place(row) === "newer"
      ? Number.POSITIVE_INFINITY
      : this.#known.distance(row);
  }

  async #search(attempt: Attempt): Promise<Step<T>> {
    const { bracket } = attempt;
    for (let cursor = bracket.middle(); cursor !== undefined; cursor = bracket.middle()) {
      const found = await this.#look(cursor, attempt);
      if (found !== undefined) return found;
    }
    const step = await this.#conclude(attempt);
    if (step.kind !== "stuck") return step;
    return (await this.#widen(attempt)) ?? this.#conclude(attempt);
  }

  /** Asks for one row; and for the page, where that row is near enough to the last known one. */
  async #look(cursor: bigint, attempt: Attempt): Promise<Step<T> | undefined> {
    const row = await this.#requests.probe(cursor);
    if (row === undefined) {
      attempt.bracket.tooLow(cursor, true);
      return undefined;
    }
    const place = this.#known.place(row);
    const isNear =
      place === "tied" || (place === "known" && this.#known.distance(row) < this.#requests.longest);
    if (isNear) return this.#try({ by: SEARCH, cursor }, attempt);
    if (place === "older") attempt.bracket.tooLow(cursor, false);
    else attempt.bracket.tooHigh(cursor);
    return undefined;
  }

  /** Asks for a page and accepts it if it proves itself; otherwise keeps what it teaches. */
  async #try(proposal: Proposal, attempt: Attempt): Promise<Step<T> | undefined> {
    const { cursor } = proposal;
    const page = await this.#requests.page(cursor);
    const judgement = judge(this.#known, page);
    if (!judgement.isProof) {
      attempt.refusals.add(judgement.refusal);
    } else if (judgement.fresh.length > 0) {
      return this.#accept(proposal, page, judgement);
    } else if (attempt.last === undefined || cursor < attempt.last.proposal.cursor) {
      attempt.last = { proposal, length: page.length };
    }
    if (page.length > 0 && (attempt.lowest === undefined || cursor < attempt.lowest.cursor)) {
      const isKnown = page.every((row) => this.#known.place(row) === "known");
      attempt.lowest = { cursor, isKnown };
    }
    this.#narrow(attempt.bracket, cursor, page);
    return undefined;
  }

  #accept(
    proposal: Proposal,
    answer: readonly T[],
    { fresh, overlap, isReordered }: Extract<Judgement<T>, { isProof: true }>,
  ): Step<T> {
    const { by, cursor } = proposal;
    this.#proposals.won(proposal);
    this.#proposals.landed({
      cursor,
      firstRow: this.#known.count - overlap,
      length: answer.length,
    });
    this.#high = cursor;
    this.#known.append(fresh);
    return { kind: "page", fresh, answer, by, cursor, isReordered };
  }

  #narrow(bracket: Bracket, cursor: bigint, page: readonly T[]): void {
    const [first] = page;
    const place = first === undefined ? "older" : this.#known.place(first);
    // A tied row stands below the tail, unless a known one follows it.
    const isBelow =
      place === "older" ||
      (place === "tied" && !page.some((row) => this.#known.place(row) === "known"));
    if (isBelow) bracket.tooLow(cursor, first === undefined);
    else bracket.tooHigh(cursor);
  }

  /** The bracket is closed: at `high` the answer begins with a known row, just below it with none. */
  async #conclude(attempt: Attempt): Promise<Step<T>> {
    const { bracket } = attempt;
    if (attempt.last?.proposal.cursor !== bracket.high && attempt.lowest?.cursor !== bracket.high) {
      const found = await this.#try({ by: SEARCH, cursor: bracket.high }, attempt);
      if (found !== undefined) return found;
    }
    const { last, lowest } = attempt;
    // Of the rows at the end, the answer at `high` shows a part: it may be too little to prove itself, but all are known.
    const isWhole = last !== undefined && last.length < this.#capacity;
    if (isWhole && lowest?.cursor === bracket.high && lowest.isKnown && bracket.isEmptyBelow) {
      return { kind: "end", by: last.proposal.by };
    }
    return { kind: "stuck", flag: this.#flag(attempt) };
  }

  /** Rows that a page has if there are enough. A short page by itself never means that the listing ends. */
  get #capacity(): number {
    return this.#high === MAX_CURSOR
      ? this.#leastCapacity
      : Math.max(this.#leastCapacity, this.#requests.longest);
  }

  #flag({ bracket, refusals, last }: Attempt): Flag {
    if (bracket.high === 0n) return "cursor-ignored";
    if (last !== undefined && last.length >= this.#capacity) return "group-fills-page";
    if (refusals.has("disordered")) return "out-of-order";
    return refusals.has("hole") ? "history-changed" : "no-continuation";
  }
}
