// The order book over time: what rested in each row of prices, the largest of the column, and what traded there. Plain data, sizes
// exact. Columns are of one second for ten minutes and of ten seconds for an hour; a column in which the book was not current for
// some of its time is marked and never filled in.
import { addWhole, parseWhole, type Whole } from "../units/whole.ts";
import type { Trade } from "../wire/frames.ts";
import type { Book } from "./book.ts";

/** Seconds in a column, and columns kept: together at most 2 MB. */
const HEAT_STEPS = [
  { seconds: 1, columns: 600 },
  { seconds: 10, columns: 360 },
] as const;
/** Rows of each side, counted from the best price. */
const MAX_ROWS = 60;

/** A row counts from price 0 in steps of `rowTicks`; bids are rounded down to one, asks up. */
export interface HeatColumn {
  /** Its first second, Unix seconds of our clock. */
  second: number;
  /** False where the book was missing or in doubt for some of its time. */
  isWhole: boolean;
  /** Best first; the lists of rows and sizes stand side by side. */
  bidRows: number[];
  bidLots: Whole[];
  askRows: number[];
  askLots: Whole[];
  /** Newest best prices in ticks; 0 where there is none. */
  bid: number;
  ask: number;
  tradeRows: number[];
  tradeBought: Whole[];
  tradeSold: Whole[];
}

export interface Heatmap {
  readonly rowTicks: number;
  /** When the book was last added, Unix milliseconds of our clock. */
  bookMs: number;
  /** By step of `HEAT_STEPS`, oldest first. */
  columns: [HeatColumn[], HeatColumn[]];
}

export function createHeatmap(rowTicks: number): Heatmap {
  return { rowTicks, bookMs: 0, columns: [[], []] };
}

/** A heatmap of its own: columns change only while they are the last. */
export function copyHeatmap(heat: Heatmap): Heatmap {
  const copy = (columns: HeatColumn[]) => [
    ...columns.slice(0, -1),
    ...structuredClone(columns.slice(-1)),
  ];
  return { ...heat, columns: [copy(heat.columns[0]), copy(heat.columns[1])] };
}

/**
 * Adds the book as it stands at a time, some times a second or once.
 * @param book undefined while it is not current
 * @param atMs Unix milliseconds of our clock
 */
export function addBook(heat: Heatmap, book: Book | undefined, atMs: number): void {
  heat.bookMs = atMs;
  const sides =
    book === undefined
      ? undefined
      : {
          bids: rowsOf(book.bids, heat.rowTicks, Math.floor),
          asks: rowsOf(book.asks, heat.rowTicks, Math.ceil),
        };
  for (const [step, columns] of heat.columns.entries()) {
    const column = columnAt(heat, step, atMs, columns);
    if (sides === undefined || book === undefined) {
      column.isWhole = false;
      continue;
    }
    keepLargest(column.bidRows, column.bidLots, sides.bids);
    keepLargest(column.askRows, column.askLots, sides.asks);
    column.bid = Number(book.bids[0]?.price_ticks ?? 0);
    column.ask = Number(book.asks[0]?.price_ticks ?? 0);
  }
}

/** A trade of the stream, into the column of its arrival. */
export function addHeatTrade(heat: Heatmap, trade: Trade, atMs: number): void {
  const row = Math.floor(Number(trade.price_ticks) / heat.rowTicks);
  const lots = parseWhole(trade.size_base_lots);
  for (const [step, columns] of heat.columns.entries()) {
    const { tradeRows, tradeBought, tradeSold } = columnAt(heat, step, atMs, columns);
    let at = tradeRows.indexOf(row);
    if (at < 0) {
      at = tradeRows.push(row) - 1;
      tradeBought.push(0);
      tradeSold.push(0);
    }
    const sums = trade.taker_is_bid ? tradeBought : tradeSold;
    sums[at] = addWhole(sums[at] ?? 0, lots);
  }
}

function columnAt(heat: Heatmap, step: number, atMs: number, columns: HeatColumn[]): HeatColumn {
  const { seconds, columns: most } = HEAT_STEPS[step === 0 ? 0 : 1];
  const second = Math.floor(atMs / 1000 / seconds) * seconds;
  const last = columns.at(-1);
  // Our clock may be set back: what is there stays, and goes on.
  if (last !== undefined && last.second >= second) return last;
  const column: HeatColumn = {
    second,
    isWhole: true,
    ...{ bidRows: [], bidLots: [], askRows: [], askLots: [], bid: 0, ask: 0 },
    ...{ tradeRows: [], tradeBought: [], tradeSold: [] },
  };
  columns.push(column);
  if (columns.length > most) heat.columns[step === 0 ? 0 : 1] = columns.slice(-most);
  return column;
}

interface Rows {
  readonly rows: number[];
  readonly lots: Whole[];
}

/** The levels of a side summed by row, best first, as many rows as are kept. */
function rowsOf(levels: Book["bids"], rowTicks: number, round: (value: number) => number): Rows {
  const rows: number[] = [];
  const lots: Whole[] = [];
  for (const { price_ticks, size_base_lots } of levels) {
    const row = round(Number(price_ticks) / rowTicks);
    const last = rows.length - 1;
    if (rows[last] === row) lots[last] = addWhole(lots[last] ?? 0, parseWhole(size_base_lots));
    else if (rows.length === MAX_ROWS) break;
    else {
      rows.push(row);
      lots.push(parseWhole(size_base_lots));
    }
  }
  return { rows, lots };
}

/** Each row's largest size. */
function keepLargest(heldRows: number[], heldLots: Whole[], { rows, lots }: Rows): void {
  for (const [i, row] of rows.entries()) {
    const size = lots[i] ?? 0;
    const at = heldRows[i] === row ? i : heldRows.indexOf(row);
    if (at < 0) {
      heldRows.push(row);
      heldLots.push(size);
    } else if (size > (heldLots[at] ?? 0)) heldLots[at] = size;
  }
}
