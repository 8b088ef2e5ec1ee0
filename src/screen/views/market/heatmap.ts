// The heatmap: size resting at each price over time, two rows of prices per cell, best prices as lines, trades as dots.
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
import { areSame } from "../../../units/memo.ts";
import { roundStep } from "../../../units/round-steps.ts";
import { formatUnits } from "../../../units/scale.ts";
import { formatIsoMs } from "../../../units/time.ts";
import { paintPieces, piece } from "../../panes/pieces.ts";
import { HEAT_STEPS, type StyleName, type Theme } from "../../theme/theme.ts";
import { getWalkStep, scrollTo, titleScrolled } from "./chart.ts";
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

/** Seconds of a column. */
export const HEAT_COLUMNS = [1, 10] as const;
export type HeatColumnSeconds = (typeof HEAT_COLUMNS)[number];

/** A position on the heatmap: a column, by its first second, and a price, which rows of any width have. */
export interface HeatCursor {
  readonly second: number;
  readonly priceTicks: bigint;
}

/** The same in the rows that are shown. */
interface HeatPosition {
  readonly second: number;
  readonly row: bigint;
}

function getPosition({ second, priceTicks }: HeatCursor, { heat }: HeatPlan): HeatPosition {
  return { second, row: priceTicks / heat.rowTicks };
}

