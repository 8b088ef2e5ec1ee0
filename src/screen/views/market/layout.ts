// Layout of the panes, for any size of the terminal and any arrangement. A pane is shown whole or not at all: without
// enough room, panes are dropped by priority, the order book last.
import { type Arrangement, MAX_STEPS, PANE_NAMES, PANES, type Pane, resizePane } from "./panes.ts";

export interface Column {
  readonly width: number;
  /** From top to bottom, with their heights. */
  readonly panes: readonly { readonly pane: Pane; readonly height: number }[];
}

export interface Layout {
  /** Size of the view that it was made for, in cells. */
  readonly width: number;
  readonly height: number;
  readonly headerRows: number;
  readonly columns: readonly Column[];
  /** Panes in focus order. */
  readonly order: readonly Pane[];
}

interface Room {
  readonly width: number;
  readonly height: number;
  readonly sizes: Arrangement["sizes"];
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
/** Size factor of one step of the user. */
const STEP = 1.15;

export function layOut(width: number, rows: number, { shown, sizes }: Arrangement): Layout {
  const headerRows = countHeaderRows(rows);
  const height = Math.max(0, rows - headerRows);
  const panes = PANE_NAMES.filter((pane) => shown.includes(pane));
  const hasRoom = height >= MIN_PANE_ROWS && width > 0 && panes.length > 0;
  const columns = hasRoom ? placePanes({ width, height, sizes }, panes) : [];
  return {
    width,
    height: rows,
    headerRows,
    columns,
    order: columns.flatMap((column) => column.panes.map(({ pane }) => pane)),
  };
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
  const stepsOf = ([pane]: readonly Pane[]) => (pane === undefined ? 0 : room.sizes[pane]);
  const against = first.length === 1 ? stepsOf(first) : 0;
  let rest = room.width;
  const placed = others.map((panes, i): Column => {
    const limit = rest - MIN_WIDTH * (others.length - i);
    const usual = panes[0] === undefined ? 0 : PANES[panes[0]].widthIn(room.width);
    const desired = Math.round(usual * STEP ** (stepsOf(panes) - against));
    const width = Math.max(MIN_WIDTH, Math.min(limit, desired));
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
function stack({ height, sizes }: Room, panes: readonly Pane[]): Column["panes"] {
  const partOf = (pane: Pane) => PANES[pane].weight * STEP ** sizes[pane];
  const parts = panes.reduce((sum, pane) => sum + partOf(pane), 0);
  let rest = height;
  return panes.map((pane, i) => {
    const below = panes.slice(i + 1).reduce((sum, each) => sum + PANES[each].minHeight, 0);
    const wanted = Math.round((height * partOf(pane)) / parts);
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

/** A border between two columns, or two panes of one: named by the column, or the pane of a column, after it. */
export interface Border {
  readonly column: number;
  /** Undefined for the border on the left of the column. */
  readonly row?: number;
}

/** The border at a cell of the view: it is as wide as the frames on both sides. */
export function borderAt(layout: Layout, x: number, y: number): Border | undefined {
  if (y < layout.headerRows) return undefined;
  const borders = layout.columns.flatMap(({ panes }, column): Border[] => [
    ...(column === 0 ? [] : [{ column }]),
    ...panes.slice(1).map((_, i) => ({ column, row: i + 1 })),
  ]);
  const columnThere = layout.columns.findIndex(
    ({ width }, column) => x < getPosition(layout, { column }) + width,
  );
  return borders.find((border) => {
    const distance = (border.row === undefined ? x : y) - getPosition(layout, border);
    const isAvailable = border.row === undefined || border.column === columnThere;
    return isAvailable && (distance === 0 || distance === -1);
  });
}

function getPosition({ columns, headerRows }: Layout, { column, row }: Border): number {
  const sizes =
    row === undefined
      ? columns.slice(0, column).map(({ width }) => width)
      : (columns[column]?.panes ?? []).slice(0, row).map(({ height }) => height);
  return sizes.reduce((sum, size) => sum + size, row === undefined ? 0 : headerRows);
}

/** Bisections of the range of steps, until the position is exact to a cell. */
const HALVES = 10;

/** Sizes that put a border as close to a cell as its panes allow; what lies before the border keeps its place if possible. */
export function moveBorder(
  layout: Layout,
  arrangement: Arrangement,
  border: Border,
  to: number,
): Arrangement {
  const { column, row } = border;
  if (row !== undefined) return moved(layout, arrangement, border, to);
  // A column takes its room from the first one: columns between would move with the border.
  return Array.from({ length: column }, (_, i) => column - i).reduce((next, each) => {
    const place = each === column ? to : getPosition(layout, { column: each });
    return moved(layout, next, { column: each }, place);
  }, arrangement);
}

function moved(layout: Layout, arrangement: Arrangement, border: Border, to: number): Arrangement {
  const { column, row } = border;
  // The pane above the border, or the first of the column after it.
  const pane = layout.columns[column]?.panes[row === undefined ? 0 : row - 1]?.pane;
  if (pane === undefined) return arrangement;
  const at = (steps: number) => resizePane(arrangement, pane, steps - arrangement.sizes[pane]);
  const placeAt = (steps: number) =>
    getPosition(layOut(layout.width, layout.height, at(steps)), border) *
    (row === undefined ? -1 : 1);
  const target = row === undefined ? -to : to;
  let [low, high] = [-MAX_STEPS, MAX_STEPS];
  for (let i = 0; i < HALVES; i++) {
    const middle = (low + high) / 2;
    if (placeAt(middle) < target) low = middle;
    else high = middle;
  }
  return at(high);
}
