// Where a pager reads from: a REST listing, or a fake in tests.
import { HistoryError } from "../../units/monitor-error.ts";
import { ExactNumber } from "../../wire/exact-numbers.ts";
import { MAX_JSON_DEPTH } from "../../wire/json.ts";
import { TradeText } from "../../wire/rest/trades-text.ts";

/** At most `limit` rows strictly before an index, or the newest ones. */
export interface PageRequest {
  readonly before: bigint | undefined;
  readonly limit: number;
}

/** Not parsed yet: guessing the next page from its end is cheaper. */
export interface Answer<T> {
  /** Fields of at most so many last records, in order, from the raw text, unchecked: good for guesses only. */
  end(count: number): readonly Partial<T>[];
  /**
   * Newest first if the service keeps to the interface.
   * @throws {HistoryError} when the answer does not fit the interface
   */
  records(): readonly T[];
}

export interface Source<T> {
  /**
   * Retries where that can help.
   * @throws {HistoryError} when the service has no answer, `http-400` among others where it refuses the request; the
   * signal's reason when aborted
   */
  get(request: PageRequest, signal: AbortSignal): Promise<Answer<T>>;
}

export interface RecordFields<T> {
  /** Unix milliseconds, never rising from row to row; many may be equal. */
  timeMs(record: T): number;
  /** Shared by the records of one transaction, such as its hash; empty where nothing names it. */
  transaction(record: T): string;
  /** Whether the record names what is listed; undefined where it names nothing of the kind. */
  isNamedBy?(record: T): boolean | undefined;
  /** Fields that may be the index of `before`, the likeliest first. They only propose. */
  readonly cursorFields: readonly CursorField<T>[];
}

export interface CursorField<T> {
  readonly name: string;
  value(record: T): bigint | undefined;
}

/**
 * JSON with sorted fields: equal for equal records.
 * @throws {HistoryError} `bad-page` for a value that is nested too deeply
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

/** @throws {HistoryError} as `canonicalText` does */
export function isSameRecord(a: object, b: object): boolean {
  if (a instanceof TradeText && b instanceof TradeText) return a.isSame(b);
  return canonicalText(a) === canonicalText(b);
}
