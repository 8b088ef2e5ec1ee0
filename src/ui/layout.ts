// Where the panes go, for any size of the terminal. A pane is shown whole or not at all: when there is not
// enough room, panes are dropped by priority, the order book last.

export type Pane = "orderbook" | "trades" | "candles";

/** All panes, or one alone. */
export type LayoutView = "all" | Pane;

export interface PlacedPane {
  readonly pane: Pane;
  readonly height: number;
}

export interface Column {
  readonly width: number;
  /** From top to bottom. */
  readonly panes: readonly PlacedPane[];
}

export interface Layout {
  readonly headerRows: number;
  /** From left to right. */
  readonly columns: readonly Column[];
  /** Panes in the order in which the focus goes through them. */
  readonly order: readonly Pane[];
}

const BOOK_WIDTH = 46;
const NARROW_BOOK_WIDTH = 40;
const TAPE_WIDTH = 40;
const MIN_CHART_WIDTH = 30;
const MIN_PANE_HEIGHT = 5;
const MIN_CHART_HEIGHT = 8;
/** From here on three columns stand beside each other. */
const WIDE = 150;
/** From here on the chart gets a column. */
const MEDIUM = 76;
const SMALL_HEIGHT = 20;
/** A view of so many rows has room for the figures in its header. */
const TWO_LINE_HEADER = 19;

/** Never throws, whatever the size of the view. */
export function layOut(columns: number, rows: number, view: LayoutView): Layout {
  const headerRows = rows >= TWO_LINE_HEADER ? 2 : rows >= 3 ? 1 : 0;
  const height = Math.max(0, rows - headerRows);
  const placed = height === 0 || columns <= 0 ? [] : placePanes(columns, height, view);
  return {
    headerRows,
    columns: placed,
    order: placed.flatMap(({ panes }) => panes.map(({ pane }) => pane)),
  };
}

function placePanes(width: number, height: number, view: LayoutView): Column[] {
  if (view !== "all") return [{ width, panes: [{ pane: view, height }] }];
  if (width >= WIDE) return threeColumns(width, height);
  if (width >= MEDIUM) return twoColumns(width, height);
  return oneColumn(width, height);
}

function threeColumns(width: number, height: number): Column[] {
  return [
    { width: width - BOOK_WIDTH - TAPE_WIDTH, panes: [{ pane: "candles", height }] },
    { width: BOOK_WIDTH, panes: [{ pane: "orderbook", height }] },
    { width: TAPE_WIDTH, panes: [{ pane: "trades", height }] },
  ];
}

/** The book in a column of its own, at full height; beside it the chart above the trades. */
function twoColumns(width: number, height: number): Column[] {
  const bookWidth = width >= BOOK_WIDTH + MIN_CHART_WIDTH + 10 ? BOOK_WIDTH : NARROW_BOOK_WIDTH;
  const book: Column = { width: bookWidth, panes: [{ pane: "orderbook", height }] };
  const rest = width - bookWidth;
  if (height < MIN_CHART_HEIGHT + MIN_PANE_HEIGHT) {
    return [{ width: rest, panes: [{ pane: "trades", height }] }, book];
  }
  const chartHeight = Math.max(MIN_CHART_HEIGHT, Math.floor(height * 0.6));
  const panes: PlacedPane[] = [
    { pane: "candles", height: chartHeight },
    { pane: "trades", height: height - chartHeight },
  ];
  return [{ width: rest, panes }, book];
}

/** One above the other, as many as fit. */
function oneColumn(width: number, height: number): Column[] {
  if (height < SMALL_HEIGHT) return [{ width, panes: [{ pane: "orderbook", height }] }];
  const hasChart = height >= 2 * SMALL_HEIGHT && width >= MIN_CHART_WIDTH;
  const chartHeight = hasChart ? Math.floor(height / 3) : 0;
  const bookHeight = Math.ceil((height - chartHeight) * 0.6);
  const panes: PlacedPane[] = [
    { pane: "orderbook", height: bookHeight },
    { pane: "trades", height: height - chartHeight - bookHeight },
  ];
  if (hasChart) panes.unshift({ pane: "candles", height: chartHeight });
  return [{ width, panes }];
}

/** The pane at a cell of the view, and its first row; undefined where there is none. Never throws. */
export function paneAt(
  { headerRows, columns }: Layout,
  x: number,
  y: number,
): { readonly pane: Pane; readonly top: number } | undefined {
  let left = 0;
  for (const { width, panes } of columns) {
    let top = headerRows;
    for (const { pane, height } of panes) {
      if (x >= left && x < left + width && y >= top && y < top + height) return { pane, top };
      top += height;
    }
    left += width;
  }
  return undefined;
}
