// Puts a React app onto the screen: Ink for structure and input, our screen for everything that is written.
import chalk from "chalk";
import { render } from "ink";
import type { ReactNode } from "react";
import { Root } from "./Root.tsx";
import { Screen, type ScreenOptions, type ScreenStatistics } from "./screen.ts";

/** A screen, and where its keys come from. */
export interface MountOptions extends ScreenOptions {
  /** Where Ink reads keys from. Raw mode is switched on it when it is a terminal. */
  readonly stdin: NodeJS.ReadStream;
  /** The app has ended itself through Ink's `useApp().exit()`, perhaps with an error. */
  readonly onExit: (error?: unknown) => void;
}

/** A mounted app. */
export interface Mounted {
  /** Takes the app down: nothing of it is shown, written or waited for any more. */
  unmount(): void;
  /** Erases the terminal and draws everything again. */
  redraw(): void;
  /** Asks for a frame; it is sent if anything has changed. */
  requestFrame(): void;
  /** Sends sequences that draw nothing, such as a bell, between two frames. */
  emit(sequences: string): void;
  /** Writes nothing until `resume`: the terminal is not ours. */
  pause(): void;
  /** The terminal is ours again: reads its size and draws everything. */
  resume(): void;
  readonly statistics: ScreenStatistics;
}

/**
 * Mounts the app on the whole screen. Ctrl+C is a key like any other; console output is left alone. Never throws:
 * errors of the app go to `onFailure`.
 */
export function mount(app: ReactNode, options: MountOptions): Mounted {
  const screen = new Screen(options);
  // Ink writes its looks with chalk, which guesses what the terminal can show. Cells are reduced on their way out.
  chalk.level = 3;
  let isOver = false;
  const instance = render(<Root screen={screen}>{app}</Root>, {
    stdin: options.stdin,
    // Ink asks for a stream of Node's; it uses what InkOutput has.
    stdout: screen.inkOutput as unknown as NodeJS.WriteStream,
    // Without its own throttle: the frame clock decides when anything is drawn.
    debug: true,
    patchConsole: false,
    exitOnCtrlC: false,
    isScreenReaderEnabled: false,
  });
  const unmount = () => {
    if (isOver) return;
    isOver = true;
    screen.end();
    instance.unmount();
  };
  const noteExit = (error?: unknown) => {
    if (isOver) return;
    isOver = true;
    screen.end();
    options.onExit(error);
  };
  instance.waitUntilExit().then(() => noteExit(), noteExit);
  return {
    unmount,
    redraw: () => screen.redraw(),
    requestFrame: () => screen.requestFrame(),
    emit: (sequences) => screen.emit(sequences),
    pause: () => screen.pause(),
    resume: () => screen.resume(),
    get statistics() {
      return screen.statistics;
    },
  };
}
