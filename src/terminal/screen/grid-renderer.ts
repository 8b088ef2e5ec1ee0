// From Ink's tree to the bytes of a frame, by cells. React's changes are painted from Ink's tree, a canvas that changed alone is
// painted alone.
import type { DOMElement } from "ink";
import { type EncoderOptions, FrameEncoder } from "../cells/frame-encoder.ts";
import { Grid } from "../cells/grid.ts";
import type { StyleTable } from "../cells/style-table.ts";
import { CanvasPane, type Paint } from "../painter/canvas-pane.ts";
import { Painter } from "../painter/painter.ts";
import type { TerminalSize } from "./terminal-size.ts";

/** A mounted Canvas, seen from its component. */
interface CanvasHandle {
  /** What it shows is no longer what its source has. */
  markDirty(): void;
  remove(): void;
}

/** Our painter into one grid, and the differences between its two buffers. */
export class GridRenderer {
  readonly #grid: Grid;
  readonly #encoder: FrameEncoder;
  readonly #painter: Painter;
  readonly #panes = new Map<DOMElement, CanvasPane>();
  #root: DOMElement | undefined;
  #isTreeDirty = true;

  constructor(
    styles: StyleTable,
    size: TerminalSize,
    { isAscii = false, isInline = false }: EncoderOptions = {},
  ) {
    this.#grid = new Grid(size.columns, size.rows);
    this.#encoder = new FrameEncoder(styles, { isAscii, isInline });
    // There is no empty screen to begin with: the first frame makes room.
    if (isInline) this.#grid.redraw();
    this.#painter = new Painter(this.#grid, styles, this.#panes);
  }

  /** Ink's root; called once, before anything else. */
  attach(root: DOMElement): void {
    this.#root = root;
  }

  /** Adds the Canvas whose box is `node`. */
  addCanvas(node: DOMElement, paint: Paint): CanvasHandle {
    const pane = new CanvasPane(this.#grid, paint);
    this.#panes.set(node, pane);
    this.#isTreeDirty = true;
    return {
      markDirty: () => {
        pane.isDirty = true;
      },
      remove: () => {
        // A new paint function may have taken its place already.
        if (this.#panes.get(node) === pane) this.#panes.delete(node);
      },
    };
  }

  /** React has changed the tree. */
  markTreeDirty(): void {
    this.#isTreeDirty = true;
  }

  resize(size: TerminalSize): void {
    this.#grid.resize(size.columns, size.rows);
    this.#isTreeDirty = true;
  }

  /** The terminal may show anything: the next frame draws all. */
  redraw(): void {
    this.#grid.redraw();
  }

  /**
   * The bytes that bring the terminal up to date; empty when it is. They are good until the next call, and are taken
   * as sent.
   * @throws what a paint function or a transform throws
   */
  encodeFrame(): Uint8Array {
    if (this.#isTreeDirty || this.#hasDirtyUnderCover()) this.#paintAll();
    else this.#paintDirtyPanes();
    return this.#encoder.encode(this.#grid);
  }

  #paintAll(): void {
    this.#isTreeDirty = false;
    if (this.#root !== undefined) this.#painter.paint(this.#root);
  }

  #paintDirtyPanes(): void {
    for (const pane of this.#panes.values()) if (pane.isDirty) pane.draw();
  }

  // What lies over a canvas is only known to the walk.
  #hasDirtyUnderCover(): boolean {
    for (const pane of this.#panes.values()) if (pane.isDirty && pane.isCovered) return true;
    return false;
  }
}
