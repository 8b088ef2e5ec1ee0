// A pane that paints itself: its frame and what is inside, painted anew when one of its channels, a setting or the
// second hand moves. Every pane of every view is one of these.
import { useMemo } from "react";
import type { PaneStatus } from "../../select/status.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { Canvas } from "../../terminal/screen/Canvas.tsx";
import type { Dashboard } from "../dashboard.ts";
import { seenText } from "../seen-text.ts";
import { type Theme, themeFor } from "../theme.ts";
import { drawFrame, type Inner, innerOf } from "./frame.ts";

/** What a pane is. Keep it the same object: a new one is a new pane. */
export interface FramedPane {
  /** Channels that it reads. */
  channels(): readonly string[];
  /** What stands in the frame, the most important first. */
  title(): readonly string[];
  status(): PaneStatus;
  isFocused(): boolean;
  /** False where freezing the screen changes nothing: the frame goes on to show the state then. */
  readonly isFreezable?: boolean;
  /** True where it shows the session itself, or rows with states of their own: its looks do not follow its state. */
  readonly isAlwaysCurrent?: boolean;
  /** Draws what is inside the frame, in looks that say whether the data is of now. */
  paint(surface: Surface, inner: Inner, theme: Theme): void;
}

interface FramedCanvasProps {
  readonly pane: FramedPane;
  readonly dashboard: Dashboard;
  readonly theme: Theme;
  readonly width: number;
  readonly height: number;
}

/** Paints a pane in the room that it is given. */
export function FramedCanvas({ pane, dashboard, theme, width, height }: FramedCanvasProps) {
  const paint = useMemo(
    () => (surface: Surface) => paintPane(surface, pane, dashboard, theme),
    [pane, dashboard, theme],
  );
  const source = useMemo(() => dashboard.source(() => pane.channels()), [dashboard, pane]);
  return <Canvas width={width} height={height} flexShrink={0} paint={paint} source={source} />;
}

function paintPane(surface: Surface, pane: FramedPane, dashboard: Dashboard, theme: Theme): void {
  dashboard.store.settle();
  const status = pane.status();
  const looks = pane.isAlwaysCurrent === true ? theme : themeFor(theme, status.state);
  pane.paint(surface, innerOf(surface), looks);
  drawFrame(surface, {
    title: pane.title(),
    status: { ...status, note: seenText(dashboard, status.note) },
    stillWords: pane.isFreezable === false ? undefined : dashboard.still.words,
    isFocused: pane.isFocused(),
    theme,
  });
}
