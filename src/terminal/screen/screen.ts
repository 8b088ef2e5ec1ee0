// The mounted screen: when its tree or a canvas changes, it paints and encodes a frame and passes it to the writer.
import { EventEmitter } from "node:events";
import type { DOMElement } from "ink";
import { FrameEncoder } from "../cells/frame-encoder.ts";
import { Grid } from "../cells/grid.ts";
import type { StyleTable } from "../cells/style-table.ts";
import { FrameClock, type FrameTimer } from "./frame-clock.ts";
import { FrameWriter, type WriteBytes } from "./frame-writer.ts";
import { LinePace } from "./line-pace.ts";
import { type Paint, Painter } from "./painter.ts";

/** Subscribes to changes that require a canvas to be repainted; returns the unsubscribe function. */
export type Source = (onChange: () => void) => () => void;

/** Columns and rows of the screen: integers from 0 to the limits below. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The part of a terminal output stream that reports its size. */
export interface SizeSource {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };
/** Larger screens are not drawn: an erroneous size must not exhaust memory. */
const MAX_COLUMNS = 2000;
const MAX_ROWS = 1000;

/** The current size, clamped to what can be drawn. 0 is valid: nothing is drawn. */
function readSize({ size }: ScreenOptions): TerminalSize {
  const clamp = (value: number | undefined, fallback: number, most: number) =>
    value === undefined || Number.isNaN(value)
      ? fallback
      : Math.max(0, Math.min(most, Math.floor(value)));
  return {
    columns: clamp(size.columns, DEFAULT_SIZE.columns, MAX_COLUMNS),
    rows: clamp(size.rows, DEFAULT_SIZE.rows, MAX_ROWS),
  };
}

/** Where a screen draws, how often, and who is notified of its end. */
export interface ScreenOptions {
  readonly timer: FrameTimer;
  readonly size: SizeSource;
  readonly write: WriteBytes;
  readonly styles: StyleTable;
  /** Substitutes an ASCII lookalike for every non-ASCII character. Default false. */
  readonly isAscii?: boolean | undefined;
  /** Maximum frames per second: 1 to 60. Default 60. */
  readonly framesPerSecond?: number | undefined;
  /** The app or a paint function threw; nothing more is drawn. Called once. */
  readonly onFailure: (error: unknown) => void;
  /** The terminal no longer accepts output. Called once. */
  readonly onLost: (error: NodeJS.ErrnoException) => void;
}

/** Totals since the screen was mounted. */
export interface ScreenStatistics {
  /** Frames sent to the terminal, and their total bytes. */
  readonly frames: number;
  readonly bytes: number;
  /** How often a frame was due while the terminal was still accepting the previous one, or was held back on a slow line. */
  readonly coalesced: number;
  /** Milliseconds to make and send the last frame, whether or not it had changes. */
  readonly lastPaintMs: number;
  /** The line to the terminal is slow: data frames wait, responses to keys do not. */
  readonly isSlowLine: boolean;
}

const FRAMES_PER_SECOND = 60;
/** A frame within this time after a key counts as its response. */
const ANSWER_WITHIN_MS = 200;

/**
 * Passed to Ink as its output: discards what Ink writes, and has a size. Neither a terminal nor writable, so that Ink does not
 * hide the cursor, nor draw a last frame in its own slow way on unmount.
 */
class InkOutput extends EventEmitter {
  readonly isTTY = false;
  readonly writable = false;
  readonly #screen: { readonly size: TerminalSize };

  constructor(screen: { readonly size: TerminalSize }) {
    super();
    this.#screen = screen;
  }

