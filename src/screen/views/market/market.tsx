// The view of one market:
//
//   header: name, best prices, spread, last trade, figures
//   ╭ candles ────────────╮╭ order book ╮
//   │                     ││            │
//   ├ trades ─────────────┤│            │
//   ╰─────────────────────╯╰────────────╯
import { Box } from "ink";
import { useCallback } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { useSelected } from "../../changes.ts";
import { Line, PaneGroup } from "../../panes/frame.tsx";
import type { View, ViewProps } from "../view.ts";
import { paintHeader } from "./header.ts";
import { MarketModel } from "./model.ts";

/** The figures of the market above its panes, or why there are none. */
function MarketView({ parts, model, theme, width, height }: ViewProps<MarketModel>) {
  const layout = useSelected(parts.changes, () => model.layoutFor(width, height));
  const drawHeader = useCallback(
    (surface: Surface) => paintHeader(surface, model, theme, layout.columns.length === 0),
    [model, theme, layout],
  );
  const channels = useCallback(() => headerChannels(model), [model]);
  return (
    <>
      <Line {...{ parts, width, channels }} rows={layout.headerRows} paint={drawHeader} />
      <Box flexDirection="row" flexShrink={0}>
        {layout.columns.map((column) => (
          <PaneGroup
            key={column.panes[0]?.pane}
            direction="column"
            placed={column.panes.map((placed) => ({ ...placed, width: column.width }))}
            {...{ panes: model.panes, parts, theme }}
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

/** The view of the market: there once one is opened, or something stands in its way. */
export const marketView: View<MarketModel> = {
  name: "market",
  title: "Market",
  action: "showMarket",
  isThere: ({ shown: { market, notice } }) => market !== undefined || notice !== "",
  createModel: (parts) => new MarketModel(parts),
  Component: MarketView,
};
