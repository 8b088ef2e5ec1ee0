// The values of open records as exact numbers, prices, sizes and times.

import { nameOf, read } from "../dialect/fields.ts";
import type { Meaning, Names } from "../dialect/names.ts";
import { type Decimal, multiplyDecimal, parseNumber } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { isObject, type Json, textOf } from "../wire/json.ts";

/** Decimal text, or a JSON number with an exponent; undefined for anything else. */
export function readNumber(names: Names, row: OpenRecord, meaning: Meaning): Decimal | undefined {
  const text = read(row, meaning, names);
  return text === undefined ? undefined : parseNumber(text);
}

/** A price in quote currency: fields that count ticks are scaled; undefined where that cannot be done. */
export function readPrice(
  names: Names,
  row: OpenRecord,
  meaning: Meaning,
  scale: Scale | undefined,
): Decimal | undefined {
  return scaled(row, meaning, names, "ticks", scale?.tickSize);
}

/** A size in base currency, with its sign: fields that count lots are scaled. */
export function readSize(
  names: Names,
  row: OpenRecord,
  meaning: Meaning,
  scale: Scale | undefined,
): Decimal | undefined {
  return scaled(row, meaning, names, "lots", scale?.lotSize);
}

function scaled(
  row: OpenRecord,
  meaning: Meaning,
  names: Names,
  unit: "ticks" | "lots",
  size: Decimal | undefined,
): Decimal | undefined {
  const text = read(row, meaning, names);
  const value = text === undefined ? undefined : parseNumber(text);
  if (value === undefined || nameOf(row, meaning, names)?.endsWith(unit) !== true) return value;
  return size && multiplyDecimal(value, size);
}

/** Unix milliseconds of a time in seconds, milli-, micro- or nanoseconds, told apart by size, or ISO text. */
export function parseTimeMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{9,20}$/.test(text)) {
    const digits = text.length;
    if (digits >= 18) return Number(text.slice(0, -6));
    if (digits >= 15) return Number(text.slice(0, -3));
    return digits >= 12 ? Number(text) : Number(text) * 1000;
  }
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
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
