// When are two records the same one? When all their fields are: no single field is trusted to be unique.

import { HistoryError } from "../../units/monitor-error.ts";
import { ExactNumber } from "../../wire/exact-numbers.ts";
import { MAX_JSON_DEPTH } from "../../wire/json.ts";
import { TradeText } from "../../wire/rest/trades-text.ts";

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
