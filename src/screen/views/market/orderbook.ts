// The order book as a ladder: asks above, bids below, the spread between them.
//
//   │        price     size    total          │   a tint behind the numbers, or bars beside them, for the depth
//   │ ◆  97,115.20   0.1422     0.83 ▒▒▒▒▒▒▒▒▒│   ◆ own order   ⚑ alert   ▸ cursor   bold: changed just now
//   │ ── 0.02  0.0021 bp ─── █████52▒▒▒▒▒48 ──│   sizes of exactly the rows shown
//   │    97,113.98   0.1119     0.11         ▒│

import { type AlertMark, placeAlertMarks } from "../../../alerts/alert-rows.ts";
import { selectSpread } from "../../../select/bbo.ts";
import {
  type FittedColumn,
  fitFirstColumns,
  fitTexts,
  steadyColumns,
} from "../../../select/columns.ts";
import type { Display } from "../../../select/display.ts";
import { MISSING } from "../../../select/fields.ts";
import {
  type AmountCost,
  type BookCost,
  GROUPINGS,
  getShare,
  type Ladder,
  type LadderRow,
  type LadderStep,
  levelsNeeded,
  parseAmount,
  placeLadder,
  type StepOptions,
  selectAmountCost,
  selectBarScale,
  selectBidPercent,
  selectBookCost,
  selectChanges,
  selectLadder,
  selectSteps,
} from "../../../select/orderbook.ts";
import { WINDOW_MS } from "../../../state/book-window.ts";
import { MAX_TRADES } from "../../../state/trades.ts";
import { barText, countEighths, drawBar } from "../../../terminal/cells/bars.ts";
import { DEFAULT_STYLE } from "../../../terminal/cells/style-table.ts";
import { formatDecimal, multiplyDecimal, trimDecimal } from "../../../units/decimal.ts";
import { areSame } from "../../../units/memo.ts";
import { formatUnits, type Scale } from "../../../units/scale.ts";
import { CARET, paintTyped } from "../../text-field.ts";
import type { StyleName } from "../../theme/theme.ts";
import { type BookChoices, type BookExtra, DEFAULT_BOOK } from "./choices.ts";
import { unitTitles } from "./data.ts";
import { readTradedWindow, selectTradedRows, type TradedRow } from "./flow-views.ts";
import type { MarketModel } from "./model.ts";
import { groupOwnOrders, type OwnStep } from "./own-marks.ts";
import type { MarketPane, PaintContext, PaintedPane } from "./panes.ts";

const ONE = { mantissa: 1n, places: 0 };
const GAP = 2;
const MIN_BAR = 4;

interface LadderColumn {
  readonly title: string;
  readonly extra?: BookExtra;
  /** Gets only the room that the others leave. */
  readonly isLast?: true;
  cell(row: LevelRow, facts: LadderFacts): string;
  /** @param isChanged the level has just changed */
  style(side: Side, cell: string, isChanged: boolean): StyleName;
}

type Side = BookLevel["side"];
type Level = LadderStep & BookLevel;
type Line = Level | "spread";

/** A level with what is known of it beyond the current book, if that is shown. */
interface LevelRow extends Level {
  /** Lots stacked, or, if negative, pulled. */
  readonly change: bigint | undefined;
  readonly traded: TradedRow | undefined;
}

interface LadderFacts {
  readonly display: Display;
  readonly scale: Scale | undefined;
  /** Lots of the visible row at which most traded; only for the length of bars. */
  readonly mostTraded: number;
}

const CHANGE_TITLE = `±${WINDOW_MS / 1000}s`;

