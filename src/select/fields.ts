// The fields of an open record: nested objects flattened with dots, each value as exact text. Nothing is left out.

import { ExactNumber, exactText, stringifyExact } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";

/** One field: where it is, and what is there. */
export interface Field {
  /** Names from the record down, joined with dots; places in lists count from 0. */
  readonly path: string;
  /** A single value, null, an empty object, or a list. */
  readonly value: unknown;
}

/** The fields of a row, in the order of the service; a list is one field. Never throws. */
export function fieldsOf(record: OpenRecord): readonly Field[] {
  return leaves(record, "", false);
}

/** Every single value of a row, also those in lists. Never throws. */
export function valuesOf(record: OpenRecord): readonly Field[] {
  return leaves(record, "", true);
}

/** The value of a column; undefined when the row does not have it. Never throws. */
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

/** Any value as exact text: text as it is, objects and lists as JSON. Empty for null and undefined. Never throws. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return exactText(value) ?? listText(value);
}

function listText(value: unknown): string {
  const isSimple = Array.isArray(value) && value.every((item) => exactText(item) !== undefined);
  return isSimple ? value.map((item) => exactText(item)).join(", ") : stringifyExact(value);
}

function leaves(record: OpenRecord, prefix: string, withLists: boolean): Field[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const isInner = isNested(value) || (withLists && isFilledList(value));
    return isInner ? leaves(value as OpenRecord, `${path}.`, withLists) : [{ path, value }];
  });
}

function isNested(value: unknown): value is OpenRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !(value instanceof ExactNumber) && Object.keys(value).length > 0;
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
