// The top of every mounted tree: reaches Ink's root before the app is there, keeps the size, and watches for input.
import { Box, type DOMElement, useInput, useStdin } from "ink";
import { Component, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { Screen } from "./screen.ts";
import { ScreenContext, useTerminalSize } from "./screen-context.ts";

interface RootProps {
  readonly screen: Screen;
  readonly children: ReactNode;
}

/** Shows its children on the whole screen, once the screen has taken over Ink's output. */
export function Root({ screen, children }: RootProps) {
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

// Comes before the app, so that it hears of a key before the app answers it. It also keeps the terminal in raw mode
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

/** Shows nothing any more after an error below it, and says so once. */
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
