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
import { Line } from "../../Line.tsx";
import { layOut } from "../../layout.ts";
import { paintHeader } from "../../panes/header.ts";
import { PaneGroup } from "../../panes/PaneGroup.tsx";
import type { ViewProps } from "../view.ts";
import type { MarketModel } from "./market-model.ts";
import { marketPanes } from "./market-panes.ts";

/** The figures of the market above its panes, or why there are none. */
export function MarketView({ dashboard, model, theme, width, height }: ViewProps<MarketModel>) {
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
