// Which panes of a layout have room. Where they stand and how large they are is Yoga's decision; a pane that would get less than
// its minimum goes whole, in the order of `goes`.
import type { Layout, Pane, Slot } from "./pane.ts";

/** @param least stands alone where not even the last pane has room */
export function fitLayout(layout: Layout, columns: number, rows: number, least?: Pane): Layout {
  let fitted = layout;
  for (;;) {
    const [width, height] = minimumOf(fitted);
    if (width <= columns && height <= rows) return fitted;
    const first = slotsOf(fitted).reduce<Slot | undefined>(
      (most, slot) => ((slot.goes ?? 0) > (most?.goes ?? 0) ? slot : most),
      undefined,
    );
    const rest = first === undefined ? undefined : without(fitted, first);
    if (rest === undefined)
      return least === undefined ? fitted : { pane: least, grow: 1, min: [1, 1] };
    fitted = rest;
  }
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

/** A row or column that becomes empty goes, too. */
function without(layout: Layout, gone: Slot): Layout | undefined {
  if ("pane" in layout) return layout === gone ? undefined : layout;
  const parts = partsOf(layout).flatMap((part) => without(part, gone) ?? []);
  if (parts.length === 0) return undefined;
  return "row" in layout ? { ...layout, row: parts } : { ...layout, column: parts };
}
