// bbo: a frame for each transaction that changes the best price or size of a side.

import { formatDecimal } from "../../units/decimal.ts";
import type { BboUpdate } from "../../wire/channels/bbo.ts";
import type { LastCandle } from "../../wire/channels/candles.ts";
import type { FundingRatesUpdate } from "../../wire/channels/funding-rates.ts";
import type { MarkCandle } from "../../wire/channels/mark-candles.ts";
import type { MarketStatsUpdate } from "../../wire/channels/market-stats.ts";
import type { MarketsUpdate } from "../../wire/channels/markets.ts";
import type { Orderbook, OrderbookUpdate, PriceLevel } from "../../wire/channels/orderbook.ts";
import type { Trade, TradesUpdate } from "../../wire/channels/trades.ts";
import type { Interval, MarketType } from "../../wire/channels.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { BookSide, Level, TouchedLevel } from "../engine/order-book.ts";
import type { MarginTier, Market, MarketSpec } from "../exchange/market.ts";
import { FUNDING_PLACES, type FundingRate } from "../exchange/office.ts";
import type { Candle } from "../ledger/candles.ts";
import type { TradeRow } from "../ledger/tables.ts";
import {
  type Feed,
  type FeedContext,
  feedOfMarket,
  findMarket,
  type Links,
  type MarketChannel,
  SequenceChain,
  updateOf,
} from "./feed.ts";
import { ppmText, priceText, quoteText, quotientText, type StreamScale, sizeText } from "./text.ts";

/** The best of one side as it was last sent. */
interface Best {
  ticks: number;
  lots: number;
}

/** Opens the feed of a market's best prices. */
export const openBboFeed = feedOfMarket((context, name, market) => {
  const { bids, asks } = market.book;
  const bid: Best = { ticks: 0, lots: 0 };
  const ask: Best = { ticks: 0, lots: 0 };
  const frame = (): BboUpdate => ({
    ...updateOf(context, name),
    bbo: { bid: level(context.scale, bids.best), ask: level(context.scale, asks.best) },
  });
  note(bid, bids);
  note(ask, asks);
  return {
    isChained: false,
    first: frame,
    change(index) {
      if (market.bookSequence !== index) return undefined;
      const isBidChanged = note(bid, bids);
      const isAskChanged = note(ask, asks);
      return isBidChanged || isAskChanged ? frame() : undefined;
    },
  };
});

/** Remembers the best of a side. @returns true when it is another one than before */
function note(held: Best, { best }: BookSide): boolean {
  const ticks = best?.priceTicks ?? 0;
  const lots = best?.sizeLots ?? 0;
  if (held.ticks === ticks && held.lots === lots) return false;
  held.ticks = ticks;
  held.lots = lots;
  return true;
}

function level(scale: StreamScale, best: Level | undefined): PriceLevel | null {
  if (best === undefined) return null;
  return { price_ticks: scale.ticks(best.priceTicks), size_base_lots: scale.lots(best.sizeLots) };
}

/** Opens the feed of a market's order book. */
export const openOrderbookFeed = feedOfMarket((context, name, market) => {
  const { book, book_depth, book_reset_every } = context.readings;
  const depth = book_depth ?? Number.POSITIVE_INFINITY;
  const chain = new SequenceChain(context.readings, market.bookSequence);
  const window = book_depth === null ? undefined : new DepthWindow(market, depth);
  let untilReset = book_reset_every;

  const frame = (links: Links, levels: readonly TouchedLevel[]): OrderbookUpdate => ({
    ...updateOf(context, name),
    ...links,
    orderbook: orderbookOf(context, levels),
  });
  const whole = (links: Links) => frame(links, wholeBook(market, depth));
  return {
    isChained: true,
    first: () => whole(chain.first()),
    change(index) {
      if (market.bookSequence !== index) return undefined;
      // A book of limited depth has not changed when only levels beyond it have.
      const changes = window === undefined ? market.book.touched() : window.changes();
      if (changes.length === 0) return undefined;
      if (book === "whole") return whole(chain.next(index));
      if (book === "delta-with-resets" && --untilReset <= 0) {
        untilReset = book_reset_every;
        return whole(chain.reset(index));
      }
      return frame(chain.next(index), changes);
    },
  };
});

/** The best levels of both sides, best first. */
function wholeBook({ book }: Market, depth: number): TouchedLevel[] {
  return [true, false].flatMap((isBid) =>
    book
      .side(isBid)
      .levels.slice(-depth)
      .reverse()
      .map(({ priceTicks, sizeLots }) => ({ isBid, priceTicks, sizeLots })),
  );
}

