// Which panes of a layout have room. Where they stand and how large they are is Yoga's decision; a pane that would get less than
// its minimum goes whole, in the order of `goes`.
import type { Layout, Pane, Slot } from "./pane.ts";

/** The most important panes first, each for which there is room. @param least stands alone where none has room */
export function fitLayout(layout: Layout, columns: number, rows: number, least?: Pane): Layout {
  const goesOf = ({ goes = Number.NEGATIVE_INFINITY }: Slot) => goes;
  let kept: readonly Slot[] = [];
  for (const slot of slotsOf(layout).toSorted((a, b) => goesOf(a) - goesOf(b))) {
    const more = [...kept, slot];
    const [width, height] = minimumOf(only(layout, more) ?? layout);
    if (slot.goes === undefined || (width <= columns && height <= rows)) kept = more;
  }
  const fitted = only(layout, kept);
  const [width, height] = minimumOf(fitted ?? layout);
  const isWhole = fitted !== undefined && width <= columns && height <= rows;
  return isWhole || least === undefined
    ? (fitted ?? layout)
    : { pane: least, grow: 1, min: [1, 1] };
}

export function panesOf(layout: Layout): readonly Pane[] {
  return slotsOf(layout).map(({ pane }) => pane);
}

/** Only this pane, over the whole view. */
export function zoomed(layout: Layout, pane: Pane): Layout {
  const slot = slotsOf(layout).find((each) => each.pane.name === pane.name);
  return slot === undefined ? layout : { ...slot, grow: 1 };
}

function slotsOf(layout: Layout): readonly Slot[] {
  return "pane" in layout ? [layout] : partsOf(layout).flatMap(slotsOf);
}

const partsOf = (layout: Exclude<Layout, Slot>) => ("row" in layout ? layout.row : layout.column);

function minimumOf(layout: Layout): readonly [columns: number, rows: number] {
  if ("pane" in layout) return layout.min;
  const sizes = partsOf(layout).map(minimumOf);
  const sum = (axis: 0 | 1) => sizes.reduce((all, size) => all + size[axis], 0);
  const most = (axis: 0 | 1) => Math.max(0, ...sizes.map((size) => size[axis]));
  return "row" in layout ? [sum(0), most(1)] : [most(0), sum(1)];
}

/** With these panes; a row or column that becomes empty goes, too. */
function only(layout: Layout, kept: readonly Slot[]): Layout | undefined {
  if ("pane" in layout) return kept.includes(layout) ? layout : undefined;
  const parts = partsOf(layout).flatMap((part) => only(part, kept) ?? []);
  if (parts.length === 0) return undefined;
  return "row" in layout ? { ...layout, row: parts } : { ...layout, column: parts };
}
