// One value of an open record as a cell: numbers with their exact text, times as times, addresses short.

import { readTimeNs } from "../state/time-value.ts";
import { type Decimal, parseDecimal } from "../units/decimal.ts";
import { formatIsoMs, NS_PER_MS } from "../units/time.ts";
import { ExactNumber, exactText } from "../wire/exact-numbers.ts";
import { textOf } from "./fields.ts";

/** What a value looks like. Numbers stand on the right and are never cut. */
export type CellKind = "number" | "time" | "address" | "text" | "missing";

/** A value as it is shown, whole. */
export interface Cell {
  readonly text: string;
  readonly kind: CellKind;
}

/** Shown where a value is missing: never a zero. */
export const MISSING = "–";

const missing: Cell = { text: MISSING, kind: "missing" };

/** Names of fields that hold times, alone or with their unit. */
const TIME_NAME =
  /(?:^|[_.])(?:time|timestamp|ts|at|date|created|updated|expires|expiry|since|until)(?:_?(?:ns|us|ms|s|sec))?$|(?:Time|At|Timestamp|Date)(?:Ns|Us|Ms|S)?$/;
/** Base58 as long as an address of the stream, or hex as long as an owner or a hash. */
const ADDRESS =
  /^(?=.*[A-Za-z])[1-9A-HJ-NP-Za-km-z]{32,44}$|^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;
const ADDRESS_ENDS = 4;

/** @param column the path of the field: a number is a time only under the name of one. Never throws. */
export function cellOf(column: string, value: unknown): Cell {
  if (value === undefined || value === null || value === "") return missing;
  const time = readTime(column, value);
  if (time !== undefined) return { text: time, kind: "time" };
  const text = textOf(value);
  if (readNumber(value) !== undefined) return { text, kind: "number" };
  if (ADDRESS.test(text)) return { text: shortAddress(text), kind: "address" };
  return { text, kind: "text" };
}

/** The two ends of a long address: `gtSF…JNeD`. Never throws. */
export function shortAddress(text: string): string {
  const head = text.startsWith("0x") ? ADDRESS_ENDS + 2 : ADDRESS_ENDS;
  return `${text.slice(0, head)}…${text.slice(-ADDRESS_ENDS)}`;
}

/** A time to the second, UTC; undefined when the field is none. */
function readTime(column: string, value: unknown): string | undefined {
  if (!TIME_NAME.test(column)) return undefined;
  const ns = readTimeNs(value);
  return ns === undefined ? undefined : formatTimeNs(ns);
}

/** `2026-11-21 08:59:27`, UTC. Never throws. */
export function formatTimeNs(ns: bigint): string {
  return formatIsoMs(Number(ns / NS_PER_MS))
    .replace("T", " ")
    .replace(/\..*$/, "");
}

/** More digits than any number has that is not an attack. */
const MAX_EXPONENT = 60;

/** The exact value of a number or of text that is one, also with an exponent; undefined for anything else. Never throws. */
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

function shifted({ mantissa, places }: Decimal, exponent: number): Decimal {
  const left = places - exponent;
  return left >= 0
    ? { mantissa, places: left }
    : { mantissa: mantissa * 10n ** BigInt(-left), places: 0 };
}
