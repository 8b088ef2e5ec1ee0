// The fields of an open record: nested objects flattened with dots, each value as exact text. No field is left out.

import type { Aliases, Meaning } from "../state/aliases.ts";
import { readTimeNs } from "../state/time-value.ts";
import {
  type Decimal,
  divideInteger,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { NS_PER_MS } from "../units/time.ts";
import { ExactNumber, exactText, stringifyExact } from "../wire/exact-numbers.ts";
import { isObject } from "../wire/json.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type Display, EXACT } from "./display.ts";

export interface Field {
  /** Names from the record down, joined with dots; list indices count from 0. */
  readonly path: string;
  /** A scalar, null, an empty object, or a list. */
  readonly value: unknown;
}

/** The fields of a row in the order of the service; a list is one field. */
export function getFields(record: OpenRecord): readonly Field[] {
  return leaves(record, "", false);
}

/** Every scalar of a row, including those in lists. */
export function getValues(record: OpenRecord): readonly Field[] {
  return leaves(record, "", true);
}

export function valueAt(record: OpenRecord, column: string): unknown {
  if (Object.hasOwn(record, column)) return record[column];
  let at = column.indexOf(".");
  while (at > 0) {
    const head = column.slice(0, at);
    const inner = Object.hasOwn(record, head) ? record[head] : undefined;
    if (isNested(inner)) return valueAt(inner, column.slice(at + 1));
    at = column.indexOf(".", at + 1);
  }
  return undefined;
}

/**
 * Any value as exact text: lists of scalars joined with commas, other lists and objects as JSON. Empty for null and
 * undefined.
 */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = exactText(value);
  if (text !== undefined) return text;
  const isSimple = Array.isArray(value) && value.every((item) => exactText(item) !== undefined);
  return isSimple ? value.map((item) => exactText(item)).join(", ") : stringifyExact(value);
}

function leaves(record: OpenRecord, prefix: string, withLists: boolean): Field[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const isInner = isNested(value) || (withLists && Array.isArray(value) && value.length > 0);
    return isInner ? leaves(value as OpenRecord, `${path}.`, withLists) : [{ path, value }];
  });
}

function isNested(value: unknown): value is OpenRecord {
  return isObject(value) && !(value instanceof ExactNumber) && Object.keys(value).length > 0;
}

export type CellKind = "number" | "time" | "address" | "text" | "missing";

export interface Cell {
  readonly text: string;
  readonly kind: CellKind;
}

/** Shown where a value is missing: never a zero. */
export const MISSING = "–";

const missing: Cell = { text: MISSING, kind: "missing" };

const TIME_NAME =
  /(?:^|[_.])(?:time|timestamp|ts|at|date|created|updated|expires|expiry|since|until)(?:_?(?:ns|us|ms|s|sec))?$|(?:Time|At|Timestamp|Date)(?:Ns|Us|Ms|S)?$/;
/** Base58 of the length of a stream address, or hex of the length of an owner or a hash. */
const ADDRESS =
  /^(?=.*[A-Za-z])[1-9A-HJ-NP-Za-km-z]{32,44}$|^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;
const ADDRESS_ENDS = 4;

/** @param column path of the field: a number is a time only if its name is one of a time */
export function formatCell(column: string, value: unknown, display: Display = EXACT): Cell {
  if (value === undefined || value === null || value === "") return missing;
  const time = readTime(column, value, display);
  if (time !== undefined) return { text: time, kind: "time" };
  const text = formatValue(value);
  if (readNumber(value) !== undefined) return { text, kind: "number" };
  if (ADDRESS.test(text)) return { text: shortAddress(text), kind: "address" };
  return { text, kind: "text" };
}

/** The two ends of a long address: `gtSF…JNeD`. */
export function shortAddress(text: string): string {
  const head = text.startsWith("0x") ? ADDRESS_ENDS + 2 : ADDRESS_ENDS;
  return `${text.slice(0, head)}…${text.slice(-ADDRESS_ENDS)}`;
}

function readTime(column: string, value: unknown, display: Display): string | undefined {
  if (!TIME_NAME.test(column)) return undefined;
  const ns = readTimeNs(value);
  return ns === undefined ? undefined : display.dateTime(Number(ns / NS_PER_MS));
}

/** Only malicious numbers have more digits. */
const MAX_EXPONENT = 60;

