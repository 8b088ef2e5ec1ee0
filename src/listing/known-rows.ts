// The rows read so far, and where an answer stands among them: the overlap that proves a page.
import { type FieldList, isSameRecord, type ListedRecord } from "../wire/rest/fields.ts";

/** The longest page: an answer that begins further up cannot reach past the last row. */
const KEPT = 1000;

/** Where an answer stands. */
export interface Place<T> {
  /**
   * `joined`: begins among the known rows, or with newer ones and then them. `changed`: begins with a row newer than the last known
   * one that should be known, and is not. `refused`: the service does not take the cursor.
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

/** Newest first; a row's position is that among those that are kept. */
export class KnownRows<T extends ListedRecord> {
  readonly #fields: FieldList;
  /** The last ones. */
  kept: readonly T[] = [];
  /** Of all, not only of those that are kept. */
  count = 0;

  constructor(fields: FieldList) {
    this.#fields = fields;
  }

  add(rows: readonly T[]): void {
    this.kept = this.kept.concat(rows).slice(-KEPT);
    this.count += rows.length;
  }

  get last(): T | undefined {
    return this.kept.at(-1);
  }

  /** The newest row is still kept. */
  get hasNewest(): boolean {
    return this.count === this.kept.length;
  }

  /** The least that an answer must repeat: the last row and one that differs from it, since rows may be equal in every field. */
  get pinPosition(): number {
    const { last } = this;
    const differs = (row: T) => last !== undefined && !this.#isSame(row, last);
    return Math.max(0, this.kept.findLastIndex(differs));
  }

  place(answer: readonly T[]): Place<T> {
    const [first] = answer;
    if (first === undefined) return unjoined("empty");
    const fits = this.#fits(answer);
    const at = fits.at(-1);
    if (at === undefined) return unjoined(this.#sideOf(first));
    const overlap = answer.slice(Math.max(0, -at), this.kept.length - at);
    const beyond = answer.slice(this.kept.length - at);
    // Where the only known row is all there is, there is no other to tell it by.
    const isAll = this.count === 1 && beyond.length === 0;
    const [top] = overlap as [T];
    const isPinned = fits.length === 1 && (isAll || overlap.some((row) => !this.#isSame(row, top)));
    return { side: "joined", at, isPinned, beyond };
  }

  #sideOf(first: T): "above" | "below" | "changed" {
    if (first.timestamp_ms <= (this.last?.timestamp_ms ?? Number.POSITIVE_INFINITY)) return "below";
    return this.#isNewer(first) ? "above" : "changed";
  }

  #isNewer({ timestamp_ms }: T): boolean {
    return timestamp_ms >= (this.kept[0]?.timestamp_ms ?? 0);
  }

  /** All places in which an answer repeats what is known; rows may have come since the first page was read. */
  #fits(answer: readonly T[]): readonly number[] {
    const places: number[] = [];
    const isFromTop = this.hasNewest && this.count > 0;
    const older = isFromTop ? answer.findIndex((row) => !this.#isNewer(row)) : 0;
    const newer = older < 0 ? answer.length - 1 : older;
    for (let i = -newer; i < this.kept.length; i++) if (this.#fitsAt(i, answer)) places.push(i);
    return places;
  }

  #fitsAt(place: number, answer: readonly T[]): boolean {
    const end = Math.min(place + answer.length, this.kept.length);
    for (let i = Math.max(0, place); i < end; i++) {
      if (!this.#isSame(this.kept[i] as T, answer[i - place] as T)) return false;
    }
    return true;
  }

  #isSame(a: T, b: T): boolean {
    return a.timestamp_ms === b.timestamp_ms && isSameRecord(a, b, this.#fields);
  }
}
