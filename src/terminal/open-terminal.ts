// The whole terminal in one: borrows it, shows an app on it, and gives it back whatever happens.
import type { ReactNode } from "react";
import { type Mounted, mount } from "./screen/mount.tsx";
import type { ScreenOptions, ScreenStatistics } from "./screen/screen.ts";
import { inlineSize, type SizeSource } from "./screen/terminal-size.ts";
import { type Events, type ProcessEvents, Session, type SessionEnd } from "./session/session.ts";
import type { TerminalOutput } from "./session/terminal-output.ts";
import type { Watcher } from "./session/watcher.ts";

/** What the program brings: the real process, streams and clock, or those of a test. */
export interface TerminalOptions
  extends Pick<ScreenOptions, "timer" | "styles" | "isAscii" | "framesPerSecond"> {
  readonly process: ProcessEvents;
  readonly stdin: NodeJS.ReadStream;
  /** Asked for its size and its errors; nothing is written to it. */
  readonly stdout: Events & SizeSource;
  readonly output: Pick<TerminalOutput, "write" | "writeSync">;
  /** Draw in so many lines below the cursor, which leave what is above them alone; without it on the whole screen. */
  readonly inlineRows?: number | undefined;
  /** Report clicks and the wheel. */
  readonly mouse: boolean;
  /** Titles of the window will be set: at the end it has the one from before. */
  readonly hasTitle?: boolean | undefined;
  /** Gives the terminal back when the process dies without a chance to do so. */
  readonly watcher?: Watcher | undefined;
  /** The end, once: the terminal is as it was, and the app is taken down. */
  readonly onEnd: (end: SessionEnd) => void;
}

export interface Terminal {
  /** Ends it. */
  close(): void;
  /** Stops the job, as Ctrl+Z does; returns when it goes on. */
  suspend(): void;
  /** Erases the terminal and draws everything again, as after Ctrl+L. */
  redraw(): void;
  /** Sends sequences that draw nothing, such as a bell, between two frames. */
  emit(sequences: string): void;
  /** What is on it now, as SVG; empty when it has ended. @param title what it shows, in words */
  picture(title: string): string;
  readonly statistics: ScreenStatistics;
}

/** Takes the terminal and shows the app on it; errors of the app end it through `onEnd`. */
export function openTerminal(
  app: (terminal: Terminal) => ReactNode,
  {
    process,
    stdin,
    stdout,
    output,
    mouse,
    hasTitle,
    inlineRows,
    watcher,
    onEnd,
    ...screen
  }: TerminalOptions,
): Terminal {
  let mounted: Mounted | undefined;
  let isOver = false;
  const isInline = inlineRows !== undefined;
  const session = new Session({
    process,
    stdin,
    stdout,
    writeSync: output.writeSync,
    // A click has its position on the whole screen; where our lines are on it is not known.
    mouse: mouse && !isInline,
    isInline,
    hasTitle,
    watcher,
    onLeave: () => mounted?.screen.pause(),
    onReturn: () => mounted?.screen.resume(),
    onEnd: (end) => {
      isOver = true;
      mounted?.unmount();
      onEnd(end);
    },
  });
  const terminal: Terminal = {
    close: () => session.close(),
    suspend: () => session.suspend(),
    redraw: () => mounted?.screen.redraw(),
    emit: (sequences) => mounted?.screen.emit(sequences),
    picture: (title) => mounted?.screen.picture(title) ?? "",
    get statistics() {
      return mounted?.screen.statistics ?? NO_STATISTICS;
    },
  };
  session.enter();
  mounted = mount(app(terminal), {
    ...screen,
    stdin,
    size: inlineRows === undefined ? stdout : inlineSize(stdout, inlineRows),
    isInline,
    write: output.write,
    onFailure: (error) => session.fail(error),
    onLost: (error) => session.lose(error),
    onExit: (error) => (error === undefined ? session.close() : session.fail(error)),
  });
  // It may have failed while it was mounted, when nothing was there yet to take down.
  if (isOver) mounted.unmount();
  return terminal;
}

const NO_STATISTICS: ScreenStatistics = {
  frames: 0,
  bytes: 0,
  coalesced: 0,
  lastPaintMs: 0,
  isSlowLine: false,
};
