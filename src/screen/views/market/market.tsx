// The view of one market:
//
//   header: name, last price, best prices, figures
//   ╭ candles ────────────╮╭ order book ╮
//   │                     ││            │
//   ├ trades ─────────────┤│            │
//   ╰─────────────────────╯╰────────────╯
import { Box } from "ink";
import { useCallback, useRef } from "react";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { useSelected } from "../../changes.ts";
import { Line, PaneGroup } from "../../panes/frame.tsx";
import type { View, ViewProps } from "../view.ts";
import { type PaintedHeader, paintHeader } from "./header.ts";
import { MarketModel } from "./model.ts";

/** The header with figures of the market, or why there are none, above its panes. */
function MarketView({ parts, model, theme, width, height }: ViewProps<MarketModel>) {
  const layout = useSelected(parts.changes, () => model.layoutFor(width, height));
  const painted = useRef<PaintedHeader>(undefined);
  const drawHeader = useCallback(
    (surface: Surface) => {
      painted.current = paintHeader(surface, model, theme, painted.current);
      parts.changes.noteState(model, model.statusOf("bbo").state);
    },
    [model, parts, theme],
  );
  const channels = useCallback(() => headerChannels(model), [model]);
  return (
    <>
      <Line
        parts={parts}
        width={width}
        channels={channels}
        rows={layout.headerRows}
        paint={drawHeader}
      />
      <Box flexDirection="row" flexShrink={0}>
        {layout.columns.map((column) => (
          <PaneGroup
            key={column.panes[0]?.pane}
            direction="column"
            placed={column.panes.map((placed) => ({ ...placed, width: column.width }))}
            panes={model.panes}
            parts={parts}
            theme={theme}
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

export const marketView: View<MarketModel> = {
  name: "market",
  title: "Market",
  action: "showMarket",
  isAvailable: ({ shown: { market, notice } }) => market !== undefined || notice !== "",
  createModel: (parts) => new MarketModel(parts),
  Component: MarketView,
};
