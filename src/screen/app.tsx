// The layout as Ink's boxes, of which Yoga decides the sizes. Data never pass through here: React renders when the user has done
// something, when the size has changed, and once a second.
//
//   the views and their keys
//   the layout of the open view, with an overlay over it
//   state, notice or text field, and hints
import { Box } from "ink";
import { useMemo } from "react";
import { Canvas, type Drawing } from "../terminal/canvas.tsx";
import type { Size } from "../terminal/screen.tsx";
import { STATUS_PANE, TABS_PANE } from "./edge-panes.ts";
import { drawFrame } from "./frame.ts";
import { fitLayout, panesOf, zoomed } from "./layout.ts";
import { OVERLAY_PANE } from "./overlays.ts";
import type { Layout, Pane } from "./pane.ts";
import type { Ui } from "./ui.ts";

/** Below this, the views' line goes. */
const MIN_ROWS_WITH_TABS = 10;

export function App({ ui, size: { columns, rows } }: { readonly ui: Ui; readonly size: Size }) {
  const tabs = rows >= MIN_ROWS_WITH_TABS ? 1 : 0;
  ui.columns = columns;
  const layout = shownLayout(ui, columns, rows - tabs - 1);
  ui.panes = panesOf(layout);
  const overlayRows = overlayRowsOf(ui);
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {tabs > 0 && <PaneCanvas pane={TABS_PANE} ui={ui} height={1} flexShrink={0} />}
      <Box flexGrow={1} flexBasis={0} overflow="hidden">
        <LaidOut key={ui.view.name} layout={layout} ui={ui} />
      </Box>
      <PaneCanvas pane={STATUS_PANE} ui={ui} height={1} flexShrink={0} />
      {overlayRows > 0 && (
        <Box
          position="absolute"
          width={columns}
          height={Math.min(rows - 1, overlayRows)}
          flexDirection="column"
        >
          <PaneCanvas
            pane={OVERLAY_PANE}
            ui={ui}
            layer={1}
            flexGrow={1}
            marginX={columns > 80 ? 8 : 0}
          />
        </Box>
      )}
    </Box>
  );
}

const MENU_ROWS = 24;

/** With its frame; 0 where nothing stands over the view. */
function overlayRowsOf({ panel, menu }: Ui): number {
  if (menu !== undefined) return MENU_ROWS;
  return panel === undefined ? 0 : panel.lines().length + 2;
}

function shownLayout(ui: Ui, columns: number, rows: number): Layout {
  const layout = ui.view.layout(ui);
  ui.panes = panesOf(layout);
  const { focus } = ui;
  return fitLayout(
    ui.isZoomed && focus !== undefined ? zoomed(layout, focus) : layout,
    columns,
    rows,
    ui.view.least,
  );
}

interface LaidOutProps {
  readonly layout: Layout;
  readonly ui: Ui;
  readonly isInColumn?: boolean;
}

function LaidOut({ layout, ui, isInColumn = false }: LaidOutProps) {
  if ("pane" in layout) {
    const { pane, grow, min } = layout;
    const [width, height] = min;
    const growing = {
      flexGrow: grow,
      flexBasis: 0,
      ...(isInColumn ? { minHeight: height } : { minWidth: width }),
    };
    const fixed = isInColumn ? { height } : { width };
    return <PaneCanvas pane={pane} ui={ui} flexShrink={0} {...(grow > 0 ? growing : fixed)} />;
  }
  const isColumn = "column" in layout;
  const parts = isColumn ? layout.column : layout.row;
  return (
    <Box flexDirection={isColumn ? "column" : "row"} flexGrow={layout.grow ?? 1} flexBasis={0}>
      {parts.map((part) => (
        <LaidOut key={nameOf(part)} layout={part} ui={ui} isInColumn={isColumn} />
      ))}
    </Box>
  );
}

const nameOf = (layout: Layout) =>
  panesOf(layout)
    .map(({ name }) => name)
    .join();

type PaneCanvasProps = Omit<Parameters<typeof Canvas>[0], "drawing"> & {
  readonly pane: Pane;
  readonly ui: Ui;
};

/** Ten times a second, less what timers are late by. */
const READ_MS = 92;

function PaneCanvas({ pane, ui, ...box }: PaneCanvasProps) {
  const drawing = useMemo((): Drawing => {
    const edge = pane.title === undefined ? 0 : 1;
    return {
      ...(!pane.isFast && { everyMs: READ_MS }),
      draw(surface) {
        const { moment } = ui;
        const titles = pane.title?.(moment, ui);
        const inside =
          titles === undefined ? surface : drawFrame(surface, titles, pane === ui.focus, ui.theme);
        pane.draw(inside, moment, ui);
      },
      point(event) {
        if (event.action === "press") ui.focusOn(pane);
        pane.point?.({ ...event, x: event.x - edge, y: event.y - edge }, ui);
      },
    };
  }, [pane, ui]);
  return <Canvas drawing={drawing} {...box} />;
}
