// One trade as REST lists it (2.4): all of it follows from the row and the market's fees.
import type { TradeRecord } from "../../wire/rest/trades.ts";
import { feeAtoms, notionalAtoms } from "../accounts/money.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { FIRST_TRADE_ID } from "../ledger/trade-table.ts";
import { priceText, quoteText, sizeText } from "../wire/text.ts";
import type { WallTime } from "../wire/wall-time.ts";

/** @throws {RangeError} for a row that is not kept */
export function tradeRecordOf(exchange: Exchange, time: WallTime, row: number): TradeRecord {
  const trade = exchange.trades.at(row);
  const spec = exchange.markets[trade.market]?.spec;
  const maker = exchange.accounts[trade.maker];
  const taker = exchange.accounts[trade.taker];
  if (spec === undefined || maker === undefined || taker === undefined) {
    throw new RangeError(`trade ${row} is of nobody`);
  }
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  return {
    trade_id: String(FIRST_TRADE_ID + row),
    tx_hash: hashOf(trade.index),
    market_type: spec.type,
    market_id: spec.id,
    price: priceText(spec, trade.priceTicks),
    quantity: sizeText(spec, trade.sizeLots),
    quote_notional: quoteText(notional),
    taker_is_bid: trade.takerIsBid,
    maker_address: maker.owner.owner,
    maker_subaccount_id: maker.subaccountId,
    taker_address: taker.owner.owner,
    taker_subaccount_id: taker.subaccountId,
    maker_fee_quote: quoteText(feeAtoms(notional, spec.makerFeePpm)),
    taker_fee_quote: quoteText(feeAtoms(notional, spec.takerFeePpm)),
    maker_client_order_id: String(trade.makerClientOrderId),
    taker_client_order_id: String(trade.takerClientOrderId),
    timestamp_ms: time.ms(trade.timeUs),
  };
}

const HASH_WORDS = 8;

/** A hash that looks like one: all trades of a transaction share it, no two transactions do in practice. */
function hashOf(index: number): string {
  let state = index | 0;
  let text = "0x";
  for (let word = 0; word < HASH_WORDS; word++) {
    state = Math.imul(state ^ (state >>> 16) ^ word, 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35) ^ Math.floor(index / 2 ** 32);
    state ^= state >>> 16;
    text += (state >>> 0).toString(16).padStart(8, "0");
  }
  return text;
}
