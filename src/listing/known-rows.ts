// The rows read so far, and where an answer stands among them: the overlap that proves a page.
import { type FieldList, isSameRecord, type ListedRecord } from "../wire/rest/fields.ts";

/** Two of the longest pages: an answer that begins further up cannot reach past the last row. */
const KEPT = 2000;

/** Where an answer stands. */
export interface Place<T> {
  /**
   * `joined`: begins among the known rows. `changed`: begins with a row newer than the last known one that should be known, and is
   * not. `refused`: the service does not take the cursor.
   */
  readonly side: "joined" | "above" | "below" | "empty" | "changed" | "refused";
  /** Position of its first row, if it is joined; negative where newer rows come before the first known one. */
  readonly at: number;
  /** It is joined, and fits in one place only. */
  readonly isPinned: boolean;
  /** Its rows after the last known one, if it is joined. */
  readonly beyond: readonly T[];
}

export function unjoined<T>(side: Exclude<Place<T>["side"], "joined">): Place<T> {
  return { side, at: 0, isPinned: false, beyond: [] };
}

/** Newest first; a row's position is its number, counted from the first page on. */
export class KnownRows<T extends ListedRecord> {
  readonly #fields: FieldList;
  /** The last ones. */
  #rows: readonly T[] = [];
  /** Of all, not only of those that are kept. */
  count = 0;

  constructor(fields: FieldList) {
    this.#fields = fields;
  }

  add(rows: readonly T[]): void {
    this.#rows = [...this.#rows, ...rows].slice(-KEPT);
    this.count += rows.length;
  }

  /** @param rows the last of `count` */
  restore(rows: readonly T[], count: number): void {
    this.#rows = rows;
    this.count = count;
  }

  get kept(): readonly T[] {
    return this.#rows;
  }

  get last(): T | undefined {
    return this.#rows.at(-1);
  }

  /** Position of the first row that is kept. */
  get start(): number {
    return this.count - this.#rows.length;
  }

  at(position: number): T | undefined {
    return this.#rows[position - this.start];
  }

  /** The least that an answer must repeat: the last row and one that differs from it, since rows may be equal in every field. */
  get pinPosition(): number {
    const { last } = this;
    const differs = (row: T) => last !== undefined && !this.#isSame(row, last);
    return this.start + Math.max(0, this.#rows.findLastIndex(differs));
  }

  /** @param isFromTop asked without a cursor: what begins with the newest known row is in place */
  place(answer: readonly T[], isFromTop: boolean): Place<T> {
    const [first] = answer;
    if (first === undefined) return unjoined("empty");
    const fits = this.#fits(answer);
    const i = fits.at(-1);
    if (i === undefined) return this.#placeUnjoined(answer, first);
    const overlap = answer.slice(0, this.#rows.length - i);
    const beyond = answer.slice(overlap.length);
    // Where the only known row is all there is, there is no other to tell it by.
    const isAll = isFromTop ? i + this.start === 0 : this.count === 1 && beyond.length === 0;
    const isPinned =
      fits.length === 1 && (isAll || overlap.some((row) => !this.#isSame(row, first)));
    return { side: "joined", at: this.start + i, isPinned, beyond };
  }

  #placeUnjoined(answer: readonly T[], first: T): Place<T> {
    const { last } = this;
    const newer = this.start === 0 ? this.#placeBelowNewer(answer) : undefined;
    if (newer !== undefined) return newer;
    if (last === undefined || first.timestamp_ms <= last.timestamp_ms) return unjoined("below");
    return unjoined(this.#isNewer(first) ? "above" : "changed");
  }

  /** Rows have come since the first page was read: the place of what follows them. */
  #placeBelowNewer(answer: readonly T[]): Place<T> | undefined {
    const [newest] = this.#rows;
    const newer = answer.findIndex((row) => newest !== undefined && this.#isSame(row, newest));
    if (newer < 1 || !answer.slice(0, newer).every((row) => this.#isNewer(row))) return undefined;
    const place = this.place(answer.slice(newer), true);
    return place.side === "joined" ? { ...place, at: place.at - newer } : undefined;
  }

  #isNewer({ timestamp_ms }: T): boolean {
    return timestamp_ms >= (this.#rows[0]?.timestamp_ms ?? 0);
  }

  /** All places in which an answer repeats what is known. */
  #fits(answer: readonly T[]): readonly number[] {
    const [first] = answer;
    const places: number[] = [];
    this.#rows.forEach((row, i) => {
      if (first !== undefined && this.#isSame(row, first) && this.#fitsAt(i, answer))
        places.push(i);
    });
    return places;
  }

  #fitsAt(i: number, answer: readonly T[]): boolean {
    const end = Math.min(answer.length, this.#rows.length - i);
    for (let k = 1; k < end; k++) {
      if (!this.#isSame(this.#rows[i + k] as T, answer[k] as T)) return false;
    }
    return true;
  }

  #isSame(a: T, b: T): boolean {
    return isSameRecord(a, b, this.#fields);
  }
}
