// The market view as one JSON object: the shape that scripts rely on. Wire records keep their wire names
// and their exact text; what was not received is null or empty.
import type { Interval } from "../protocol/channel.ts";
import type { PaneState } from "../store/pane-state.ts";
import type { Slice } from "../store/slices.ts";
import type { Store } from "../store/store.ts";
import type { ScaleSource } from "../units/scale.ts";
import type { Market, MarketChannels } from "../view/market.ts";

export interface MarketSnapshot {
  readonly store: Store;
  readonly market: Market;
  readonly channels: MarketChannels;
  readonly interval: Interval;
  readonly nowMs: number;
}

/** Panes of the market view that must have data before it is complete, by their names in the JSON. */
export const PANES = ["bbo", "orderbook", "trades", "candles"] as const;
export type PaneName = (typeof PANES)[number];

export function marketJson({ store, market, channels, interval, nowMs }: MarketSnapshot): object {
  const book = store.slice("orderbook", channels.orderbook).data;
  const { link } = store;
  return {
    market: { type: market.type, id: Number(market.id) },
    scale: { tick_size: null, lot_size: null, source: "none" satisfies ScaleSource },
    bbo: store.slice("bbo", channels.bbo).data.bbo ?? null,
    orderbook: book.hasBook ? { sequence: book.sequence, ...book.depth() } : null,
    trades: store.slice("trades", channels.trades).data.recent(),
    candles: { interval, items: store.slice("candles", channels.candles).data.candles },
    account: null,
    panes: Object.fromEntries(
      PANES.map((pane) => [pane, paneJson(store, store.slice(pane, channels[pane]), nowMs)]),
    ),
    link: {
      state: link?.state ?? "connecting",
      reconnects: link?.reconnects ?? 0,
      protocol_version: link?.protocolVersion ?? null,
    },
  };
}

interface PaneJson {
  readonly state: PaneState;
  readonly age_ms: number | null;
  readonly gaps: number;
  readonly resyncs: number;
  readonly rejected: number;
  readonly late: number;
  readonly drift: number;
}

function paneJson(store: Store, slice: Slice, nowMs: number): PaneJson {
  const { feed } = slice;
  const { lastFrameAtMs } = feed;
  return {
    state: store.paneState(slice, nowMs),
    age_ms: lastFrameAtMs === undefined ? null : Math.round(nowMs - lastFrameAtMs),
    gaps: feed.gaps,
    resyncs: feed.resyncs,
    rejected: feed.rejected,
    late: feed.late,
    drift: feed.drifts,
  };
}