export interface PaintedHeat {
  readonly picture: HeatPicture;
  readonly plan: HeatPlan;
  /** Position of the plot, in cells of the pane. */
  readonly left: number;
  readonly top: number;
  /** The row midway between the best prices of the newest column. */
  readonly middle: bigint;
  /** How rows map to prices: the picture stays in place while this is the same. */
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
/** Lower panes have neither a line of values nor one of times. */
const MIN_ROWS_FOR_AXES = 5;
const MIN_COLUMNS = 8;
const COLUMNS_PER_TIME = 12;
const ROWS_PER_PRICE = 4;
const AXIS_GAP = 1;
/** Dots are larger above these fractions of the largest trade shown: a half and a sixteenth. */
const LARGE_PART = 2;
const SMALL_PART = 16;

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
    const { share, since } = model.heat;
    const { display } = model.parts.shown;
    return [
      `Heatmap ${model.choices.heatSeconds}s`,
      titleScrolled(model.scrolledBy("heatmap")),
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
    const { columns: count, newest } = heat.plan;
    const columns = Array.from({ length: count }, (_, x) =>
      heat.picture.column(newest - count + 1 + x),
    );
    paintPlot(context, heat, columns);
    paintDots(context, heat, columns);
    const { heatCursor } = context.model.choices;
    const cursor = heatCursor && getPosition(heatCursor, heat.plan);
    if (cursor !== undefined) paintCursor(context, heat, cursor);
    if (placed.hasAxes) {
      paintPrices(context, heat, cursor);
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
  /** The column at the cursor, or the current one; nothing of a column that was missed. */
  copy(data, model) {
    const { scale } = data.scale;
    const { heatCursor, heatSeconds: seconds } = model.choices;
    const heat = model.panes.heatmap.painted?.heat?.plan.heat;
    const second = heatCursor && getLastSecond(columnOfSecond(heatCursor.second, seconds), seconds);
    const isOver = second !== undefined && second < (heat?.next ?? Number.NEGATIVE_INFINITY);
    const rows = isOver
      ? heat?.rowsAt(second)
      : createHeatRows(data.depth(Number.POSITIVE_INFINITY), [], model.grouping);
    const time = isOver ? formatIsoMs((second + 1) * 1000) : "";
    const lines = (side: string, all: readonly HeatRow[]) =>
      all.map(({ row, lots }) => [
        time,
        side,
        formatUnits(`${row * model.grouping}`, scale?.tickSize),
        formatUnits(`${lots}`, scale?.lotSize),
      ]);
    return [
      ["until", "side", ...unitTitles(scale)],
      ...lines("ask", (rows?.asks ?? []).toReversed()),
      ...lines("bid", rows?.bids ?? []),
    ];
  },
};

/** Rows of prices in a cell: two if the theme has colours for eight steps. */
function getRowsPerCell(theme: Theme): 1 | 2 {
  return theme.heatGround1 === DEFAULT_STYLE ? 1 : 2;
}

/** The layout of the pane; undefined while there is no book. */
function placeHeat(context: PaintContext, before: PaintedHeat | undefined) {
  const { inner, data, model, theme, repaintAfter } = context;
  const heat = model.heatmapFor(repaintAfter);
  if (heat === undefined) return undefined;
  const hasAxes = inner.height >= MIN_ROWS_FOR_AXES;
  const perCell = getRowsPerCell(theme);
  const cells = Math.max(1, inner.height - (hasAxes ? 2 : 0));
  const columnSeconds = model.choices.heatSeconds;
  const second = heat.secondOf(data.nowMs);
  const now = columnOfSecond(second, columnSeconds);
  const rows = data.isBookProven ? openRows(context, second) : undefined;
  const open = { column: now, second, rows, isFollowing: model.heat.isFollowing };
  const oldest = columnOfSecond(heat.first ?? second, columnSeconds);
  const scrolled = Math.max(0, Math.min(model.choices.scroll.heatmap, now - oldest));
  const newest = now - scrolled;
  const middle = findMiddle(heat, newest, columnSeconds, open) ?? before?.middle;
  if (middle === undefined) return undefined;
  const of = [heat.channels.orderbook, model.grouping, cells, perCell];
  const count = cells * perCell;
  const top = topFor(middle, count, areSame(before?.of, of) ? before?.plan.top : undefined);
  const axis = hasAxes ? formatPrice(top, model).length + AXIS_GAP + 1 : 0;
  // A plot without prices is better than prices without a plot.
  const columns = inner.width - axis < MIN_COLUMNS ? inner.width : inner.width - axis;
  const plan = { heat, columns, rows: count, perCell, columnSeconds, newest, top } as const;
  const picture = before?.picture ?? new HeatPicture();
  const place = { left: inner.x, top: inner.y + (hasAxes ? 1 : 0), middle, of };
  return { hasAxes, scrolled, open, heat: { picture, plan, ...place } };
}

/** The current book, and the trades of the current second. */
function openRows({ data, model }: PaintContext, second: number) {
  const trades = tradesSince(data.trades(MAX_TRADES), data.skewMs, second * 1000);
  return createHeatRows(data.depth(Number.POSITIVE_INFINITY), trades, model.grouping);
}

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

/** Stays the same until the middle leaves the middle third. */
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

const FRONTS: readonly StyleName[] = [
  "text",
  "heat1",
  "heat2",
  "heat3",
  "heat4",
  "heat5",
  "heat6",
  "heat7",
  "heat8",
  "bidStrong",
  "askStrong",
] as readonly StyleName[];
const GROUNDS: readonly StyleName[] = [
  "text",
  "heatGround1",
  "heatGround2",
  "heatGround3",
  "heatGround4",
  "heatGround5",
  "heatGround6",
  "heatGround7",
  "heatGround8",
  "bidGround",
] as readonly StyleName[];

const CODES = HATCHED + HEAT_STEPS + 1;

function paintPlot({ surface, theme }: PaintContext, heat: PaintedHeat, columns: Columns): void {
  const { left, top, plan } = heat;
  const styles = getCells(surface, theme);
  const cells = columns.map((column) => column?.cells);
  const line = new Uint32Array(columns.length);
  for (let y = 0; y < plan.rows / plan.perCell; y++) {
    for (let x = 0; x < line.length; x++) line[x] = styles[cells[x]?.[y] ?? 0] as number;
    surface.cells(left, top + y, line);
  }
}

/** Encoded cells by their codes: thousands are painted in a frame. */
const cellsOf = new WeakMap<Theme, Uint32Array>();

function getCells(surface: Surface, theme: Theme): Uint32Array {
  const known = cellsOf.get(theme);
  if (known !== undefined) return known;
  const cellOf = getRowsPerCell(theme) === 2 ? colorCell : shadeCell;
  // The first code paints nothing.
  const cells = Uint32Array.from({ length: CODES }, (_, code) =>
    code === 0 ? 0 : cellOf(surface, theme, code),
  );
  cellsOf.set(theme, cells);
  return cells;
}

function colorCell(surface: Surface, theme: Theme, code: number): number {
  const isHatched = code >= HATCHED;
  const [glyph, front, ground] = isHatched
    ? [HATCH, 0, code - HATCHED]
    : getHalves(Math.floor(code / HALF), code % HALF);
  const style = isHatched ? theme.dim : getFront(theme, front);
  return encodeCell(glyph, ground > 0 ? surface.tinted(style, getGround(theme, ground)) : style);
}

/** The line of a best price is never the background, except the bid's if both are in one cell. */
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

/** Eight steps for themes without colours for them: a glyph and its weight. */
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

function shadeCell(_: Surface, theme: Theme, code: number): number {
  if (code >= HATCHED) return encodeCell(HATCH, theme.dim);
  const step = Math.floor(code / HALF);
  if (step === ASK) return encodeCell(ASK_LINE, theme.askStrong);
  if (step === BID) return encodeCell(BID_LINE, theme.bidStrong);
  const [glyph, weight] = SHADES[step] ?? [0x20, ""];
  return encodeCell(glyph, theme[`${code % HALF === 1 ? "ask" : "bid"}${weight}`]);
}

/** If buying and selling have the same style, their glyphs distinguish them. */
function paintDots({ surface, theme }: PaintContext, heat: PaintedHeat, columns: Columns): void {
  const { left, top, plan } = heat;
  const { perCell } = plan;
  const dots = columns.flatMap((column, x) =>
    [...(column?.dots.values() ?? [])].map((dot) => ({
      ...dot,
      x,
      y: Math.floor(dot.row / perCell),
    })),
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

/** Moves the cursor by columns and rows, down if positive; without a cursor, scrolls. */
function walkHeat(model: MarketModel, columns: number, rows: number): void {
  const { heatCursor: cursor, scroll } = model.choices;
  const { plan } = model.panes.heatmap.painted?.heat ?? {};
  if (plan === undefined) return;
  const scrolled = model.scrolledBy("heatmap");
  if (cursor === undefined) {
    const next = Math.max(0, scrolled - columns * getWalkStep(plan.columns) + rows);
    model.change({ scroll: { ...scroll, heatmap: next } }, ["heatmap"]);
    return;
  }
  const { heat, columnSeconds, newest, top } = plan;
  const now = newest + scrolled;
  const oldest = columnOfSecond(heat.first ?? newest * columnSeconds, columnSeconds);
  const target = columnOfSecond(cursor.second, columnSeconds) + columns;
  const number = Math.min(now, Math.max(oldest, target));
  const low = top - BigInt(plan.rows) + 1n;
  const row = getPosition(cursor, plan).row - BigInt(rows);
  const bounded = row > top ? top : row < low ? low : row;
  const heatCursor = {
    second: number * columnSeconds,
    priceTicks: bounded * heat.rowTicks,
  };
  const shown = scrollTo(now - number, scrolled, plan.columns);
  model.change({ heatCursor, scroll: { ...scroll, heatmap: shown } }, ["heatmap"]);
}

function heatCursorAt(
  { plan, left, top }: PaintedHeat,
  x: number,
  y: number,
): HeatCursor | undefined {
  const [column, cell] = [x - left, y - top];
  if (column < 0 || column >= plan.columns || cell < 0 || cell >= plan.rows / plan.perCell) {
    return undefined;
  }
  const number = plan.newest - plan.columns + 1 + column;
  const row = plan.top - BigInt(cell * plan.perCell);
  return { second: number * plan.columnSeconds, priceTicks: row * plan.heat.rowTicks };
}

function firstHeatCursor({ plan, picture, middle }: PaintedHeat): HeatCursor {
  const bid = picture.column(plan.newest)?.bestBid;
  const row = bid === undefined ? middle : plan.top - BigInt(bid);
  return { second: plan.newest * plan.columnSeconds, priceTicks: row * plan.heat.rowTicks };
}

function paintCursor(
  { surface, theme }: PaintContext,
  { plan, left, top }: PaintedHeat,
  { second, row }: HeatPosition,
): void {
  const cells = plan.rows / plan.perCell;
  const x = columnOfSecond(second, plan.columnSeconds) - (plan.newest - plan.columns + 1);
  const y = Math.floor(Number(plan.top - row) / plan.perCell);
  // Lines only where nothing rests, so that sizes stay visible.
  const put = (atX: number, atY: number, sign: number) => {
    if (surface.textAt(left + atX, top + atY, 1) !== " ") return;
    surface.put(left + atX, top + atY, sign, theme.text);
  };
  const isInside = y >= 0 && y < cells;
  for (let at = 0; at < plan.columns && isInside; at++) put(at, y, DASHED);
  if (x < 0 || x >= plan.columns) return;
  for (let at = 0; at < cells; at++) put(x, at, DOTTED);
  if (isInside) surface.text(left + x, top + y, "┼", theme.selection);
}

/** Round prices, the best prices of the newest column, own orders, and the price at the cursor. */
function paintPrices(
  context: PaintContext,
  heat: PaintedHeat,
  cursor: HeatPosition | undefined,
): void {
  const { surface, inner, theme, model } = context;
  const { plan, picture, top } = heat;
  const { perCell } = plan;
  if (plan.columns === inner.width) return;
  const cells = plan.rows / perCell;
  const x = inner.x + plan.columns + AXIS_GAP;
  const yOf = (row: bigint) => Math.floor(Number(plan.top - row) / perCell);
  const label = (row: bigint, style: StyleName) => {
    const y = yOf(row);
    if (y < 0 || y >= cells) return;
    surface.fill(x, top + y, inner.x + inner.width - x, 1, theme.text);
    surface.textRight(inner.x + inner.width, top + y, formatPrice(row, model), theme[style]);
  };
  const step = roundStep(BigInt(ROWS_PER_PRICE * perCell));
  const low = plan.top - BigInt(plan.rows) + 1n;
  const first = low + (((-low % step) + step) % step);
  for (let row = first < 0n ? 0n : first; row <= plan.top; row += step) label(row, "dim");
  const newest = picture.column(plan.newest);
  if (newest?.bestAsk !== undefined) label(plan.top - BigInt(newest.bestAsk), "ask");
  if (newest?.bestBid !== undefined) label(plan.top - BigInt(newest.bestBid), "bid");
  if (cursor !== undefined) label(cursor.row, "selection");
  for (const { priceTicks, isBid, sign } of model.own.orders) {
    const y = yOf(getHeatRow(priceTicks, model.grouping, isBid));
    if (y >= 0 && y < cells) surface.text(x - AXIS_GAP, top + y, sign, theme.own);
  }
}

const TIME_STEPS = [
  5,
  10,
  15,
  30,
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

/** What the steps mean: each begins at half the size of the next, up to the full size. */
function paintLegend({ surface, inner, theme, model }: PaintContext, heat: PaintedHeat): void {
  const { full } = heat.picture;
  const { display } = model.parts.shown;
  if (full === 0n) return;
  const text = `up to ${display.number(formatUnits(`${full}`, model.scale?.lotSize))}`;
  const hint = "each step twice the one before";
  const pieces = [
    { text: "", width: HEAT_STEPS, priority: 1 },
    { text, width: text.length, priority: 0 },
    { text: hint, width: hint.length, priority: 2 },
  ];
  let x = inner.x;
  for (const piece of fitPieces(pieces, inner.width, 1)) {
    if (piece.text === "") paintSteps(surface, x, inner.y, theme);
    else surface.text(x, inner.y, piece.text, theme.dim);
    x += piece.width + 1;
  }
}

function paintSteps(surface: Surface, x: number, y: number, theme: Theme): void {
  for (let step = 1; step <= HEAT_STEPS; step++) {
    const [glyph, weight] = SHADES[step] ?? [FULL, ""];
    if (getRowsPerCell(theme) === 2) surface.put(x + step - 1, y, FULL, getFront(theme, step));
    else surface.put(x + step - 1, y, glyph, theme[`bid${weight}`]);
  }
}

function paintValues(
  { surface, inner, theme, model }: PaintContext,
  heat: PaintedHeat,
  open: OpenColumn,
  cursor: HeatPosition,
): void {
  const { display } = model.parts.shown;
  const words = wordsAt(heat, open, cursor, (lots) =>
    display.number(formatUnits(`${lots}`, model.scale?.lotSize)),
  );
  const time = display.timeOfDay(cursor.second * 1000);
  const pieces = [
    piece("", time, "text", 2),
    piece("", formatPrice(cursor.row, model), "strong", 1),
    ...words.map((text, i) => piece("", text, "text", i === 0 ? 0 : 2 + i)),
  ];
  paintPieces(surface, inner.y, pieces, theme, { ...inner, gap: 2 });
}

function wordsAt(
  { plan, picture }: PaintedHeat,
  open: OpenColumn,
  { second, row }: HeatPosition,
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
  const sides = [
    ...(bidLots === undefined ? [] : [`bid ${format(bidLots)}`]),
    ...(askLots === undefined ? [] : [`ask ${format(askLots)}`]),
  ];
  const size = sides.length === 0 ? sizeOutside(rows, row) : sides.join(" ");
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

function sizeOutside(rows: NonNullable<OpenColumn["rows"]>, row: bigint): string {
  const [bid, ask] = [rows.bids[0]?.row, rows.asks[0]?.row];
  const isBetween = bid !== undefined && ask !== undefined && row > bid && row < ask;
  return isBetween ? "between the best prices" : "beyond the book";
}