function orderbookOf({ scale }: FeedContext, levels: readonly TouchedLevel[]): Orderbook {
  const side = (wanted: boolean) =>
    levels
      .filter(({ isBid }) => isBid === wanted)
      .map(({ priceTicks, sizeLots }) => ({
        price_ticks: scale.ticks(priceTicks),
        size_base_lots: scale.lots(sizeLots),
      }));
  return { bids: side(true), asks: side(false) };
}

/** The published part of a book: levels leave it and come into it without having changed themselves. */
class DepthWindow {
  readonly #market: Market;
  readonly #depth: number;
  #published: ReadonlyMap<string, TouchedLevel>;

  constructor(market: Market, depth: number) {
    this.#market = market;
    this.#depth = depth;
    this.#published = this.#read();
  }

  /** What changed since the last call: new sizes, and 0 for levels that are no longer in it. */
  changes(): TouchedLevel[] {
    const before = this.#published;
    const now = this.#read();
    this.#published = now;
    const changed = [...now].flatMap(([key, level]) =>
      before.get(key)?.sizeLots === level.sizeLots ? [] : [level],
    );
    const gone = [...before].flatMap(([key, level]) =>
      now.has(key) ? [] : [{ ...level, sizeLots: 0 }],
    );
    return [...changed, ...gone];
  }

  #read(): ReadonlyMap<string, TouchedLevel> {
    const levels = wholeBook(this.#market, this.#depth);
    return new Map(levels.map((level) => [`${level.isBid} ${level.priceTicks}`, level]));
  }
}

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

/** A trade as the stream shows it. */
export function tradeOf({ scale, time }: FeedContext, row: TradeRow): Trade {
  return {
    timestamp_ns: time.ns(row.timeUs),
    price_ticks: scale.ticks(row.priceTicks),
    size_base_lots: scale.lots(row.sizeLots),
    taker_is_bid: row.takerIsBid,
  };
}

/** The newest rows that match, oldest of them first. */
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

/** A channel of candles. */
export interface CandleChannel extends MarketChannel {
  readonly interval: Interval;
}

/** Whose candles they are. */
interface CandleSource<C> {
  /** Oldest first; grows and changes as the market trades. */
  readonly candles: readonly Candle[];
  readonly record: (candle: Candle) => C;
  /** The transaction that changed the last one. */
  readonly sequence: () => number;
}

/** The feed of one market's candles of one period. */
function candleFeed<C>(
  context: FeedContext,
  name: string,
  { candles, record, sequence }: CandleSource<C>,
): Feed {
  const turn = new PeriodTurn(candles);
  const frame = (shown: readonly Candle[]) => ({
    ...updateOf(context, name),
    candles: shown.map(record),
  });
  return {
    isChained: false,
    first: () => (candles.length === 0 ? undefined : frame(candles.slice(-1))),
    change: (index) => (sequence() === index ? frame(turn.shown()) : undefined),
  };
}

/** Says which candles a frame shows: the last one, and the one before it when a period has just begun. */
class PeriodTurn {
  readonly #candles: readonly Candle[];
  #openTimeMs: number | undefined;

  constructor(candles: readonly Candle[]) {
    this.#candles = candles;
    this.#openTimeMs = candles.at(-1)?.openTimeMs;
  }

  shown(): readonly Candle[] {
    const openTimeMs = this.#candles.at(-1)?.openTimeMs;
    const hasTurned = openTimeMs !== this.#openTimeMs;
    this.#openTimeMs = openTimeMs;
    return this.#candles.slice(hasTurned ? -2 : -1);
  }
}

/** Opens the feed of a market's candles. */
export const openCandlesFeed = feedOfMarket<CandleChannel>((context, name, market, channel) => {
  const { candles } = market.candles.series(channel.interval);
  const record = (candle: Candle) => lastCandleOf(market.spec, candle);
  return candleFeed(context, name, { candles, record, sequence: () => market.tradeSequence });
});

/** A candle of last prices as the stream shows it. */
export function lastCandleOf(spec: MarketSpec, candle: Candle): LastCandle {
  return {
    open_time_ms: candle.openTimeMs,
    open: priceText(spec, candle.open),
    high: priceText(spec, candle.high),
    low: priceText(spec, candle.low),
    close: priceText(spec, candle.close),
    volume_base: sizeText(spec, candle.volumeLots),
    volume_quote: quoteText(candle.volumeAtoms),
    trades: candle.count,
  };
}

