// Feeds of markets: best bid and offer, books, trades, candles, statistics. The interface does not show the fields of Market,
// MarketStats and FundingRate (2.3): these are plausible ones.

import { divideInteger, formatDecimal } from "../../units/decimal.ts";
import type { ChannelParts, Interval, Kind } from "../../wire/channels.ts";
import type { Candle as CandleRecord, Level, OpenRecord, Trade } from "../../wire/frames.ts";
import { type BookSide, bestOf } from "../engine/order-book.ts";
import type { FundingRate, Market } from "../exchange/market.ts";
import { FUNDING_PLACES } from "../exchange/settlement.ts";
import type { Candle } from "../ledger/candles.ts";
import type { TradeRow } from "../ledger/log.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";
import {
  type Feed,
  type FeedContext,
  findMarket,
  type OpenFeed,
  ppmText,
  priceText,
  quoteText,
  sizeText,
} from "./feed.ts";

/** A feed of a single market; a perpetual one if the name has no market type. */
function ofMarket<K extends Kind>(
  open: (context: FeedContext, market: Market, interval: Interval) => Feed<K>,
): OpenFeed<K> {
  return (context, { type = "perp", market: id = "", interval = "1m" }: ChannelParts) => {
    const market = findMarket(context, type, id);
    return market === undefined ? undefined : open(context, market, interval);
  };
}

export function createLevel(priceTicks: number, sizeLots: number): Level {
  return { price_ticks: String(priceTicks), size_base_lots: String(sizeLots) };
}

/** A frame for each transaction that changes price or size of the best bid or offer. */
const openBbo = ofMarket<"bbo">((_, market) => {
  const { bids, asks } = market.book;
  const best = (side: BookSide) => {
    const level = bestOf(side);
    return level === undefined ? null : createLevel(level.priceTicks, level.sizeLots);
  };
  const first = () => ({ bbo: { bid: best(bids), ask: best(asks) } });
  let before = JSON.stringify(first());
  return {
    sequence: 0,
    first,
    change(index) {
      if (market.bookSequence !== index) return undefined;
      const now = first();
      const text = JSON.stringify(now);
      if (text === before) return undefined;
      before = text;
      return now;
    },
  };
});

/** First a snapshot, then the levels changed by each transaction with their new size, or all levels. */
const openOrderbook = ofMarket<"orderbook">(({ readings }, market) => {
  const { book } = market;
  const payload = (levels: ReturnType<typeof book.levels>) => {
    const side = (ofBids: boolean) =>
      levels
        .filter(({ isBid }) => isBid === ofBids)
        .map(({ priceTicks, sizeLots }) => createLevel(priceTicks, sizeLots));
    return { orderbook: { bids: side(true), asks: side(false) } };
  };
  const first = () => payload(book.levels());
  return {
    sequence: market.bookSequence,
    first,
    change(index) {
      if (market.bookSequence !== index) return undefined;
      return readings.book === "whole" ? first() : payload(book.touched());
    },
  };
});

/** First recent trades, then those of each transaction, oldest first within a frame. */
const openTrades = ofMarket<"trades">((context, market) => {
  const { exchange, readings } = context;
  const { trades } = exchange;
  const isOurs = (row: TradeRow) => row.market === market.index;
  const payload = (rows: readonly TradeRow[]) => ({
    trades: rows.map((row) => createTrade(context, row)),
  });
  return {
    sequence: market.tradeSequence,
    first() {
      const rows = trades.newest(readings.trades_backlog, isOurs).reverse();
      return rows.length === 0 ? undefined : payload(rows);
    },
    change(index) {
      if (market.tradeSequence !== index) return undefined;
      return payload(trades.since(index).filter(isOurs));
    },
  };
});

export function createTrade({ time }: FeedContext, row: TradeRow): Trade {
  return {
    timestamp_ns: time.ns(row.timeUs),
    price_ticks: String(row.priceTicks),
    size_base_lots: String(row.sizeLots),
    taker_is_bid: row.takerIsBid,
  };
}

