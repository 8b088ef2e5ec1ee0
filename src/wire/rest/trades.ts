// GET …/markets/{market_id}/trades and GET …/accounts/{address}/subaccounts/{subaccount_id}/trades
// (sections 2.4, 4.2, 4.4): both list the same record, newest first.
import type { FieldList, RecordOf } from "./fields.ts";

/** One trade with both of its sides. Prices, values and fees are in quote currency, the quantity in base currency. */
export const TRADE_FIELDS = [
  ["trade_id", "unsigned"],
  ["tx_hash", "text"],
  ["market_type", "text"],
  ["market_id", "integer"],
  ["price", "unsigned"],
  ["quantity", "unsigned"],
  ["quote_notional", "unsigned"],
  ["taker_is_bid", "flag"],
  ["maker_address", "text"],
  ["maker_subaccount_id", "integer"],
  ["taker_address", "text"],
  ["taker_subaccount_id", "integer"],
  // Negative is a rebate.
  ["maker_fee_quote", "signed"],
  ["taker_fee_quote", "signed"],
  ["maker_client_order_id", "unsigned"],
  ["taker_client_order_id", "unsigned"],
  // Unix milliseconds.
  ["timestamp_ms", "integer"],
] as const satisfies FieldList;

export type TradeRecord = RecordOf<typeof TRADE_FIELDS>;
