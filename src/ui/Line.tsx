// A line or two across the whole screen that paint themselves: header and status.
import { useMemo } from "react";
import type { Surface } from "../terminal/cells/surface.ts";
import { Canvas } from "../terminal/screen/Canvas.tsx";
import type { Dashboard } from "./dashboard.ts";
import type { Theme } from "./theme.ts";

interface LineProps {
  readonly dashboard: Dashboard;
  readonly theme: Theme;
  readonly width: number;
  readonly rows: number;
  /** Channels that it reads. Keep it the same function. */
  readonly channels: (dashboard: Dashboard) => readonly string[];
  /** Keep it the same function. */
  readonly paint: (surface: Surface, dashboard: Dashboard, theme: Theme) => void;
}

export function Line({ dashboard, theme, width, rows, channels, paint }: LineProps) {
  const paintLine = useMemo(
    () => (surface: Surface) => {
      dashboard.store.settle();
      paint(surface, dashboard, theme);
    },
    [dashboard, theme, paint],
  );
  const source = useMemo(() => dashboard.source(() => channels(dashboard)), [dashboard, channels]);
  if (rows === 0) return null;
  return <Canvas width={width} height={rows} flexShrink={0} paint={paintLine} source={source} />;
}