  /** At least 1: for 0, Ink runs system programs to find the size. */
  get columns(): number {
    return Math.max(1, this.#screen.size.columns);
  }

  get rows(): number {
    return Math.max(1, this.#screen.size.rows);
  }

  write(): boolean {
    return true;
  }
}

/** Connects painter, encoder, frame clock and writer. Created by `mount`; components access it by `useScreen`. */
export class Screen {
  readonly styles: StyleTable;
  readonly inkOutput = new InkOutput(this);
  readonly #options: ScreenOptions;
  readonly #grid: Grid;
  readonly #painter: Painter;
  readonly #encoder: FrameEncoder;
  readonly #clock: FrameClock;
  readonly #writer: FrameWriter;
  readonly #pace = new LinePace();
  readonly #sizeListeners = new Set<() => void>();
  size: TerminalSize;
  #isSizeStale = false;
  #isAnsweringSize = false;
  #isPaused = false;
  #isEnded = false;
  #isOverdue = false;
  #inputAtMs = Number.NEGATIVE_INFINITY;
  #sentAtMs = 0;
  #sentBytes = 0;
  #cancelWait: (() => void) | undefined;
  #extra = "";
  readonly #statistics = { frames: 0, bytes: 0, coalesced: 0, lastPaintMs: 0 };

  constructor(options: ScreenOptions) {
    const { styles, timer, size, isAscii } = options;
    const { framesPerSecond = FRAMES_PER_SECOND } = options;
    this.#options = options;
    this.styles = styles;
    this.size = readSize(options);
    this.#grid = new Grid(this.size.columns, this.size.rows);
    this.#painter = new Painter(this.#grid, styles);
    this.#encoder = new FrameEncoder(styles, { isAscii });
    this.#clock = new FrameClock(timer, framesPerSecond, this.#drawFrame);
    this.#writer = new FrameWriter({
      write: options.write,
      timer,
      onReady: (isRefused) => this.#noteReady(isRefused),
      onError: (error) => this.#lose(error),
    });
    size.on("resize", this.#noteResize);
  }

  get timer(): FrameTimer {
    return this.#options.timer;
  }

  get statistics(): ScreenStatistics {
    return { ...this.#statistics, isSlowLine: this.#pace.isSlow };
  }

  /** Replaces Ink's output stage. @param node any element of the mounted tree */
  attach(node: DOMElement): void {
    let root = node;
    while (root.parentNode !== undefined) root = root.parentNode;
    this.#painter.attach(root);
    root.onRender = this.#noteTreeChange;
    root.onImmediateRender = this.#noteTreeChange;
    this.#noteTreeChange();
  }

  /** Shows a canvas in the box of `node`, repainted when its source notifies. Returns a function that removes it. */
  addCanvas(node: DOMElement, paint: Paint, source: Source): () => void {
    let cancel: (() => void) | undefined;
    const onChange = () => {
      canvas.markDirty(this.#clock.isInputTurn);
      this.requestFrame();
    };
    let dueMs = Number.POSITIVE_INFINITY;
    const repaintAfter = (afterMs: number) => {
      const atMs = this.timer.now() + afterMs;
      if (atMs >= dueMs) return;
      cancel?.();
      dueMs = atMs;
      cancel = this.timer.after(afterMs, () => {
        dueMs = Number.POSITIVE_INFINITY;
        onChange();
      });
    };
    const canvas = this.#painter.addCanvas(node, paint, repaintAfter);
    this.requestFrame();
    const unsubscribe = source(onChange);
    return () => {
      unsubscribe();
      cancel?.();
      canvas.remove();
      this.requestFrame();
    };
  }

  onResize(callback: () => void): () => void {
    this.#sizeListeners.add(callback);
    return () => {
      this.#sizeListeners.delete(callback);
    };
  }

  /** Requests a frame; it is only sent if anything has changed. */
  requestFrame(): void {
    if (!this.#isEnded && !this.#isPaused) this.#clock.request();
  }

  /**
   * Sends sequences that draw nothing (a bell, a notification, the clipboard) between two frames. Text from outside must be made
   * safe before.
   */
  emit(sequences: string): void {
    this.#extra += sequences;
    this.requestFrame();
  }

  /** Input was received: its changes are drawn at once. */
  noteInput(): void {
    this.#inputAtMs = this.#options.timer.now();
    if (!this.#isEnded) this.#clock.noteInput();
  }

  /** Redraws everything, as after Ctrl+L. */
  redraw(): void {
    this.#grid.mustErase = true;
    if (!this.#isEnded && !this.#isPaused) this.#clock.requestNow();
  }

  /** Writes nothing until `resume`: the terminal is not ours. */
  pause(): void {
    this.#isPaused = true;
    this.#writer.abandon();
    this.#clock.stop();
  }

  /** The terminal is ours again: reads its size and redraws everything. */
  resume(): void {
    this.#isPaused = false;
    this.#isSizeStale = true;
    this.redraw();
  }

  /** Ends it: afterwards nothing is drawn, written or pending. */
  end(): void {
    this.#isEnded = true;
    this.#clock.stop();
    this.#cancelWait?.();
    this.#writer.close();
    this.#options.size.off("resize", this.#noteResize);
  }

  fail(error: unknown): void {
    if (this.#isEnded) return;
    this.end();
    this.#options.onFailure(error);
  }

  readonly #noteTreeChange = () => {
    this.#painter.markTreeDirty();
    if (this.#isEnded || this.#isPaused) return;
    if (this.#isAnsweringSize) this.#clock.requestNow();
    else this.#clock.requestForTree();
    this.#isAnsweringSize = false;
  };

  readonly #noteResize = () => {
    this.#isSizeStale = true;
    this.requestFrame();
  };

  #noteReady(isRefused: boolean): void {
    this.#pace.noteTaken(this.#sentBytes, this.#sentAtMs, this.#options.timer.now(), isRefused);
    if (!this.#isOverdue) return;
    this.#isOverdue = false;
    this.requestFrame();
  }

  readonly #drawFrame = (isAnswer: boolean): void => {
    if (!this.#writer.isReady) {
      this.#statistics.coalesced++;
      this.#isOverdue = true;
    } else if (this.#isHeld()) {
      this.#statistics.coalesced++;
    } else if (!this.#isSizeStale || !this.#applySize()) {
      this.#encodeFrame(isAnswer);
    }
  };

  /** On a slow line data waits, so that the response to the next key need not. */
  #isHeld(): boolean {
    const { timer } = this.#options;
    const waitMs = this.#pace.waitMs(timer.now());
    if (waitMs === 0 || timer.now() - this.#inputAtMs < ANSWER_WITHIN_MS) return false;
    this.#cancelWait ??= timer.after(waitMs, () => {
      this.#cancelWait = undefined;
      this.requestFrame();
    });
    return true;
  }

  /** @returns whether the size has changed: then React recomputes the layout, and the frame follows its commit */
  #applySize(): boolean {
    this.#isSizeStale = false;
    const size = readSize(this.#options);
    if (size.columns === this.size.columns && size.rows === this.size.rows) return false;
    this.size = size;
    this.#grid.resize(size.columns, size.rows);
    this.#painter.markTreeDirty();
    this.#isAnsweringSize = true;
    for (const listener of this.#sizeListeners) listener();
    this.requestFrame();
    return true;
  }

  #encodeFrame(isAnswer: boolean): void {
    const startedAt = this.#options.timer.now();
    try {
      this.#painter.paint(isAnswer);
      this.#send(this.#withExtra(this.#encoder.encode(this.#grid)));
    } catch (error) {
      this.fail(error);
    }
    this.#statistics.lastPaintMs = this.#options.timer.now() - startedAt;
  }

  #withExtra(frame: Uint8Array): Uint8Array {
    if (this.#extra === "") return frame;
    const bytes = Buffer.concat([Buffer.from(this.#extra), frame]);
    this.#extra = "";
    return bytes;
  }

  #send(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#statistics.frames++;
    this.#statistics.bytes += bytes.length;
    this.#sentBytes = bytes.length;
    this.#sentAtMs = this.#options.timer.now();
    this.#inputAtMs = Number.NEGATIVE_INFINITY;
    this.#writer.send(bytes);
  }

  #lose(error: NodeJS.ErrnoException): void {
    if (this.#isEnded) return;
    this.end();
    this.#options.onLost(error);
  }
}
