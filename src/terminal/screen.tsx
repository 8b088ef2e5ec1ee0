// The whole screen: Ink lays an app out, its canvases draw into the grid, and the difference goes to the terminal.
import { EventEmitter } from "node:events";
import { Box, render } from "ink";
import { Component, type ReactNode } from "react";
import type { Clock } from "../units/clock.ts";
import { measure, type Place, PlaceContext, type Placed } from "./canvas.tsx";
import { Encoder } from "./encoder.ts";
import { FrameClock } from "./frame-clock.ts";
import { Grid } from "./grid.ts";
import type { PointEvent } from "./input.ts";
import type { Output } from "./output.ts";
import type { StyleTable } from "./style.ts";
import { Surface } from "./surface.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };
/** Larger screens are not drawn: a wrong size must not fill the memory. */
const MAX_COLUMNS = 1000;
const MAX_ROWS = 400;

export interface ScreenOptions {
  readonly clock: Clock;
  readonly styles: StyleTable;
  readonly isAscii: boolean;
  readonly framesPerSecond: number;
  readonly output: Output;
  /** What the terminal says at the moment; it may say anything. */
  readonly size: () => {
    readonly columns?: number | undefined;
    readonly rows?: number | undefined;
  };
  readonly onError: (error: unknown) => void;
}

