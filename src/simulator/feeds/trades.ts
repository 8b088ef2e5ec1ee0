// trades: recent trades first, then those of each transaction, oldest first within a frame.
import type { Trade, TradesUpdate } from "../../wire/channels/trades.ts";
import type { TradeRow } from "../ledger/trade-table.ts";
import { type FeedContext, feedOfMarket, updateOf } from "./feed.ts";
import { type Links, SequenceChain } from "./sequence-chain.ts";

/** Opens the feed of a market's trades. */
export const openTradesFeed = feedOfMarket((context, name, market) => {
  const { exchange, readings } = context;
  const { trades } = exchange;
  const chain = new SequenceChain(readings, market.tradeSequence);
  const frame = (links: Links, rows: readonly number[]): TradesUpdate => ({
    ...updateOf(context, name),
    ...links,
    trades: rows.map((row) => tradeOf(context, trades.at(row))),
  });
  const isOurs = (row: number) => trades.marketAt(row) === market.index;
  return {
    isChained: true,
    first() {
      const rows = newestRows(readings.trades_backlog, trades, isOurs);
      return rows.length === 0 ? undefined : frame(chain.first(), rows);
    },
    change(index) {
      if (market.tradeSequence !== index) return undefined;
      const rows: number[] = [];
      for (let row = exchange.firstTrade; row < trades.end; row++) if (isOurs(row)) rows.push(row);
      return frame(chain.next(index), rows);
    },
  };
});

/** A trade as the stream shows it. Never throws. */
export function tradeOf({ scale, time }: FeedContext, row: TradeRow): Trade {
  return {
    timestamp_ns: time.ns(row.timeUs),
    price_ticks: scale.ticks(row.priceTicks),
    size_base_lots: scale.lots(row.sizeLots),
    taker_is_bid: row.takerIsBid,
  };
}

/** The newest rows that match, oldest of them first. Never throws. */
export function newestRows(
  count: number,
  { first, end }: { readonly first: number; readonly end: number },
  matches: (row: number) => boolean,
): number[] {
  const rows: number[] = [];
  for (let row = end - 1; row >= first && rows.length < count; row--) {
    if (matches(row)) rows.push(row);
  }
  return rows.reverse();
}
