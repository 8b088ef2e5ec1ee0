// How components reach the screen that they are mounted on.
import { createContext, useContext, useSyncExternalStore } from "react";
import type { Screen } from "./screen.ts";
import type { TerminalSize } from "./terminal-size.ts";

/** Set by the root of a mounted tree. */
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