export class Screen {
  size: Size;
  styles: StyleTable;
  readonly #options: ScreenOptions;
  readonly #grid = new Grid();
  readonly #clock: FrameClock;
  #encoder: Encoder;
  #placed: readonly Placed[] = [];
  #isLaidOut = false;
  #isPaused = false;
  #isEnded = false;
  #extra = "";
  /** A frame that the terminal was too busy for; true if the user waits for it. */
  #overdue: boolean | undefined;
  #ink: ReturnType<typeof render> | undefined;
  #app: ((size: Size) => ReactNode) | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.styles = options.styles;
    this.#encoder = new Encoder(options.styles, options.isAscii);
    this.#clock = new FrameClock(options.clock, options.framesPerSecond, (isAnswer) =>
      this.frameNow(isAnswer),
    );
    this.size = this.#readSize();
    this.#grid.resize(this.size.columns, this.size.rows);
  }

  mount(app: (size: Size) => ReactNode): void {
    this.#app = app;
    this.#ink = render(this.#tree(), {
      // Takes Ink's throttle away: `onRender` follows each commit at once.
      debug: true,
      onRender: () => {
        this.#isLaidOut = false;
        this.request();
      },
      stdout: sink(),
      stdin: sink(),
      stderr: sink(),
      exitOnCtrlC: false,
      patchConsole: false,
      isScreenReaderEnabled: false,
    });
    this.#ink.waitUntilExit().catch(this.#options.onError);
  }

  /** Something has changed. @param isAnswer because of the user: drawn at once */
  request(isAnswer = false): void {
    this.#clock.request(isAnswer);
  }

  /** Sequences that draw nothing (bell, title, clipboard), sent between two frames. */
  emit(sequence: string): void {
    this.#extra += sequence;
    this.request();
  }

  /** The colours are others, or the terminal may show anything: draws everything again. */
  redraw(styles = this.styles): void {
    this.styles = styles;
    this.#encoder = new Encoder(styles, this.#options.isAscii);
    this.#grid.forget();
    this.resize();
  }

  resize(): void {
    const size = this.#readSize();
    if (size.columns !== this.size.columns || size.rows !== this.size.rows) {
      this.size = size;
      this.#grid.resize(size.columns, size.rows);
      this.commit();
    }
    this.request(true);
  }

  /** What the app is a function of has changed: laid out before this returns, so that the next frame has it. */
  commit(): void {
    if (!this.#isEnded) this.#ink?.rerender(this.#tree());
  }

  /** The last frame has gone to the terminal. */
  ready(): void {
    const overdue = this.#overdue;
    this.#overdue = undefined;
    if (overdue !== undefined) this.request(overdue);
  }

  /** The topmost canvas there gets the event. */
  point({ x, y, action }: PointEvent): void {
    const hit = this.#placed.findLast(
      ({ rectangle: at }) => x >= at.x && x < at.x + at.width && y >= at.y && y < at.y + at.height,
    );
    hit?.drawing.point?.({ action, x: x - hit.rectangle.x, y: y - hit.rectangle.y });
  }

  /** The terminal is somebody else's for a while. */
  pause(): void {
    this.#isPaused = true;
    this.#options.output.drop();
  }

  resume(): void {
    this.#isPaused = false;
    this.redraw();
  }

  end(): void {
    this.#isEnded = true;
    this.#clock.stop();
    this.#ink?.unmount();
  }

  /** Draws at once, if the terminal has taken the last frame. */
  frameNow(isAnswer = false): void {
    if (this.#isPaused || this.#isEnded) return;
    const { output, clock } = this.#options;
    if (output.isBusy) {
      this.#overdue ||= isAnswer;
      return;
    }
    const waitMs = isAnswer ? 0 : output.waitMs;
    if (waitMs > 0) {
      this.#clock.requestAfter(waitMs);
      return;
    }
    if (!this.#draw(isAnswer, clock.now())) return;
    const text = this.#extra + this.#encoder.encode(this.#grid);
    this.#extra = "";
    if (text !== "") output.send(text);
  }

  /** @param isWhole what is drawn seldom is drawn, too */
  #draw(isWhole: boolean, nowMs: number): boolean {
    try {
      const isOverlaid = (this.#placed.at(-1)?.layer ?? 0) > 0;
      const isAll = isWhole || isOverlaid || !this.#isLaidOut || this.#grid.mustErase;
      if (!this.#isLaidOut) for (const each of this.#placed) each.rectangle = measure(each.node);
      this.#isLaidOut = true;
      this.#grid.clear();
      for (const each of this.#placed) this.#drawOne(each, isAll, nowMs);
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }

  #drawOne(placed: Placed, isDue: boolean, nowMs: number): void {
    const { drawing, rectangle, drawnAtMs } = placed;
    const surface = new Surface(this.#grid, this.styles, rectangle);
    const waitMs = isDue ? 0 : drawnAtMs + (drawing.everyMs ?? 0) - nowMs;
    if (waitMs > 0) {
      surface.keep();
      this.#clock.requestAfter(waitMs);
    } else {
      drawing.draw(surface);
      placed.drawnAtMs = nowMs;
    }
  }

  /**
   * Absolute, so that Ink's root has no rows: its output stage, which costs by rows and columns, has nothing to do. The size is
   * fixed, so the width of the sink does not matter.
   */
  #tree(): ReactNode {
    const { columns, rows } = this.size;
    return (
      <Boundary onError={this.#options.onError}>
        <PlaceContext.Provider value={this.#place}>
          <Box position="absolute" width={columns} height={rows} overflow="hidden">
            {this.#app?.(this.size)}
          </Box>
        </PlaceContext.Provider>
      </Boundary>
    );
  }

  readonly #place: Place = (placed) => {
    this.#placed = [...this.#placed, placed].sort((a, b) => a.layer - b.layer);
    this.#isLaidOut = false;
    this.request();
    return () => {
      this.#placed = this.#placed.filter((each) => each !== placed);
      this.request();
    };
  };

  #readSize(): Size {
    const { columns, rows } = this.#options.size();
    return {
      columns: sane(columns, DEFAULT_SIZE.columns, MAX_COLUMNS),
      rows: sane(rows, DEFAULT_SIZE.rows, MAX_ROWS),
    };
  }
}

/** A terminal that says nothing, 0 or nonsense has the usual size. */
function sane(value: number | undefined, usual: number, most: number): number {
  return value !== undefined && value >= 1 ? Math.min(most, Math.floor(value)) : usual;
}

interface BoundaryProps {
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** An error of the app ends it; nothing is shown below. */
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

/** Stands for a stream of Ink's that nobody reads. It is no terminal, so Ink asks nothing of it. */
function sink(): NodeJS.ReadStream & NodeJS.WriteStream {
  const stream = { isTTY: false, columns: 1, rows: 1, write: () => true };
  return Object.assign(new EventEmitter(), stream) as unknown as NodeJS.ReadStream &
    NodeJS.WriteStream;
}
