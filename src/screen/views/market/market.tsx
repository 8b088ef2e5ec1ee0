// The dashboard of one market:
//
//   header: name, best prices, spread, last trade, figures
//   ╭ candles ────────────╮╭ order book ╮
//   │                     ││            │
//   ├ trades ─────────────┤│            │
//   ╰─────────────────────╯╰────────────╯
import { Box } from "ink";
import { useCallback, useLayoutEffect, useMemo } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { type FramedPane, Line, PaneGroup } from "../../panes/frame.tsx";
import type { View, ViewProps } from "../view.ts";
import { candles } from "./candles.ts";
import { paintHeader } from "./header.ts";
import { MarketModel } from "./model.ts";
import { type MarketPane, orderbook } from "./orderbook.ts";
import { layOut, type Pane } from "./panes.ts";
import { trades } from "./trades.ts";

/** The figures of the market above its panes, or why there are none. */
function MarketView({ dashboard, model, theme, width, height }: ViewProps<MarketModel>) {
  const { arrangement, isZoomed, focus } = model.settings;
  const alone = isZoomed ? focus : undefined;
  const layout = useMemo(() => {
    const shown = alone === undefined ? arrangement.shown : [alone];
    return layOut(width, height, { ...arrangement, shown });
  }, [width, height, arrangement, alone]);
  useLayoutEffect(() => model.setPlaces(layout), [model, layout]);
  const panes = useMemo(() => marketPanes(model), [model]);
  const drawHeader = useCallback(
    (surface: Surface) => paintHeader(surface, model, theme, layout.columns.length === 0),
    [model, theme, layout],
  );
  const channels = useCallback(() => headerChannels(model), [model]);
  return (
    <>
      <Line
        dashboard={dashboard}
        width={width}
        rows={layout.headerRows}
        channels={channels}
        paint={drawHeader}
      />
      <Box flexDirection="row" flexShrink={0}>
        {layout.columns.map((column) => (
          <PaneGroup
            key={column.panes[0]?.pane}
            direction="column"
            placed={column.panes.map((placed) => ({ ...placed, width: column.width }))}
            {...{ panes, dashboard, theme }}
          />
        ))}
      </Box>
    </>
  );
}

function headerChannels({ marketChannels: channels }: MarketModel): readonly string[] {
  if (channels === undefined) return [];
  const { bbo, trades, marketStats, fundingRates, markets } = channels;
  return [bbo, trades, marketStats, markets, ...(fundingRates === undefined ? [] : [fundingRates])];
}

const PANES: Readonly<Record<Pane, MarketPane>> = { orderbook, trades, candles };

/** The panes of a market. */
function marketPanes(model: MarketModel): Readonly<Record<Pane, FramedPane>> {
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

/** The view of the market: there once one is opened, or something stands in its way. */
export const marketView: View<MarketModel> = {
  name: "market",
  title: "Market",
  action: "showMarket",
  isThere: ({ market, notice }) => market !== undefined || notice !== "",
  createModel: (dashboard) => new MarketModel(dashboard),
  Component: MarketView,
};
