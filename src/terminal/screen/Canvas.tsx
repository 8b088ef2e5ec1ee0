// A pane that paints its own cells: no React render while it changes.
import { Box, type BoxProps, type DOMElement } from "ink";
import { memo, useLayoutEffect, useRef, useState } from "react";
import type { Paint } from "../painter/canvas-pane.ts";
import { contentSize } from "../painter/layout.ts";
import type { ShowLines } from "./renderer.ts";
import type { Source } from "./screen.ts";
import { useScreen } from "./screen-context.ts";
import { TextRows } from "./TextRows.tsx";

/** The props of a Box, a paint function, and what says when to call it. */
export interface CanvasProps extends Omit<BoxProps, "children"> {
  /** Draws what is inside border and padding, on a blank surface. Keep it the same function: a new one is a new pane. */
  readonly paint: Paint;
  /** Says when to draw again. Keep it the same function. */
  readonly source: Source;
}

/**
 * A Box whose inside is drawn by `paint`, once after each layout and once a frame at most when `source` has said so.
 * What lies over it, such as a dialog, stays over it.
 */
export const Canvas = memo(function Canvas(props: CanvasProps) {
  return useScreen().rendererName === "grid" ? (
    <CellCanvas {...props} />
  ) : (
    <TextCanvas {...props} />
  );
});

function CellCanvas({ paint, source, ...box }: CanvasProps) {
  const node = useCanvas(paint, source, ignoreLines);
  return <Box ref={node} {...box} />;
}

// The text lies outside of the flow, so that it does not change the size that it is made for.
function TextCanvas({ paint, source, ...box }: CanvasProps) {
  const [rows, setRows] = useState<readonly string[]>([]);
  const node = useCanvas(paint, source, setRows);
  const width = node.current === null ? 0 : contentSize(node.current).width;
  return (
    <Box ref={node} {...box} overflow="hidden">
      <Box position="absolute">
        <TextRows rows={rows} width={width} />
      </Box>
    </Box>
  );
}

function useCanvas(paint: Paint, source: Source, showLines: ShowLines) {
  const screen = useScreen();
  const node = useRef<DOMElement>(null);
  useLayoutEffect(() => {
    if (node.current === null) return undefined;
    return screen.addCanvas(node.current, { paint, source, showLines });
  }, [screen, paint, source, showLines]);
  return node;
}

function ignoreLines(): void {}
