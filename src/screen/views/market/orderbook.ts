// The order book as a ladder: asks above, bids below, the spread between them.
//
//     price   size  total
//   9702252  11747  11747  ████▌
//   ── spread 192 (0.20 bp) · bids 54 % ──
//   9702060   1410   1410  ▌
import { placeAlertMarks } from "../../../alerts/alert-rows.ts";
import { selectSpread } from "../../../select/bbo.ts";
import { type FittedColumn, fitPieces, fitWords, steadyColumns } from "../../../select/columns.ts";
import type { Display } from "../../../select/display.ts";
import { MISSING } from "../../../select/fields.ts";
import {
  type AmountCost,
  type BookCost,
  type Ladder,
  type LadderOptions,
  type LadderRow,
  levelsNeeded,
  parseAmount,
  selectAmountCost,
  selectBidPercent,
  selectBookCost,
  selectLadder,
} from "../../../select/orderbook.ts";
import { drawBar, eighthsOf } from "../../../terminal/cells/bars.ts";
import { formatUnits } from "../../../units/scale.ts";
import { CARET, paintTyped } from "../../text-field.ts";
import type { StyleName } from "../../theme/theme.ts";
import { unitTitles } from "./data.ts";
import type { MarketModel } from "./model.ts";
import { groupOwnOrders, OWN, type OwnStep } from "./own-marks.ts";
import type { MarketPane, PaintContext } from "./panes.ts";

const GAP = 2;
const MIN_BAR = 4;
const COLUMNS = ["price", "size", "total", "mine", "alert"] as const;
/** The price counts most, then its size, then what the watched account has there, then what is waited for. */
const PRIORITY = [0, 1, 3, 4, 2];
/** There only once a row has had something in them. */
const RARE_COLUMNS = [3, 4];
const DASH = 0x2500;

type Side = "bid" | "ask";
/** A step, and what the watched account has there; empty where that is nothing. */
interface Level {
  readonly side: Side;
  readonly row: LadderRow;
  readonly own: string;
  readonly alert: string;
}
type Line = Level | "spread";

/** A step of the ladder. */
export interface BookLevel {
  readonly side: Side;
  readonly priceTicks: bigint;
}

/** What stands in one row of the ladder. */
export type BookLine = BookLevel | "spread";

/** True for two rows of the same level. */
function isSameLevel(level: BookLevel | undefined, line: BookLine): boolean {
  if (line === "spread" || level === undefined) return false;
  return line.side === level.side && line.priceTicks === level.priceTicks;
}

/** The level so many rows further down, over the spread, to the edge of what is shown. */
export function levelAfter(
  lines: readonly BookLine[],
  level: BookLevel,
  steps: number,
): BookLevel | undefined {
  const levels = lines.filter((line) => line !== "spread");
  if (levels.length === 0) return level;
  const exact = levels.findIndex((each) => isSameLevel(level, each));
  const lower = levels.findIndex(({ priceTicks }) => priceTicks < level.priceTicks);
  // From a level that has gone since, the first step goes to its neighbour.
  const below = (lower < 0 ? levels.length : lower) - (steps > 0 ? 1 : 0);
  const next = (exact < 0 ? below : exact) + steps;
  return levels[Math.max(0, Math.min(levels.length - 1, next))];
}

const WIDE_BOOK = 46;
const NARROW_BOOK = 40;
/** From here on the chart beside a wide book is more than the narrowest. */
const MIN_VIEW_WITH_WIDE_BOOK = 86;

