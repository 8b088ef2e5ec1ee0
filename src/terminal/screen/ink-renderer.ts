// The other way to the screen: Ink's own output stage makes the rows, canvases included as text, and each frame
// writes all of them. Slow, and independent of our painter and its diff.
import type { DOMElement } from "ink";
import { CODE_POINT_MASK, CONTINUATION, Grid, SPACE, STYLE_SHIFT } from "../cells/grid.ts";
import { RESET } from "../cells/sgr.ts";
import type { StyleTable } from "../cells/style-table.ts";
import { cleanStyledText, styledTextWidth } from "../cells/styled-text.ts";
import { Surface } from "../cells/surface.ts";
import type { Paint } from "../painter/canvas-pane.ts";
import { contentSize } from "../painter/layout.ts";
import type { InkOutput } from "./ink-output.ts";
import type { CanvasHandle, Renderer, ShowLines } from "./renderer.ts";
import type { TerminalSize } from "./terminal-size.ts";

const NOTHING = new Uint8Array(0);

/** Ink's rows, cut to the screen and cleaned of everything but looks. */
export class InkRenderer implements Renderer {
  readonly #styles: StyleTable;
  readonly #output: InkOutput;
  readonly #canvases = new Set<TextCanvas>();
  #size: TerminalSize;
  #drawTree: (() => void) | undefined;
  #isTreeDirty = true;
  #lastRows: readonly string[] | undefined;

  constructor(styles: StyleTable, size: TerminalSize, output: InkOutput) {
    this.#styles = styles;
    this.#size = size;
    this.#output = output;
  }

  attach(root: DOMElement): void {
    this.#drawTree = root.onRender;
  }

  addCanvas(node: DOMElement, paint: Paint, showLines: ShowLines): CanvasHandle {
    const canvas = new TextCanvas(this.#styles, { node, paint, showLines });
    this.#canvases.add(canvas);
    return {
      markDirty: () => canvas.markDirty(),
      remove: () => this.#canvases.delete(canvas),
    };
  }

  markTreeDirty(): void {
    this.#isTreeDirty = true;
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.redraw();
  }

  redraw(): void {
    this.#isTreeDirty = true;
    this.#lastRows = undefined;
  }

  encodeFrame(): Uint8Array {
    // Their new lines go through React and come back as a change of the tree.
    for (const canvas of this.#canvases) canvas.update();
    if (!this.#isTreeDirty) return NOTHING;
    this.#isTreeDirty = false;
    this.#drawTree?.();
    const rows = this.#output.lastWrite.split("\n").slice(0, this.#size.rows).map(cleanStyledText);
    if (isSame(rows, this.#lastRows)) return NOTHING;
    this.#lastRows = rows;
    return this.#encodeRows(rows);
  }

  // A row that reaches the margin is not erased behind: some terminals would erase its last column.
  #encodeRows(rows: readonly string[]): Uint8Array {
    const parts = ["\x1b[?2026h"];
    for (const [index, row] of rows.entries()) {
      const isShort = styledTextWidth(row) < this.#size.columns;
      parts.push(`\x1b[${index + 1}H${row}\x1b[m${isShort ? "\x1b[K" : ""}`);
    }
    if (rows.length < this.#size.rows) parts.push(`\x1b[${rows.length + 1}H\x1b[J`);
    parts.push("\x1b[?2026l");
    return Buffer.from(parts.join(""));
  }
}

interface TextCanvasOptions {
  readonly node: DOMElement;
  readonly paint: Paint;
  readonly showLines: ShowLines;
}

/** A canvas that paints into cells of its own, which become lines with SGR sequences. */
class TextCanvas {
  readonly #styles: StyleTable;
  readonly #options: TextCanvasOptions;
  readonly #grid = new Grid(0, 0);
  readonly #surface = new Surface(this.#grid);
  #isDirty = true;

  constructor(styles: StyleTable, options: TextCanvasOptions) {
    this.#styles = styles;
    this.#options = options;
  }

  markDirty(): void {
    this.#isDirty = true;
  }

  /** Paints and shows it anew when its source or its size has changed. */
  update(): void {
    const { width, height } = contentSize(this.#options.node);
    const hasNewSize = width !== this.#grid.width || height !== this.#grid.height;
    if (!this.#isDirty && !hasNewSize) return;
    this.#isDirty = false;
    if (hasNewSize) this.#grid.resize(width, height);
    this.#grid.clear();
    this.#surface.place({ left: 0, top: 0, right: width, bottom: height });
    this.#options.paint(this.#surface);
    this.#options.showLines(Array.from({ length: height }, (_, y) => this.#lineOf(y)));
  }

  #lineOf(y: number): string {
    let line = "";
    let style = 0;
    for (const cell of this.#grid.back.subarray(y * this.#grid.width, (y + 1) * this.#grid.width)) {
      const codePoint = cell & CODE_POINT_MASK;
      if (codePoint === CONTINUATION) continue;
      if (cell >>> STYLE_SHIFT !== style) {
        style = cell >>> STYLE_SHIFT;
        line += this.#styles.sequence(style);
      }
      line += String.fromCodePoint(Math.max(codePoint, SPACE));
    }
    return style === 0 ? line : `${line}${RESET}`;
  }
}

function isSame(a: readonly string[], b: readonly string[] | undefined): boolean {
  return b !== undefined && a.length === b.length && a.every((row, index) => row === b[index]);
}
