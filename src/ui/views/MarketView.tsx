// The dashboard of one market:
//
//   header: name, best prices, spread, last trade, figures
//   ╭ candles ────────────╮╭ order book ╮
//   │                     ││            │
//   ├ trades ─────────────┤│            │
//   ╰─────────────────────╯╰────────────╯
//   status: link, panes, faults, keys
import { Box } from "ink";
import { useLayoutEffect, useMemo } from "react";
import { useTerminalSize } from "../../terminal/screen/screen-context.ts";
import type { Dashboard, Settings } from "../dashboard.ts";
import { Line } from "../Line.tsx";
import { layOut } from "../layout.ts";
import { paintHeader } from "../panes/header.ts";
import { PaneCanvas } from "../panes/PaneCanvas.tsx";
import { paintStatus } from "../panes/status.ts";
import type { Theme } from "../theme.ts";

interface MarketViewProps {
  readonly dashboard: Dashboard;
  readonly settings: Settings;
  readonly theme: Theme;
}

export function MarketView({ dashboard, settings, theme }: MarketViewProps) {
  const { columns, rows } = useTerminalSize();
  const layout = useMemo(
    () => layOut(columns, rows, settings.view),
    [columns, rows, settings.view],
  );
  useLayoutEffect(() => dashboard.setOrder(layout.order), [dashboard, layout.order]);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      <Line
        dashboard={dashboard}
        theme={theme}
        width={columns}
        rows={layout.headerRows}
        channels={headerChannels}
        paint={paintHeader}
      />
      <Box flexDirection="row" flexShrink={0}>
        {layout.columns.map(({ width, panes }) => (
          <Box key={panes[0]?.pane} flexDirection="column" width={width} flexShrink={0}>
            {panes.map(({ pane, height }) => (
              <PaneCanvas
                key={pane}
                pane={pane}
                dashboard={dashboard}
                theme={theme}
                width={width}
                height={height}
              />
            ))}
          </Box>
        ))}
      </Box>
      <Line
        dashboard={dashboard}
        theme={theme}
        width={columns}
        rows={layout.statusRows}
        channels={noChannels}
        paint={paintStatus}
      />
    </Box>
  );
}

function headerChannels({ channels }: Dashboard): readonly string[] {
  if (channels === undefined) return [];
  return [channels.bbo, channels.trades, channels.marketStats, channels.markets];
}

/** States and counts are told once a second. */
function noChannels(): readonly string[] {
  return [];
}
