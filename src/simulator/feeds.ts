// A feed tells what one channel says: in a first frame, then after each transaction that concerns it. Feeds only read the exchange.
// The interface does not show the fields of Market, MarketStats and FundingRate (2.3): these are plausible ones.
import type { ChannelParts, Interval } from "../wire/channels.ts";
import type { Bodies, Candle as CandleRecord, Kind, OpenRecord, Trade } from "../wire/frames.ts";
import { openAccountFeed } from "./account-feed.ts";
import type { Candle } from "./exchange/candles.ts";
import { GENESIS_INDEX } from "./exchange/exchange.ts";
import type { TradeRow } from "./exchange/log.ts";
import type { FundingRate, Market, MarketSpec } from "./exchange/market.ts";
import { QUOTE_ASSET } from "./exchange/money.ts";
import type { Level } from "./exchange/order-book.ts";
import { levelOf, nameOf, nsText, priceText, quoteText, rateText, sizeText } from "./text.ts";
import type { World } from "./world.ts";

export interface Feed<K extends Kind = Kind> {
  /** Index of the last transaction that changed what the channel shows. */
  sequence(): number;
  /**
   * What the transaction of this index has changed, which has just ended; without an index the first frame of a new subscriber.
   * Undefined if there are no data yet.
   */
  body(index?: number): Bodies[K] | undefined;
}

/** @returns undefined if the channel names nothing that exists */
export type OpenFeed<K extends Kind> = (world: World, parts: ChannelParts) => Feed<K> | undefined;

/** A feed of a single market; a perpetual one if the name has no market type. */
function ofMarket<K extends Kind>(
  open: (market: Market, world: World, interval: Interval) => Feed<K>,
): OpenFeed<K> {
  return (world, { type = "perp", market: id, interval = "1m" }) => {
    // Ids are compared as text: `01` is unknown.
    const isNamed = ({ spec }: Market) => spec.type === type && String(spec.id) === id;
    const market = world.exchange.markets.find(isNamed);
    return market && open(market, world, interval);
  };
}

const ofCandles = <K extends "candles" | "mark-candles">(
  series: "candles" | "markCandles",
  sequence: "tradeSequence" | "markSequence",
) =>
  ofMarket<K>((market, _, interval) => ({
    sequence: () => market[sequence],
    body(index) {
      const candles = market[series].newest(interval, index);
      if (candles.length === 0) return undefined;
      return { candles: candles.map((each) => candleRow(market, each, series)) };
    },
  }));

const quoteRow = (level: Level | undefined) => (level ? levelOf(level) : null);

export const FEEDS: { readonly [K in Kind]: OpenFeed<K> } = {
  /** A frame for each transaction that changes price or size of the best bid or offer. */
  bbo: ofMarket((market) => ({
    sequence: () => market.bookSequence,
    body: () => ({
      bbo: { bid: quoteRow(market.book.best(true)), ask: quoteRow(market.book.best(false)) },
    }),
  })),

  /** First a snapshot, then the levels changed by each transaction with their new size. */
  orderbook: ofMarket((market) => {
    const { book } = market;
    const rows = (isBid: boolean, index?: number) => {
      const isMeant = (level: Level) => level.isBid === isBid;
      const touched = () => [...book.touched.values()].filter(isMeant);
      const levels = index === undefined ? book.side(isBid).toReversed() : touched();
      return levels.map(levelOf);
    };
    return {
      sequence: () => market.bookSequence,
      body: (index) => ({ orderbook: { bids: rows(true, index), asks: rows(false, index) } }),
    };
  }),

  /** First recent trades, then those of each transaction, oldest first within a frame. */
  trades: ofMarket((market, { exchange }) => ({
    sequence: () => market.tradeSequence,
    body(index) {
      const rows = exchange.trades.since(index, { value: market.index, in: ["market"] });
      return { trades: rows.map(tradeRow) };
    },
  })),

  candles: ofCandles("candles", "tradeSequence"),
  "mark-candles": ofCandles("markCandles", "markSequence"),

  markets: ({ exchange }) => ({
    sequence: () => GENESIS_INDEX,
    body: () => ({ markets: exchange.markets.map(({ spec }) => marketRow(spec)) }),
  }),

  /** Prices and 24-hour figures of one market, or of all of a type, at each mark price. */
  "market-stats": ({ exchange }, { type, market: id }) => {
    const markets = exchange.markets.filter(
      ({ spec }) => spec.type === type && (id === undefined || String(spec.id) === id),
    );
    if (id !== undefined && markets.length === 0) return undefined;
    return {
      sequence: () => Math.max(GENESIS_INDEX, ...markets.map((each) => each.markSequence)),
      body: () => ({ market_stats: markets.map((each) => statsRow(each, exchange.nowUs)) }),
    };
  },

  /** First the settled rates and the predicted one, then each rate as it changes or settles. */
  "funding-rates": ofMarket((market, { exchange, fundingMs }) => ({
    sequence: () => market.markSequence,
    body(index) {
      const { settledFunding, nextFunding } = market;
      const settled = settledFunding.at(-1);
      const changed = settled?.timeUs === exchange.nowUs ? settled : nextFunding;
      const rates = index === undefined ? [...settledFunding, nextFunding] : [changed];
      return {
        funding_rates: rates.flatMap((rate) => (rate ? [fundingRow(market, rate, fundingMs)] : [])),
      };
    },
  })),

  accounts: ({ catalogue: { owner, subaccounts, delegations } }, { address }) =>
    address === owner.address
      ? { sequence: () => GENESIS_INDEX, body: () => ({ subaccounts, delegations }) }
      : undefined,

  account: openAccountFeed,
};

