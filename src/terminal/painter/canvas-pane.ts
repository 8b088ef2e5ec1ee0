// The part of the screen that one Canvas paints, and what is known about it between two frames.
import type { Grid } from "../cells/grid.ts";
import type { StyleId } from "../cells/style-table.ts";
import { DEFAULT_STYLE } from "../cells/style-table.ts";
import { intersect, type Rectangle, Surface } from "../cells/surface.ts";

/** Draws a pane. Called at most once a frame, on a blank surface. */
export type Paint = (surface: Surface) => void;

const NOWHERE: Rectangle = { left: 0, top: 0, right: 0, bottom: 0 };

/** One mounted Canvas. Its surface is the same object for as long as it lives. */
export class CanvasPane {
  /** True when what it shows may no longer be what its source has. */
  isDirty = true;
  /** True when something was drawn over a part of it: then it cannot be painted alone. */
  isCovered = false;
  /** What of it can be seen, in cells of the screen. */
  bounds: Rectangle = NOWHERE;
  readonly #paint: Paint;
  readonly #surface: Surface;
  #background: StyleId = DEFAULT_STYLE;

  constructor(grid: Grid, paint: Paint) {
    this.#paint = paint;
    this.#surface = new Surface(grid);
  }

  /** Where the layout put it, what of that can be seen, and the style of its empty cells. */
  place(rectangle: Rectangle, clip: Rectangle, background: StyleId): void {
    this.#surface.place(rectangle, clip);
    this.#background = background;
    this.bounds = intersect(rectangle, clip);
    this.isCovered = false;
  }

  /** The layout gave it no place. */
  hide(): void {
    this.#surface.place(NOWHERE);
    this.bounds = NOWHERE;
    this.isCovered = false;
  }

  /** Paints it anew. @throws what the paint function throws */
  draw(): void {
    this.isDirty = false;
    this.#surface.clear(this.#background);
    this.#paint(this.#surface);
  }
}
