// How the user wants the panes of a market: which are shown, and how large each is beside the others. The size of the
// terminal decides where they go (`layout.ts`).
import type { Action } from "../../keys.ts";

/** A pane of the view of a market. */
export type Pane = "orderbook" | "trades" | "candles";

/** Which panes are wanted, and how large. */
export interface Arrangement {
  /** At least one, each once. */
  readonly shown: readonly Pane[];
  /** Steps by which a pane is larger (or, negative, smaller) than usual. */
  readonly sizes: Readonly<Record<Pane, number>>;
}

/** Panes in the order in which they are kept when there is no room for all. */
export const PANES: readonly Pane[] = ["orderbook", "trades", "candles"];

/** Steps to either side: from a third of the usual size to three times as much. */
export const MAX_STEPS = 8;

/** As it is before the user has changed anything. */
export const USUAL_ARRANGEMENT: Arrangement = {
  shown: PANES,
  sizes: { orderbook: 0, trades: 0, candles: 0 },
};

/** The presets, by the action of their key. */
export const PRESETS = {
  layoutAll: PANES,
  layoutBook: ["orderbook"],
  layoutTape: ["trades"],
  layoutChart: ["candles"],
  layoutBookTape: ["orderbook", "trades"],
  layoutChartBook: ["candles", "orderbook"],
  layoutChartTape: ["candles", "trades"],
} as const satisfies Partial<Record<Action, readonly Pane[]>>;

/** The same without one pane; the last one stays. */
export function hidePane(arrangement: Arrangement, pane: Pane): Arrangement {
  const shown = arrangement.shown.filter((each) => each !== pane);
  return shown.length === 0 ? arrangement : { ...arrangement, shown };
}

/** The same with one pane shown. */
export function showPane(arrangement: Arrangement, pane: Pane): Arrangement {
  if (arrangement.shown.includes(pane)) return arrangement;
  return { ...arrangement, shown: [...arrangement.shown, pane] };
}

/** The same with one pane larger or smaller by some steps. */
export function resizePane(arrangement: Arrangement, pane: Pane, steps: number): Arrangement {
  const size = Math.max(-MAX_STEPS, Math.min(MAX_STEPS, arrangement.sizes[pane] + steps));
  return { ...arrangement, sizes: { ...arrangement.sizes, [pane]: size } };
}

