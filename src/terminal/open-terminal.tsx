// The terminal as a whole: takes it over, shows an app on it, and restores it whatever happens.

import chalk from "chalk";
import { Box, type DOMElement, render, useStdin } from "ink";
import { Component, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ScreenContext, useTerminalSize } from "./screen/Canvas.tsx";
import {
  Screen,
  type ScreenOptions,
  type ScreenStatistics,
  type SizeSource,
} from "./screen/screen.ts";
import { type Events, Session, type SessionOptions } from "./session/session.ts";
import type { TerminalOutput } from "./session/terminal-output.ts";

/** What the program passes in: the real process, streams and clock, or those of a test. */
export interface TerminalOptions
  extends Pick<ScreenOptions, "timer" | "styles" | "isAscii" | "framesPerSecond">,
    Pick<SessionOptions, "process" | "mouse" | "hasTitle" | "watcher" | "onEnd"> {
  readonly stdin: NodeJS.ReadStream;
  /** Only its size and its errors are used; nothing is written to it. */
  readonly stdout: Events & SizeSource;
  readonly output: Pick<TerminalOutput, "write" | "writeSync">;
}

export interface Terminal {
  close(): void;
  /** Stops the job, as Ctrl+Z does; returns when it is continued. */
  suspend(): void;
  /** Erases the terminal and redraws everything, as after Ctrl+L. */
  redraw(): void;
  /** Sends sequences that draw nothing, such as a bell, between two frames. */
  emit(sequences: string): void;
  readonly statistics: ScreenStatistics;
}

/** Takes over the terminal and shows the app on it; errors of the app end it through `onEnd`. */
export function openTerminal(
  app: (terminal: Terminal) => ReactNode,
  options: TerminalOptions,
): Terminal {
  const { stdout, output } = options;
  let mounted: Mounted | undefined;
  let isOver = false;
  const session = new Session({
    ...options,
    writeSync: output.writeSync,
    onLeave: () => mounted?.screen.pause(),
    onReturn: () => mounted?.screen.resume(),
    onEnd: (end) => {
      isOver = true;
      mounted?.unmount();
      options.onEnd(end);
    },
  });
  const terminal: Terminal = {
    close: () => session.close(),
    suspend: () => session.suspend(),
    redraw: () => mounted?.screen.redraw(),
    emit: (sequences) => mounted?.screen.emit(sequences),
    get statistics() {
      return mounted?.screen.statistics ?? NO_STATISTICS;
    },
  };
  session.enter();
  mounted = mount(app(terminal), {
    ...options,
    size: stdout,
    write: output.write,
    onFailure: (error) => session.fail(error),
    onLost: (error) => session.lose(error),
    onExit: (error) => (error === undefined ? session.close() : session.fail(error)),
  });
  // It may have failed while mounting, when there was nothing to unmount yet.
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

// Mounts a React app on the screen: Ink for structure and input, our screen for all output.

interface MountOptions extends ScreenOptions {
  /** Where Ink reads keys from. Put into raw mode if it is a terminal. */
  readonly stdin: NodeJS.ReadStream;
  /** The app has ended itself through Ink's `useApp().exit()`, possibly with an error. */
  readonly onExit: (error?: unknown) => void;
}

export interface Mounted {
  readonly screen: Screen;
  /** Unmounts the app: afterwards nothing is shown, written or pending. */
  unmount(): void;
}

/**
 * Mounts the app on the whole screen. Ctrl+C is an ordinary key; console output is not intercepted; errors of the app go to
 * `onFailure`.
 */
export function mount(app: ReactNode, options: MountOptions): Mounted {
  const screen = new Screen(options);
  // Ink formats styles with chalk, which guesses the terminal's colours. Always emit all of them: cells are reduced on output.
  chalk.level = 3;
  let isOver = false;
  const instance = render(<Root screen={screen}>{app}</Root>, {
    stdin: options.stdin,
    // Ink's type is a Node stream; it only uses what this object has.
    stdout: screen.inkOutput as unknown as NodeJS.WriteStream,
    // Disables Ink's own throttle: the frame clock decides when to draw.
    debug: true,
    patchConsole: false,
    exitOnCtrlC: false,
    isScreenReaderEnabled: false,
  });
  const end = (next: () => void) => {
    if (isOver) return;
    isOver = true;
    screen.end();
    next();
  };
  const noteExit = (error?: unknown) => end(() => options.onExit(error));
  instance.waitUntilExit().then(() => noteExit(), noteExit);
  return { screen, unmount: () => end(() => instance.unmount()) };
}

interface RootProps {
  readonly screen: Screen;
  readonly children: ReactNode;
}

/** Shows its children on the whole screen, once the screen has replaced Ink's output. */
function Root({ screen, children }: RootProps) {
  const anchor = useRef<DOMElement>(null);
  const [isAttached, setAttached] = useState(false);
  useLayoutEffect(() => {
    if (anchor.current === null) return;
    screen.attach(anchor.current);
    setAttached(true);
  }, [screen]);
  // Starts with an empty box: Ink draws the first frame in its own way, which must cost and show nothing.
  if (!isAttached) return <Box ref={anchor} width={1} height={1} />;
  return (
    <ScreenContext.Provider value={screen}>
      <InputWatch screen={screen} />
      <Boundary onError={(error) => screen.fail(error)}>
        <FullScreen>{children}</FullScreen>
      </Boundary>
    </ScreenContext.Provider>
  );
}

function FullScreen({ children }: { readonly children: ReactNode }) {
  const { columns, rows } = useTerminalSize();
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      {children}
    </Box>
  );
}

// Mounted before the app, so that it receives each key before the app reacts to it. Also keeps the terminal in raw mode while
// views change.
function InputWatch({ screen }: { readonly screen: Screen }) {
  const { isRawModeSupported, setRawMode, internal_eventEmitter: raw } = useStdin();
  useEffect(() => {
    if (!isRawModeSupported) return undefined;
    const note = () => screen.noteInput();
    setRawMode(true);
    raw.on("input", note);
    return () => {
      raw.removeListener("input", note);
      setRawMode(false);
    };
  }, [screen, isRawModeSupported, setRawMode, raw]);
  return null;
}

interface BoundaryProps {
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** Shows nothing after an error below it, and reports the error once. */
class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}