/** The pane of the ladder. */
export const orderbook: MarketPane = {
  label: "book",
  minHeight: 5,
  weight: 6,
  widthIn: (viewWidth) => (viewWidth >= MIN_VIEW_WITH_WIDE_BOOK ? WIDE_BOOK : NARROW_BOOK),
  scrollsUp: true,
  feeds: ({ orderbook: channel }) => [{ kind: "orderbook", channel }],
  title: (model) => [
    "Order book",
    // Where the line of the spread is out of sight, nothing else would tell.
    model.scrolledBy("orderbook") === 0 ? "" : "scrolled",
    model.grouping === 1n
      ? ""
      : `by ${model.parts.shown.display.number(formatUnits(`${model.grouping}`, model.scale?.tickSize))}`,
    model.data !== undefined && model.scale === undefined ? "ticks, lots" : "",
    model.data?.bookInterpretation ?? "",
  ],
  paint(context, before) {
    const { inner, model } = context;
    const { lines, scrolled } = visibleLines(context);
    const rows = lines.flatMap((line) => (line === "spread" ? [] : line));
    const { display } = model.parts.shown;
    const widths = COLUMNS.map((title, i) => {
      const widest = Math.max(0, ...rows.map((row) => cellsOf(row, display)[i]?.length ?? 0));
      return widest === 0 && RARE_COLUMNS.includes(i) ? 0 : Math.max(title.length, widest);
    });
    const of = tableOf(model);
    const columns = steadyColumns(before?.columns, of, widths, PRIORITY, inner.width, GAP);
    paintTitles(context, columns.fitted);
    for (const [i, line] of lines.entries()) {
      const y = inner.y + 1 + i;
      if (line === "spread") paintSpread(context, y, rows);
      else paintLevel(context, y, line, columns.fitted);
    }
    paintFoot(context);
    return { scrolled, lines: lines.map(placeOf), columns };
  },
  copy: ({ depth, scale: { scale } }, { grouping }) => {
    const levels = depth(Number.POSITIVE_INFINITY);
    const all = { grouping, rows: Number.POSITIVE_INFINITY, scale };
    const { asks, bids } = selectLadder(levels, all);
    return [
      ["side", ...unitTitles(scale), scale === undefined ? "total_lots" : "total"],
      ...[...asks].reverse().map((row) => copiedLevel("ask", row)),
      ...bids.map((row) => copiedLevel("bid", row)),
    ];
  },
};

/** One step of the ladder, as it is copied. */
export function copiedLevel(side: Side, row: LadderRow): readonly string[] {
  return [side, row.price, row.size, row.cumulativeSize];
}

/** What the widths of the ladder's columns belong to. */
function tableOf(model: MarketModel): readonly unknown[] {
  const { grouping, scale, own, alertMarks, parts } = model;
  const rare = [own.orders.length > 0 && !parts.shown.isMasked, alertMarks.length > 0];
  return [model.feedOf("orderbook")?.channel, grouping, scale, parts.shown.display, ...rare];
}

/** The lines that fit: the spread in the middle, unless the pane is scrolled. */
function visibleLines({ inner, data, model }: PaintContext) {
  const room = Math.max(0, inner.height - 1 - footRows(model, inner.height));
  const scroll = model.choices.scroll.orderbook;
  const rows = Math.ceil(room / 2) + Math.abs(scroll);
  const options = { grouping: model.grouping, rows, scale: data.scale.scale };
  const { asks, bids } = selectFilled(data, options, room);
  const own = groupOwnOrders(model.own.orders, model.grouping);
  const levelOf =
    (side: Side) =>
    (row: LadderRow): Line => {
      const step = own.get(`${side} ${row.priceTicks}`);
      return { side, row, own: step === undefined ? "" : wordOwn(step, model), alert: "" };
    };
  const lines: Line[] = [
    ...asks.map(levelOf("ask")).reverse(),
    "spread",
    ...bids.map(levelOf("bid")),
  ];
  const middle = asks.length - Math.floor((room - 1) / 2);
  const first = Math.max(0, Math.min(middle + scroll, lines.length - room));
  return {
    lines: withAlerts(lines.slice(first, first + room), model),
    scrolled: lines.length <= room ? 0 : first - middle,
  };
}

/** Where one side has few levels, the other one fills the room that they leave. */
function selectFilled(
  { depth }: PaintContext["data"],
  options: LadderOptions,
  room: number,
): Ladder {
  const ladder = selectLadder(depth(levelsNeeded(options)), options);
  const blank = room - 1 - ladder.asks.length - ladder.bids.length;
  if (blank <= 0) return ladder;
  const larger = { ...options, rows: options.rows + blank };
  return selectLadder(depth(levelsNeeded(larger)), larger);
}