const openCandles = ofMarket<"candles">((_, market, interval) => {
  const { candles } = market.candles.series(interval);
  const record = (candle: Candle) => createLastCandle(market.spec, candle);
  return candleFeed(candles, record, () => market.tradeSequence);
});

/** One sample for each mark price. */
const openMarkCandles = ofMarket<"mark-candles">((_, market, interval) => {
  const { candles } = market.markCandles.series(interval);
  const record = (candle: Candle) => createMarkCandle(market.spec, candle);
  return candleFeed(candles, record, () => market.markSequence);
});

/**
 * The current candle at each change; the first frame of a new period also contains the candle that ended.
 * @param candles oldest first; mutated as the market trades
 * @param sequence the transaction that last changed them
 */
function candleFeed<C>(
  candles: readonly Candle[],
  record: (candle: Candle) => C,
  sequence: () => number,
) {
  let openTimeMs = candles.at(-1)?.openTimeMs;
  return {
    sequence: 0,
    first: () => (candles.length === 0 ? undefined : { candles: candles.slice(-1).map(record) }),
    change(index: number) {
      if (sequence() !== index) return undefined;
      const last = candles[candles.length - 1]?.openTimeMs;
      const hasTurned = last !== openTimeMs;
      openTimeMs = last;
      return { candles: candles.slice(hasTurned ? -2 : -1).map(record) };
    },
  };
}

export function createLastCandle(spec: MarketSpec, candle: Candle): CandleRecord {
  return {
    ...getPrices(spec, candle),
    volume_base: sizeText(spec, candle.volumeLots),
    volume_quote: quoteText(candle.volumeAtoms),
    trades: candle.count,
  };
}

export function createMarkCandle(spec: MarketSpec, candle: Candle): CandleRecord {
  return { ...getPrices(spec, candle), samples: candle.count };
}

function getPrices(spec: MarketSpec, { openTimeMs, open, high, low, close }: Candle) {
  return {
    open_time_ms: openTimeMs,
    open: priceText(spec, open),
    high: priceText(spec, high),
    low: priceText(spec, low),
    close: priceText(spec, close),
  };
}

/** Only a first frame: the list does not change while the simulator runs. */
const openMarkets: OpenFeed<"markets"> = ({ exchange }) => ({
  sequence: exchange.firstIndex,
  /** Rates are fractions of 1; `max_notional` is in quote currency, null in the last tier, which has no limit. */
  first: () => ({
    markets: exchange.markets.map(({ spec, isPerp }) => ({
      ...getName(spec),
      status: "open",
      base_asset: spec.baseAsset,
      quote_asset: spec.quoteAsset,
      tick_size: formatDecimal(spec.tickSize),
      lot_size: formatDecimal(spec.lotSize),
      min_size_base_lots: "1",
      maker_fee_rate: ppmText(spec.makerFeePpm),
      taker_fee_rate: ppmText(spec.takerFeePpm),
      ...(isPerp ? { margin_tiers: createMarginTiers(spec) } : {}),
    })),
  }),
  change: () => undefined,
});

export function getName({ type, id, symbol }: MarketSpec) {
  return { market_type: type, market_id: id, symbol };
}

function createMarginTiers({ marginTiers }: MarketSpec): OpenRecord[] {
  return marginTiers.map((tier, i) => ({
    tier: i + 1,
    max_notional: i === marginTiers.length - 1 ? null : String(tier.maxNotional),
    max_leverage: tier.maxLeverage,
    maintenance_margin_rate: ppmText(tier.maintenancePpm),
  }));
}

/** Prices and 24-hour figures of one market, or of all of a type, at each mark price. */
const openMarketStats: OpenFeed<"market-stats"> = (
  context,
  { type = "perp", market: marketId },
) => {
  const { exchange } = context;
  const single = marketId === undefined ? undefined : findMarket(context, type, marketId);
  if (marketId !== undefined && single === undefined) return undefined;
  const ofType = exchange.markets.filter(({ spec }) => spec.type === type);
  const markets = single === undefined ? ofType : [single];
  const first = () => ({
    market_stats: markets.map((market) => createMarketStats(context, market)),
  });
  return {
    sequence: Math.max(exchange.firstIndex, ...markets.map((market) => market.markSequence)),
    first,
    change: (index) =>
      markets.some(({ markSequence }) => markSequence === index) ? first() : undefined,
  };
};

