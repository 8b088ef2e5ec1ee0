// What the panes of a market read: live from the store, or frozen at one moment.

import type { CandlesState } from "../state/candles.ts";
import type { OrderbookState } from "../state/orderbook.ts";
import type { PastCandles } from "../state/rebuilt-candles.ts";
import type { MarketScale, Scales } from "../state/scales.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import type { TapeHole } from "../state/trades.ts";
import type { Decimal } from "../units/decimal.ts";
import type { Bbo } from "../wire/channels/bbo.ts";
import type { LastCandle } from "../wire/channels/candles.ts";
import type { MarkCandle } from "../wire/channels/mark-candles.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { type ChannelKind, INTERVAL_MS, type Interval } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { FundingReader } from "./funding.ts";
import { formatMarket, type Market, type MarketChannels } from "./market.ts";
import { findMarketRecord, findOwnRecord } from "./market-stats.ts";
import { type CandleData, CandleJoin, streamCandles } from "./past-candles.ts";

/** Candles of last prices, of mark prices, or of last prices with the mark's beside them. */
export const CANDLE_SOURCES = ["last", "mark", "both"] as const;
/** Whose candles are shown. */
export type CandleSource = (typeof CANDLE_SOURCES)[number];

/** Panes that show a feed of their own. */
export type PaneName = "bbo" | "orderbook" | "trades" | "candles";

/** Everything that the view of one market shows. */
export interface MarketData {
  /** What a tick and a lot are worth. */
  readonly scale: MarketScale;
  readonly bbo: Bbo | undefined;
  /** The best `count` levels of each side, best first. */
  depth(count: number): {
    readonly bids: readonly PriceLevel[];
    readonly asks: readonly PriceLevel[];
  };
  /** As `formatBookReading` says it. */
  readonly bookReading: string;
  /** The newest `count` trades, newest first. */
  trades(count: number): readonly Trade[];
  /** Oldest first. */
  readonly holes: readonly TapeHole[];
  readonly candles: CandleData;
  /** Candles of the mark price beside those of the last: oldest first; none where only one of them is shown. */
  readonly marks: readonly MarkCandle[];
  /** The market's record in the list of markets, and its figures. */
  readonly market: OpenRecord | undefined;
  readonly stats: OpenRecord | undefined;
  /** The newest funding rate of a perpetual market that its own channel tells. */
  readonly fundingRate: Decimal | undefined;
}

/** The channel behind each pane. Never throws. */
export function paneChannel(
  pane: PaneName,
  channels: MarketChannels,
  source: CandleSource,
): string {
  if (pane !== "candles") return channels[pane];
  return source === "mark" ? (channels.markCandles ?? channels.candles) : channels.candles;
}

/** The slice behind each pane. Never throws. */
export function paneSlice(
  store: Store,
  pane: PaneName,
  channels: MarketChannels,
  source: CandleSource,
): Slice {
  const channel = paneChannel(pane, channels, source);
  const kind: ChannelKind = channel === channels.markCandles ? "mark-candles" : pane;
  return store.slice(kind, channel) as Slice;
}

/** Of which market, candles and store the data are. */
export interface MarketDataOptions {
  readonly store: Store;
  readonly scales: Scales;
  readonly market: Market;
  readonly channels: MarketChannels;
  readonly source: CandleSource;
  readonly interval: Interval;
  /** Candles of the time before the subscription. */
  readonly past: PastCandles;
}

/**
 * Reads the store anew at each access: made for one market, one interval and one epoch of the store. Never throws.
 */
export function liveMarketData(options: MarketDataOptions): MarketData {
  const { store, scales, market, channels, source, interval, past } = options;
  const join = new CandleJoin();
  const funding = new FundingReader(store.aliases);
  // An audit may put another in its place.
  const book = () => store.slice("orderbook", channels.orderbook).data;
  const tape = store.slice("trades", channels.trades).data;
  const marketIn = remembered((records) => findMarketRecord(records, market, store.aliases));
  const statsIn = remembered((records) => findOwnRecord(records, market, store.aliases));
  return {
    get scale() {
      return scales.of(formatMarket(market));
    },
    get bbo() {
      return store.slice("bbo", channels.bbo).data.bbo;
    },
    depth: (count) => book().depth(count),
    get bookReading() {
      return formatBookReading(book());
    },
    trades: (count) => tape.recent(count),
    get holes() {
      return tape.holes;
    },
    get candles() {
      const { data } = paneSlice(store, "candles", channels, source);
      // There is no listing of mark prices.
      return source === "mark"
        ? streamCandles(data as CandlesState<MarkCandle>)
        : join.of(past, data as CandlesState<LastCandle>, INTERVAL_MS[interval]);
    },
    get marks() {
      const { markCandles } = channels;
      if (source !== "both" || markCandles === undefined) return [];
      return store.slice("mark-candles", markCandles).data.candles;
    },
    get market() {
      return marketIn(store.slice("markets", channels.markets).data.records);
    },
    get stats() {
      return statsIn(store.slice("market-stats", channels.marketStats).data.records);
    },
    get fundingRate() {
      const { fundingRates } = channels;
      if (fundingRates === undefined) return undefined;
      return funding.read(store.slice("funding-rates", fundingRates).data).newest?.rate;
    },
  };
}

/** Looks through a list once, until there is another: a frame asks several times, of up to thousands of records. */
function remembered<T>(
  find: (records: readonly OpenRecord[]) => T,
): (records: readonly OpenRecord[]) => T {
  let last: { readonly records: readonly OpenRecord[]; readonly found: T } | undefined;
  return (records) => {
    if (last?.records !== records) last = { records, found: find(records) };
    return last.found;
  };
}

const BOOK_READINGS = {
  whole: "whole books",
  changes: "changes",
} as const;

/** How order book frames are read, and what is known of that: `changes, inferred 12`. Never throws. */
export function formatBookReading({ reading, isDecided, judged }: OrderbookState): string {
  return `${BOOK_READINGS[reading]}, ${isDecided ? `inferred ${judged}` : "assumed"}`;
}

/** The same data as it is now, whatever comes later. Never throws. */
export function freezeMarketData(data: MarketData): MarketData {
  const book = data.depth(Number.POSITIVE_INFINITY);
  const trades = data.trades(Number.POSITIVE_INFINITY);
  const { scale, bbo, bookReading, holes, candles, marks, market, stats, fundingRate } = data;
  return {
    scale,
    bbo,
    bookReading,
    holes: [...holes],
    candles,
    marks,
    market,
    stats,
    fundingRate,
    depth: (count) => ({ bids: book.bids.slice(0, count), asks: book.asks.slice(0, count) }),
    trades: (count) => trades.slice(0, count),
  };
}