/** The same lines with the alerts whose prices they reach. */
function withAlerts(lines: readonly Line[], { alertMarks, scale }: MarketModel): readonly Line[] {
  if (alertMarks.length === 0) return lines;
  const steps = lines.flatMap((line) => (line === "spread" ? [] : line.row.priceTicks));
  const placed = placeAlertMarks(alertMarks, steps, scale);
  return lines.map((line) => {
    if (line === "spread") return line;
    const marks = placed.get(line.row.priceTicks) ?? [];
    return { ...line, alert: marks.map(({ short }) => short).join(" ") };
  });
}

function cellsOf(
  { row: { price, size, cumulativeSize }, own, alert }: Level,
  display: Display,
): readonly string[] {
  const [shown, ...sizes] = [price, size, cumulativeSize].map((text) => display.number(text));
  return [shown ?? "", ...sizes, own, alert];
}

/** The size of own orders, where it is known and may be seen. */
function wordOwn({ sizeLots }: OwnStep, { parts, scale }: MarketModel): string {
  const isShown = sizeLots !== undefined && !parts.shown.isMasked;
  if (!isShown) return OWN;
  return `${OWN} ${parts.shown.display.number(formatUnits(`${sizeLots}`, scale?.lotSize))}`;
}

function paintTitles(
  { surface, inner, theme }: PaintContext,
  columns: readonly FittedColumn[],
): void {
  for (const { index, x, width } of columns) {
    surface.textRight(inner.x + x + width, inner.y, COLUMNS[index] ?? "", theme.dim);
  }
}

function placeOf(line: Line): BookLine {
  return line === "spread" ? line : { side: line.side, priceTicks: line.row.priceTicks };
}

function paintLevel(
  { surface, inner, theme, model }: PaintContext,
  y: number,
  level: Level,
  columns: readonly FittedColumn[],
): void {
  const { side, row, own } = level;
  const cells = cellsOf(level, model.parts.shown.display);
  const isChosen = isSameLevel(model.choices.level, placeOf(level));
  const looks = isChosen
    ? COLUMNS.map(() => theme.selection)
    : [theme[side], theme.text, theme.dim, theme.own, theme.notice];
  if (isChosen) {
    surface.fill(inner.x, y, inner.width, 1, theme.selection);
    surface.text(inner.x - 1, y, "▸", theme.selection);
  }
  for (const { index, x, width } of columns) {
    surface.textRight(inner.x + x + width, y, cells[index] ?? "", looks[index]);
  }
  if (own !== "") surface.text(inner.x - 1, y, OWN, theme.own);
  const last = columns.at(-1);
  const start = last === undefined ? 0 : last.x + last.width + GAP;
  const room = inner.width - start;
  if (room < MIN_BAR) return;
  const eighths = eighthsOf(row.depthShare, 1, room);
  drawBar(surface, inner.x + start, y, eighths, theme[side === "bid" ? "bidBar" : "askBar"]);
}

function paintSpread(context: PaintContext, y: number, levels: readonly Level[]): void {
  const { surface, inner, theme, data } = context;
  surface.fill(inner.x, y, inner.width, 1, theme.frame, DASH);
  const pieces = fitPieces(spreadPieces(context, levels), inner.width - 4, 1);
  let x = inner.x + 2;
  for (const { text, width } of pieces) {
    surface.text(x, y, text, data.bbo === undefined ? theme.dim : theme.strong);
    x += width + 1;
  }
}

