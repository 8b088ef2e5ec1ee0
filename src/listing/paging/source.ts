// What a pager reads from: a REST listing, or a fake in tests.
import { HistoryError } from "../../units/monitor-error.ts";
import { ExactNumber } from "../../wire/exact-numbers.ts";
import { MAX_JSON_DEPTH } from "../../wire/json.ts";
import { TradeText } from "../../wire/rest/trades-text.ts";

/** At most `limit` rows strictly before an index, or the newest rows. */
export interface PageRequest {
  readonly before: bigint | undefined;
  readonly limit: number;
}

/** Not parsed yet: guessing the next page from its raw end is cheaper. */
export interface Answer<T> {
  /** Fields of at most `count` last records, in order, from the raw text and unchecked: good for guesses only. */
  end(count: number): readonly Partial<T>[];
  /**
   * Newest first if the service complies with the interface.
   * @throws {HistoryError} when the response does not fit the interface
   */
  records(): readonly T[];
}

export interface Source<T> {
  /**
   * Retries where that can help.
   * @throws {HistoryError} when the service gives no usable response, with code `http-400` among others if it refuses the
   * request; the signal's reason when aborted
   */
  get(request: PageRequest, signal: AbortSignal): Promise<Answer<T>>;
}

export interface RecordFields<T> {
  /** Unix milliseconds, never rising from row to row; many rows may have the same time. */
  timeMs(record: T): number;
  /** Shared by the records of one transaction, such as its hash; empty if no field identifies it. */
  transaction(record: T): string;
  /** Whether the record names what is listed; undefined if it names nothing of that kind. */
  isNamedBy?(record: T): boolean | undefined;
  /** Fields that may be the index of `before`, likeliest first. They are only used for proposals. */
  readonly cursorFields: readonly CursorField<T>[];
}

export interface CursorField<T> {
  readonly name: string;
  value(record: T): bigint | undefined;
}

/**
 * JSON with sorted fields: equal records give equal text.
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

/** @throws {HistoryError} like `canonicalText` */
export function isSameRecord(a: object, b: object): boolean {
  if (a instanceof TradeText && b instanceof TradeText) return a.isSame(b);
  return canonicalText(a) === canonicalText(b);
}