function tradeRow({ timeUs, priceTicks, takerLots }: TradeRow): Trade {
  const level = levelOf({ priceTicks, sizeLots: Math.abs(takerLots) });
  return { timestamp_ns: nsText(timeUs), ...level, taker_is_bid: takerLots > 0 };
}

const volumeOf = (spec: MarketSpec, candle: Candle | undefined) => ({
  base: sizeText(spec, candle?.volumeLots ?? 0),
  quote: quoteText((candle?.volumeTickLots ?? 0) * spec.atomsPerTickLot),
});

/** Mark prices have no volume. */
function candleRow({ spec }: Market, candle: Candle, series: string): CandleRecord {
  const { base, quote } = volumeOf(spec, candle);
  return {
    open_time_ms: candle.openTimeMs,
    open: priceText(spec, candle.open),
    high: priceText(spec, candle.high),
    low: priceText(spec, candle.low),
    close: priceText(spec, candle.close),
    ...(series === "markCandles"
      ? { samples: candle.count }
      : { volume_base: base, volume_quote: quote, trades: candle.count }),
  };
}

function marketRow(spec: MarketSpec): OpenRecord {
  return {
    ...{ ...nameOf(spec), status: "open", base_asset: spec.baseAsset, quote_asset: QUOTE_ASSET },
    ...{ tick_size: priceText(spec, 1), lot_size: sizeText(spec, 1) },
  };
}

/** The change is a fraction of 1; prices are null without a trade in the day. Spot markets have no mark price and no funding. */
function statsRow(market: Market, nowUs: number): OpenRecord {
  const { spec, lastTicks, nextFunding } = market;
  const day = market.candles.day(nowUs);
  const { base, quote } = volumeOf(spec, day);
  return {
    ...nameOf(spec),
    last_price: priceText(spec, lastTicks),
    index_price: priceText(spec, market.indexTicks),
    ...(market.isPerp && {
      mark_price: priceText(spec, market.markTicks),
      open_interest_base: sizeText(spec, market.openInterestLots),
      funding_rate: rateText(nextFunding?.rate ?? 0),
      next_funding_time_ns: nextFunding ? nsText(nextFunding.timeUs) : null,
    }),
    high_24h: day ? priceText(spec, day.high) : null,
    low_24h: day ? priceText(spec, day.low) : null,
    volume_base_24h: base,
    volume_quote_24h: quote,
    trades_24h: day?.count ?? 0,
    price_change_ratio_24h: day ? rateText(Math.round((lastTicks / day.open - 1) * 1e8)) : null,
    updated_at_ns: nsText(nowUs),
  };
}

/** The rate applies to the interval that ends at `funding_time_ns`; a `predicted` one becomes `settled` at that time. */
function fundingRow(market: Market, funding: FundingRate, intervalMs: number): OpenRecord {
  return {
    ...nameOf(market.spec),
    funding_rate: rateText(funding.rate),
    status: funding === market.nextFunding ? "predicted" : "settled",
    mark_price: priceText(market.spec, funding.markTicks),
    funding_interval_ms: intervalMs,
    funding_time_ns: nsText(funding.timeUs),
  };
}
