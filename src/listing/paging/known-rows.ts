// The rows that are proven so far: how many there are, and the last of them, with which answers are compared.
import type { FirstRow } from "./cursor-bounds.ts";
import { canonicalText, type RecordFields } from "./source.ts";

/**
 * Where a row stands to the known ones. `newer`: it belongs above the last known row, but is not among those
 * that are kept; `tied`: unknown, of the same millisecond as the last known row; `older`: below it.
 */
export type Place = "known" | "newer" | "tied" | "older";

/** Only ever grows at its older end. Rows far above the tail are forgotten, so that memory stays flat. */
export class KnownRows<T extends object> {
  readonly fields: RecordFields<T>;
  readonly #keep: number;
  readonly #texts = new WeakMap<T, string>();
  #rows: T[] = [];
  #count = 0;

  /** @param keep rows that are kept at least, with all that share the tail's millisecond */
  constructor(fields: RecordFields<T>, keep: number) {
    this.fields = fields;
    this.#keep = keep;
  }

  /** How many rows are known, forgotten ones too. */
  get count(): number {
    return this.#count;
  }

  /** The kept rows, newest first. They change with the next `append`. */
  get rows(): readonly T[] {
    return this.#rows;
  }

  /** The oldest known row; undefined while none is known. */
  get tail(): T | undefined {
    return this.#rows.at(-1);
  }

  /** Unix milliseconds of the tail; positive infinity while no row is known. */
  get tailMs(): number {
    const { tail } = this;
    return tail === undefined ? Number.POSITIVE_INFINITY : this.fields.timeMs(tail);
  }

  /** Adds rows that follow the tail, newest first. */
  append(rows: readonly T[]): void {
    for (const row of rows) this.#rows.push(row);
    this.#count += rows.length;
    this.#forget();
  }

  /** Takes over from an earlier run: `rows` are the last of `count` known ones. */
  restore(rows: readonly T[], count: number): void {
    this.#rows = [...rows];
    this.#count = count;
  }

  /** The last rows: so many, and all others that share the tail's millisecond. */
  last(count: number): readonly T[] {
    return this.#rows.slice(this.#startOfLast(count));
  }

  /** The text by which a row is compared. */
  textOf(row: T): string {
    let text = this.#texts.get(row);
    if (text === undefined) {
      text = canonicalText(row);
      this.#texts.set(row, text);
    }
    return text;
  }

  place(row: T): Place {
    return this.#placeOf(this.fields.timeMs(row), () => this.textOf(row));
  }

  /** Rows from the known one that equals this row down to the tail, both counted; 0 when none equals it. */
  distance(row: T): number {
    return this.#distanceOf(this.fields.timeMs(row), () => this.textOf(row));
  }

  /** The same of a row of which only this is kept. */
  locate({ ms, text }: FirstRow): { readonly place: Place; readonly distance: number } {
    const distance = this.#distanceOf(ms, () => text);
    return { place: this.#placeOf(ms, () => text, distance), distance };
  }

  #placeOf(ms: number, text: () => string, distance = this.#distanceOf(ms, text)): Place {
    if (ms < this.tailMs) return "older";
    if (distance > 0) return "known";
    // Times never rise from row to row, and what is known has no gap: an unknown row of a later time is one
    // that came since, or one that was forgotten; neither stands below the tail.
    return ms > this.tailMs ? "newer" : "tied";
  }

  #distanceOf(ms: number, text: () => string): number {
    const { timeMs } = this.fields;
    if (ms < this.tailMs) return 0;
    for (let i = this.#rows.length - 1; i >= 0; i--) {
      const known = this.#rows[i];
      if (known === undefined || timeMs(known) > ms) return 0;
      if (timeMs(known) === ms && this.textOf(known) === text()) return this.#rows.length - i;
    }
    return 0;
  }

  /** The kept rows of the tail's millisecond, newest first. */
  ties(): readonly T[] {
    const { tailMs } = this;
    return this.#rows.slice(this.#startOfRun((row) => this.fields.timeMs(row) === tailMs));
  }

  /** True when these rows are the last known ones, in any order, each as often as there. */
  endsWith(page: readonly T[]): boolean {
    if (page.length > this.#rows.length) return false;
    const counts = countTexts(this, this.#rows.slice(this.#rows.length - page.length));
    return page.every((row) => takeText(counts, this.textOf(row)));
  }

  /** True when each of these rows is among the kept ones, as often as it is here. */
  holds(page: readonly T[]): boolean {
    const counts = countTexts(this, this.#rows);
    return page.every((row) => takeText(counts, this.textOf(row)));
  }

  /** The known rows of the tail's transaction, as far as they are at the end. */
  tailGroup(): readonly T[] {
    const { tail } = this;
    if (tail === undefined) return [];
    const { timeMs, transaction } = this.fields;
    const start = this.#startOfRun(
      (row) => timeMs(row) === timeMs(tail) && transaction(row) === transaction(tail),
    );
    return this.#rows.slice(start);
  }

  /**
   * Rows with which an answer may begin to hold all that the tail can be taken for, the nearest first: the last one
   * that is not equal to it, the last one of another transaction, and the last one of another time.
   */
  anchors(): readonly T[] {
    const { tail, tailMs } = this;
    const tailText = tail === undefined ? "" : this.textOf(tail);
    const other = this.#rows[this.#startOfRun((row) => this.textOf(row) === tailText) - 1];
    const group = this.#rows[this.#rows.length - this.tailGroup().length - 1];
    const tie = this.#rows[this.#startOfRun((row) => this.fields.timeMs(row) === tailMs) - 1];
    return [other, group, tie].filter(
      (row, i, all) => row !== undefined && all.indexOf(row) === i,
    ) as T[];
  }

  #startOfRun(isPart: (row: T) => boolean): number {
    let start = this.#rows.length;
    for (
      let row = this.#rows[start - 1];
      row !== undefined && isPart(row);
      row = this.#rows[start - 1]
    ) {
      start--;
    }
    return start;
  }

  #forget(): void {
    // Rarely, because each time copies what is kept.
    if (this.#rows.length < this.#keep * 2) return;
    this.#rows = this.#rows.slice(this.#startOfLast(this.#keep));
  }

  #startOfLast(count: number): number {
    const { timeMs } = this.fields;
    const { tailMs } = this;
    // One row above those that are tied with the tail, where an answer that holds all of them begins.
    const tied = this.#startOfRun((row) => timeMs(row) === tailMs);
    return Math.max(0, Math.min(this.#rows.length - count, tied - 1));
  }
}

/** How many of some rows there are of each text. */
export function countTexts<T extends object>(
  known: KnownRows<T>,
  rows: readonly T[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const text = known.textOf(row);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** Takes one of a text out of the counts. @returns false when there is none */
function takeText(counts: Map<string, number>, text: string): boolean {
  const count = counts.get(text) ?? 0;
  if (count > 0) counts.set(text, count - 1);
  return count > 0;
}
