// The heatmap: what rested at each price over time, two rows of prices in a cell, the best prices as lines, trades as dots.
//
//   8 steps ▁▂▃ up to 20.0                              97,120 │   ╱ the book was missed, or not decided
//   ▀▀▄▄  ▀▀▄▄▄▄▀▀╱╱╱╱▀▀▄▄                            ◆97,110 │   • bought or sold   ◆ own order
//   13:02:10      13:02:20

import { fitPieces } from "../../../select/columns.ts";
import {
  createHeatCell,
  createHeatRows,
  getHeatRow,
  type HeatRow,
  type HeatTraded,
  tradesSince,
} from "../../../state/heatmap.ts";
import { MAX_TRADES } from "../../../state/trades.ts";
import { encodeCell } from "../../../terminal/cells/grid.ts";
import { DEFAULT_STYLE, type StyleId } from "../../../terminal/cells/style-table.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { areSame } from "../../../units/remembered.ts";
import { roundStep } from "../../../units/round-steps.ts";
import { formatUnits } from "../../../units/scale.ts";
import { formatIsoMs } from "../../../units/time.ts";
import { INTERVAL_MS, type Interval } from "../../../wire/channels.ts";
import { HEAT_STEPS, type StyleName, type Theme } from "../../theme/theme.ts";
import { getWalkStep, titleScrolled } from "./chart.ts";
import { unitTitles } from "./data.ts";
import {
  ASK,
  BID,
  columnOfSecond,
  getLastSecond,
  HALF,
  HATCHED,
  type HeatColumn,
  HeatPicture,
  type HeatPlan,
  type OpenColumn,
  stepAt,
} from "./heat-picture.ts";
import type { MarketModel } from "./model.ts";
import type { MarketPane, PaintContext } from "./panes.ts";

/** Seconds of a column; of the candles' interval where it is undefined. */
export const HEAT_COLUMNS = [1, 5, undefined] as const;
export type HeatColumnChoice = (typeof HEAT_COLUMNS)[number];

/** A place on the heatmap: a column, by its first second, and a row of prices. */
export interface HeatCursor {
  readonly second: number;
  readonly row: bigint;
}

/** What keys and clicks have to know of a heatmap on the screen. */
export interface PaintedHeat {
  readonly picture: HeatPicture;
  readonly plan: HeatPlan;
  /** Of the plot, in cells of the pane. */
  readonly left: number;
  readonly top: number;
  readonly perCell: 1 | 2;
  /** The row in the middle of the best prices of the newest column. */
  readonly middle: bigint;
  /** How the rows belong to prices: the picture stays where it is while that is the same. */
  readonly of: readonly unknown[];
}

const UPPER = 0x2580;
const LOWER = 0x2584;
const FULL = 0x2588;
const HATCH = 0x2571;
const BID_LINE = 0x2594;
const ASK_LINE = 0x2581;
const DOTTED = 0x250a;
const DASHED = 0x2504;
/** Below this height there is neither a line of values nor one of times. */
const MIN_ROWS_FOR_AXES = 5;
const MIN_COLUMNS = 8;
const COLUMNS_PER_TIME = 12;
const ROWS_PER_PRICE = 4;
const AXIS_GAP = 1;
/** Above these parts of the largest trade that is shown, the dot is larger. */
const LARGE_PART = 2;
const SMALL_PART = 16;

function heatSeconds(choice: HeatColumnChoice, interval: Interval): number {
  return choice ?? INTERVAL_MS[interval] / 1000;
}

