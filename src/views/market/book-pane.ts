// The order book as a pane: grouping, own orders, what traded and what was pulled at each row, a cursor that says what it costs.

import { ownOrderTicks } from "../../rows/account.ts";
import { keepBook, selectStacked } from "../../rows/book-change.ts";
import { type NOTHING_TRADED, selectTradedAtRows } from "../../rows/flow.ts";
import { formatNumber, formatSigned } from "../../rows/format.ts";
import { knownFlow } from "../../rows/known-flow.ts";
import {
  averageTicks,
  groupTicks,
  imbalancePercent,
  type LadderRow,
  selectLadder,
  type Taken,
  takeLots,
} from "../../rows/ladder.ts";
import { findListed, lastPrice, marketLabel, scaleOf } from "../../rows/market.ts";
import { allFields } from "../../rows/read.ts";
import { drawFacts, type Fact } from "../../screen/frame.ts";
import type { Key, Pane } from "../../screen/pane.ts";
import { formatState, themeOf } from "../../screen/states.ts";
import type { Ui } from "../../screen/ui.ts";
import type { Book } from "../../state/book.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import { type Store, select } from "../../state/store.ts";
import {
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  roundDecimal,
  widenDecimal,
} from "../../units/decimal.ts";
import { groupingSteps } from "../../units/round-steps.ts";
import type { Scale } from "../../units/scale.ts";
import { depth, grouping, pulled, type Shown, shownOf, traded } from "./choices.ts";
import { basisPoints, type Figures, figuresOf, spreadText } from "./figures.ts";
import { drawLadder, type LadderColumn, type LadderInput, spreadRowOf } from "./ladder-picture.ts";

const MAX_ROWS = 200;
const TRADED_MS = 480_000;

const bookOf = (store: Store, market: string) => select(store, "orderbook", `orderbook/${market}`);

/** Ticks of a row, by the chosen step; 1 while there is no book. */
function groupingTicks(ui: Ui, { store }: Moment): bigint {
  const best = bookOf(store, ui.market)?.bids[0]?.price_ticks;
  return best === undefined ? 1n : (groupingSteps(BigInt(best))[grouping.get(ui)] ?? 1n);
}

export const BOOK_KEYS: readonly Key[] = [
  { key: "[", says: "book: finer rows", hint: "finer", run: grouping.less },
  { key: "]", says: "book: coarser rows", hint: "coarser", run: grouping.more },
  { key: "S", says: "book: what was sold and bought at each row", run: traded.next },
  { key: "b", says: "book: what was stacked or pulled lately", run: pulled.next },
  { key: "t", says: "book: bars of all sizes up to a row, or of its own", run: depth.next },
  { key: "c", says: "book: what filling up to a row costs", hint: "cost", run: toggleCursor },
  { key: "C", says: "book: what a size costs", run: askAmount },
];

export const MIN_BOOK = 32;

/** Rows that have further columns need more room; they take it from the chart. */
export function minBookWidth(ui: Ui): number {
  return MIN_BOOK + (traded.get(ui) ? 16 : 0) + (pulled.get(ui) ? 10 : 0);
}

function toBest(ui: Ui): void {
  const shown = shownOf(ui);
  if (shown.level !== undefined) shown.level = 1;
}

/** Of the row under the cursor; exact text. */
export function cursorPrice(ui: Ui): string | undefined {
  const { moment, market } = ui;
  const row = cursorRow(moment, ui)?.row;
  return row && figuresOf(moment.store, market).price(row.priceTicks);
}

/** The row under the cursor, and its side. */
function cursorRow(moment: Moment, ui: Ui) {
  const { level } = shownOf(ui);
  const book = bookOf(moment.store, ui.market);
  if (book === undefined || level === undefined) return undefined;
  const { asks, bids } = selectLadder(book, groupingTicks(ui, moment), MAX_ROWS);
  const row = level > 0 ? asks[level - 1] : bids[-level - 1];
  return row && { row, side: level > 0 ? ("ask" as const) : ("bid" as const) };
}

function copyPrice(ui: Ui): void {
  ui.copy(cursorPrice(ui) ?? lastPrice(ui.moment.store, ui.market) ?? "", "price");
}

/** Tick, lot and where they are from, and the record as it came. */
function showMarket(ui: Ui): void {
  const { market } = ui;
  ui.openPanel(marketLabel(ui.moment.store, market), () => {
    const { store } = ui.moment;
    const scale = scaleOf(store, market);
    return [
      ["tick", scale === undefined ? "not known" : formatDecimal(scale.tickSize)],
      ["lot", scale === undefined ? "not known" : formatDecimal(scale.lotSize)],
      ["", ""],
      ...allFields(findListed(store, market)?.record ?? {}),
    ];
  });
}

