// GET …/markets/{market_id}/liquidations (sections 2.5, 4.3): liquidation events, newest first.
import { createSchema } from "../schema.ts";
import { type FieldList, type RecordOf, recordSchema } from "./fields.ts";
import { decodePage, type Page } from "./page.ts";

/** One position that a liquidation took or reduced. */
export const POSITION_FIELDS = [
  ["market_id", "integer"],
  ["side", "text"],
  ["size", "unsigned"],
  ["position_margin", "signed"],
  ["margin_mode", "text"],
] as const satisfies FieldList;

/** One liquidation event. */
export const LIQUIDATION_FIELDS = [
  ["liquidation_id", "unsigned"],
  ["liquidation_type", "text"],
  ["liquidator", "text"],
  ["liquidatee", "text"],
  ["liquidatee_subaccount", "integer"],
  ["bucket", "text"],
  ["scope", "text"],
  ["positions", POSITION_FIELDS],
  // Unix milliseconds.
  ["timestamp_ms", "integer"],
] as const satisfies FieldList;

export type LiquidationRecord = RecordOf<typeof LIQUIDATION_FIELDS>;

const page = createSchema<readonly LiquidationRecord[]>((shape) =>
  shape.page(recordSchema(shape, LIQUIDATION_FIELDS)),
);

/** Reads a page of liquidations; one record that does not fit rejects the page. */
export function decodeLiquidationsPage(body: string, isStrict: boolean): Page<LiquidationRecord> {
  return decodePage(page, LIQUIDATION_FIELDS, body, isStrict);
}
