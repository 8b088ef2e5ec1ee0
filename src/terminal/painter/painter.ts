// Walks Ink's tree after Yoga has laid it out and paints it into a grid, as Ink's own output stage would.
// It differs from Ink where Ink is wrong: nested clips cut each other, a transform sees whole lines and their true
// numbers, bold and dim end each for itself, what lies outside of the screen is dropped, and no size makes it throw.
// Links (OSC 8) are left out: no text may bring a sequence to the terminal.
import type { DOMElement } from "ink";
import { type Color, DEFAULT_COLOR, parseColor } from "../cells/color.ts";
import type { Grid } from "../cells/grid.ts";
import type { StyleTable } from "../cells/style-table.ts";
import { drawStyledText, styledTextWidth } from "../cells/styled-text.ts";
import { intersect, overlaps, type Rectangle, Surface } from "../cells/surface.ts";
import { drawBackground, drawBorder } from "./box-style.ts";
import type { CanvasPane } from "./canvas-pane.ts";
import { boxOf, clipOf, contentOf, isHidden, type LayoutNode } from "./layout.ts";
import { linesOf } from "./text-lines.ts";

/** What a node inherits from those around it. */
interface Surroundings {
  /** Upper left corner of the parent, in cells of the screen. */
  readonly x: number;
  readonly y: number;
  readonly clip: Rectangle;
  readonly background: Color;
}

/** Paints one grid. Static elements are not shown: a screen of fixed size has no place above it. */
export class Painter {
  readonly #grid: Grid;
  readonly #styles: StyleTable;
  readonly #panes: ReadonlyMap<DOMElement, CanvasPane>;
  readonly #surface: Surface;
  /** Panes painted so far in the present walk: what is drawn after them may cover them. */
  #painted: CanvasPane[] = [];

  constructor(grid: Grid, styles: StyleTable, panes: ReadonlyMap<DOMElement, CanvasPane>) {
    this.#grid = grid;
    this.#styles = styles;
    this.#panes = panes;
    this.#surface = new Surface(grid);
  }

  /** Paints the whole tree, canvases included, on a blank grid. @throws what a paint function or a transform throws */
  paint(root: DOMElement): void {
    this.#grid.clear();
    this.#painted = [];
    for (const pane of this.#panes.values()) pane.hide();
    const clip = { left: 0, top: 0, right: this.#grid.width, bottom: this.#grid.height };
    this.#walk(root, { x: 0, y: 0, clip, background: DEFAULT_COLOR });
  }

  #walk(node: DOMElement, around: Surroundings): void {
    const layout = node.yogaNode;
    if (layout === undefined || node.internal_static || isHidden(layout)) return;
    const box = boxOf(layout, around.x, around.y);
    if (node.nodeName === "ink-text") this.#drawText(node, box, around.clip);
    else this.#walkBox(node, layout, box, around);
  }

  #walkBox(node: DOMElement, layout: LayoutNode, box: Rectangle, around: Surroundings): void {
    const look = node.style;
    if (look.backgroundColor || look.borderStyle) {
      this.#cover(intersect(box, around.clip));
      this.#drawLook(look, box, around.clip);
    }
    const background = look.backgroundColor ? parseColor(look.backgroundColor) : around.background;
    const clip = intersect(around.clip, clipOf(look, layout, box));
    const pane = this.#panes.get(node);
    if (pane !== undefined) this.#drawPane(pane, contentOf(layout, box), clip, background);
    for (const child of node.childNodes) {
      if (child.nodeName === "#text") continue;
      this.#walk(child, { x: box.left, y: box.top, clip, background });
    }
  }

  #drawLook(look: DOMElement["style"], box: Rectangle, clip: Rectangle): void {
    const surface = this.#onScreen(clip);
    drawBackground(surface, this.#styles, look, box);
    drawBorder(surface, this.#styles, look, box);
  }

  #drawPane(pane: CanvasPane, content: Rectangle, clip: Rectangle, background: Color): void {
    pane.place(content, clip, this.#styles.intern(DEFAULT_COLOR, background, 0));
    this.#cover(pane.bounds);
    pane.draw();
    this.#painted.push(pane);
  }

  #drawText(node: DOMElement, box: Rectangle, clip: Rectangle): void {
    const surface = this.#onScreen(clip);
    for (const [index, line] of linesOf(node, box.right - box.left).entries()) {
      const y = box.top + index;
      if (y < clip.top || y >= clip.bottom) continue;
      const text = node.internal_transform?.(line, index) ?? line;
      const right = box.left + styledTextWidth(text);
      this.#cover(intersect({ left: box.left, top: y, right, bottom: y + 1 }, clip));
      drawStyledText(surface, this.#styles, box.left, y, text);
    }
  }

  /** A surface in coordinates of the screen of which only `clip` can be drawn on. */
  #onScreen(clip: Rectangle): Surface {
    const { width, height } = this.#grid;
    this.#surface.place({ left: 0, top: 0, right: width, bottom: height }, clip);
    return this.#surface;
  }

  #cover(drawn: Rectangle): void {
    for (const pane of this.#painted) {
      if (overlaps(pane.bounds, drawn)) pane.isCovered = true;
    }
  }
}