const moveCursor = (rows: number) => (ui: Ui) => {
  const shown = shownOf(ui);
  if (shown.level !== undefined) shown.level += shown.level + rows === 0 ? rows * 2 : rows;
};

export const BOOK_PANE: Pane = {
  name: "book",
  isFast: true,
  channels: ({ market }) => [`orderbook/${market}`, `bbo/${market}`],
  keys: [
    { key: "up k", says: "cursor up", run: moveCursor(1) },
    { key: "down j", says: "cursor down", run: moveCursor(-1) },
    { key: "home", says: "cursor to the best price", run: toBest },
    { key: "enter", says: "all that is known of the market", run: showMarket },
    { key: "y", says: "copy the price at the cursor", run: copyPrice },
  ],
  title(moment, ui) {
    const { scale, price } = figuresOf(moment.store, ui.market);
    const unit = scale === undefined ? "ticks, lots" : "";
    const { text } = formatState(moment, `orderbook/${ui.market}`);
    return ["Book", price(groupingTicks(ui, moment)), unit, text];
  },
  draw(surface, moment, ui) {
    const book = bookOf(moment.store, ui.market);
    if (book === undefined || surface.height < 3) {
      surface.text(1, 0, "waiting for the book", ui.theme.tones.dim);
      return;
    }
    const theme = themeOf(moment, `orderbook/${ui.market}`, ui);
    const shown = shownOf(ui);
    const costs = costLines(moment, ui);
    const rows = surface.height - costs.length;
    shown.spreadRow = spreadRowOf(rows, shown.spreadRow);
    const area = surface.part(0, 0, surface.width, rows);
    drawLadder(area, inputOf(moment, ui, book, { shown, rows }), shown.widths, theme);
    for (const [i, facts] of costs.entries()) drawFacts(surface, 1, rows + i, theme, facts, 1);
  },
  point({ action }, ui) {
    if (action === "wheel-up") grouping.less(ui);
    if (action === "wheel-down") grouping.more(ui);
  },
  sheet(moment, ui) {
    const book = bookOf(moment.store, ui.market) ?? { bids: [], asks: [] };
    const rows = Math.min(MAX_ROWS, ui.depth);
    const { asks, bids } = selectLadder(book, groupingTicks(ui, moment), rows);
    const { price, size } = figuresOf(moment.store, ui.market);
    const line =
      (side: string) =>
      ({ priceTicks, lots, totalLots }: LadderRow) => [
        ...[side, price(priceTicks), size(lots), size(totalLots)],
      ];
    return {
      name: "book",
      columns: ["side", "price", "size", "sum"],
      rows: [...asks.toReversed().map(line("ask")), ...bids.map(line("bid"))],
    };
  },
};

function inputOf(
  moment: Moment,
  ui: Ui,
  book: Book,
  { shown, rows }: { readonly shown: Shown; readonly rows: number },
): LadderInput {
  const { store } = moment;
  const figures = figuresOf(store, ui.market, ui.display);
  const step = groupingTicks(ui, moment);
  const ladder = selectLadder(book, step, Math.min(rows, ui.depth));
  const own = ui.account === undefined ? [] : ownOrderTicks(store, ui.account, ui.market);
  const ownRows = new Set(
    ui.isMasked
      ? []
      : own.map(({ side, ticks }) => `${side}${groupTicks(ticks, step, side === "ask")}`),
  );
  const percent = imbalancePercent(ladder);
  const [bid, ask] = [book.bids[0]?.price_ticks, book.asks[0]?.price_ticks];
  const { row, side = "ask" } = cursorRow(moment, ui) ?? {};
  return {
    ladder,
    spreadRow: shown.spreadRow ?? 0,
    spread: spreadText(bid, ask, figures) ?? "one side is empty",
    shares: percent === undefined ? "" : `${Math.round(percent)} : ${100 - Math.round(percent)}`,
    ...{ price: figures.price, size: figures.size },
    isOwn: (side, ticks) => ownRows.has(`${side}${ticks}`),
    extras: [
      ...(traded.get(ui) ? tradedExtras(moment, ui, step, figures) : []),
      ...(pulled.get(ui) ? stackedExtras(moment, ui, book, shown) : []),
    ],
    isDepthOwn: depth.get(ui) === "own",
    cursor: row && { side, priceTicks: row.priceTicks },
  };
}

/** What takers sold and bought at each row in the last eight minutes. */
function tradedExtras(
  moment: Moment,
  { market }: Ui,
  step: bigint,
  { size }: Figures,
): readonly LadderColumn[] {
  const fromMs = Math.floor((serviceMs(moment) - TRADED_MS) / 60_000) * 60_000;
  const flow = knownFlow(moment.store, market);
  const at = selectTradedAtRows(flow, { fromMs, untilMs: Number.POSITIVE_INFINITY }, step);
  const text =
    (key: keyof typeof NOTHING_TRADED): LadderColumn["text"] =>
    (side, { priceTicks }) => {
      const lots = at(side, priceTicks)[key];
      return lots === 0n ? "" : size(lots);
    };
  return [
    { title: "sold", tone: "loss", text: text("soldLots") },
    { title: "bought", tone: "gain", text: text("boughtLots") },
  ];
}