/** The exact value of decimal text, or of a number, which may have an exponent; undefined for anything else. */
export function readNumber(value: unknown): Decimal | undefined {
  if (typeof value === "boolean") return undefined;
  const text = exactText(value);
  if (text === undefined) return undefined;
  const plain = parseDecimal(text);
  if (plain !== undefined) return plain;
  const isJson = typeof value === "number" || value instanceof ExactNumber;
  const match = isJson ? /^(-?[0-9]+(?:\.[0-9]+)?)[eE]([+-]?[0-9]{1,3})$/.exec(text) : null;
  const mantissa = parseDecimal(match?.[1] ?? "");
  const exponent = Number(match?.[2] ?? Number.NaN);
  if (mantissa === undefined || !(Math.abs(exponent) <= MAX_EXPONENT)) return undefined;
  return shifted(mantissa, exponent);
}

/**
 * The number of a meaning as decimal text: as received, or without the exponent that a JSON number may have; undefined where
 * it is not provided, or is none.
 */
export function readDecimalText(
  record: OpenRecord,
  meaning: Meaning,
  aliases: Aliases,
): string | undefined {
  const text = aliases.text(record, meaning);
  if (text === undefined || parseDecimal(text) !== undefined) return text;
  const number = readNumber(aliases.value(record, meaning));
  return number && formatDecimal(number);
}

/** The same as its exact value. */
export function readDecimal(
  record: OpenRecord,
  meaning: Meaning,
  aliases: Aliases,
): Decimal | undefined {
  return parseDecimal(readDecimalText(record, meaning, aliases) ?? "");
}

function shifted({ mantissa, places }: Decimal, exponent: number): Decimal {
  const left = places - exponent;
  return left >= 0
    ? { mantissa, places: left }
    : { mantissa: mantissa * 10n ** BigInt(-left), places: 0 };
}

/** Decimal text with its sign: `+0.5`, `-0.5`, `+0`. */
export function withSign(text: string): string {
  return text.startsWith("-") ? text : `+${text}`;
}

/** The direction of decimal text: none for zero, however many digits it has. */
export function getSign(text: string): "positive" | "negative" | "none" {
  if (!/[1-9]/.test(text)) return "none";
  return text.startsWith("-") ? "negative" : "positive";
}

export type Side = "buy" | "sell";

const WORDS: readonly (readonly [words: RegExp, side: Side])[] = [
  [/^(?:buy|bid|long|b|true)$/i, "buy"],
  [/^(?:sell|ask|short|s|a|false)$/i, "sell"],
];

/** Undefined for any other text. */
export function readSide(text: string): Side | undefined {
  return WORDS.find(([words]) => words.test(text))?.[1];
}

export function getSide(record: OpenRecord, aliases: Aliases): Side | undefined {
  return readSide(aliases.text(record, "side") ?? "");
}

/**
 * The size in base currency, with the sign that it has in the record; undefined if the record has none, or only lots of
 * unknown size. @param lotSize size of a lot in base currency
 */
export function positionSize(
  position: OpenRecord,
  aliases: Aliases,
  lotSize: Decimal | undefined,
): Decimal | undefined {
  const size = readNumber(aliases.value(position, "size"));
  if (size !== undefined) return size;
  const lots = readNumber(aliases.value(position, "sizeLots"));
  return lots && lotSize && multiplyDecimal(lots, lotSize);
}

export function signedPositionSize(
  position: OpenRecord,
  aliases: Aliases,
  lotSize: Decimal | undefined,
): Decimal | undefined {
  const size = positionSize(position, aliases, lotSize);
  if (size === undefined || size.mantissa <= 0n) return size;
  const isShort = positionDirection(position, aliases) === "short";
  return isShort ? { ...size, mantissa: -size.mantissa } : size;
}

/** A negative size means short; else the side of the record decides. */
export function positionDirection(
  position: OpenRecord,
  aliases: Aliases,
): "long" | "short" | undefined {
  const size =
    readNumber(aliases.value(position, "size")) ?? readNumber(aliases.value(position, "sizeLots"));
  if (size !== undefined && size.mantissa < 0n) return "short";
  const side = getSide(position, aliases);
  return side && (side === "buy" ? "long" : "short");
}

/** A quotient rounded half away from zero; undefined if `whole` is not positive. */
export function divideDecimal(part: Decimal, whole: Decimal, digits: number): Decimal | undefined {
  const places = Math.max(part.places, whole.places);
  const [dividend, divisor] = [part, whole].map((each) => widenDecimal(each, places).mantissa);
  return divisor && divisor > 0n ? divideInteger(dividend ?? 0n, divisor, digits) : undefined;
}

export function divideToPercent(part: Decimal, whole: Decimal, digits: number) {
  return divideDecimal({ ...part, mantissa: part.mantissa * 100n }, whole, digits);
}

export function formatPercentOf(part: Decimal, whole: Decimal): string | undefined {
  const percent = divideToPercent(part, whole, 2);
  return percent && formatDecimal(percent);
}
