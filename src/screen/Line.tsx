// A line or two across the whole screen that paint themselves: header, tabs and status.
import { useMemo } from "react";
import type { Surface } from "../terminal/cells/surface.ts";
import { Canvas } from "../terminal/screen/Canvas.tsx";
import type { Dashboard } from "./dashboard.ts";

interface LineProps {
  readonly dashboard: Dashboard;
  readonly width: number;
  readonly rows: number;
  /**
   * Channels that it reads; without it, it is painted once a second and after a change of settings. Keep it the same
   * function.
   */
  readonly channels?: () => readonly string[];
  /** Keep it the same function. */
  readonly paint: (surface: Surface) => void;
}

/** A line that paints itself when one of its channels, a setting or the second hand moves. */
export function Line({ dashboard, width, rows, channels = noChannels, paint }: LineProps) {
  const paintLine = useMemo(
    () => (surface: Surface) => {
      dashboard.store.settle();
      paint(surface);
    },
    [dashboard, paint],
  );
  const source = useMemo(() => dashboard.source(channels), [dashboard, channels]);
  if (rows === 0) return null;
  return <Canvas width={width} height={rows} flexShrink={0} paint={paintLine} source={source} />;
}

function noChannels(): readonly string[] {
  return [];
}
