// What rows are sorted by in one column: numbers by their exact value, before text; what is missing comes last.

import { compareDecimal } from "../units/decimal.ts";
import type { OpenRecord } from "../wire/update.ts";
import { readNumber } from "./cells.ts";
import { textOf, valueAt } from "./fields.ts";

/** What one row is sorted by: numbers, then text, then what is missing. */
export interface SortKey {
  readonly rank: 0 | 1 | 2;
  /** A float of the number: in the order of the exact values, apart from ties, which the values decide. */
  readonly approximate: number;
  readonly value: unknown;
  readonly text: string;
}

/** Numbers as they mostly come: nothing has to be parsed for them. */
const PLAIN = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** What a row is sorted by in a column. Never throws. */
export function sortKey(record: OpenRecord, column: string): SortKey {
  const value = valueAt(record, column);
  const text = textOf(value);
  if (text === "") return { rank: 2, approximate: 0, value, text };
  const isNumber = PLAIN.test(text) || readNumber(value) !== undefined;
  return isNumber
    ? { rank: 0, approximate: Number(text), value, text }
    : { rank: 1, approximate: 0, value, text };
}

/** Below 0 when `a` comes first. Never throws. */
export function compareKeys(a: SortKey, b: SortKey, isDescending: boolean): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  const order = a.rank === 0 ? compareNumbers(a, b) : compareText(a.text, b.text);
  return isDescending ? -order : order;
}

function compareNumbers(a: SortKey, b: SortKey): number {
  if (a.approximate !== b.approximate) return a.approximate < b.approximate ? -1 : 1;
  if (a.text === b.text) return 0;
  const [x, y] = [readNumber(a.value), readNumber(b.value)];
  return x === undefined || y === undefined ? 0 : compareDecimal(x, y);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