/** Opens the feed of a perpetual market's candles of mark prices. */
export const openMarkCandlesFeed = feedOfMarket<CandleChannel>((context, name, market, channel) => {
  const { candles } = market.markCandles.series(channel.interval);
  const record = (candle: Candle) => markCandleOf(market.spec, candle);
  return candleFeed(context, name, { candles, record, sequence: () => market.markSequence });
});

/** A candle of mark prices as the stream shows it. */
export function markCandleOf(spec: MarketSpec, candle: Candle): MarkCandle {
  return {
    open_time_ms: candle.openTimeMs,
    open: priceText(spec, candle.open),
    high: priceText(spec, candle.high),
    low: priceText(spec, candle.low),
    close: priceText(spec, candle.close),
    samples: candle.count,
  };
}

/** Opens the feed of the list of markets. */
export function openMarketsFeed(context: FeedContext, name: string): Feed {
  const { exchange, readings } = context;
  const chain = new SequenceChain(readings, exchange.firstIndex);
  const frame = (): MarketsUpdate => ({
    ...updateOf(context, name),
    ...chain.first(),
    markets: exchange.markets.map(({ spec }) => marketOf(context, spec)),
  });
  return { isChained: true, first: frame, change: () => undefined };
}

/**
 * A Market record. Its fields are not shown in the interface: these are plausible ones. Rates are
 * fractions of 1, `max_notional` is in quote currency, a last tier without one has no end.
 */
function marketOf({ scale }: FeedContext, spec: MarketSpec): OpenRecord {
  return {
    market_type: spec.type,
    market_id: spec.id,
    symbol: spec.symbol,
    status: "open",
    base_asset: spec.baseAsset,
    quote_asset: spec.quoteAsset,
    tick_size: scale.tickSize(spec),
    lot_size: scale.lotSize(spec),
    min_size_base_lots: scale.lots(1),
    maker_fee_rate: ppmText(spec.makerFeePpm),
    taker_fee_rate: ppmText(spec.takerFeePpm),
    ...(spec.type === "perp" ? { margin_tiers: spec.marginTiers.map(marginTierOf) } : {}),
  };
}

function marginTierOf(tier: MarginTier, index: number, tiers: readonly MarginTier[]): OpenRecord {
  return {
    tier: index + 1,
    max_notional: index === tiers.length - 1 ? null : String(tier.maxNotional),
    max_leverage: tier.maxLeverage,
    maintenance_margin_rate: ppmText(tier.maintenancePpm),
  };
}

/** @returns undefined when there is no such market. */
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

/** Opens the feed of a perpetual market's funding rates. */
export const openFundingRatesFeed = feedOfMarket((context, name, market) => {
  const { settledFunding } = market;
  const chain = new SequenceChain(context.readings, market.fundingSequence);
  let lastSettled = settledFunding.at(-1);
  const frame = (
    links: Links,
    rates: readonly (FundingRate | undefined)[],
  ): FundingRatesUpdate => ({
    ...updateOf(context, name),
    ...links,
    funding_rates: rates.flatMap((rate) =>
      rate === undefined ? [] : [fundingRateOf(context, market, rate)],
    ),
  });
  return {
    isChained: true,
    first: () => frame(chain.first(), [...settledFunding, market.nextFunding]),
    change(index) {
      if (market.fundingSequence !== index) return undefined;
      const settled = settledFunding.at(-1);
      const isNew = settled !== lastSettled;
      lastSettled = settled;
      return frame(chain.next(index), [isNew ? settled : market.nextFunding]);
    },
  };
});

/** A funding rate as a fraction of 1 for one interval. */
export function fundingText(rate: bigint): string {
  return formatDecimal({ mantissa: rate, places: FUNDING_PLACES });
}

/**
 * A FundingRate record. Its fields are not shown in the interface: these are plausible ones. The rate is
 * a fraction of 1 for the interval that ends at `funding_time_ns`; a `predicted` one becomes `settled`
 * at that time.
 */
function fundingRateOf({ time }: FeedContext, { spec }: Market, rate: FundingRate): OpenRecord {
  return {
    market_type: spec.type,
    market_id: spec.id,
    symbol: spec.symbol,
    funding_rate: fundingText(rate.rate),
    status: rate.isSettled ? "settled" : "predicted",
    mark_price: priceText(spec, rate.markTicks),
    index_price: priceText(spec, rate.indexTicks),
    funding_interval_ms: rate.intervalMs,
    funding_time_ns: time.ns(rate.timeUs),
  };
}
