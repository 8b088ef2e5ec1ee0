// Walks Ink's tree after Yoga's layout and paints it into a grid, as Ink's own output stage would. It differs where Ink is wrong:
// nested clips intersect, a transform gets whole lines and their true numbers, bold and dim end independently, content outside
// the screen is dropped, and no size makes it throw. Text cannot send sequences to the terminal: those that set no style are
// shown as text. Not supported: colours of individual border sides, and Static elements, because a screen of fixed size has no
// room above it.
import cliBoxes from "cli-boxes";
import cliTruncate from "cli-truncate";
import type { DOMElement } from "ink";
import wrapAnsi from "wrap-ansi";
import { type Color, DEFAULT_COLOR, parseColor } from "../cells/color.ts";
import type { CellPosition, Grid } from "../cells/grid.ts";
import { DEFAULT_STYLE, type StyleId, type StyleTable } from "../cells/style-table.ts";
import { drawStyledText, styledTextWidth } from "../cells/styled-text.ts";
import { intersect, overlaps, type Rectangle, Surface } from "../cells/surface.ts";

/** Requests another paint after this many milliseconds, even if nothing changes until then. */
type RepaintAfter = (afterMs: number) => void;

/** Draws a pane. Called at most once per frame, on a blank surface. Of several requests for another paint the earliest counts. */
export type Paint = (surface: Surface, repaintAfter: RepaintAfter) => void;

interface CanvasHandle {
  /** Its content is outdated. @param isAnswer because of user input */
  markDirty(isAnswer: boolean): void;
  remove(): void;
}

interface Surroundings {
  /** Upper left corner of the parent, in screen cells. */
  readonly x: number;
  readonly y: number;
  readonly clip: Rectangle;
  readonly background: Color;
}

type LayoutNode = NonNullable<DOMElement["yogaNode"]>;
type BoxProps = DOMElement["style"];

/** Yoga's constants for `display: none` and for the edges of a box. */
const DISPLAY_NONE = 1;
const LEFT = 0;
const TOP = 1;
const RIGHT = 2;
const BOTTOM = 3;

const NOWHERE: Rectangle = { left: 0, top: 0, right: 0, bottom: 0 };

/** Paints the whole tree if React has changed it, else only canvases that have changed. */
export class Painter {
  readonly #grid: Grid;
  readonly #styles: StyleTable;
  readonly #surface: Surface;
  readonly #panes = new Map<DOMElement, CanvasPane>();
  /** Panes painted so far in the current walk: later elements may cover them. */
  #painted: CanvasPane[] = [];
  #root: DOMElement | undefined;
  #isAnswering = false;
  #isTreeDirty = true;

  constructor(grid: Grid, styles: StyleTable) {
    this.#grid = grid;
    this.#styles = styles;
    this.#surface = new Surface(grid, styles);
  }

  /** Sets Ink's root; once, before anything else. */
  attach(root: DOMElement): void {
    this.#root = root;
  }

