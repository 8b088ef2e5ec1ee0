// From the last known row to the rows after it, page after page.
import { MAX_CURSOR } from "./bracket.ts";
import { CursorNotes } from "./cursor-notes.ts";
import type { KnownRows } from "./known-rows.ts";
import { type Ending, PageSearch, type Step } from "./page-search.ts";
import type { Proposals } from "./proposals.ts";
import type { Requests } from "./requests.ts";

interface CrossingOptions<T extends object> {
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
export class Crossing<T extends object> {
  readonly #options: CrossingOptions<T>;
  /** Every later page begins below the accepted one, so its cursor is lower. */
  #high: bigint | undefined;
  #lastAnswer: Ending | undefined;
  readonly #notes = new CursorNotes();

  constructor(options: CrossingOptions<T>) {
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
    return new PageSearch<T>({
      ...this.#options,
      notes: this.#notes,
      lastAnswer: this.#lastAnswer,
      high: high ?? MAX_CURSOR,
      isHighAnswered: high !== undefined,
    }).run();
  }
}
