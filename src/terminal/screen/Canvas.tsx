// A pane that paints its own cells, without a React render for each change.
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

/** The props of a Box, a paint function, and the source that triggers it. */
export interface CanvasProps extends Omit<BoxProps, "children"> {
  /** Draws the content inside border and padding, on a blank surface. Keep it stable: a new function is a new pane. */
  readonly paint: Paint;
  /** Notifies when to redraw. Keep it stable. */
  readonly source: Source;
}

/**
 * A Box whose content is drawn by `paint`, once after each layout and at most once per frame after `source` notifies. Elements on
 * top of it, such as a dialog, stay on top.
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
 * The screen that the component is mounted on.
 * @throws {Error} outside of `mount`
 */
export function useScreen(): Screen {
  const screen = useContext(ScreenContext);
  if (screen === undefined) throw new Error("not mounted on a screen: see mount()");
  return screen;
}

/** The size of the terminal; the component re-renders when it changes. @throws {Error} outside of `mount` */
export function useTerminalSize(): TerminalSize {
  const screen = useScreen();
  return useSyncExternalStore(
    (onChange) => screen.onResize(onChange),
    () => screen.size,
  );
}