  addCanvas(node: DOMElement, paint: Paint, repaintAfter: RepaintAfter): CanvasHandle {
    const pane = new CanvasPane(new Surface(this.#grid, this.#styles), paint, repaintAfter);
    this.#panes.set(node, pane);
    this.#isTreeDirty = true;
    return {
      markDirty: (isAnswer) => {
        pane.isDirty = true;
        pane.isAnswer ||= isAnswer || this.#isAnswering;
      },
      remove: () => {
        // A new paint function may already have replaced it.
        if (this.#panes.get(node) === pane) this.#panes.delete(node);
      },
    };
  }

  /** Call when React has changed the tree, or the grid was resized. */
  markTreeDirty(): void {
    this.#isTreeDirty = true;
  }

  /**
   * Brings the grid up to date: all of it, or with `isAnswer` only panes that respond to user input, if they can be painted on
   * their own.
   * @throws whatever a paint function or a transform throws
   */
  paint(isAnswer = false): void {
    const isDue = (pane: CanvasPane) => (isAnswer ? pane.isAnswer : pane.isDirty);
    let mustWalk = this.#isTreeDirty;
    // Only the walk knows what covers a canvas.
    for (const pane of this.#panes.values()) mustWalk ||= isDue(pane) && pane.isCovered;
    this.#isAnswering = isAnswer;
    if (mustWalk) this.#paintTree();
    // Includes panes that become due while others are drawn, such as a sum over what those show.
    else for (const pane of this.#panes.values()) if (isDue(pane)) pane.draw();
    this.#isAnswering = false;
    this.#grid.cursor = undefined;
    for (const pane of this.#panes.values()) this.#grid.cursor ??= pane.cursor;
  }

  #paintTree(): void {
    this.#isTreeDirty = false;
    if (this.#root === undefined) return;
    this.#grid.clear();
    this.#painted = [];
    for (const pane of this.#panes.values()) pane.place(NOWHERE, NOWHERE, DEFAULT_STYLE);
    const clip = { left: 0, top: 0, right: this.#grid.width, bottom: this.#grid.height };
    this.#walk(this.#root, { x: 0, y: 0, clip, background: DEFAULT_COLOR });
  }

  #walk(node: DOMElement, around: Surroundings): void {
    const layout = node.yogaNode;
    if (layout === undefined || node.internal_static) return;
    if (layout.getDisplay() === DISPLAY_NONE) return;
    const box = getBox(layout, around);
    if (node.nodeName === "ink-text") this.#drawText(node, box, around.clip);
    else this.#walkBox(node, layout, box, around);
  }

  #walkBox(node: DOMElement, layout: LayoutNode, box: Rectangle, around: Surroundings): void {
    const props = node.style;
    const inside = insetBy(box, (edge) => layout.getComputedBorder(edge));
    if (props.backgroundColor || props.borderStyle) {
      this.#cover(intersect(box, around.clip));
      this.#drawBox(props, box, inside, around.clip);
    }
    const background = props.backgroundColor
      ? parseColor(props.backgroundColor)
      : around.background;
    const clip = intersect(around.clip, getClip(props, inside));
    const pane = this.#panes.get(node);
    if (pane !== undefined) {
      const content = insetBy(inside, (edge) => layout.getComputedPadding(edge));
      this.#drawPane(pane, content, clip, background);
    }
    for (const child of node.childNodes) {
      if (child.nodeName === "#text") continue;
      this.#walk(child, { x: box.left, y: box.top, clip, background });
    }
  }

  #drawBox(props: BoxProps, box: Rectangle, inside: Rectangle, clip: Rectangle): void {
    const surface = this.#onScreen(clip);
    if (props.backgroundColor) {
      const [width, height] = [inside.right - inside.left, inside.bottom - inside.top];
      const style = this.#styles.id({ backgroundColor: props.backgroundColor });
      surface.fill(inside.left, inside.top, width, height, style);
    }
    const style = this.#styles.id({ color: props.borderColor, dim: props.borderDimColor });
    drawBorder(surface, props.borderStyle, box, inside, style);
  }

  #drawPane(pane: CanvasPane, content: Rectangle, clip: Rectangle, background: Color): void {
    pane.place(content, clip, this.#styles.intern(DEFAULT_COLOR, background, 0));
    this.#cover(pane.bounds);
    pane.draw();
    this.#painted.push(pane);
  }

  #drawText(node: DOMElement, box: Rectangle, clip: Rectangle): void {
    const surface = this.#onScreen(clip);
    for (const [index, line] of layOutText(node, box.right - box.left).entries()) {
      const y = box.top + index;
      if (y < clip.top || y >= clip.bottom) continue;
      const text = node.internal_transform?.(line, index) ?? line;
      const right = box.left + styledTextWidth(text);
      this.#cover(intersect({ left: box.left, top: y, right, bottom: y + 1 }, clip));
      drawStyledText(surface, this.#styles, box.left, y, text);
    }
  }

  /** A surface in screen coordinates of which only `clip` can be drawn on. */
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

/** The part of the screen that one Canvas paints. Its surface object stays the same for its lifetime. */
class CanvasPane {
  isDirty = true;
  isAnswer = false;
  /** Something was drawn over part of it, so it cannot be painted on its own. */
  isCovered = false;
  /** Its visible part, in screen cells. */
  bounds: Rectangle = NOWHERE;
  readonly #surface: Surface;
  readonly #paint: Paint;
  readonly #repaintAfter: RepaintAfter;
  #background: StyleId = DEFAULT_STYLE;

  constructor(surface: Surface, paint: Paint, repaintAfter: RepaintAfter) {
    this.#surface = surface;
    this.#paint = paint;
    this.#repaintAfter = repaintAfter;
  }

  /** Sets its position from the layout, the visible part, and the style of its empty cells. */
  place(rectangle: Rectangle, clip: Rectangle, background: StyleId): void {
    this.#surface.place(rectangle, clip);
    this.#background = background;
    this.bounds = intersect(rectangle, clip);
    this.isCovered = false;
  }

  /** Where the user types in it; undefined if that is not on the screen. */
  get cursor(): CellPosition | undefined {
    return this.bounds.right > this.bounds.left ? this.#surface.cursor : undefined;
  }

  draw(): void {
    this.isDirty = false;
    this.isAnswer = false;
    this.#surface.clear(this.#background);
    this.#paint(this.#surface, this.#repaintAfter);
  }
}

function getBox(layout: LayoutNode, { x, y }: Surroundings): Rectangle {
  const [left, top] = [x + layout.getComputedLeft(), y + layout.getComputedTop()];
  const [right, bottom] = [left + layout.getComputedWidth(), top + layout.getComputedHeight()];
  return { left, top, right, bottom };
}

function insetBy(box: Rectangle, edgeWidth: (edge: number) => number): Rectangle {
  return {
    left: box.left + edgeWidth(LEFT),
    top: box.top + edgeWidth(TOP),
    right: box.right - edgeWidth(RIGHT),
    bottom: box.bottom - edgeWidth(BOTTOM),
  };
}

/** The visible area for children of a box: each axis is clipped separately, inside the border. */
function getClip(props: BoxProps, inside: Rectangle): Rectangle {
  const cutsX = props.overflowX === "hidden" || props.overflow === "hidden";
  const cutsY = props.overflowY === "hidden" || props.overflow === "hidden";
  return {
    left: cutsX ? inside.left : Number.NEGATIVE_INFINITY,
    right: cutsX ? inside.right : Number.POSITIVE_INFINITY,
    top: cutsY ? inside.top : Number.NEGATIVE_INFINITY,
    bottom: cutsY ? inside.bottom : Number.POSITIVE_INFINITY,
  };
}

/** Draws the sides for which the layout has reserved space. Corners belong to the top and the bottom. */
function drawBorder(
  surface: Surface,
  borderStyle: BoxProps["borderStyle"],
  box: Rectangle,
  inside: Rectangle,
  style: StyleId,
): void {
  const border = typeof borderStyle === "string" ? cliBoxes[borderStyle] : borderStyle;
  if (border === undefined) return;
  const [hasLeft, hasRight] = [inside.left > box.left, inside.right < box.right];
  const row = (y: number, left: string, middle: string, right: string) => {
    const text = middle.repeat(Math.max(0, inside.right - inside.left));
    surface.text(box.left, y, `${hasLeft ? left : ""}${text}${hasRight ? right : ""}`, style);
  };
  if (inside.top > box.top) row(box.top, border.topLeft, border.top, border.topRight);
  for (let y = inside.top; y < inside.bottom; y++) {
    if (hasLeft) surface.text(box.left, y, border.left, style);
    if (hasRight) surface.text(box.right - 1, y, border.right, style);
  }
  if (inside.bottom < box.bottom)
    row(box.bottom - 1, border.bottomLeft, border.bottom, border.bottomRight);
}

type WrapMode = NonNullable<BoxProps["textWrap"]>;

const TRUNCATE_POSITIONS: Readonly<Partial<Record<WrapMode, "start" | "middle" | "end">>> = {
  truncate: "end",
  "truncate-end": "end",
  "truncate-middle": "middle",
  "truncate-start": "start",
};

/** Lines of a text node in the given width, truncated or wrapped as in Ink, including the SGR sequences of nested texts. */
function layOutText(node: DOMElement, width: number): readonly string[] {
  const text = squash(node);
  if (text.length === 0) return [];
  const lines = text.split("\n");
  if (lines.every((line) => styledTextWidth(line) <= width)) return lines;
  const mode = node.style.textWrap ?? "wrap";
  if (mode === "wrap") return wrapAnsi(text, width, { trim: false, hard: true }).split("\n");
  const position = TRUNCATE_POSITIONS[mode];
  return position === undefined ? lines : cliTruncate(text, width, { position }).split("\n");
}

function squash(node: DOMElement): string {
  let text = "";
  for (const [index, child] of node.childNodes.entries()) {
    text += child.nodeName === "#text" ? child.nodeValue : transformed(child, index);
  }
  return text;
}

function transformed(child: DOMElement, index: number): string {
  const text = squash(child);
  return text.length > 0 ? (child.internal_transform?.(text, index) ?? text) : text;
}
