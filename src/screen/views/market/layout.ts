// Layout of the panes, for any size of the terminal. A pane is shown whole or not at all: without enough room, panes are
// dropped by priority, the focused one last.
import { PANE_NAMES, PANES, type Pane } from "./panes.ts";

export interface Column {
  readonly width: number;
  /** From top to bottom, with their heights. */
  readonly panes: readonly { readonly pane: Pane; readonly height: number }[];
}

export interface Layout {
  readonly headerRows: number;
  readonly columns: readonly Column[];
  /** Panes on the screen. */
  readonly shown: readonly Pane[];
}

interface Room {
  readonly width: number;
  readonly height: number;
}

const MIN_CHART_WIDTH = 30;
const MIN_WIDTH = 24;
/** From this width on, three columns fit side by side. */
const WIDE = 150;
/** From this width on, panes are side by side (landscape), below it stacked (portrait). */
const MEDIUM = 76;
/** Cells are about twice as high as wide: a view with this many rows per column is higher than wide (portrait). */
const UPRIGHT = 0.55;
const SMALL_HEIGHT = 20;
/** A view with this many rows has room for figures in its header. */
const TWO_LINE_HEADER = 19;
/** Fewer rows are of no use to a pane: the header gets them instead. */
const MIN_PANE_ROWS = 3;

/** @param focus one of the panes: it is shown at any size that has room for a pane */
export function layOut(width: number, rows: number, panes: readonly Pane[], focus: Pane): Layout {
  const headerRows = countHeaderRows(rows);
  const height = Math.max(0, rows - headerRows);
  const hasRoom = height >= MIN_PANE_ROWS && width > 0;
  const columns = hasRoom ? placeFocused({ width, height }, panes, focus) : [];
  return { headerRows, columns, shown: panesOf(columns) };
}

function panesOf(columns: readonly Column[]): readonly Pane[] {
  return columns.flatMap((column) => column.panes.map(({ pane }) => pane));
}

function placeFocused(room: Room, panes: readonly Pane[], focus: Pane): Column[] {
  const columns = placePanes(
    room,
    PANE_NAMES.filter((pane) => panes.includes(pane)),
  );
  if (panesOf(columns).includes(focus)) return columns;
  const least = PANE_NAMES.findLast((pane) => pane !== focus && panes.includes(pane));
  return placeFocused(
    room,
    panes.filter((pane) => pane !== least),
    focus,
  );
}

function countHeaderRows(rows: number): number {
  if (rows <= MIN_PANE_ROWS) return Math.min(2, rows);
  return rows >= TWO_LINE_HEADER ? 2 : 1;
}

function placePanes(room: Room, panes: readonly Pane[]): Column[] {
  const { width, height } = room;
  // Among portrait terminals, only very wide ones have room for panes side by side.
  const isUpright = width < WIDE && height >= width * UPRIGHT;
  if (width < MEDIUM || isUpright) {
    return [{ width, panes: stack(room, fitting(room, panes)) }];
  }
  const both = CHARTS.filter((pane) => panes.includes(pane));
  const charts = height >= getMinHeight(both) ? both : both.slice(0, 1);
  const others = panes.filter((pane) => !CHARTS.includes(pane));
  const beside = (order: readonly Pane[], first = charts) =>
    sideBySide(room, [...(first.length === 0 ? [] : [first]), ...order.map((pane) => [pane])]);
  if (width >= WIDE) return beside(others);
  if (charts.length === 0 || others.length < 2) return beside(others.reverse());
  const below = others.filter((pane) => pane !== "orderbook");
  const column = [...charts, ...below];
  if (height >= getMinHeight(column)) return sideBySide(room, [column, ["orderbook"]]);
  const first = charts.filter((pane) => height >= getMinHeight([pane, ...below]));
  const [one] = first;
  if (one === undefined || charts.length === 1) return beside(others.reverse(), []);
  return sideBySide(room, [[one, ...below], ["orderbook"]]);
}

/** Panes with a time axis from left to right: stacked in a column of their own. */
const CHARTS: readonly Pane[] = ["candles", "heatmap"];

function getMinHeight(panes: readonly Pane[]): number {
  return panes.reduce((sum, pane) => sum + PANES[pane].minHeight, 0);
}

/** Columns side by side; the first takes what the others leave. */
function sideBySide(room: Room, columns: readonly (readonly Pane[])[]): Column[] {
  const [first = [], ...others] = columns;
  let rest = room.width;
  const placed = others.map((panes, i): Column => {
    const limit = rest - MIN_WIDTH * (others.length - i);
    const usual = panes[0] === undefined ? 0 : PANES[panes[0]].widthIn(room.width);
    const width = Math.max(MIN_WIDTH, Math.min(limit, usual));
    rest -= width;
    return { width, panes: stack(room, panes) };
  });
  return [{ width: rest, panes: stack(room, first) }, ...placed];
}

/** As many panes as can be stacked, the charts at the top. */
function fitting({ width, height }: Room, panes: readonly Pane[]): readonly Pane[] {
  if (panes.length === 1) return panes;
  const count = Math.floor(height / SMALL_HEIGHT) + 1;
  const wide = panes.filter((pane) => !CHARTS.includes(pane) || width >= MIN_CHART_WIDTH);
  const shown = wide.length === 0 ? panes.slice(0, 1) : wide.slice(0, count);
  return [
    ...CHARTS.filter((pane) => shown.includes(pane)),
    ...shown.filter((pane) => !CHARTS.includes(pane)),
  ];
}

/** Stacks all panes; the last takes what the others leave. */
function stack({ height }: Room, panes: readonly Pane[]): Column["panes"] {
  const parts = panes.reduce((sum, pane) => sum + PANES[pane].weight, 0);
  let rest = height;
  return panes.map((pane, i) => {
    const below = panes.slice(i + 1).reduce((sum, each) => sum + PANES[each].minHeight, 0);
    const wanted = Math.round((height * PANES[pane].weight) / parts);
    const minHeight = Math.min(PANES[pane].minHeight, rest - below);
    const own = below === 0 ? rest : Math.max(minHeight, Math.min(rest - below, wanted));
    rest -= own;
    return { pane, height: own };
  });
}

/** The pane at a cell of the view, and its upper left corner; undefined if there is none. */
export function paneAt(
  { headerRows, columns }: Layout,
  x: number,
  y: number,
): { readonly pane: Pane; readonly left: number; readonly top: number } | undefined {
  let left = 0;
  for (const { width, panes } of columns) {
    let top = headerRows;
    for (const { pane, height } of panes) {
      if (x >= left && x < left + width && y >= top && y < top + height) return { pane, left, top };
      top += height;
    }
    left += width;
  }
  return undefined;
}