/** From the left. Price and size are never dropped; chosen extras take precedence over the total. */
const COLUMNS: readonly LadderColumn[] = [
  {
    title: "price",
    cell: ({ priceTicks }, { display, scale }) =>
      display.number(formatUnits(`${priceTicks}`, scale?.tickSize)),
    style: (side, _, isChanged) => (isChanged ? `${side}Strong` : side),
  },
  {
    title: "size",
    cell: ({ sizeLots }, { display, scale }) =>
      display.number(formatUnits(`${sizeLots}`, scale?.lotSize)),
    style: (_side, _cell, isChanged) => (isChanged ? "strong" : "text"),
  },
  {
    title: "sold",
    extra: "traded",
    cell: ({ traded }) => traded?.sold ?? "",
    style: () => "ask",
  },
  {
    title: "bought",
    extra: "traded",
    cell: ({ traded }) => traded?.bought ?? "",
    style: () => "bid",
  },
  {
    title: "profile ",
    extra: "profile",
    cell: ({ traded }, { mostTraded }) =>
      BARS[countEighths(traded?.lots ?? 0, mostTraded, PROFILE)] ?? "",
    style: () => "volume",
  },
  {
    title: "total",
    isLast: true,
    cell: ({ cumulativeLots }, { display, scale }) =>
      display.number(formatUnits(`${cumulativeLots}`, scale?.lotSize)),
    style: () => "dim",
  },
  {
    title: CHANGE_TITLE,
    extra: "change",
    cell: ({ change }, { display, scale }) => formatChange(change, scale, display),
    style: (_, cell) => (cell.startsWith("+") ? "strong" : "dim"),
  },
];
const PROFILE = 8;
/** Indexed by eighths of a cell. */
const BARS = Array.from({ length: PROFILE * 8 + 1 }, (_, i) => barText(i).padEnd(PROFILE));

const PRIORITY = COLUMNS.map((_, i) => i).sort(
  (a, b) => Number(COLUMNS[a]?.isLast ?? false) - Number(COLUMNS[b]?.isLast ?? false),
);

/** `+0.12` stacked, `-0.5` pulled. */
function formatChange(
  lots: bigint | undefined,
  scale: Scale | undefined,
  display: Display,
): string {
  if (lots === undefined) return "";
  const size = display.number(formatUnits(`${lots < 0n ? -lots : lots}`, scale?.lotSize));
  return lots === 0n ? "0" : `${lots < 0n ? "-" : "+"}${size}`;
}

const DASH = 0x2500;
const FULL = 0x2588;
const SHADE = 0x2592;
const ALERT = "⚑";
const CURSOR = "▸";
const FLASH_MS = 300;

/** State of the last frame. */
export interface PaintedBook {
  /** Inputs of the frame; the rest is valid only while they are the same. */
  readonly of: readonly unknown[];
  readonly atMs: number;
  /** Lots by price, and when the recently changed ones changed. */
  readonly sizes: ReadonlyMap<bigint, bigint>;
  readonly changedAt: ReadonlyMap<bigint, number>;
  /** Lots of a full bar. */
  readonly scales: Readonly<Record<Side, bigint>>;
  readonly hasBars: boolean;
}

export interface BookLevel {
  readonly side: "bid" | "ask";
  readonly priceTicks: bigint;
}

export type BookLine = BookLevel | "spread";

function isSameLevel(level: BookLevel | undefined, other: BookLevel): boolean {
  return level?.side === other.side && level.priceTicks === other.priceTicks;
}

/** The level this many rows further down, across the spread, clamped to what is shown. */
export function levelAfter(
  lines: readonly BookLine[],
  level: BookLevel,
  steps: number,
): BookLevel | undefined {
  const levels = lines.filter((line) => line !== "spread");
  if (levels.length === 0) return level;
  const exact = levels.findIndex((each) => isSameLevel(level, each));
  const lower = levels.findIndex(({ priceTicks }) => priceTicks < level.priceTicks);
  // From a level that has disappeared, the first step goes to its neighbour.
  const below = (lower < 0 ? levels.length : lower) - (steps > 0 ? 1 : 0);
  const next = (exact < 0 ? below : exact) + steps;
  return levels[Math.max(0, Math.min(levels.length - 1, next))];
}

const WIDE_BOOK = 46;
const NARROW_BOOK = 40;
/** From this width on, the chart beside a wide book is wider than its minimum. */
const MIN_VIEW_WITH_WIDE_BOOK = 86;

