// GET …/markets/{market_id}/trades and GET …/accounts/{address}/subaccounts/{subaccount_id}/trades
// (sections 2.4, 4.2, 4.4): both list the same record, newest first.
import * as z from "zod/mini";
import { createSchema } from "../schema.ts";
import { decimal, integer, type Shape, text, unsignedDecimal } from "../shape.ts";
import { decodePage, type ListedNumbers, type Page } from "./page.ts";

/** One trade with both sides of it. Numeric text keeps its exact form. */
export interface TradeRecord {
  readonly trade_id: string;
  readonly tx_hash: string;
  /** Allowed words are not shown. */
  readonly market_type: string;
  readonly market_id: number;
  /** Price in quote currency. */
  readonly price: string;
  /** Size in base currency. */
  readonly quantity: string;
  /** Value in quote currency. */
  readonly quote_notional: string;
  readonly taker_is_bid: boolean;
  readonly maker_address: string;
  readonly maker_subaccount_id: number;
  readonly taker_address: string;
  readonly taker_subaccount_id: number;
  /** Fees in quote currency; negative is a rebate. */
  readonly maker_fee_quote: string;
  readonly taker_fee_quote: string;
  readonly maker_client_order_id: string;
  readonly taker_client_order_id: string;
  /** Unix milliseconds. */
  readonly timestamp_ms: number;
}

/** Its schema (2.4), as strict as the shape says. */
export function tradeRecord(shape: Shape): z.ZodMiniType<TradeRecord> {
  return shape.record({
    trade_id: unsignedDecimal,
    tx_hash: text,
    market_type: text,
    market_id: integer,
    price: unsignedDecimal,
    quantity: unsignedDecimal,
    quote_notional: unsignedDecimal,
    taker_is_bid: z.boolean(),
    maker_address: text,
    maker_subaccount_id: integer,
    taker_address: text,
    taker_subaccount_id: integer,
    maker_fee_quote: decimal,
    taker_fee_quote: decimal,
    maker_client_order_id: unsignedDecimal,
    taker_client_order_id: unsignedDecimal,
    timestamp_ms: integer,
  });
}

const page = createSchema<readonly TradeRecord[]>((shape) => shape.page(tradeRecord(shape)));

const numbers: ListedNumbers = {
  names: ["market_id", "maker_subaccount_id", "taker_subaccount_id", "timestamp_ms"],
};

/** Reads a page of trades or fills; one record that does not fit rejects the page. Never throws. */
export function decodeTradesPage(body: string, isStrict: boolean): Page<TradeRecord> {
  return decodePage(page, numbers, body, isStrict);
}
