// What the pager has to know of a listing's records. Everything else in them only has to be equal or not.

/** How the records of one listing are read. All functions are pure and never throw. */
export interface RecordReading<T> {
  /** Unix milliseconds; the listing is newest first by it, with any number of equal times. */
  timeMs(record: T): number;
  /** What the records of one transaction share, such as its hash; empty text where nothing names it. */
  transaction(record: T): string;
  /** Fields that may be what `before` is compared with, the likeliest first. They only ever propose. */
  readonly cursorFields: readonly CursorField<T>[];
}

/** A field that may be the index that `before` is compared with. */
export interface CursorField<T> {
  readonly name: string;
  /** Its value as an integer; undefined where it is none. Never throws. */
  value(record: T): bigint | undefined;
}
