// market-stats: prices and day figures of one market or of all of a type, again with each mark price.

import type { MarketStatsUpdate } from "../../wire/channels/market-stats.ts";
import type { MarketType } from "../../wire/channels.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Market } from "../exchange/market.ts";
import { priceText, quoteText, quotientText, sizeText } from "../wire/text.ts";
import { type Feed, type FeedContext, findMarket, updateOf } from "./feed.ts";
import { fundingText } from "./funding-rates.ts";
import { type Links, SequenceChain } from "./sequence-chain.ts";

/** @returns undefined when there is no such market. Never throws. */
export function openMarketStatsFeed(
  context: FeedContext,
  name: string,
  channel: { readonly marketType: MarketType; readonly marketId: string | undefined },
): Feed | undefined {
  const { exchange, readings } = context;
  const { marketType, marketId } = channel;
  const one = marketId === undefined ? undefined : findMarket(context, marketType, marketId);
  if (marketId !== undefined && one === undefined) return undefined;
  const ofType = exchange.markets.filter(({ spec }) => spec.type === marketType);
  const markets = one === undefined ? ofType : [one];
  const sequence = Math.max(exchange.firstIndex, ...markets.map((market) => market.markSequence));
  const chain = new SequenceChain(readings, sequence);
  const frame = (links: Links): MarketStatsUpdate => ({
    ...updateOf(context, name),
    ...links,
    market_stats: markets.map((market) => marketStatsOf(context, market)),
  });
  return {
    isChained: true,
    first: () => frame(chain.first()),
    change(index) {
      const isMoved = markets.some((market) => market.markSequence === index);
      return isMoved ? frame(chain.next(index)) : undefined;
    },
  };
}

const RATIO_PLACES = 6;

/**
 * A MarketStats record. Its fields are not shown in the interface: these are plausible ones. Prices and
 * volumes are decimal text, `price_change_ratio_24h` is a fraction of 1. Day figures cover the last 1440
 * minutes, the current one included; without a trade in them they are null. Spot markets have no mark
 * and no funding.
 */
function marketStatsOf(context: FeedContext, market: Market): OpenRecord {
  const { exchange, time } = context;
  const { spec } = market;
  const day = market.candles.dayFigures(exchange.nowUs);
  const change = day === undefined ? undefined : market.lastTicks - day.open;
  return {
    market_type: spec.type,
    market_id: spec.id,
    symbol: spec.symbol,
    last_price: priceText(spec, market.lastTicks),
    index_price: priceText(spec, market.indexTicks),
    ...(market.isPerp ? perpStatsOf(context, market) : {}),
    high_24h: day === undefined ? null : priceText(spec, day.high),
    low_24h: day === undefined ? null : priceText(spec, day.low),
    volume_base_24h: sizeText(spec, day?.volumeLots ?? 0),
    volume_quote_24h: quoteText(day?.volumeAtoms ?? 0n),
    trades_24h: day?.count ?? 0,
    price_change_24h: change === undefined ? null : priceText(spec, change),
    price_change_ratio_24h:
      day === undefined ? null : quotientText(BigInt(change ?? 0), BigInt(day.open), RATIO_PLACES),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

function perpStatsOf({ time }: FeedContext, market: Market): OpenRecord {
  const { spec, nextFunding } = market;
  return {
    mark_price: priceText(spec, market.markTicks),
    open_interest_base: sizeText(spec, market.openInterestLots),
    funding_rate: fundingText(nextFunding?.rate ?? 0n),
    next_funding_time_ns: nextFunding === undefined ? null : time.ns(nextFunding.timeUs),
  };
}
