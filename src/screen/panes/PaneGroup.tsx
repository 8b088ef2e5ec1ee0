// Panes beside each other, or one above the other.
import { Box } from "ink";
import type { Dashboard } from "../dashboard.ts";
import type { Theme } from "../theme.ts";
import { FramedCanvas, type FramedPane } from "./FramedCanvas.tsx";

interface PaneGroupProps<Pane extends string> {
  readonly direction: "row" | "column";
  readonly placed: readonly {
    readonly pane: Pane;
    readonly width: number;
    readonly height: number;
  }[];
  readonly panes: Readonly<Record<Pane, FramedPane>>;
  readonly dashboard: Dashboard;
  readonly theme: Theme;
}

/** Lays panes out, each in the room that the layout gives it. */
export function PaneGroup<Pane extends string>(props: PaneGroupProps<Pane>) {
  const { direction, placed, panes, dashboard, theme } = props;
  return (
    <Box flexDirection={direction} flexShrink={0}>
      {placed.map(({ pane, width, height }) => (
        <FramedCanvas
          key={pane}
          pane={panes[pane]}
          dashboard={dashboard}
          theme={theme}
          width={width}
          height={height}
        />
      ))}
    </Box>
  );
}
