// A page of a REST listing (sections 4.2 to 4.4): a JSON array of records, newest first.
import * as z from "zod/mini";
import { parseExact } from "../exact-numbers.ts";
import { isDeepText, parseJson } from "../json.ts";
import { type Rejection, reject } from "../rejection.ts";
import { createSchema, type Schema } from "../schema.ts";
import { decimal, integer, type Shape, text, unsignedDecimal } from "../shape.ts";
import type { FieldList, Form, FormValues, RecordOf } from "./fields.ts";
import { LIQUIDATION_FIELDS, type LiquidationRecord } from "./liquidations.ts";
import { TRADE_FIELDS, type TradeRecord } from "./trades.ts";

/** One record that does not conform rejects the page. */
export type Page<T> =
  | { readonly ok: true; readonly records: readonly T[]; readonly drifts: boolean }
  | { readonly ok: false; readonly rejection: Rejection };

const SCHEMAS: { readonly [F in Form]: z.ZodMiniType<FormValues[F]> } = {
  unsigned: unsignedDecimal,
  signed: decimal,
  text,
  integer,
  flag: z.boolean(),
};

export function recordSchema<F extends FieldList>(
  shape: Shape,
  fields: F,
): z.ZodMiniType<RecordOf<F>> {
  const schemas = fields.map(([name, form]) => [
    name,
    typeof form === "string" ? SCHEMAS[form] : z.array(recordSchema(shape, form)),
  ]);
  return shape.record(Object.fromEntries(schemas)) as unknown as z.ZodMiniType<RecordOf<F>>;
}

function pageSchema<F extends FieldList>(fields: F): Schema<readonly RecordOf<F>[]> {
  return createSchema((shape) => shape.page(recordSchema(shape, fields)));
}

const trades = pageSchema(TRADE_FIELDS);
const liquidations = pageSchema(LIQUIDATION_FIELDS);

export function decodeTradesPage(body: string): Page<TradeRecord> {
  return decodePage(trades, TRADE_FIELDS, body);
}

export function decodeLiquidationsPage(body: string): Page<LiquidationRecord> {
  return decodePage(liquidations, LIQUIDATION_FIELDS, body);
}

type Fields = Record<string, unknown>;

/** Numbers in undocumented fields keep their exact text. */
function decodePage<T>(schema: Schema<readonly T[]>, listed: FieldList, body: string): Page<T> {
  if (isDeepText(body)) {
    return { ok: false, rejection: reject(body, "too-deep", "nested too deep") };
  }
  const value = parseJson(body);
  if (value === undefined) {
    return { ok: false, rejection: reject(body, "not-json", "the body is not JSON") };
  }
  const fit = schema.check(value);
  if (fit.ok) {
    const records = fit.drifts ? exactRecords(body, fit.value, listed) : fit.value;
    return { ok: true, records, drifts: fit.drifts };
  }
  return { ok: false, rejection: reject(body, "wrong-shape", fit.detail, { path: fit.path }) };
}

/** The same records with exact text for numbers that a float would change, except in fields documented as numbers. */
function exactRecords<T>(body: string, records: readonly T[], listed: FieldList) {
  const exact = parseExact(body);
  if (exact === undefined) return records;
  restoreNumbers(exact as Fields[], records as readonly Fields[], listed);
  return exact as readonly T[];
}

function restoreNumbers(
  exact: readonly Fields[],
  plain: readonly Fields[],
  listed: FieldList,
): void {
  for (const [i, record] of exact.entries()) {
    for (const [name, form] of listed) {
      if (form === "integer") record[name] = plain[i]?.[name];
      else if (typeof form !== "string") {
        restoreNumbers(record[name] as Fields[], plain[i]?.[name] as Fields[], form);
      }
    }
  }
}
