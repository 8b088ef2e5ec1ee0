// The market view as one JSON object for scripts: wire names and exact text; null or empty for what was not received.
import type { Subaccount } from "../select/account.ts";
import {
  roundVwap,
  selectFlowCoverage,
  selectProfile,
  selectTradeDelta,
  selectVwap,
  WHOLE_FLOW,
} from "../select/flow.ts";
import {
  findMarketRecord,
  type Market,
  type MarketChannels,
  selectStat,
} from "../select/market.ts";
import { selectMarketFigures } from "../select/stats.ts";
import type { MarketScale, Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { TradesState } from "../state/trades.ts";
import { formatDecimal } from "../units/decimal.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { Interval } from "../wire/channels.ts";
import { exactInteger } from "../wire/exact-numbers.ts";
import { accountJson, accountPaneJson, linkJson, paneJson, scaleJson } from "./account-json.ts";

/** The view of a market at one moment. `nowMs` is monotonic, `wallMs` Unix milliseconds. */
export interface MarketSnapshot {
  readonly store: Store;
  readonly market: Market;
  readonly channels: MarketChannels;
  readonly interval: Interval;
  readonly scale: MarketScale;
  /** Scales of other markets, of which the account may have rows. */
  readonly scales: Scales;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly account?: Subaccount | undefined;
  /** Rows on each side of the book in text; JSON has all. */
  readonly bookRows?: number | undefined;
  readonly isMasked?: boolean;
}

/** Panes of the market view that need data before it is complete, by their names in the JSON. */
export const PANES = ["bbo", "orderbook", "trades", "candles"] as const;
export type PaneName = (typeof PANES)[number];

/** Bids in descending and asks in ascending order of price; trades newest first. */
export function marketJson(snapshot: Omit<MarketSnapshot, "scales">): object {
  const { store, market, channels, interval, scale, nowMs, wallMs, account } = snapshot;
  const book = store.slice("orderbook", channels.orderbook).data;
  const tape = store.slice("trades", channels.trades).data;
  const candles = store.slice("candles", channels.candles).data;
  const { bbo } = store.slice("bbo", channels.bbo).data;
  const { bids, asks } = book.depth();
  const listed = store.slice("markets", channels.markets).data.records;
  const symbol = selectStat(
    findMarketRecord(listed, market, store.aliases),
    "symbol",
    store.aliases,
  );
  const priced = <T extends PriceLevel>(row: T) => addDecimals(row, scale.scale);
  return {
    market: { type: market.type, id: exactInteger(market.id), symbol },
    scale: scaleJson(scale),
    stats: selectMarketFigures({ store, market, channels, scale: scale.scale, nowMs, wallMs }),
    bbo:
      bbo === undefined
        ? null
        : { bid: bbo.bid && priced(bbo.bid), ask: bbo.ask && priced(bbo.ask) },
    orderbook: book.hasBook
      ? { sequence: book.sequence, bids: bids.map(priced), asks: asks.map(priced) }
      : null,
    trades: tape.recent().map(priced),
    flow: flowJson(tape, scale.scale),
    candles: { interval, items: candles.candles, unfinished: [...candles.unfinished] },
    account: account === undefined ? null : accountJson(store, account),
    panes: {
      ...Object.fromEntries(
        PANES.map((pane) => [pane, paneJson(store, store.slice(pane, channels[pane]), nowMs)]),
      ),
      ...(account === undefined ? {} : accountPaneJson(store, account, nowMs)),
      trades: {
        ...paneJson(store, store.slice("trades", channels.trades), nowMs),
        holes: tape.holes.map(({ afterNs, untilNs, cause }) => ({
          after_ns: afterNs,
          until_ns: untilNs,
          cause,
        })),
      },
    },
    link: linkJson(store),
  };
}

/** Adds price and size of a row in currency, with as many decimals as tick and lot have. */
function addDecimals<T extends PriceLevel>(row: T, scale: Scale | undefined): T {
  if (scale === undefined) return row;
  return {
    ...row,
    price: formatUnits(row.price_ticks, scale.tickSize),
    size: formatUnits(row.size_base_lots, scale.lotSize),
  };
}

/**
 * Exact sums over the time given as covered, without open holes; unknown values are undefined.
 * @returns null before the first trades
 */
export function flowJson(tape: TradesState, scale: Scale | undefined): object | null {
  const coverage = selectFlowCoverage(tape);
  if (coverage === undefined) return null;
  const { sinceMs, untilMs, knownMs, holes } = coverage;
  const { flow } = tape;
  const { boughtLots, soldLots, deltaLots, trades } = selectTradeDelta(flow, WHOLE_FLOW);
  const vwap = selectVwap(flow);
  const { groupingTicks, levels, pointOfControl } = selectProfile(flow);
  return {
    since_ms: sinceMs,
    until_ms: untilMs,
    coverage: {
      known_ms: knownMs,
      holes: holes.map(({ afterNs, untilNs, isHealed }) => ({
        after_ns: `${afterNs < 0n ? 0n : afterNs}`,
        until_ns: `${untilNs}`,
        healed: isHealed,
      })),
    },
    bought_lots: `${boughtLots}`,
    sold_lots: `${soldLots}`,
    delta_lots: `${deltaLots}`,
    trades,
    vwap: vwap && {
      numerator_ticks_lots: `${vwap.numerator}`,
      denominator_lots: `${vwap.denominator}`,
      price: scale && formatDecimal(roundVwap(vwap, scale)),
    },
    profile: {
      grouping_ticks: `${groupingTicks}`,
      levels: levels.map((level) => ({
        price_ticks: `${level.priceTicks}`,
        bought_lots: `${level.boughtLots}`,
        sold_lots: `${level.soldLots}`,
      })),
      poc_ticks: pointOfControl === undefined ? undefined : `${pointOfControl}`,
    },
  };
}