/** Reads what an earlier run kept, from a file that anybody may have changed; undefined when it is none. */
export function readArrangement(kept: unknown): Arrangement | undefined {
  const { shown, sizes } = membersOf(kept);
  if (!Array.isArray(shown)) return undefined;
  const panes = PANES.filter((pane) => shown.includes(pane));
  if (panes.length === 0) return undefined;
  const steps = membersOf(sizes);
  const size = (pane: Pane) => {
    const step = steps[pane];
    return Number.isInteger(step) && Math.abs(Number(step)) <= MAX_STEPS ? Number(step) : 0;
  };
  return {
    shown: panes,
    sizes: { orderbook: size("orderbook"), trades: size("trades"), candles: size("candles") },
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A pane, as high as it is, in rows. */
export interface PlacedPane {
  readonly pane: Pane;
  readonly height: number;
}

/** Panes one above the other; sizes in cells. */
export interface Column {
  readonly width: number;
  /** From top to bottom. */
  readonly panes: readonly PlacedPane[];
}

/** Where all panes are. */
export interface Layout {
  /** The view that it was made for, in cells. */
  readonly width: number;
  readonly height: number;
  readonly headerRows: number;
  /** From left to right. */
  readonly columns: readonly Column[];
  /** Panes in the order in which the focus goes through them. */
  readonly order: readonly Pane[];
}

/** What panes are placed in, and by which wish. */
interface Room {
  readonly width: number;
  readonly height: number;
  readonly sizes: Arrangement["sizes"];
}

const BOOK_WIDTH = 46;
const NARROW_BOOK_WIDTH = 40;
const TAPE_WIDTH = 40;
const MIN_CHART_WIDTH = 30;
/** The book is only wide where the chart beside it is more than the narrowest. */
const SPARE_CHART_WIDTH = 10;
/** No pane is made narrower than this. */
const MIN_WIDTH = 24;
const MIN_HEIGHTS: Readonly<Record<Pane, number>> = { orderbook: 5, trades: 5, candles: 8 };
/** From here on three columns stand beside each other. */
const WIDE = 150;
/** From here on panes stand beside each other (landscape), below one above the other (portrait). */
const MEDIUM = 76;
/** Cells are about twice as high as wide: a view of so many rows for each column is higher than wide (portrait). */
const UPRIGHT = 0.55;
const SMALL_HEIGHT = 20;
/** A view of so many rows has room for the figures in its header. */
const TWO_LINE_HEADER = 19;
/** A pane of fewer rows says nothing: the header has them instead. */
const MIN_PANE_ROWS = 3;
/** Parts of the height that panes get which stand one above the other. */
const HEIGHT_PARTS: Readonly<Record<Pane, number>> = { orderbook: 6, trades: 4, candles: 6 };
/** What a step of the user makes of a size. */
const STEP = 1.15;

export function layOut(width: number, rows: number, { shown, sizes }: Arrangement): Layout {
  const headerRows = headerRowsOf(rows);
  const height = Math.max(0, rows - headerRows);
  const panes = PANES.filter((pane) => shown.includes(pane));
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

function headerRowsOf(rows: number): number {
  if (rows <= MIN_PANE_ROWS) return Math.min(2, rows);
  return rows >= TWO_LINE_HEADER ? 2 : 1;
}

function placePanes(room: Room, panes: readonly Pane[]): Column[] {
  const { width, height } = room;
  const has = (pane: Pane) => panes.includes(pane);
  if (width < MEDIUM || isUpright(room))
    return [{ width, panes: stack(room, fitting(room, panes)) }];
  if (width >= WIDE) return sideBySide(room, panesOf(["candles", "orderbook", "trades"], has));
  if (panes.length < PANES.length) {
    return sideBySide(room, panesOf(["candles", "trades", "orderbook"], has));
  }
  if (height < MIN_HEIGHTS.candles + MIN_HEIGHTS.trades) {
    return sideBySide(room, [["trades"], ["orderbook"]]);
  }
  return sideBySide(room, [["candles", "trades"], ["orderbook"]]);
}

/** A terminal that stands on its short side; a very wide one has room beside in any case. */
function isUpright({ width, height }: Room): boolean {
  return width < WIDE && height >= width * UPRIGHT;
}

function panesOf(order: readonly Pane[], has: (pane: Pane) => boolean): Pane[][] {
  return order.filter(has).map((pane) => [pane]);
}

/** Columns beside each other; the first takes what the others leave. */
function sideBySide(room: Room, columns: readonly (readonly Pane[])[]): Column[] {
  const [first = [], ...others] = columns;
  const against = first.length === 1 && first[0] !== undefined ? room.sizes[first[0]] : 0;
  let rest = room.width;
  const placed = others.map((panes, i): Column => {
    const most = rest - MIN_WIDTH * (others.length - i);
    const wanted = Math.round(
      usualWidth(panes, room.width) * STEP ** (stepsOf(panes, room) - against),
    );
    const width = Math.max(MIN_WIDTH, Math.min(most, wanted));
    rest -= width;
    return { width, panes: stack(room, panes) };
  });
  return [{ width: rest, panes: stack(room, first) }, ...placed];
}

function usualWidth([pane]: readonly Pane[], width: number): number {
  if (pane !== "orderbook") return TAPE_WIDTH;
  return width >= BOOK_WIDTH + MIN_CHART_WIDTH + SPARE_CHART_WIDTH ? BOOK_WIDTH : NARROW_BOOK_WIDTH;
}

function stepsOf([pane]: readonly Pane[], { sizes }: Room): number {
  return pane === undefined ? 0 : sizes[pane];
}

/** As many as can stand one above the other, the chart at the top. */
function fitting({ width, height }: Room, panes: readonly Pane[]): readonly Pane[] {
  if (panes.length === 1) return panes;
  const count = height < SMALL_HEIGHT ? 1 : height < 2 * SMALL_HEIGHT ? 2 : PANES.length;
  const kept = panes
    .filter((pane) => pane !== "candles" || width >= MIN_CHART_WIDTH)
    .slice(0, count);
  return kept.includes("candles") && kept.length > 1
    ? ["candles", ...kept.filter((pane) => pane !== "candles")]
    : kept;
}

/** One above the other, in full; the last takes what the others leave. */
function stack({ height, sizes }: Room, panes: readonly Pane[]): PlacedPane[] {
  const partOf = (pane: Pane) => HEIGHT_PARTS[pane] * STEP ** sizes[pane];
  const parts = panes.reduce((sum, pane) => sum + partOf(pane), 0);
  let rest = height;
  return panes.map((pane, i) => {
    const below = panes.slice(i + 1).reduce((sum, each) => sum + MIN_HEIGHTS[each], 0);
    const wanted = Math.round((height * partOf(pane)) / parts);
    const least = Math.min(MIN_HEIGHTS[pane], rest - below);
    const own = below === 0 ? rest : Math.max(least, Math.min(rest - below, wanted));
    rest -= own;
    return { pane, height: own };
  });
}

/** The pane at a cell of the view, and its first row; undefined where there is none. */
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

/** The pane that has the focus, or the first one where that is not among them. */
export function focusAmong<Pane>(panes: readonly Pane[], focus: Pane): Pane {
  return panes.includes(focus) ? focus : (panes[0] ?? focus);
}

/** The pane so many steps further, or back, in the round; undefined where there is none. */
export function focusAfter<Pane>(
  panes: readonly Pane[],
  focus: Pane,
  steps: number,
): Pane | undefined {
  const at = Math.max(0, panes.indexOf(focus));
  return panes[(at + steps + panes.length) % panes.length];
}
