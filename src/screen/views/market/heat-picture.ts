// A heatmap laid out on the cells of a pane: the step, of eight, of each row of prices in each column, the best prices, and
// what traded. Completed columns are laid out once.
import { selectBarScale } from "../../../select/orderbook.ts";
import type { Heatmap, HeatRows, HeatVisitor } from "../../../state/heatmap.ts";
import { areSame } from "../../../units/memo.ts";
import { HEAT_STEPS } from "../../theme/theme.ts";

/** What is laid out, and where. Columns have numbers: times of our clock divided by their width. */
export interface HeatPlan {
  readonly heat: Heatmap;
  readonly columns: number;
  /** Rows of prices, and how many of them share a cell. */
  readonly rows: number;
  readonly perCell: 1 | 2;
  readonly columnSeconds: number;
  /** Number of the column at the right edge. */
  readonly newest: number;
  /** Number of the row of prices at the top. */
  readonly top: bigint;
}

/** The current column, and those since the last closed second, as the store has them. */
export interface OpenColumn {
  readonly column: number;
  readonly second: number;
  /** Undefined if the book must not be shown. */
  readonly rows: HeatRows | undefined;
  /** True if seconds that are over but not closed yet are like the current one: nothing has happened since. */
  readonly isFollowing: boolean;
}

/** `none`: nothing is known of that time. `missed`: there was no book to show. `broken`: there was none for part of the time. */
export type ColumnState = "none" | "missed" | "broken" | "held";

interface HeatDot {
  readonly row: number;
  boughtLots: number;
  soldLots: number;
}

/** One column. Its rows count down from the top of the picture; those passed to it count up from there, as in the heatmap. */
export class HeatColumn implements HeatVisitor {
  readonly isOver: boolean;
  state: ColumnState = "none";
  readonly lots: Float64Array;
  readonly steps: Uint8Array;
  /** Code of each cell from the top: two rows of prices, or one. */
  readonly cells: Uint16Array;
  most = 0;
  /** Undefined for an empty side; may be outside of the picture. */
  bestBid: number | undefined;
  bestAsk: number | undefined;
  readonly dots = new Map<number, HeatDot>();

  constructor({ rows, perCell }: HeatPlan, isOver: boolean) {
    this.isOver = isOver;
    this.lots = new Float64Array(rows);
    this.steps = new Uint8Array(rows);
    this.cells = new Uint16Array(rows / perCell);
  }

  bid(row: number, lots: number): void {
    this.bestBid ??= -row;
    this.#add(-row, lots);
  }

  ask(row: number, lots: number): void {
    this.bestAsk ??= -row;
    this.#add(-row, lots);
  }

  trade(row: number, boughtLots: number, soldLots: number): void {
    if (-row < 0 || -row >= this.lots.length) return;
    const dot = this.dots.get(-row) ?? { row: -row, boughtLots: 0, soldLots: 0 };
    dot.boughtLots += boughtLots;
    dot.soldLots += soldLots;
    this.dots.set(-row, dot);
  }

  #add(row: number, lots: number): void {
    if (row < 0 || row >= this.lots.length) return;
    const sum = (this.lots[row] ?? 0) + lots;
    this.lots[row] = sum;
    if (sum > this.most) this.most = sum;
  }
}

export function columnOfSecond(second: number, columnSeconds: number): number {
  return Math.floor(second / columnSeconds);
}

/** The last second of a column: the column shows the book at that second. */
export function getLastSecond(column: number, columnSeconds: number): number {
  return (column + 1) * columnSeconds - 1;
}

/** Caches laid-out columns for the next frame. */
export class HeatPicture {
  #of: readonly unknown[] = [];
  readonly #columns = new Map<number, HeatColumn>();
  /** Lots of a full highest step: each step is half of the next. */
  full = 0n;

  column(number: number): HeatColumn | undefined {
    return this.#columns.get(number);
  }