/** What was put there (+) or taken away (−) in the last five seconds, beside trades. */
function stackedExtras(moment: Moment, ui: Ui, book: Book, shown: Shown): readonly LadderColumn[] {
  const { store, nowMs } = moment;
  const firstAtMs = store.channels.get(`orderbook/${ui.market}`)?.firstAtMs ?? 0;
  const at = { nowMs, serviceMs: serviceMs(moment), firstAtMs };
  shown.books = keepBook(shown.books, book, at);
  const [before] = shown.books;
  if (before === undefined) return [];
  const { trades = [] } = select(store, "trades", `trades/${ui.market}`) ?? {};
  const { size } = figuresOf(store, ui.market);
  const stacked = selectStacked(before, trades, groupingTicks(ui, moment), MAX_ROWS);
  const text: LadderColumn["text"] = (side, { priceTicks, lots }) => {
    const change = stacked(side, priceTicks, lots);
    return change === 0n ? "" : formatSigned(size(change), ui.display);
  };
  return [{ title: "±5 s", tone: "accent", text }];
}

function toggleCursor(ui: Ui): void {
  const shown = shownOf(ui);
  shown.level = shown.level === undefined ? 1 : undefined;
  if (shown.level !== undefined) ui.focusOn(BOOK_PANE);
}

const SIZE_FORM = "in base, such as 2.5";

function askAmount(ui: Ui): void {
  const shown = shownOf(ui);
  ui.ask({
    label: "size",
    text: shown.amount,
    hint: (text) => (text === "" ? SIZE_FORM : ""),
    onDone(text) {
      if (text !== "" && !/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return SIZE_FORM;
      shown.amount = text;
      return undefined;
    },
  });
}

/** What the typed amount costs, or filling up to the row under the cursor. */
function costLines(moment: Moment, ui: Ui): readonly (readonly Fact[])[] {
  const { amount, level } = shownOf(ui);
  if (amount === "" && level === undefined) return [];
  const { scale, size } = figuresOf(moment.store, ui.market, ui.display);
  const book = bookOf(moment.store, ui.market);
  if (book === undefined || scale === undefined) return [];
  const wanted = parseDecimal(amount);
  if (wanted !== undefined) {
    const lots = unitsIn(wanted, scale.lotSize);
    const line = (word: string, levels: Book["bids"]) => {
      const taken = takeLots(levels, lots);
      const part = taken === undefined ? ": nothing there" : taken.lots < lots ? " not all" : "";
      return [bright(`${word} ${amount}${part}`), ...averageFacts(taken, levels, ui, scale)];
    };
    return [line("buy", book.asks), line("sell", book.bids)];
  }
  const { row, side } = cursorRow(moment, ui) ?? {};
  if (row === undefined) return [];
  const { totalLots: lots, totalValue: value } = row;
  const unit = multiplyDecimal(scale.tickSize, scale.lotSize);
  const cost = { mantissa: value * unit.mantissa, places: unit.places };
  const worth = formatNumber(formatDecimal(roundDecimal(cost, 2)), ui.display);
  const [word, levels] = side === "ask" ? ["buy", book.asks] : ["sell", book.bids];
  return [
    [bright(`${word} ${size(lots)} for ${worth}`)],
    averageFacts({ lots, value }, levels, ui, scale),
  ];
}

/** The average price of what is taken, and how far from the best one it is. */
function averageFacts(
  taken: Pick<Taken, "lots" | "value"> | undefined,
  [first]: Book["bids"],
  { display }: Ui,
  { tickSize }: Scale,
): readonly Fact[] {
  if (taken === undefined || first === undefined) return [];
  const average = averageTicks(taken);
  const best = BigInt(first.price_ticks) * 10n ** BigInt(average.places);
  const away = average.mantissa - best;
  const price = roundDecimal(multiplyDecimal(average, tickSize), tickSize.places);
  return [
    bright(`avg ${formatNumber(formatDecimal(price), display)}`),
    bright(`${basisPoints(away < 0n ? -away : away, best)}bp`),
  ];
}

const bright = (text: string): Fact => ({ text, tone: "bright" });

/** Whole lots in a size. */
function unitsIn(size: Decimal, { mantissa, places }: Decimal): bigint {
  const most = Math.max(size.places, places);
  return widenDecimal(size, most).mantissa / (mantissa * 10n ** BigInt(most - places));
}
