// The market view as one JSON object: the shape that scripts rely on. Wire records keep their wire names
// and their exact text; what was not received is null or empty.

import type { Subaccount } from "../select/account.ts";
import type { Market, MarketChannels } from "../select/market.ts";
import type { MarketScale, Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { TapeHole } from "../state/trades.ts";
import type { Interval } from "../wire/channels.ts";
import { exactInteger } from "../wire/exact-numbers.ts";
import { accountJson, accountPaneJson, linkJson, paneJson, scaleJson } from "./account-json.ts";
import { flowJson } from "./flow-json.ts";

/** What the view of a market shows at one moment. `nowMs` is monotonic. */
export interface MarketSnapshot {
  readonly store: Store;
  readonly market: Market;
  readonly channels: MarketChannels;
  readonly interval: Interval;
  readonly scale: MarketScale;
  /** What ticks and lots of other markets are worth, of which the account may have rows. */
  readonly scales: Scales;
  readonly nowMs: number;
  readonly account?: Subaccount | undefined;
  /** True when addresses, sizes, balances and profit are hidden. */
  readonly isMasked?: boolean;
}

/** Panes of the market view that must have data before it is complete, by their names in the JSON. */
export const PANES = ["bbo", "orderbook", "trades", "candles"] as const;
/** A pane by its name in the JSON, which is also its kind of channel. */
export type PaneName = (typeof PANES)[number];

/** The whole view. Bids fall and asks rise by price, trades are newest first. */
export function marketJson(snapshot: Omit<MarketSnapshot, "scales">): object {
  const { store, market, channels, interval, scale, nowMs, account } = snapshot;
  const book = store.slice("orderbook", channels.orderbook).data;
  const tape = store.slice("trades", channels.trades).data;
  const candles = store.slice("candles", channels.candles).data;
  return {
    market: { type: market.type, id: exactInteger(market.id) },
    scale: scaleJson(scale),
    bbo: store.slice("bbo", channels.bbo).data.bbo ?? null,
    orderbook: book.hasBook ? { sequence: book.sequence, ...book.depth() } : null,
    trades: tape.recent(),
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
        holes: tape.holes.map(holeJson),
      },
    },
    link: linkJson(store),
  };
}

/** A span of server time in which trades may be missing. */
function holeJson({ afterNs, untilNs, cause }: TapeHole): object {
  return { after_ns: afterNs, until_ns: untilNs, cause };
}
