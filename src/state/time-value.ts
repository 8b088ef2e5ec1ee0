// Times in open records: digits in some unit, or ISO text. The number of digits gives the unit.

import { NS_PER_MS } from "../units/time.ts";
import { exactText } from "../wire/exact-numbers.ts";

/** Nanoseconds per unit, by number of digits of a present-day time (2001 to 2286). */
const NS_OF_UNIT: Readonly<Record<number, bigint>> = {
  10: 1_000_000_000n,
  13: 1_000_000n,
  16: 1000n,
  19: 1n,
};

const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** @returns Unix nanoseconds, or undefined when the value is not a present-day time. */
export function readTimeNs(value: unknown): bigint | undefined {
  const text = exactText(value);
  if (text === undefined) return undefined;
  const unit = NS_OF_UNIT[text.length];
  if (unit !== undefined && /^[1-9][0-9]+$/.test(text)) return BigInt(text) * unit;
  if (!ISO.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * NS_PER_MS;
}
