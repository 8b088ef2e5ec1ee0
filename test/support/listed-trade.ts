import type { TradeRecord } from "../../src/wire/rest/trades.ts";

/** A trade as the listings have it (2.4), its fields in the order of the document; plain where a test says nothing. */
export function listedTrade({
  trade_id,
  timestamp_ms,
  ...fields
}: Pick<TradeRecord, "trade_id" | "timestamp_ms"> & Partial<TradeRecord>) {
  return {
    trade_id,
    tx_hash: "0x0",
    market_type: "perp",
    market_id: 1,
    price: "1",
    quantity: "1",
    quote_notional: "1",
    taker_is_bid: true,
    maker_address: "a",
    maker_subaccount_id: 0,
    taker_address: "b",
    taker_subaccount_id: 0,
    maker_fee_quote: "0",
    taker_fee_quote: "0",
    maker_client_order_id: "0",
    taker_client_order_id: "0",
    ...fields,
    timestamp_ms,
  } satisfies TradeRecord;
}