const RATIO_PLACES = 6;

/**
 * Prices and volumes are decimal text, `price_change_ratio_24h` is a fraction of 1. The figures cover the last 1440 minutes,
 * including the current one; prices are null without a trade in them. Spot markets have no mark price and no funding.
 */
function createMarketStats(context: FeedContext, market: Market): OpenRecord {
  const { exchange, time } = context;
  const { spec } = market;
  const day = market.candles.dayFigures(exchange.nowUs);
  const price = (ticks: number | undefined) =>
    ticks === undefined ? null : priceText(spec, ticks);
  const change = day === undefined ? undefined : market.lastTicks - day.open;
  const ratio = day && divideInteger(BigInt(change ?? 0), BigInt(day.open), RATIO_PLACES);
  return {
    ...getName(spec),
    last_price: priceText(spec, market.lastTicks),
    index_price: priceText(spec, market.indexTicks),
    ...(market.isPerp ? createPerpStats(context, market) : {}),
    high_24h: price(day?.high),
    low_24h: price(day?.low),
    volume_base_24h: sizeText(spec, day?.volumeLots ?? 0),
    volume_quote_24h: quoteText(day?.volumeAtoms ?? 0n),
    trades_24h: day?.count ?? 0,
    price_change_24h: price(change),
    price_change_ratio_24h: ratio === undefined ? null : formatDecimal(ratio),
    updated_at_ns: time.ns(exchange.nowUs),
  };
}

function createPerpStats(
  { time }: FeedContext,
  { spec, markTicks, openInterestLots, nextFunding }: Market,
): OpenRecord {
  return {
    mark_price: priceText(spec, markTicks),
    open_interest_base: sizeText(spec, openInterestLots),
    funding_rate: fundingText(nextFunding?.rate ?? 0n),
    next_funding_time_ns: nextFunding === undefined ? null : time.ns(nextFunding.timeUs),
  };
}

/** First the settled rates and the predicted one, then each rate as it changes or settles. */
const openFundingRates = ofMarket<"funding-rates">((context, market) => {
  const { settledFunding } = market;
  let lastSettled = settledFunding.at(-1);
  const payload = (rates: readonly (FundingRate | undefined)[]) => ({
    funding_rates: rates.flatMap((rate) =>
      rate === undefined ? [] : [createFundingRate(context, market, rate)],
    ),
  });
  return {
    sequence: market.fundingSequence,
    first: () => payload([...settledFunding, market.nextFunding]),
    change(index) {
      if (market.fundingSequence !== index) return undefined;
      const settled = settledFunding.at(-1);
      const isNew = settled !== lastSettled;
      lastSettled = settled;
      return payload([isNew ? settled : market.nextFunding]);
    },
  };
});

export function fundingText(rate: bigint): string {
  return formatDecimal({ mantissa: rate, places: FUNDING_PLACES });
}

/** The rate applies to the interval that ends at `funding_time_ns`; a `predicted` one becomes `settled` at that time. */
function createFundingRate({ time }: FeedContext, { spec }: Market, rate: FundingRate): OpenRecord {
  return {
    ...getName(spec),
    funding_rate: fundingText(rate.rate),
    status: rate.isSettled ? "settled" : "predicted",
    mark_price: priceText(spec, rate.markTicks),
    index_price: priceText(spec, rate.indexTicks),
    funding_interval_ms: rate.intervalMs,
    funding_time_ns: time.ns(rate.timeUs),
  };
}

export const MARKET_FEEDS = {
  bbo: openBbo,
  orderbook: openOrderbook,
  trades: openTrades,
  candles: openCandles,
  "mark-candles": openMarkCandles,
  markets: openMarkets,
  "market-stats": openMarketStats,
  "funding-rates": openFundingRates,
};
