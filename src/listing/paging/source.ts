// Where the pager gets its answers from. The REST listing is one; tests bring others.
import { HistoryError } from "../../units/monitor-error.ts";
import { ExactNumber } from "../../wire/exact-numbers.ts";
import { MAX_JSON_DEPTH } from "../../wire/json.ts";
import { TradeText } from "../../wire/rest/trades-text.ts";

/** What a request asks for: at most `limit` rows strictly before an index, or the newest ones. */
export interface PageRequest {
  readonly before: bigint | undefined;
  readonly limit: number;
}

/** An answer, not yet read: reading costs more than guessing from its end where the next page begins. */
export interface Answer<T> {
  /**
   * Fields of the last records, at most so many, in the order of the answer, as the raw text shows them, unchecked:
   * good for guesses only. None where they cannot be seen.
   */
  end(count: number): readonly Partial<T>[];
  /**
   * All records, as sent: newest first if the service keeps to the interface.
   * @throws {HistoryError} when the answer does not fit the interface
   */
  records(): readonly T[];
}

/** Something that answers pages, newest first. */
export interface Source<T> {
  /**
   * Asks once; tries again by itself where that can help.
   * @throws {HistoryError} when the service has no answer, `http-400` among others where it refuses the request; the
   * signal's reason when aborted
   */
  get(request: PageRequest, signal: AbortSignal): Promise<Answer<T>>;
}

export interface RecordFields<T> {
  /** Unix milliseconds; the listing is newest first by it, with any number of equal times. */
  timeMs(record: T): number;
  /** What the records of one transaction share, such as its hash; empty text where nothing names it. */
  transaction(record: T): string;
  /** Of a record that need not name what is listed: whether it does; undefined where it names nothing of the kind. */
  isNamedBy?(record: T): boolean | undefined;
  /** Fields that may be what `before` is compared with, the likeliest first. They only ever propose. */
  readonly cursorFields: readonly CursorField<T>[];
}

/** A field that may be the index that `before` is compared with. */
export interface CursorField<T> {
  readonly name: string;
  value(record: T): bigint | undefined;
}

/**
 * A record as text, with its fields in the order of their names: equal for equal records, whatever the
 * order in which the service sent their fields.
 * @throws {HistoryError} `bad-page` for a value that is nested deeper than any sensible record
 */
export function canonicalText(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.text;
  if (value instanceof TradeText) return value.sortedJson;
  if (depth === MAX_JSON_DEPTH) {
    throw new HistoryError(
      "bad-page",
      `a record is nested more than ${MAX_JSON_DEPTH} levels deep`,
    );
  }
  if (Array.isArray(value)) {
    return `[${value.map((each) => canonicalText(each, depth + 1)).join(",")}]`;
  }
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = fields.map(
    ([name, field]) => `${JSON.stringify(name)}:${canonicalText(field, depth + 1)}`,
  );
  return `{${texts.join(",")}}`;
}

/** True for records with the same canonical text. @throws {HistoryError} as `canonicalText` does */
export function isSameRecord(a: object, b: object): boolean {
  if (a instanceof TradeText && b instanceof TradeText) return a.isSame(b);
  return canonicalText(a) === canonicalText(b);
}
