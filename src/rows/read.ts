// The values of open records as exact numbers, prices, sizes and times.

import { nameOf, read, readScaled, unitOf } from "../dialect/fields.ts";
import type { Meaning } from "../dialect/names.ts";
import { isRaw } from "../state/select-market.ts";
import { cached, type Store, select } from "../state/store.ts";
import { type Decimal, parseNumber, trimDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { parseUnixTime } from "../units/time.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { isObject, type Json, textOf } from "../wire/json.ts";

/** Of services that count everything in units of a billionth of a billionth, as some chains do. */
const CHAIN_PLACES = 18;

/** The service gives the ticks of its markets so: then all whole numbers of rows are counted so. */
const countsSo = cached((store) =>
  [...(select(store, "markets", "markets")?.rows.values() ?? [])].some(
    (record) => nameOf(record, "tickSize", store.dialect.names)?.endsWith("x18") === true,
  ),
);

/** Decimal text, or a JSON number with an exponent; undefined for anything else, and for what is in a unit that nothing names. */
export function readNumber(store: Store, row: OpenRecord, meaning: Meaning): Decimal | undefined {
  const text = read(row, meaning, store.dialect.names);
  const value = text === undefined ? undefined : parseNumber(text);
  if (value === undefined || value.places > 0 || value.mantissa === 0n) return value;
  if (!countsSo(store, "")) return isRaw(store, "") ? undefined : value;
  return trimDecimal({ mantissa: value.mantissa, places: CHAIN_PLACES });
}

/** A price in quote currency, or a size in base currency, with its sign; undefined where it counts ticks or lots and no scale is known. */
export function readScaledNumber(
  store: Store,
  row: OpenRecord,
  meaning: Meaning,
  scale: Scale | undefined,
): Decimal | undefined {
  const { names } = store.dialect;
  return unitOf(row, meaning, names) === undefined
    ? readNumber(store, row, meaning)
    : readScaled(row, meaning, names, scale);
}

/** 1973, as of Unix times: nothing that is traded here is older. */
const FIRST_MS = 1e11;

/** Unix milliseconds of a time in seconds, milli-, micro- or nanoseconds, told apart by size, or ISO text. */
export function parseTimeMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) return parseUnixTime(text);
  // What has not happened may have the time at which all clocks begin.
  return ms > FIRST_MS ? ms : undefined;
}

/** Every field of a record as it came: nested names joined by points, lists as JSON. */
export function allFields(row: OpenRecord, prefix = ""): readonly (readonly [string, string])[] {
  return Object.entries(row).flatMap(([name, value]: [string, Json]) => {
    const text = textOf(value);
    if (text !== undefined) return [[`${prefix}${name}`, text] as const];
    if (isObject(value)) return allFields(value, `${prefix}${name}.`);
    return [[`${prefix}${name}`, value === null ? "null" : JSON.stringify(value)] as const];
  });
}
