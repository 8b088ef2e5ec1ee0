// A pane of the market on the screen: its frame and inside, painted anew when its feed, a setting or the
// second hand moves.
import { useMemo } from "react";
import type { Surface } from "../../terminal/cells/surface.ts";
import { Canvas } from "../../terminal/screen/Canvas.tsx";
import type { Source } from "../../terminal/screen/screen.ts";
import type { Dashboard } from "../dashboard.ts";
import type { Pane } from "../layout.ts";
import type { Theme } from "../theme.ts";
import { candles } from "./candles.ts";
import { drawFrame, innerOf } from "./frame.ts";
import { orderbook } from "./orderbook.ts";
import type { PaneView } from "./pane.ts";
import { trades } from "./trades.ts";

const VIEWS: Readonly<Record<Pane, PaneView>> = { orderbook, trades, candles };

interface PaneCanvasProps {
  readonly pane: Pane;
  readonly dashboard: Dashboard;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
}

export function PaneCanvas({ pane, dashboard, theme, width, height }: PaneCanvasProps) {
  const paint = useMemo(
    () => (surface: Surface) => paintPane(surface, pane, dashboard, theme),
    [pane, dashboard, theme],
  );
  const source = useMemo(() => paneSource(dashboard, pane), [dashboard, pane]);
  return <Canvas width={width} height={height} flexShrink={0} paint={paint} source={source} />;
}

function paintPane(surface: Surface, pane: Pane, dashboard: Dashboard, theme: Theme): void {
  dashboard.store.settle();
  const view = VIEWS[pane];
  const { data, frozenAtMs, settings } = dashboard;
  if (data !== undefined) {
    view.paint({ surface, inner: innerOf(surface), data, dashboard, theme });
  }
  drawFrame(surface, {
    title: view.title(dashboard),
    status: dashboard.statusOf(pane),
    frozenMs: frozenAtMs === undefined ? undefined : dashboard.now() - frozenAtMs,
    isFocused: settings.focus === pane,
    theme,
  });
}

function paneSource(dashboard: Dashboard, pane: Pane): Source {
  return dashboard.source(() => {
    const channel = dashboard.channelOf(pane);
    return channel === undefined ? [] : [channel];
  });
}
