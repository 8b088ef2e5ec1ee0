// Puts a React app onto the screen: Ink for structure and input, our screen for everything that is written.
import chalk from "chalk";
import { Box, type DOMElement, render, useInput, useStdin } from "ink";
import { Component, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { Screen, type ScreenOptions } from "./screen.ts";
import { ScreenContext, useTerminalSize } from "./screen-context.ts";

/** A screen, and where its keys come from. */
export interface MountOptions extends ScreenOptions {
  /** Where Ink reads keys from. Raw mode is switched on it when it is a terminal. */
  readonly stdin: NodeJS.ReadStream;
  /** The app has ended itself through Ink's `useApp().exit()`, perhaps with an error. */
  readonly onExit: (error?: unknown) => void;
}

export interface Mounted {
  readonly screen: Screen;
  /** Takes the app down: nothing of it is shown, written or waited for any more. */
  unmount(): void;
}

/**
 * Mounts the app on the whole screen. Ctrl+C is a key like any other; console output is left alone; errors of the app go to
 * `onFailure`.
 */
export function mount(app: ReactNode, options: MountOptions): Mounted {
  const screen = new Screen(options);
  // Ink writes its styles with chalk, which guesses what the terminal can show. Cells are reduced on their way out.
  chalk.level = 3;
  let isOver = false;
  const instance = render(<Root screen={screen}>{app}</Root>, {
    stdin: options.stdin,
    // Ink asks for a stream of Node's; it uses what this one has.
    stdout: screen.inkOutput as unknown as NodeJS.WriteStream,
    // Without its own throttle: the frame clock decides when anything is drawn.
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

/** Shows its children on the whole screen, once the screen has taken over Ink's output. */
function Root({ screen, children }: RootProps) {
  const anchor = useRef<DOMElement>(null);
  const [isAttached, setAttached] = useState(false);
  useLayoutEffect(() => {
    if (anchor.current === null) return;
    screen.attach(anchor.current);
    setAttached(true);
  }, [screen]);
  // An empty box comes first: Ink draws it once in its own way, which must not cost or show anything.
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

// Comes before the app, so that it receives a key before the app answers it. It also keeps the terminal in raw mode
// while views come and go.
function InputWatch({ screen }: { readonly screen: Screen }) {
  const { isRawModeSupported } = useStdin();
  useInput(() => screen.noteInput(), { isActive: isRawModeSupported });
  return null;
}

interface BoundaryProps {
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** Shows nothing any more after an error below it, and reports it once. */
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
