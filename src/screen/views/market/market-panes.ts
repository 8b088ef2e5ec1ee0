// The panes of a market, each with the feed behind it.
import type { Pane } from "../../arrangement.ts";
import { candles } from "../../panes/candles.ts";
import type { FramedPane } from "../../panes/FramedCanvas.tsx";
import { orderbook } from "../../panes/orderbook.ts";
import type { MarketPane } from "../../panes/pane.ts";
import { trades } from "../../panes/trades.ts";
import type { MarketModel } from "./market-model.ts";

const PANES: Readonly<Record<Pane, MarketPane>> = { orderbook, trades, candles };

/** The panes of a market. */
export function marketPanes(model: MarketModel): Readonly<Record<Pane, FramedPane>> {
  const paneOf = (pane: Pane): FramedPane => ({
    channels() {
      const channel = model.channelOf(pane);
      if (channel === undefined) return [];
      const own = pane === "candles" ? model.candleChannels : [channel];
      return [...own, ...model.accountChannels];
    },
    title: () => PANES[pane].title(model),
    status: () => model.statusOf(pane),
    isFocused: () => model.settings.focus === pane,
    paint(surface, inner, theme) {
      const { data } = model;
      if (data !== undefined) PANES[pane].paint({ surface, inner, data, model, theme });
    },
  });
  return { orderbook: paneOf("orderbook"), trades: paneOf("trades"), candles: paneOf("candles") };
}
