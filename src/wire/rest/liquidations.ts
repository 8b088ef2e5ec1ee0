// GET …/markets/{market_id}/liquidations (sections 2.5, 4.3): liquidation events, newest first.
import type { FieldList, RecordOf } from "./fields.ts";

export const POSITION_FIELDS = [
  ["market_id", "integer"],
  ["side", "text"],
  ["size", "unsigned"],
  ["position_margin", "signed"],
  ["margin_mode", "text"],
] as const satisfies FieldList;

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
