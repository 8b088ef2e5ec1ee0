// A pane that paints its own cells: no React render while it changes.
import { Box, type BoxProps, type DOMElement } from "ink";
import {
  createContext,
  memo,
  useContext,
  useLayoutEffect,
  useRef,
  useSyncExternalStore,
} from "react";
import type { Paint } from "./painter.ts";
import type { Screen, Source, TerminalSize } from "./screen.ts";

/** The props of a Box, a paint function, and the source that says when to call it. */
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
export const Canvas = memo(function Canvas({ paint, source, ...box }: CanvasProps) {
  const screen = useScreen();
  const node = useRef<DOMElement>(null);
  useLayoutEffect(() => {
    if (node.current === null) return undefined;
    return screen.addCanvas(node.current, paint, source);
  }, [screen, paint, source]);
  return <Box ref={node} {...box} />;
});

export const ScreenContext = createContext<Screen | undefined>(undefined);

/**
 * The screen that the component is mounted on: its styles, a frame or a redraw on request, its statistics.
 * @throws {Error} outside of `mount`
 */
export function useScreen(): Screen {
  const screen = useContext(ScreenContext);
  if (screen === undefined) throw new Error("not mounted on a screen: see mount()");
  return screen;
}

/** Columns and rows of the terminal; the component renders again when they change. @throws {Error} outside of `mount` */
export function useTerminalSize(): TerminalSize {
  const screen = useScreen();
  return useSyncExternalStore(
    (onChange) => screen.onResize(onChange),
    () => screen.size,
  );
}