function formatColumn(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${seconds / 60}m`;
}

export const heatmap: MarketPane = {
  label: "book",
  minHeight: 9,
  weight: 6,
  widthIn: () => 40,
  feeds: ({ orderbook, trades }) => [
    { kind: "orderbook", channel: orderbook },
    { kind: "trades", channel: trades },
  ],
  title(model) {
    const { interval, heatColumn } = model.choices;
    const scrolled = model.scrolledBy("heatmap");
    const { share, since } = model.heat;
    const { display } = model.parts.shown;
    const words = formatColumn(heatSeconds(heatColumn, interval));
    return [
      `Heatmap ${words}`,
      titleScrolled(scrolled),
      share < 1 ? `filling ${Math.floor(share * 100)}%` : "",
      since === undefined ? "" : `since ${display.timeOfDay(since * 1000)}`,
      model.data?.bookInterpretation ?? "",
    ];
  },
  paint(context, before) {
    const { surface, inner, theme } = context;
    const placed = placeHeat(context, before?.heat);
    if (placed === undefined) {
      const isFilling = context.model.heat.share < 1;
      surface.text(inner.x, inner.y, isFilling ? "filling" : "no book yet", theme.dim);
      return { scrolled: 0 };
    }
    const { heat, open, scrolled } = placed;
    heat.picture.update(heat.plan, open);
    const columns = getColumns(heat);
    paintPlot(context, heat, columns);
    paintDots(context, heat, columns);
    const cursor = context.model.choices.heatCursor;
    if (cursor !== undefined) paintCursor(context, heat, cursor);
    if (placed.hasAxes) {
      paintPrices(context, heat);
      paintTimes(context, heat);
      if (cursor === undefined) paintLegend(context, heat);
      else paintValues(context, heat, open, cursor);
    }
    return { scrolled, heat };
  },
  cursor: {
    isSet: ({ heatCursor }) => heatCursor !== undefined,
    toggle(model) {
      const { heat } = model.panes.heatmap.painted ?? {};
      const isSet = model.choices.heatCursor !== undefined || heat === undefined;
      model.change({ heatCursor: isSet ? undefined : firstHeatCursor(heat) }, ["heatmap"]);
    },
    scroll(model, rows) {
      walkHeat(model, 0, rows);
      return true;
    },
    walk: (model, columns) => walkHeat(model, columns, 0),
    point(model, x, y) {
      const { heat } = model.panes.heatmap.painted ?? {};
      const heatCursor = heat && heatCursorAt(heat, x, y);
      if (heatCursor !== undefined) model.change({ heatCursor }, ["heatmap"]);
    },
  },
  /** The column at the cursor, or that of now. */
  copy(data, model) {
    const { scale } = data.scale;
    const { heatCursor, heatColumn, interval } = model.choices;
    const heat = model.panes.heatmap.painted?.heat?.plan.heat;
    const seconds = heatSeconds(heatColumn, interval);
    const second = heatCursor && getLastSecond(columnOfSecond(heatCursor.second, seconds), seconds);
    const held = second === undefined ? undefined : heat?.rowsAt(second);
    const rows = held ?? createHeatRows(data.depth(Number.POSITIVE_INFINITY), [], model.grouping);
    const time = held === undefined || second === undefined ? "" : formatIsoMs((second + 1) * 1000);
    const lines = (side: string, all: readonly HeatRow[]) =>
      all.map(({ row, lots }) => [
        time,
        side,
        formatUnits(`${row * model.grouping}`, scale?.tickSize),
        formatUnits(`${lots}`, scale?.lotSize),
      ]);
    return [
      ["until", "side", ...unitTitles(scale)],
      ...lines("ask", [...rows.asks].reverse()),
      ...lines("bid", rows.bids),
    ];
  },
};

/** True where the theme has colours for eight steps: two rows of prices stand in a cell then. */
function hasColors(theme: Theme): boolean {
  return theme.heatGround1 !== DEFAULT_STYLE;
}

/** Where everything goes; undefined while there is nothing to be placed. */
function placeHeat(context: PaintContext, before: PaintedHeat | undefined) {
  const { inner, data, model, theme, again } = context;
  const { interval, heatColumn, scroll } = model.choices;
  const heat = model.lookAtHeat(again);
  if (heat === undefined) return undefined;
  const hasAxes = inner.height >= MIN_ROWS_FOR_AXES;
  const perCell = hasColors(theme) ? 2 : 1;
  const cells = Math.max(1, inner.height - (hasAxes ? 2 : 0));
  const columnSeconds = heatSeconds(heatColumn, interval);
  const second = heat.secondOf(data.nowMs);
  const now = columnOfSecond(second, columnSeconds);
  const rows = data.isBookProven ? openRows(context, second) : undefined;
  const open = { column: now, second, rows, isFollowing: model.heat.isFollowing };
  const oldest = columnOfSecond(heat.first ?? second, columnSeconds);
  const scrolled = Math.max(0, Math.min(scroll.heatmap, now - oldest));
  const newest = now - scrolled;
  const middle = findMiddle(heat, newest, columnSeconds, open) ?? before?.middle;
  if (middle === undefined) return undefined;
  const of = [heat.channels.orderbook, model.grouping, cells, perCell];
  const count = cells * perCell;
  const top = topFor(middle, count, areSame(before?.of, of) ? before?.plan.top : undefined);
  const columns = columnsIn(inner.width, hasAxes ? axisWidth(context, top) : 0);
  const plan = { heat, columns, rows: count, perCell, columnSeconds, newest, top } as const;
  const picture = before?.picture ?? new HeatPicture();
  const place = { left: inner.x, top: inner.y + (hasAxes ? 1 : 0), perCell, middle, of } as const;
  return { hasAxes, scrolled, open, heat: { picture, plan, ...place } };
}

/** A plot without prices is better than prices without a plot. */
function columnsIn(width: number, axis: number): number {
  return width - axis < MIN_COLUMNS ? width : width - axis;
}

/** The book of now, and the trades of this second. */
function openRows({ data, model }: PaintContext, second: number) {
  const trades = tradesSince(data.trades(MAX_TRADES), data.skewMs, second * 1000);
  return createHeatRows(data.depth(Number.POSITIVE_INFINITY), trades, model.grouping);
}

/** Between the best prices of the newest column that has some. */
function findMiddle(
  heat: HeatPlan["heat"],
  newest: number,
  columnSeconds: number,
  open: OpenColumn,
): bigint | undefined {
  const ofNow = newest >= open.column ? open.rows : undefined;
  const rows = ofNow ?? heat.rowsAt(newestHeld(heat, getLastSecond(newest, columnSeconds)));
  const [bid, ask] = [rows?.bids[0]?.row, rows?.asks[0]?.row];
  if (bid === undefined || ask === undefined) return bid ?? ask;
  return (bid + ask) / 2n;
}

function newestHeld(heat: HeatPlan["heat"], from: number): number {
  const first = heat.first ?? from;
  let second = Math.min(from, (heat.next ?? from) - 1);
  while (second > first && heat.stateOf(second) !== "held") second--;
  return second;
}

/** It stays as it was until the middle leaves the middle third. */
function topFor(middle: bigint, rows: number, before: bigint | undefined): bigint {
  if (before !== undefined) {
    const place = Number(before - middle);
    if (place >= Math.floor(rows / 3) && place < Math.ceil((rows * 2) / 3)) return before;
  }
  return middle + BigInt(rows >> 1);
}

function formatPrice(row: bigint, { grouping, scale, parts }: MarketModel): string {
  return parts.shown.display.number(formatUnits(`${row * grouping}`, scale?.tickSize));
}

function axisWidth({ model }: PaintContext, top: bigint): number {
  return formatPrice(top, model).length + AXIS_GAP + 1;
}

/** Looks of a half of a cell, by its code. */
const FRONTS: readonly StyleName[] = [
  "text",
  ...["heat1", "heat2", "heat3", "heat4", "heat5", "heat6", "heat7", "heat8"],
  ...["bidStrong", "askStrong"],
] as readonly StyleName[];
const GROUNDS: readonly StyleName[] = [
  "text",
  ...["heatGround1", "heatGround2", "heatGround3", "heatGround4"],
  ...["heatGround5", "heatGround6", "heatGround7", "heatGround8"],
  "bidGround",
] as readonly StyleName[];

/** As large as codes get. */
const CODES = HATCHED + HEAT_STEPS + 1;

function paintPlot({ surface, theme }: PaintContext, heat: PaintedHeat, columns: Columns): void {
  const { left, top, perCell, plan } = heat;
  const cells = columns.map((column) => column?.cells ?? NO_CELLS);
  const looks = cellsIn(surface, theme, perCell);
  const line = new Uint32Array(columns.length);
  for (let y = 0; y < plan.rows / perCell; y++) {
    for (let x = 0; x < line.length; x++) {
      line[x] = looks[(cells[x] as Uint16Array)[y] ?? 0] as number;
    }
    surface.cells(left, top + y, line);
  }
}

const NO_CELLS = new Uint16Array(0);

/** Cells by their codes, for one and for two rows of prices in each: thousands are painted in a frame. */
const cellsOf = new WeakMap<Theme, Map<number, Uint32Array>>();

function cellsIn(surface: Surface, theme: Theme, perCell: 1 | 2): Uint32Array {
  const known = cellsOf.get(theme) ?? new Map<number, Uint32Array>();
  cellsOf.set(theme, known);
  const cells = known.get(perCell);
  if (cells !== undefined) return cells;
  const cellOf = perCell === 2 ? colorCell : shadeCell;
  // Of the first code nothing is painted.
  const made = Uint32Array.from({ length: CODES }, (_, code) =>
    code === 0 ? 0 : cellOf(surface, theme, code),
  );
  known.set(perCell, made);
  return made;
}

/** Two rows of prices in a cell, each in the colour of its step. */
function colorCell(surface: Surface, theme: Theme, code: number): number {
  const isHatched = code >= HATCHED;
  const [glyph, front, ground] = isHatched
    ? [HATCH, 0, code - HATCHED]
    : getHalves(Math.floor(code / HALF), code % HALF);
  const style = isHatched ? theme.dim : getFront(theme, front);
  return encodeCell(glyph, ground > 0 ? surface.tinted(style, getGround(theme, ground)) : style);
}

/** A line of a best price is never the background: only the bid's is, where both stand in one cell. */
function getHalves(
  upper: number,
  lower: number,
): readonly [glyph: number, front: number, ground: number] {
  if (upper === lower) return [FULL, upper, 0];
  if (upper === 0 || (lower > HEAT_STEPS && upper <= HEAT_STEPS)) return [LOWER, lower, upper];
  return [UPPER, upper, lower];
}

function getFront(theme: Theme, code: number): StyleId {
  return theme[FRONTS[code] ?? "text"];
}

function getGround(theme: Theme, code: number): StyleId {
  return theme[GROUNDS[code] ?? "text"];
}

/** Eight steps without colours of their own: a glyph, and how strong it is. */
const SHADES: readonly (readonly [glyph: number, weight: "Bar" | "" | "Strong"])[] = [
  [0x20, ""],
  [0xb7, "Bar"],
  [0x2591, "Bar"],
  [0x2591, ""],
  [0x2592, "Bar"],
  [0x2592, ""],
  [0x2593, "Bar"],
  [0x2593, "Strong"],
  [0x2588, "Strong"],
];

/** One row of prices in a cell, in shades of its side. */
function shadeCell(_: Surface, theme: Theme, code: number): number {
  if (code >= HATCHED) return encodeCell(HATCH, theme.dim);
  const step = Math.floor(code / HALF);
  if (step === ASK) return encodeCell(ASK_LINE, theme.askStrong);
  if (step === BID) return encodeCell(BID_LINE, theme.bidStrong);
  const [glyph, weight] = SHADES[step] ?? [0x20, ""];
  return encodeCell(glyph, theme[`${code % HALF === 1 ? "ask" : "bid"}${weight}`]);
}

/** Where buying and selling have the same look, their glyphs tell them apart. */
function paintDots({ surface, theme }: PaintContext, heat: PaintedHeat, columns: Columns): void {
  const { left, top, perCell } = heat;
  const dots = columns.flatMap((column, x) =>
    (column?.dots ?? []).map((dot) => ({ ...dot, x, y: Math.floor(dot.row / perCell) })),
  );
  const most = dots.reduce((all, dot) => Math.max(all, dot.boughtLots, dot.soldLots), 0);
  const hasSides = theme.bidStrong !== theme.askStrong;
  for (const { x, y, boughtLots, soldLots } of dots) {
    const isBuy = boughtLots >= soldLots;
    const arrow = isBuy ? "▲" : "▼";
    const glyph = hasSides ? getDot(Math.max(boughtLots, soldLots), most) : arrow;
    surface.text(left + x, top + y, glyph, isBuy ? theme.bidStrong : theme.askStrong);
    const step = perCell === 2 ? stepAt(columns[x], y, perCell) : 0;
    if (step > 0) surface.tint(left + x, top + y, 1, 1, getGround(theme, step));
  }
}

function getDot(size: number, most: number): string {
  if (size * LARGE_PART >= most) return "●";
  return size * SMALL_PART >= most ? "•" : "·";
}

type Columns = readonly (HeatColumn | undefined)[];

function getColumns({ plan, picture }: PaintedHeat): Columns {
  return Array.from({ length: plan.columns }, (_, x) =>
    picture.column(plan.newest - plan.columns + 1 + x),
  );
}

/** By so many columns and rows; without a cursor, what is shown. */
function walkHeat(model: MarketModel, columns: number, rows: number): void {
  const { heatCursor: cursor, scroll } = model.choices;
  const { heat } = model.panes.heatmap.painted ?? {};
  if (heat === undefined) return;
  const scrolled = model.scrolledBy("heatmap");
  if (cursor === undefined) {
    const next = Math.max(0, scrolled - columns * getWalkStep(heat.plan.columns) + rows);
    model.change({ scroll: { ...scroll, heatmap: next } }, ["heatmap"]);
    return;
  }
  const moved = moveHeatCursor(heat, cursor, columns, rows, scrolled);
  const to = { ...scroll, heatmap: moved.scrolled };
  model.change({ heatCursor: moved.heatCursor, scroll: to }, ["heatmap"]);
}

/** The cursor at a cell of the plot; undefined outside of it. */
function heatCursorAt(
  { plan, perCell, left, top }: PaintedHeat,
  x: number,
  y: number,
): HeatCursor | undefined {
  const [column, cell] = [x - left, y - top];
  if (column < 0 || column >= plan.columns || cell < 0 || cell >= plan.rows / perCell) {
    return undefined;
  }
  const number = plan.newest - plan.columns + 1 + column;
  return { second: number * plan.columnSeconds, row: plan.top - BigInt(cell * perCell) };
}

/** At the best bid of the newest column. */
function firstHeatCursor({ plan, picture, middle }: PaintedHeat): HeatCursor {
  const bid = picture.column(plan.newest)?.bestBid;
  const row = bid === undefined ? middle : plan.top - BigInt(bid);
  return { second: plan.newest * plan.columnSeconds, row };
}

/** So many columns and rows further, down with positive ones, and how far the columns have to be scrolled to show it. */
function moveHeatCursor(
  { plan }: PaintedHeat,
  cursor: HeatCursor,
  columns: number,
  rows: number,
  scrolled: number,
): { readonly heatCursor: HeatCursor; readonly scrolled: number } {
  const { heat, columnSeconds, newest, top } = plan;
  const now = newest + scrolled;
  const oldest = columnOfSecond(heat.first ?? newest * columnSeconds, columnSeconds);
  const wanted = columnOfSecond(cursor.second, columnSeconds) + columns;
  const number = Math.min(now, Math.max(oldest, wanted));
  const back = now - number;
  const low = top - BigInt(plan.rows) + 1n;
  const row = cursor.row - BigInt(rows);
  return {
    heatCursor: {
      second: number * columnSeconds,
      row: row > top ? top : row < low ? low : row,
    },
    scrolled: Math.min(back, Math.max(scrolled, back - plan.columns + 1)),
  };
}

/** Cells of the pane. */
function placeOfCursor(
  { plan, perCell }: Pick<PaintedHeat, "plan" | "perCell">,
  { second, row }: HeatCursor,
): { readonly x: number; readonly y: number } {
  const column = columnOfSecond(second, plan.columnSeconds);
  return {
    x: column - (plan.newest - plan.columns + 1),
    y: Math.floor(Number(plan.top - row) / perCell),
  };
}

function paintCursor(
  { surface, theme }: PaintContext,
  heat: PaintedHeat,
  cursor: HeatCursor,
): void {
  const { plan, left, top, perCell } = heat;
  const cells = plan.rows / perCell;
  const { x, y } = placeOfCursor(heat, cursor);
  const isInside = y >= 0 && y < cells;
  // Lines where nothing rests: what does stays to be seen.
  for (let at = 0; at < plan.columns && isInside; at++) {
    if (surface.textAt(left + at, top + y, 1) === " ") {
      surface.put(left + at, top + y, DASHED, theme.text);
    }
  }
  if (x < 0 || x >= plan.columns) return;
  for (let at = 0; at < cells; at++) {
    if (surface.textAt(left + x, top + at, 1) === " ") {
      surface.put(left + x, top + at, DOTTED, theme.text);
    }
  }
  if (isInside) surface.text(left + x, top + y, "┼", theme.selection);
}

/** Round prices, the best ones of the newest column, own orders, and that of the cursor. */
function paintPrices(context: PaintContext, heat: PaintedHeat): void {
  const { surface, inner, theme, model } = context;
  const { plan, picture, perCell, top } = heat;
  if (plan.columns === inner.width) return;
  const cells = plan.rows / perCell;
  const x = inner.x + plan.columns + AXIS_GAP;
  const yOf = (row: bigint) => Math.floor(Number(plan.top - row) / perCell);
  const label = (row: bigint, look: StyleName) => {
    const y = yOf(row);
    if (y < 0 || y >= cells) return;
    surface.fill(x, top + y, inner.x + inner.width - x, 1, theme.text);
    surface.textRight(inner.x + inner.width, top + y, formatPrice(row, model), theme[look]);
  };
  const step = roundStep(BigInt(ROWS_PER_PRICE * perCell));
  const low = plan.top - BigInt(plan.rows) + 1n;
  const first = low + (((-low % step) + step) % step);
  for (let row = first < 0n ? 0n : first; row <= plan.top; row += step) label(row, "dim");
  const newest = picture.column(plan.newest);
  if (newest?.bestAsk !== undefined) label(plan.top - BigInt(newest.bestAsk), "ask");
  if (newest?.bestBid !== undefined) label(plan.top - BigInt(newest.bestBid), "bid");
  const { heatCursor } = model.choices;
  if (heatCursor !== undefined) label(heatCursor.row, "selection");
  for (const { priceTicks, isBid, sign } of model.own.orders) {
    const y = yOf(getHeatRow(priceTicks, model.grouping, isBid));
    if (y >= 0 && y < cells) surface.text(x - AXIS_GAP, top + y, sign, theme.own);
  }
}

const TIME_STEPS = [
  ...[5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 4, 6, 12, 24, 48, 120, 240, 1000, 5000].map((hours) => hours * 3600),
];

function paintTimes({ surface, inner, theme, model }: PaintContext, { plan }: PaintedHeat): void {
  const { display } = model.parts.shown;
  const { columnSeconds, columns, newest } = plan;
  const step = TIME_STEPS.find((each) => each >= COLUMNS_PER_TIME * columnSeconds) ?? columnSeconds;
  let free = 0;
  for (let x = 0; x < columns; x++) {
    const ms = (newest - columns + 1 + x) * columnSeconds * 1000;
    const since = display.local(ms) % (step * 1000);
    if (since >= columnSeconds * 1000 || x < free) continue;
    const text = step < 60 ? display.timeOfDay(ms) : display.timeOfDay(ms).slice(0, 5);
    if (x + text.length > columns) return;
    surface.text(inner.x + x, inner.y + inner.height - 1, text, theme.dim);
    free = x + text.length + 1;
  }
}

/** What the steps stand for: from a size on that is a half of the next, up to all. */
function paintLegend({ surface, inner, theme, model }: PaintContext, heat: PaintedHeat): void {
  const { picture, perCell } = heat;
  const { display } = model.parts.shown;
  const full = picture.full;
  if (full === 0n) return;
  const text = `up to ${display.number(formatUnits(`${full}`, model.scale?.lotSize))}`;
  const words = "each step twice the one before";
  const pieces = [
    { text: "", width: HEAT_STEPS, priority: 1 },
    { text, width: text.length, priority: 0 },
    { text: words, width: words.length, priority: 2 },
  ];
  let x = inner.x;
  for (const piece of fitPieces(pieces, inner.width, 1)) {
    if (piece.text === "") paintSteps(surface, x, inner.y, theme, perCell);
    else surface.text(x, inner.y, piece.text, theme.dim);
    x += piece.width + 1;
  }
}

function paintSteps(surface: Surface, x: number, y: number, theme: Theme, perCell: 1 | 2): void {
  for (let step = 1; step <= HEAT_STEPS; step++) {
    const [glyph, weight] = SHADES[step] ?? [FULL, ""];
    if (perCell === 2) surface.put(x + step - 1, y, FULL, getFront(theme, step));
    else surface.put(x + step - 1, y, glyph, theme[`bid${weight}`]);
  }
}

/** Time, price and size at the cursor, exactly. */
function paintValues(
  { surface, inner, theme, model }: PaintContext,
  heat: PaintedHeat,
  open: OpenColumn,
  cursor: HeatCursor,
): void {
  const { display } = model.parts.shown;
  const words = wordsAt(heat, open, cursor, (lots) =>
    display.number(formatUnits(`${lots}`, model.scale?.lotSize)),
  );
  const time = display.timeOfDay(cursor.second * 1000);
  const pieces = [
    { text: time, priority: 2, look: "text" as const },
    { text: formatPrice(cursor.row, model), priority: 1, look: "strong" as const },
    ...words.map((text, i) => ({ text, priority: i === 0 ? 0 : 2 + i, look: "text" as const })),
  ].map((each) => ({ ...each, width: each.text.length }));
  let x = inner.x;
  for (const { text, look, width } of fitPieces(pieces, inner.width, 2)) {
    surface.text(x, inner.y, text, theme[look]);
    x += width + 2;
  }
}

function wordsAt(
  { plan, picture }: PaintedHeat,
  open: OpenColumn,
  { second, row }: HeatCursor,
  format: (lots: bigint) => string,
): readonly string[] {
  const number = columnOfSecond(second, plan.columnSeconds);
  const column = picture.column(number);
  const rows = column?.isOver
    ? plan.heat.rowsAt(getLastSecond(number, plan.columnSeconds))
    : open.rows;
  if (column === undefined || column.state === "none") return ["not known"];
  if (column.state === "missed" || rows === undefined) return ["book missed"];
  const { bidLots, askLots } = createHeatCell(rows, row);
  const size =
    bidLots === undefined && askLots === undefined
      ? sizeOutside(rows, row)
      : formatSize(bidLots, askLots, format);
  const { isOver } = column;
  const { boughtLots, soldLots, isWhole } = sumTraded(plan, open, { number, row, isOver });
  const words = (verb: string, lots: bigint) =>
    lots === 0n ? [] : [`${verb} ${isWhole ? "" : "≥"}${format(lots)}`];
  return [
    plan.columnSeconds > 1 && isOver ? `${size} at its end` : size,
    ...words("bought", boughtLots),
    ...words("sold", soldLots),
    ...(isWhole ? [] : ["not all trades held"]),
    ...(column.state === "broken" ? ["missed for a part"] : []),
  ];
}

const NOTHING_TRADED: HeatTraded = { boughtLots: 0n, soldLots: 0n };

/** What traded in a row of a column, in all of its seconds. */
function sumTraded(
  { heat, columnSeconds }: PaintedHeat["plan"],
  open: OpenColumn,
  at: { readonly number: number; readonly row: bigint; readonly isOver: boolean },
): HeatTraded & { readonly isWhole: boolean } {
  const { number, row, isOver } = at;
  const first = Math.max(number * columnSeconds, heat.first ?? 0);
  const end = getLastSecond(number, columnSeconds) + 1;
  const until = isOver ? end : Math.min(end, heat.next ?? 0);
  const isOpen = !isOver && number === open.column && open.rows !== undefined;
  let { boughtLots, soldLots } = isOpen ? createHeatCell(open.rows, row) : NOTHING_TRADED;
  let isWhole = true;
  for (let second = first; second < until; second++) {
    const traded = heat.tradedAt(second, row);
    if (traded === undefined) isWhole &&= heat.stateOf(second) !== "held";
    else {
      boughtLots += traded.boughtLots;
      soldLots += traded.soldLots;
    }
  }
  return { boughtLots, soldLots, isWhole };
}

function formatSize(
  bidLots: bigint | undefined,
  askLots: bigint | undefined,
  format: (lots: bigint) => string,
): string {
  const parts = [
    bidLots === undefined ? "" : `bid ${format(bidLots)}`,
    askLots === undefined ? "" : `ask ${format(askLots)}`,
  ];
  return parts.filter(Boolean).join(" ");
}

function sizeOutside(rows: NonNullable<OpenColumn["rows"]>, row: bigint): string {
  const [bid, ask] = [rows.bids[0]?.row, rows.asks[0]?.row];
  const isBetween = bid !== undefined && ask !== undefined && row > bid && row < ask;
  return isBetween ? "between the best prices" : "beyond the book";
}