  update(plan: HeatPlan, open: OpenColumn): void {
    const of = [plan.heat, plan.rows, plan.perCell, plan.columnSeconds, plan.top];
    if (!areSame(this.#of, of)) this.#columns.clear();
    this.#of = of;
    const first = plan.newest - plan.columns + 1;
    for (const number of this.#columns.keys()) {
      if (number < first || number > plan.newest) this.#columns.delete(number);
    }
    const fresh: HeatColumn[] = [];
    for (let number = first; number <= plan.newest; number++) {
      const known = this.#columns.get(number);
      const isOver = isClosed(number, plan, open);
      // The current column is laid out again each time.
      if (isOver && known?.isOver === true) continue;
      const column = layOutColumn(plan, number, open, isOver);
      this.#columns.set(number, column);
      fresh.push(column);
    }
    this.#scale(fresh);
  }

  #scale(fresh: readonly HeatColumn[]): void {
    const before = this.full === 0n ? undefined : this.full;
    let most = 0;
    for (const column of this.#columns.values()) most = Math.max(most, column.most);
    if (most > 0) this.full = selectBarScale(BigInt(Math.ceil(most)), before);
    const rescaled = this.full === before ? fresh : this.#columns.values();
    for (const column of rescaled) setSteps(column, Number(this.full));
  }
}

/** True if nothing changes a column any more. */
function isClosed(number: number, { heat, columnSeconds }: HeatPlan, open: OpenColumn): boolean {
  const next = heat.next ?? Number.NEGATIVE_INFINITY;
  return number < open.column && getLastSecond(number, columnSeconds) < next;
}

function layOutColumn(
  plan: HeatPlan,
  number: number,
  open: OpenColumn,
  isOver: boolean,
): HeatColumn {
  const { heat, columnSeconds, top } = plan;
  const last = getLastSecond(number, columnSeconds);
  const column = new HeatColumn(plan, isOver);
  if (isOver) {
    heat.visit(last, top, column);
    column.state = getState(plan, number, last);
  } else if (number === open.column || (open.isFollowing && number < open.column)) {
    column.state = addOpen(column, plan, number, open);
  }
  const until = isOver ? last : Math.min(last + 1, open.second);
  for (let second = number * columnSeconds; second < until; second++) {
    heat.visitTrades(second, top, (row, bought, sold) => column.trade(row, bought, sold));
  }
  return column;
}

function getState({ heat, columnSeconds }: HeatPlan, number: number, last: number): ColumnState {
  const begin = number * columnSeconds;
  const first = heat.first ?? Number.POSITIVE_INFINITY;
  if (last < first) return "none";
  if (heat.stateOf(last) !== "held") return "missed";
  for (let second = Math.max(begin, first); second <= last; second++) {
    if (heat.isBroken(second)) return "broken";
  }
  return "held";
}

/** A column that is not closed yet shows what the store has now. */
function addOpen(
  column: HeatColumn,
  { heat, columnSeconds, top }: HeatPlan,
  number: number,
  open: OpenColumn,
): ColumnState {
  if (open.rows === undefined) return "missed";
  for (const { row, lots } of open.rows.bids) column.bid(Number(row - top), Number(lots));
  for (const { row, lots } of open.rows.asks) column.ask(Number(row - top), Number(lots));
  if (number === open.column) {
    for (const { row, lots, soldLots = 0n } of open.rows.trades) {
      column.trade(Number(row - top), Number(lots), Number(soldLots));
    }
  }
  const first = heat.first ?? open.second;
  for (let second = Math.max(number * columnSeconds, first); second < open.second; second++) {
    if (second < (heat.next ?? 0) && heat.isBroken(second)) return "broken";
  }
  return "held";
}

/** The highest step is above half of the full size, the next above a quarter; the lowest is everything else. */
function setSteps(column: HeatColumn, full: number): void {
  const { lots, steps, cells } = column;
  for (let row = 0; row < lots.length; row++) {
    const size = lots[row] ?? 0;
    let step = size === 0 ? 0 : HEAT_STEPS;
    for (let bound = full / 2; step > 1 && size <= bound; bound /= 2) step--;
    steps[row] = step;
  }
  const perCell = steps.length / cells.length;
  for (let y = 0; y < cells.length; y++) cells[y] = cellCode(column, y, perCell);
}

/** Used in place of a step: the lines of the best prices. */
export const BID = HEAT_STEPS + 1;
export const ASK = HEAT_STEPS + 2;
/** Codes of both halves of a cell, or of its single row and whether that is an ask; from `HATCHED` on with the step behind it. */
export const HALF = 16;
export const HATCHED = HALF * HALF;

function cellCode(column: HeatColumn, y: number, perCell: number): number {
  if (column.state === "none") return 0;
  if (column.state !== "held") return HATCHED + stepAt(column, y, perCell);
  if (perCell === 2) return getCode(column, y * 2) * HALF + getCode(column, y * 2 + 1);
  const code = getCode(column, y);
  const isAsk = y < (column.bestAsk ?? column.bestBid ?? 0);
  return code === 0 ? 0 : code * HALF + (isAsk ? 1 : 0);
}

function getCode(column: HeatColumn, row: number): number {
  if (row === column.bestAsk) return ASK;
  if (row === column.bestBid) return BID;
  return column.steps[row] ?? 0;
}

export function stepAt(column: HeatColumn | undefined, y: number, perCell: number): number {
  if (perCell === 1) return column?.steps[y] ?? 0;
  return Math.max(column?.steps[y * 2] ?? 0, column?.steps[y * 2 + 1] ?? 0);
}