export const orderbook: MarketPane = {
  label: "book",
  minHeight: 5,
  weight: 6,
  widthIn: (viewWidth) => (viewWidth >= MIN_VIEW_WITH_WIDE_BOOK ? WIDE_BOOK : NARROW_BOOK),
  scrollsUp: true,
  feeds: ({ orderbook: channel, trades }, { book }) => [
    { kind: "orderbook", channel },
    ...((book.extras ?? []).length === 0 ? [] : [{ kind: "trades" as const, channel: trades }]),
  ],
  title: (model) => [
    findHidden(model).length === 0 ? ["Order book", "Book"] : "Book",
    // If the spread is out of view, nothing else shows it.
    isSpreadHidden(model) ? "scrolled" : "",
    hiddenTitle(model),
    model.data !== undefined && model.scale === undefined ? ["ticks, lots", "ticks"] : "",
    tradedTitle(model),
    changesTitle(model),
    model.data === undefined ? "" : groupingTitles(model),
    model.data?.bookInterpretation ?? "",
  ],
  paint(context, before) {
    const { inner, model, theme } = context;
    const { scale, grouping, parts, choices } = model;
    // Inputs that column widths, row positions and bars depend on.
    const of = [model.feedOf("orderbook")?.channel, grouping, scale, parts.shown.display];
    const known = areSame(before?.book?.of, of) ? before : undefined;
    const foot = footLines(context);
    const { lines, scrolled } = visibleLines(context, known, foot.length);
    const levels = lines.filter(isLevel);
    const rows = selectRows(context, levels);
    const mostTraded = Math.max(0, ...rows.map(({ traded }) => traded?.lots ?? 0));
    const facts = { display: parts.shown.display, scale, mostTraded };
    const isShown = COLUMNS.map(({ extra }) => hasExtra(model, extra));
    const cells = rows.map((row) =>
      COLUMNS.map((column, i) => (isShown[i] ? column.cell(row, facts) : "")),
    );
    const widths = COLUMNS.map(({ title }, i) =>
      isShown[i] ? Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)) : 0,
    );
    const table = [...of, choices.book.extras, inner.width];
    const columns = steadyColumns(
      before?.columns,
      table,
      widths,
      PRIORITY,
      inner.width,
      GAP,
      fitFirstColumns,
    );
    const book = {
      of,
      ...selectChangedLevels(context, levels, known?.book),
      scales: selectScales(model, levels, known?.book),
      hasBars: theme.bidTint !== DEFAULT_STYLE || barRoom(columns.fitted, inner) >= MIN_BAR,
    };
    const top = inner.y + titleRows(inner);
    if (top > inner.y) paintTitles(context, columns.fitted);
    const marksAt = selectMarks(model, levels);
    let shown = 0;
    for (const [i, line] of lines.entries()) {
      if (line === "spread") paintSpread(context, top + i, levels);
      else if (line !== undefined) {
        const row = { level: line, cells: cells[shown++] ?? [], columns: columns.fitted };
        paintLevel(context, top + i, row, book);
        paintMarks(context, top + i, line, marksAt(line));
      }
    }
    paintFoot(context, foot);
    return { scrolled, top, columns, book, lines: lines.map((line) => line && toBookLine(line)) };
  },
  cursor: {
    isSet: ({ level }) => level !== undefined,
    toggle(model) {
      const lines = model.panes.orderbook.painted?.lines ?? [];
      const best = lines.find((line) => typeof line === "object" && line.side === "bid");
      const isSet = model.choices.level !== undefined || best === "spread";
      model.show("orderbook", { level: isSet ? undefined : best });
    },
    scroll(model, rows) {
      const { level } = model.choices;
      if (level !== undefined)
        model.change({ level: levelAfter(allBookLines(model), level, rows) }, ["orderbook"]);
      return level !== undefined;
    },
    point(model, _x, y) {
      const { lines, top = 0 } = model.panes.orderbook.painted ?? {};
      const line = lines?.[y - top];
      if (line !== undefined && line !== "spread") model.change({ level: line }, ["orderbook"]);
    },
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

export function copiedLevel(side: Side, row: LadderRow): readonly string[] {
  return [side, row.price, row.size, row.cumulativeSize];
}

const isLevel = (line: Line | undefined): line is Level => typeof line === "object";

const toBookLine = (line: Line): BookLine =>
  line === "spread" ? line : { side: line.side, priceTicks: line.priceTicks };

function allBookLines({ data, grouping, parts }: MarketModel): readonly BookLine[] {
  if (data === undefined) return [];
  const all = { grouping, rows: parts.options.bookRows ?? Number.POSITIVE_INFINITY };
  return createLines(selectSteps(data.depth(Number.POSITIVE_INFINITY), all)).map(toBookLine);
}

function isSpreadHidden(model: MarketModel): boolean {
  const lines = model.panes.orderbook.painted?.lines;
  if (model.scrolledBy("orderbook") !== 0) return true;
  return lines !== undefined && lines.length > 0 && !lines.includes("spread");
}

/** The current step among its neighbours, or alone if there is less room: `5 ▸10 20`. */
function groupingTitles({ grouping, scale, parts }: MarketModel): readonly string[] {
  const at = Math.max(0, GROUPINGS.indexOf(grouping));
  const join = (steps: readonly bigint[]) =>
    steps
      .map((step) => {
        const width = multiplyDecimal({ mantissa: step, places: 0 }, scale?.tickSize ?? ONE);
        const text = parts.shown.display.number(formatDecimal(trimDecimal(width)));
        return step === grouping ? `▸${text}` : text;
      })
      .join(" ");
  const first = Math.max(0, at - 1);
  const neighbours = GROUPINGS.slice(first, first + 4);
  return [join(neighbours), join(GROUPINGS.slice(first, first + 3)), join([grouping])];
}

/** Chosen columns, by their titles, and bars that had no room in the last frame. */
function findHidden(model: MarketModel): readonly string[] {
  const { columns } = model.panes.orderbook.painted ?? {};
  if (columns === undefined || model.data === undefined) return [];
  const hasRoom = (i: number) => columns.fitted.some(({ index }) => index === i);
  const hidden = COLUMNS.filter(
    ({ extra }, i) => extra !== undefined && hasExtra(model, extra) && !hasRoom(i),
  );
  const isUsual = model.choices.book.depth === DEFAULT_BOOK.depth;
  return [
    ...hidden.map(({ title }) => title.trim()),
    ...(isUsual || findNoBars(model) === "" ? [] : ["bars"]),
  ];
}

function hiddenTitle(model: MarketModel): readonly string[] {
  const names = findHidden(model).join(", ");
  return names === "" ? [] : [`no room: ${names}`, `no ${names}`, "no room"];
}

/** Notice for a change of the bars' depth while there is no room for bars; else empty. */
export function findNoBars({ panes }: MarketModel): string {
  return panes.orderbook.painted?.book?.hasBars === false ? "bars: no room" : "";
}

function isTradedShown({ choices }: MarketModel): boolean {
  return choices.book.extras?.some((extra) => extra !== "change") === true;
}

/** Start of the count of trades, and what is missing since. */
function tradedTitle(model: MarketModel): readonly string[] {
  const { data } = model;
  if (data === undefined || !isTradedShown(model)) return [];
  // No frame is requested: the pane has its own while trades arrive.
  const { words = [] } = readTradedWindow({ data, model, repaintAfter: () => {} }) ?? {};
  return words.length === 0 ? [] : [`traded ${words[0]}`, ...words];
}

/** The lines that fit, kept in place if possible. */
function visibleLines(
  { inner, data, model }: PaintContext,
  before: PaintedPane | undefined,
  foot: number,
) {
  const room = Math.max(0, inner.height - titleRows(inner) - foot);
  const { level, scroll } = model.choices;
  // The spread may be anywhere in the middle third, the cursor anywhere.
  const rowsNeeded =
    level === undefined
      ? Math.ceil((room * 2) / 3) + 1 + Math.abs(scroll.orderbook)
      : Number.POSITIVE_INFINITY;
  const { bookRows: most = Number.POSITIVE_INFINITY } = model.parts.options;
  const options = { grouping: model.grouping, rows: Math.min(most, rowsNeeded) };
  const lines = createLines(selectFilled(data, options, { room, most }));
  const toRow = (line: BookLine) => (line === "spread" ? line : line.priceTicks);
  const { first, scrolled } = placeLadder({
    room,
    scroll: scroll.orderbook,
    cursorTicks: level?.priceTicks,
    rows: lines.map(toRow),
    before: before && {
      rows: (before.lines ?? []).map((line) => line && toRow(line)),
      scrolled: before.scrolled,
    },
  });
  const blank = Math.max(0, -first);
  const empty = Array.from({ length: blank }, () => undefined);
  return { lines: [...empty, ...lines.slice(first + blank, first + room)], scrolled };
}

function createLines({ asks, bids }: Ladder<LadderStep>): readonly Line[] {
  const onSide = (side: Side) => (step: LadderStep) => ({ side, ...step });
  return [...asks.map(onSide("ask")).reverse(), "spread", ...bids.map(onSide("bid"))];
}

/** If one side has few levels, the other one fills the room, up to `most` rows. */
function selectFilled(
  { depth }: PaintContext["data"],
  options: StepOptions,
  { room, most }: { readonly room: number; readonly most: number },
): Ladder<LadderStep> {
  const ladder = selectSteps(depth(levelsNeeded(options)), options);
  const blank = room - 1 - ladder.asks.length - ladder.bids.length;
  if (blank <= 0 || options.rows >= most) return ladder;
  const larger = { ...options, rows: Math.min(most, options.rows + blank) };
  return selectSteps(depth(levelsNeeded(larger)), larger);
}

/** Current sizes, and when those that changed did so; a frozen book does not flash. */
function selectChangedLevels(
  { model, repaintAfter }: PaintContext,
  levels: readonly Level[],
  before: PaintedBook | undefined,
): Pick<PaintedBook, "atMs" | "sizes" | "changedAt"> {
  const { now, isFrozen } = model.parts.shown;
  const atMs = now();
  const sizes = new Map(levels.map(({ priceTicks, sizeLots }) => [priceTicks, sizeLots]));
  if (before === undefined || isFrozen) return { atMs, sizes, changedAt: new Map() };
  const changed = levels.filter((level) => hasChanged(level, before.sizes));
  const still = [...before.changedAt].filter(
    ([price, changedMs]) => atMs - changedMs < FLASH_MS && sizes.has(price),
  );
  const changedAt = new Map([
    ...still,
    ...changed.map(({ priceTicks }) => [priceTicks, atMs] as const),
  ]);
  // A clock that stands still, as in a paused recording, ends no flash.
  const isEnding = changed.length > 0 || atMs !== before.atMs;
  if (changedAt.size > 0 && isEnding) repaintAfter(FLASH_MS);
  return { atMs, sizes, changedAt };
}

/** A level that only scrolls into view has not changed. @param before sizes by price, highest first */
function hasChanged(
  { priceTicks, sizeLots }: LadderStep,
  before: ReadonlyMap<bigint, bigint>,
): boolean {
  const was = before.get(priceTicks);
  if (was !== undefined) return was !== sizeLots;
  const prices = [...before.keys()];
  const [highest = 0n, lowest = 0n] = [prices[0], prices.at(-1)];
  return priceTicks < highest && priceTicks > lowest;
}

function selectScales(
  { choices }: MarketModel,
  levels: readonly Level[],
  before: PaintedBook | undefined,
): PaintedBook["scales"] {
  const scaleOf = (side: Side) => {
    const lots = levels.map((level) => (level.side === side ? getLots(level, choices.book) : 0n));
    const most = lots.reduce((largest, each) => (each > largest ? each : largest), 0n);
    return selectBarScale(most, before?.scales[side]);
  };
  return { bid: scaleOf("bid"), ask: scaleOf("ask") };
}

function getLots({ sizeLots, cumulativeLots }: LadderStep, { depth }: BookChoices): bigint {
  return depth === "size" ? sizeLots : cumulativeLots;
}

/** Also true for a column that is always shown. */
function hasExtra({ choices }: MarketModel, extra: BookExtra | undefined): boolean {
  return extra === undefined || choices.book.extras?.includes(extra) === true;
}

function selectRows(context: PaintContext, levels: readonly Level[]): readonly LevelRow[] {
  const { data, model, repaintAfter } = context;
  const missingMs = watchChanges(model);
  // They become known then without a new frame of the book.
  if (missingMs > 0) repaintAfter(missingMs);
  const before = hasExtra(model, "change") ? data.bookBefore : undefined;
  const { grouping } = model;
  const changeOf =
    before &&
    selectChanges({ ...before, grouping, trades: data.trades(MAX_TRADES), holes: data.holes });
  const window = isTradedShown(model) ? readTradedWindow(context) : undefined;
  const tradedAt = window && selectTradedRows(context, window);
  return levels.map((level) => ({
    ...level,
    change: changeOf?.(level.side, level),
    traded: tradedAt?.(level.side, level.priceTicks),
  }));
}

/** The earlier book is recorded only while it is shown. @returns milliseconds until changes are known */
function watchChanges(model: MarketModel): number {
  return hasExtra(model, "change") ? (model.data?.watchBookBefore() ?? 0) : 0;
}

/** Why the column of changes is blank. */
function changesTitle(model: MarketModel): string {
  if (findHidden(model).includes(CHANGE_TITLE)) return "";
  const missingMs = watchChanges(model);
  return missingMs > 0 ? `±5s in ${Math.ceil(missingMs / 1000)} s` : "";
}

function paintTitles(
  { surface, inner, theme, model }: PaintContext,
  columns: readonly FittedColumn[],
): void {
  for (const { index, x, width } of columns) {
    const title = COLUMNS[index]?.title ?? "";
    const style = title === model.choices.book.depth ? theme.key : theme.dim;
    surface.textRight(inner.x + MARK_ROOM + x + width, inner.y, title, style);
  }
}

/** With fewer rows, prices matter more than their titles. */
const MIN_TITLED_ROWS = 3;

function titleRows({ height }: PaintContext["inner"]): 0 | 1 {
  return height < MIN_TITLED_ROWS ? 0 : 1;
}

/** Cells between marks and numbers, taken from the right edge of the frame. */
const MARK_ROOM = 1;

function paintLevel(
  { surface, inner, theme, model }: PaintContext,
  y: number,
  row: {
    readonly level: Level;
    readonly cells: readonly string[];
    readonly columns: readonly FittedColumn[];
  },
  { changedAt, scales }: PaintedBook,
): void {
  const { level, cells, columns } = row;
  const { side } = level;
  const isChosen = isSameLevel(model.choices.level, level);
  const isChanged = changedAt.has(level.priceTicks);
  const left = inner.x + MARK_ROOM;
  if (isChosen) surface.fill(inner.x, y, inner.width + MARK_ROOM, 1, theme.selection);
  for (const { index, x, width } of columns) {
    const cell = cells[index] ?? "";
    const style = isChosen ? "selection" : COLUMNS[index]?.style(side, cell, isChanged);
    surface.textRight(left + x + width, y, cell, theme[style ?? "text"]);
  }
  if (isChosen) return;
  const share = getShare(getLots(level, model.choices.book), scales[side]);
  const tint = theme[`${side}Tint`];
  if (tint !== DEFAULT_STYLE) {
    const cells = share === 0 ? 0 : Math.max(1, Math.round(share * inner.width));
    surface.tint(left + inner.width - cells, y, cells, 1, tint);
    return;
  }
  const room = barRoom(columns, inner);
  if (room >= MIN_BAR) {
    const start = left + inner.width - room;
    drawBar(surface, start, y, countEighths(share, 1, room), theme[`${side}Bar`]);
  }
}

/** Cells to the right of the numbers. */
function barRoom(columns: readonly FittedColumn[], inner: PaintContext["inner"]): number {
  const last = columns.at(-1);
  return inner.width - (last === undefined ? 0 : last.x + last.width + GAP);
}

interface LevelMarks {
  readonly own: OwnStep | undefined;
  readonly alerts: readonly AlertMark[];
}

function selectMarks(
  { own, grouping, alertMarks, scale }: MarketModel,
  levels: readonly BookLevel[],
): (level: BookLevel) => LevelMarks {
  const steps = groupOwnOrders(own.orders, grouping);
  const alerts =
    alertMarks.length === 0 ? undefined : placeAlertMarks(alertMarks, levels, grouping, scale);
  return ({ side, priceTicks }) => ({
    own: steps.get(`${side} ${priceTicks}`),
    alerts: alerts?.get(priceTicks) ?? [],
  });
}

/** Left of the price of a level: own orders, alerts, the cursor. */
function paintMarks(
  { surface, inner, model, theme }: PaintContext,
  y: number,
  level: Level,
  { own, alerts }: LevelMarks,
): void {
  const isChosen = isSameLevel(model.choices.level, level);
  const marks: readonly (readonly [sign: string, style: number] | undefined)[] = [
    own && [own.sign, theme.own],
    alerts.length > 0 ? [ALERT, theme.notice] : undefined,
    isChosen ? [CURSOR, theme.selection] : undefined,
  ];
  const [first, second] = marks.filter((mark) => mark !== undefined);
  if (first !== undefined) surface.text(inner.x - 1, y, ...first);
  if (second !== undefined) surface.text(inner.x, y, ...second);
}

const MAX_IMBALANCE = 11;
const MIN_IMBALANCE = 4;

function paintSpread(context: PaintContext, y: number, levels: readonly Level[]): void {
  const { surface, inner, theme, data, model } = context;
  surface.fill(inner.x, y, inner.width + MARK_ROOM, 1, theme.frame, DASH);
  const spread = data.bbo === undefined ? undefined : selectSpread(data.bbo, data.scale.scale);
  const width = model.parts.shown.display.number(spread?.width ?? MISSING);
  const style = data.bbo === undefined ? theme.dim : theme.strong;
  const bids = levels.filter(({ side }) => side === "bid");
  const asks = levels.filter(({ side }) => side === "ask");
  // With rows on one side only, its share means nothing.
  const isBoth = bids.length > 0 && asks.length > 0;
  const bidPercent = isBoth ? selectBidPercent({ bids, asks }) : undefined;
  const left = inner.x + 2;
  const right = inner.x + inner.width - 1;
  let x = left + surface.text(left, y, ` ${width} `, style);
  const points = spread === undefined ? "" : `${spread.basisPoints} bp `;
  const digits = bidPercent === undefined ? 0 : `${bidPercent}${100 - bidPercent}`.length + 2;
  if (points !== "" && x + 1 + points.length <= right) {
    x += 1 + surface.text(x, y, ` ${points}`, theme.dim);
  }
  const bars = Math.min(MAX_IMBALANCE + 2 + 4 - digits, right - x - digits - 1);
  if (bidPercent === undefined || right - x - 1 < digits) return;
  paintImbalance(context, y, right, bidPercent, bars < MIN_IMBALANCE ? 0 : bars);
}

/** ` ██████52▒▒▒▒▒48 `: sizes of both sides in the visible rows. */
function paintImbalance(
  { surface, theme }: PaintContext,
  y: number,
  right: number,
  bidPercent: number,
  bars: number,
): void {
  const [bid, ask] = [`${bidPercent}`, `${100 - bidPercent}`];
  const bids = Math.round((bars * bidPercent) / 100);
  let x = right - bid.length - ask.length - bars - (bars === 0 ? 3 : 2);
  x += surface.text(x, y, " ", theme.dim);
  surface.fill(x, y, bids, 1, theme.bidBar, FULL);
  x += bids;
  x += surface.text(x, y, bid, theme.bid);
  if (bars === 0) x += surface.text(x, y, ":", theme.dim);
  surface.fill(x, y, bars - bids, 1, theme.askBar, SHADE);
  x += bars - bids;
  x += surface.text(x, y, ask, theme.ask);
  surface.text(x, y, " ", theme.dim);
}

interface FootLine {
  /** Most important first. */
  readonly texts: readonly string[];
  readonly style: StyleName;
}

/** The last rows of the pane, leaving at least one to the ladder. */
function footLines(context: PaintContext): readonly FootLine[] {
  const { model, inner } = context;
  const lines = [...cursorLines(context), ...(model.isAmountShown ? amountLines(context) : [])];
  return lines.slice(0, Math.max(0, inner.height - 1));
}

function paintFoot({ surface, inner, model, theme }: PaintContext, foot: readonly FootLine[]) {
  const top = inner.y + inner.height - foot.length;
  for (const [i, { texts, style }] of foot.entries()) {
    const text = fitTexts(texts, inner.width);
    const end = inner.x + surface.text(inner.x, top + i, text, theme[style]);
    const isTyped = style === "key" && model.typing !== undefined;
    if (isTyped) paintTyped(surface, end, top + i, CARET, theme.key);
  }
}

function cursorLines({ inner, data, model }: PaintContext): readonly FootLine[] {
  const { level } = model.choices;
  const { display } = model.parts.shown;
  if (level === undefined) return [];
  const { scale } = data.scale;
  const { bids, asks } = data.depth(Number.POSITIVE_INFINITY);
  const levels = level.side === "bid" ? bids : asks;
  const cost = selectBookCost({ levels, ...level, worstTicks: level.priceTicks }, scale);
  const price = display.number(formatUnits(`${level.priceTicks}`, scale?.tickSize));
  const texts =
    cost === undefined
      ? [`nothing is left up to ${price}`]
      : formatCost(level.side === "bid" ? "sell" : "buy", cost, display, inner.width);
  const marks = formatMarks(model, level);
  return [
    { texts, style: "strong" },
    ...(marks.length === 0 ? [] : [{ texts: marks, style: "own" as const }]),
  ];
}

/** Marks of a level: the size of own orders, if it is known and not masked, and alerts. */
function formatMarks(model: MarketModel, level: BookLevel): readonly string[] {
  const lines = model.panes.orderbook.painted?.lines ?? [];
  const { own, alerts } = selectMarks(
    model,
    lines.flatMap((line) => (typeof line === "object" ? line : [])),
  )(level);
  return [
    ...(own === undefined ? [] : [ownWords(own, model)]),
    ...alerts.map(({ short }) => `alert ${short}`),
  ];
}

function ownWords({ sizeLots }: OwnStep, { parts, scale }: MarketModel): string {
  if (sizeLots === undefined || parts.shown.isMasked) return "own order";
  return `own ${parts.shown.display.number(formatUnits(`${sizeLots}`, scale?.lotSize))}`;
}

function amountLines({ inner, data, model }: PaintContext): readonly FootLine[] {
  const { typing } = model;
  const { amount: text } = model.choices;
  const { scale } = data.scale;
  const prompt: FootLine = { texts: [`amount ${text}`], style: "key" };
  const parsed = parseAmount(text, scale);
  if ("fault" in parsed) {
    const isBegun = typing === undefined || text.trim() !== "";
    const hint: FootLine = { texts: ["such as 2.5, or 10000 quote"], style: "dim" };
    const fault: FootLine = { texts: [parsed.fault], style: "bad" };
    // As many lines as with an amount, so that the ladder stays in place.
    return [prompt, isBegun ? fault : hint, { texts: [], style: "dim" }];
  }
  const { bids, asks } = data.depth(Number.POSITIVE_INFINITY);
  const sideLine = (verb: string, cost: AmountCost): FootLine => ({
    texts: amountTexts(verb, cost, model.parts.shown.display, inner.width),
    style: cost.isEnough ? "strong" : "notice",
  });
  return [
    prompt,
    sideLine("buy", selectAmountCost(asks, parsed.amount, scale)),
    sideLine("sell", selectAmountCost(bids, parsed.amount, scale)),
  ];
}

function amountTexts(
  verb: string,
  { cost, isEnough }: AmountCost,
  display: Display,
  room: number,
): readonly string[] {
  if (cost !== undefined) return formatCost(isEnough ? verb : `only ${verb}`, cost, display, room);
  return [isEnough ? `${verb}: too little for one lot` : `${verb}: the side is empty`];
}

/** The distance of the average from the best price matters most: with less room, other figures are shortened or dropped. */
function formatCost(
  verb: string,
  { size, average, shortAverage, slippage, levels, value }: BookCost,
  display: Display,
  room: number,
): readonly string[] {
  const trade = `${verb} ${display.number(size)}`;
  const short = `${display.money(slippage)} bp`;
  const forms = [
    [`${trade} at ${display.number(average)}`, `${slippage} bp`],
    [`${trade} at ${display.number(shortAverage)}`, `${slippage} bp`],
    [`${trade} at ${display.number(shortAverage)}`, short],
    [trade, short],
    [verb, short],
  ];
  const fitting = forms.find((form) => fitTexts(form, room) === form.join("  ")) ?? [short];
  const levelCount = `${levels} ${levels === 1 ? "level" : "levels"}`;
  return [...fitting, levelCount, `for ${display.money(value)}`];
}
