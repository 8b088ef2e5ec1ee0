// The proven rows: their count, and the last of them, for comparison with responses.
import { TradeText } from "../../wire/rest/trades-text.ts";
import { canonicalText, type RecordFields } from "./source.ts";
import { TextCounts } from "./text-counts.ts";

/**
 * `newer`: above the last known row, but not held; `tied`: unknown, with the same millisecond as the last known row; `older`:
 * below.
 */
type Position = "known" | "newer" | "tied" | "older";

/** For comparison; `ms` is Unix milliseconds. */
export interface RowKey {
  readonly ms: number;
  readonly text: string;
}

/** Rows with the same fields differ in length by less than this factor. */
const SOME_DIGITS = 1.05;

/** Grows at its older end; rows far above the tail are dropped. */
export class KnownRows<T extends object> {
  readonly fields: RecordFields<T>;
  readonly #keep: number;
  readonly #texts = new WeakMap<T, string>();
  #rows: T[] = [];
  count = 0;

  /** @param keep minimum number of rows held, always including all of the tail's millisecond */
  constructor(fields: RecordFields<T>, keep: number) {
    this.fields = fields;
    this.#keep = keep;
  }

  get rows(): readonly T[] {
    return this.#rows;
  }

  get tail(): T | undefined {
    return this.#rows.at(-1);
  }

  get tailMs(): number {
    const { tail } = this;
    return tail === undefined ? Number.POSITIVE_INFINITY : this.fields.timeMs(tail);
  }

  /** @param rows continue below the tail, newest first */
  append(rows: readonly T[]): void {
    for (const row of rows) this.#rows.push(row);
    this.count += rows.length;
    // Only now and then, because it copies.
    if (this.#rows.length >= this.#keep * 2) this.#rows = this.last(this.#keep);
  }

  restore(rows: readonly T[], count: number): void {
    this.#rows = [...rows];
    this.count = count;
  }

  /** At least `count` rows, including all of the tail's millisecond and one row above, where a response with them begins. */
  last(count: number): T[] {
    const tied = this.ties().length;
    return this.#rows.slice(-Math.max(count, tied + 1));
  }

  textOf(row: T): string {
    let text = this.#texts.get(row);
    if (text === undefined) {
      text = canonicalText(row);
      this.#texts.set(row, text);
    }
    return text;
  }

  #lengthOf(row: T): number {
    return row instanceof TradeText ? row.sortedJsonLength : this.textOf(row).length;
  }

  keyOf(row: T): RowKey {
    return { ms: this.fields.timeMs(row), text: this.textOf(row) };
  }

  positionOf(row: T): Position {
    // The text of an older row is costly and not needed.
    const ms = this.fields.timeMs(row);
    return ms < this.tailMs ? "older" : this.locate({ ms, text: this.textOf(row) }).position;
  }

  /** Number of rows from the known row equal to this one down to the tail; 0 if none is equal. */
  distance(row: T): number {
    return this.locate(this.keyOf(row)).distance;
  }

  locate({ ms, text }: RowKey): { readonly position: Position; readonly distance: number } {
    if (ms < this.tailMs) return { position: "older", distance: 0 };
    const distance = this.#distanceOf(ms, text);
    if (distance > 0) return { position: "known", distance };
    // Times never rise, and known rows have no gap: an unknown row of a later time is either new or was dropped; neither is below
    // the tail.
    return { position: ms > this.tailMs ? "newer" : "tied", distance };
  }

  #distanceOf(ms: number, text: string): number {
    const { timeMs } = this.fields;
    for (let i = this.#rows.length - 1; i >= 0; i--) {
      const known = this.#rows[i];
      if (known === undefined || timeMs(known) > ms) return 0;
      if (timeMs(known) === ms && this.textOf(known) === text) return this.#rows.length - i;
    }
    return 0;
  }

  countsOf(rows: readonly T[]): TextCounts {
    return new TextCounts(rows.map((row) => this.textOf(row)));
  }

  /** In any order. */
  endsWith(page: readonly T[]): boolean {
    if (page.length > this.#rows.length) return false;
    const counts = this.countsOf(this.#rows.slice(this.#rows.length - page.length));
    return page.every((row) => counts.take(this.textOf(row)));
  }

  /** Each row at least as often as on the page. */
  holds(page: readonly T[]): boolean {
    const { timeMs } = this.fields;
    const missing = this.countsOf(page);
    const times = page.map(timeMs);
    const [oldestMs, newestMs] = [Math.min(...times), Math.max(...times)];
    // Only rows of these times can be equal; do not build the texts of others.
    for (let i = this.#rows.length - 1; i >= 0 && missing.size > 0; i--) {
      const row = this.#rows[i] as T;
      const ms = timeMs(row);
      if (ms > newestMs) break;
      if (ms >= oldestMs) missing.take(this.textOf(row));
    }
    return missing.size === 0;
  }

  /** The same, for the rows that are not newer than the tail. */
  holdsTied(page: readonly T[]): boolean {
    const { tailMs } = this;
    const tied = page.filter((row) => this.fields.timeMs(row) <= tailMs);
    if (tied.length === 0) return true;
    const counts = this.countsOf(this.ties());
    return tied.every((row) => counts.take(this.textOf(row)));
  }

  ties(): readonly T[] {
    const { tailMs } = this;
    return this.#run((row) => this.fields.timeMs(row) === tailMs);
  }

  /**
   * A page of the last `count` rows plus any one more has less text than the longest page: no byte limit cuts it.
   * @param longest rows of the longest page
   */
  isFarFromCut(count: number, longest: number): boolean {
    if (count >= longest) return false;
    const lengths = this.#rows.map((row) => this.#lengthOf(row));
    const least = lengths.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const most = lengths.reduce((a, b) => Math.max(a, b), 0);
    const text = lengths.slice(-count).reduce((sum, each) => sum + each, most);
    return text <= least * longest;
  }

  /** The extra rows of the longer suffix have at least the text of any single row, give or take some digits. */
  isLongerByRow(shorter: number, longer: number): boolean {
    const lengths = this.#rows.slice(-longer).map((row) => this.#lengthOf(row));
    const more = lengths.slice(0, longer - shorter).reduce((sum, each) => sum + each, 0);
    return lengths.every((each) => each <= more * SOME_DIGITS);
  }

  /** Clamped to the first row held. */
  above(row: T, count: number): T | undefined {
    return this.#rows[Math.max(0, this.#rows.lastIndexOf(row) - count)];
  }

  /**
   * Rows with which a response should begin, nearest first: the last row that differs from the tail, the last of another
   * transaction, and the last of another time.
   */
  anchors(): readonly T[] {
    const { tail } = this;
    if (tail === undefined) return [];
    const { transaction } = this.fields;
    const [text, name] = [this.textOf(tail), transaction(tail)];
    const ties = this.ties();
    const group = ties.slice(ties.findLastIndex((row) => transaction(row) !== name) + 1);
    const runs = [this.#run((row) => this.textOf(row) === text), group, ties];
    const above = runs.map((run) => this.#rows[this.#rows.length - run.length - 1]);
    return [...new Set(above)].filter((row) => row !== undefined);
  }

  /** The longest suffix for which the condition holds. */
  #run(isPart: (row: T) => boolean): readonly T[] {
    return this.#rows.slice(this.#rows.findLastIndex((row) => !isPart(row)) + 1);
  }
}