/** @param levels those that are shown: the share of the bids is exactly theirs */
function spreadPieces({ data, model }: PaintContext, levels: readonly Level[]) {
  const spread = data.bbo === undefined ? undefined : selectSpread(data.bbo, data.scale.scale);
  const rowsOf = (side: Side) => levels.flatMap((level) => (level.side === side ? level.row : []));
  const bidPercent = selectBidPercent({ bids: rowsOf("bid"), asks: rowsOf("ask") });
  const words = [
    ` spread ${spread === undefined ? MISSING : model.parts.shown.display.number(spread.width)} `,
    spread === undefined ? "" : ` ${spread.basisPoints} bp `,
    bidPercent === undefined ? "" : ` bids ${bidPercent} % `,
  ];
  return words
    .map((text, i) => ({ text, width: text.length, priority: i }))
    .filter(({ text }) => text !== "");
}

const AMOUNT_ROWS = 3;

/** Rows that the ladder leaves to it, of so many. */
function footRows({ choices, isAmountShown }: MarketModel, height: number): number {
  const wanted = (choices.level === undefined ? 0 : 1) + (isAmountShown ? AMOUNT_ROWS : 0);
  return Math.max(0, Math.min(wanted, height - 1));
}

/** Paints the last rows of the pane. */
function paintFoot(context: PaintContext): void {
  const { surface, inner, model, theme } = context;
  const lines = [...cursorLines(context), ...(model.isAmountShown ? amountLines(context) : [])];
  const rows = footRows(model, inner.height);
  const top = inner.y + inner.height - rows;
  for (const [i, { words, look }] of lines.slice(0, rows).entries()) {
    const text = fitWords(words, inner.width);
    const end = inner.x + surface.text(inner.x, top + i, text, theme[look]);
    const isTyped = look === "key" && model.typing !== undefined;
    if (isTyped) paintTyped(surface, end, top + i, CARET, theme.key);
  }
}

interface FootLine {
  /** The most important first. */
  readonly words: readonly string[];
  readonly look: StyleName;
}

function cursorLines({ data, model }: PaintContext): readonly FootLine[] {
  const { level } = model.choices;
  const { display } = model.parts.shown;
  if (level === undefined) return [];
  const { scale } = data.scale;
  const { bids, asks } = data.depth(Number.POSITIVE_INFINITY);
  const levels = level.side === "bid" ? bids : asks;
  const cost = selectBookCost({ levels, ...level, worstTicks: level.priceTicks }, scale);
  const words =
    cost === undefined
      ? [
          `nothing is left up to ${display.number(formatUnits(`${level.priceTicks}`, scale?.tickSize))}`,
        ]
      : costWords(level.side === "bid" ? "sell" : "buy", cost, display);
  return [{ words, look: "strong" }];
}

function amountLines({ data, model }: PaintContext): readonly FootLine[] {
  const { typing } = model;
  const { amount: text } = model.choices;
  const { scale } = data.scale;
  const asked: FootLine = { words: [`amount ${text}`], look: "key" };
  const parsed = parseAmount(text, scale);
  if ("fault" in parsed) {
    const isBegun = typing === undefined || text.trim() !== "";
    return [asked, { words: [parsed.fault], look: isBegun ? "bad" : "dim" }];
  }
  const { bids, asks } = data.depth(Number.POSITIVE_INFINITY);
  const sideLine = (verb: string, cost: AmountCost): FootLine => ({
    words: amountWords(verb, cost, model.parts.shown.display),
    look: cost.isEnough ? "strong" : "notice",
  });
  return [
    asked,
    sideLine("buy", selectAmountCost(asks, parsed.amount, scale)),
    sideLine("sell", selectAmountCost(bids, parsed.amount, scale)),
  ];
}

function amountWords(
  verb: string,
  { cost, isEnough }: AmountCost,
  display: Display,
): readonly string[] {
  if (cost !== undefined) return costWords(isEnough ? verb : `only ${verb}`, cost, display);
  return [isEnough ? `${verb}: too little for one lot` : `${verb}: the side is empty`];
}

function costWords(
  verb: string,
  { size, average, slippage, levels, value }: BookCost,
  display: Display,
) {
  return [
    `${verb} ${display.number(size)} at ${display.number(average)}`,
    `${slippage} bp`,
    `${levels} ${levels === 1 ? "level" : "levels"}`,
    `for ${display.money(value)}`,
  ];
}
