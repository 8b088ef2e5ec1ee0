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
  type Ladder,
  type LadderRow,
  selectLadder,
  type Taken,
  takeLots,
} from "../../rows/ladder.ts";
import { findListed, lastPrice, marketLabel, scaleOf } from "../../rows/market.ts";
import { allFields } from "../../rows/read.ts";
import { drawFacts, type Fact } from "../../screen/frame.ts";
import type { Key, Pane } from "../../screen/pane.ts";
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
import { formatUnits, type Scale } from "../../units/scale.ts";
import { formatState, isCurrent } from "../states.ts";
import { basisPoints } from "./header.ts";
import { drawLadder, type LadderExtra, type LadderInput, spreadRowOf } from "./ladder-picture.ts";
import { depth, grouping, pulled, type Shown, shownOf, traded } from "./state.ts";

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

/** Of the row under the cursor, else of the best bid; exact text. */
export function cursorPrice(ui: Ui): string | undefined {
  const { moment, market } = ui;
  const book = bookOf(moment.store, market);
  if (book === undefined) return undefined;
  const ladder = selectLadder(book, groupingTicks(ui, moment), MAX_ROWS);
  const row = cursorOf(ladder, shownOf(ui).level);
  return row && formatUnits(`${row.priceTicks}`, scaleOf(moment.store, market)?.tickSize);
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
    const scale = scaleOf(moment.store, ui.market);
    const step = formatUnits(`${groupingTicks(ui, moment)}`, scale?.tickSize);
    const unit = scale === undefined ? "ticks, lots" : "";
    return ["Book", step, unit, formatState(moment, `orderbook/${ui.market}`).text];
  },
  draw(surface, moment, ui) {
    const book = bookOf(moment.store, ui.market);
    const { tones } = ui.theme;
    if (book === undefined || surface.height < 3) {
      surface.text(1, 0, "waiting for the book", tones.dim);
      return;
    }
    const { state } = formatState(moment, `orderbook/${ui.market}`);
    const theme = isCurrent(state) ? ui.theme : ui.theme.outdated;
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
    const book = bookOf(moment.store, ui.market);
    const ladder = selectLadder(
      book ?? { bids: [], asks: [] },
      groupingTicks(ui, moment),
      Math.min(MAX_ROWS, ui.depth),
    );
    const scale = scaleOf(moment.store, ui.market);
    const line = (side: string) => (row: LadderRow) => [
      side,
      formatUnits(`${row.priceTicks}`, scale?.tickSize),
      formatUnits(`${row.lots}`, scale?.lotSize),
      formatUnits(`${row.totalLots}`, scale?.lotSize),
    ];
    const columns = ["side", "price", "size", "sum"];
    const rows = [...ladder.asks.toReversed().map(line("ask")), ...ladder.bids.map(line("bid"))];
    return { name: "book", columns, names: columns, rows };
  },
};

function inputOf(
  moment: Moment,
  ui: Ui,
  book: Book,
  { shown, rows }: { readonly shown: Shown; readonly rows: number },
): LadderInput {
  const { store } = moment;
  const scale = scaleOf(store, ui.market);
  const step = groupingTicks(ui, moment);
  const ladder = selectLadder(book, step, Math.min(rows, ui.depth));
  const own = ui.account === undefined ? [] : ownOrderTicks(store, ui.account, ui.market);
  const ownRows = new Set(
    ui.isMasked
      ? []
      : own.map(({ side, ticks }) => `${side}${groupTicks(ticks, step, side === "ask")}`),
  );
  const percent = imbalancePercent(ladder);
  return {
    ladder,
    spreadRow: shown.spreadRow ?? 0,
    spread: spreadText(book, ui, scale?.tickSize),
    shares: percent === undefined ? "" : `${Math.round(percent)} : ${100 - Math.round(percent)}`,
    price: ({ priceTicks }) =>
      formatNumber(formatUnits(`${priceTicks}`, scale?.tickSize), ui.display),
    size: (lots) => formatNumber(formatUnits(`${lots}`, scale?.lotSize), ui.display),
    isOwn: (side, ticks) => ownRows.has(`${side}${ticks}`),
    extras: [
      ...(traded.get(ui) ? tradedExtras(moment, ui, step) : []),
      ...(pulled.get(ui) ? stackedExtras(moment, ui, book, shown) : []),
    ],
    isDepthOwn: depth.get(ui) === "own",
    cursor: cursorOf(ladder, shown.level),
  };
}

function spreadText(book: Book, ui: Ui, tick: Parameters<typeof formatUnits>[1]): string {
  const [bid, ask] = [book.bids[0], book.asks[0]];
  if (bid === undefined || ask === undefined) return "one side is empty";
  const [low, high] = [BigInt(bid.price_ticks), BigInt(ask.price_ticks)];
  if (high < low) return "crossed";
  const size = formatNumber(formatUnits(`${high - low}`, tick), ui.display);
  return `${size}  ${basisPoints(high - low, low)}bp`;
}

/** What takers sold and bought at each row in the last eight minutes. */
function tradedExtras(moment: Moment, ui: Ui, step: bigint): readonly LadderExtra[] {
  const { store } = moment;
  const scale = scaleOf(store, ui.market);
  const fromMs = Math.floor((serviceMs(moment) - TRADED_MS) / 60_000) * 60_000;
  const flow = knownFlow(store, ui.market);
  const at = selectTradedAtRows(flow, { fromMs, untilMs: Number.POSITIVE_INFINITY }, step);
  const column = (
    title: string,
    tone: "gain" | "loss",
    key: keyof typeof NOTHING_TRADED,
  ): LadderExtra => ({
    title,
    tone,
    text: (side, { priceTicks }) => {
      const lots = at(side, priceTicks)[key];
      return lots === 0n ? "" : formatNumber(formatUnits(`${lots}`, scale?.lotSize), ui.display);
    },
  });
  return [column("sold", "loss", "soldLots"), column("bought", "gain", "boughtLots")];
}

/** What was put there (+) or taken away (−) in the last five seconds, beside trades. */
function stackedExtras(moment: Moment, ui: Ui, book: Book, shown: Shown): readonly LadderExtra[] {
  const { store, nowMs } = moment;
  const firstAtMs = store.channels.get(`orderbook/${ui.market}`)?.firstAtMs ?? 0;
  const at = { nowMs, serviceMs: serviceMs(moment), firstAtMs };
  shown.books = keepBook(shown.books, book, at);
  const [before] = shown.books;
  if (before === undefined) return [];
  const { trades = [] } = select(store, "trades", `trades/${ui.market}`) ?? {};
  const scale = scaleOf(store, ui.market);
  const step = groupingTicks(ui, moment);
  const stacked = selectStacked(before, trades, step, MAX_ROWS);
  const text: LadderExtra["text"] = (side, { priceTicks, lots }) => {
    const change = stacked(side, priceTicks, lots);
    return change === 0n ? "" : formatSigned(formatUnits(`${change}`, scale?.lotSize), ui.display);
  };
  return [{ title: "±5 s", tone: "accent", text }];
}

function cursorOf({ bids, asks }: Ladder, level: number | undefined): LadderInput["cursor"] {
  if (level === undefined || level === 0) return undefined;
  const row = level > 0 ? asks[level - 1] : bids[-level - 1];
  return row && { side: level > 0 ? "ask" : "bid", priceTicks: row.priceTicks };
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
  const { store } = moment;
  const scale = scaleOf(store, ui.market);
  const book = bookOf(store, ui.market);
  const { amount, level } = shownOf(ui);
  if (book === undefined || scale === undefined) return [];
  if (amount !== "") return amountLines(book, amount, ui, scale);
  if (level === undefined) return [];
  const ladder = selectLadder(book, groupingTicks(ui, moment), MAX_ROWS);
  const row = level > 0 ? ladder.asks[level - 1] : ladder.bids[-level - 1];
  const best = (level > 0 ? book.asks : book.bids)[0]?.price_ticks;
  if (row === undefined || best === undefined) return [];
  const value = row.totalValue * scale.tickSize.mantissa * scale.lotSize.mantissa;
  const cost = { mantissa: value, places: scale.tickSize.places + scale.lotSize.places };
  const size = formatNumber(formatUnits(`${row.totalLots}`, scale.lotSize), ui.display);
  const worth = formatNumber(formatDecimal(roundDecimal(cost, 2)), ui.display);
  return [
    [bright(`${level > 0 ? "buy" : "sell"} ${size} for ${worth}`)],
    averageFacts({ lots: row.totalLots, value: row.totalValue }, BigInt(best), ui, scale),
  ];
}

/** The average price of what is taken, and how far from the best one it is. */
function averageFacts(
  taken: Pick<Taken, "lots" | "value">,
  best: bigint,
  ui: Ui,
  { tickSize }: Scale,
): readonly Fact[] {
  const average = averageTicks(taken);
  const price = multiplyDecimal(average, tickSize);
  const away = average.mantissa - best * 10n ** BigInt(average.places);
  const far = basisPoints(away < 0n ? -away : away, best * 10n ** BigInt(average.places));
  const text = formatNumber(formatDecimal(roundDecimal(price, tickSize.places)), ui.display);
  return [bright(`avg ${text}`), bright(`${far}bp`)];
}

function amountLines(book: Book, amount: string, ui: Ui, scale: Scale) {
  const wanted = parseDecimal(amount);
  const lots = wanted === undefined ? 0n : unitsIn(wanted, scale.lotSize);
  const line = (word: string, levels: Book["bids"]): readonly Fact[] => {
    const taken = takeLots(levels, lots);
    const [best] = levels;
    if (taken === undefined || best === undefined)
      return [bright(`${word} ${amount}: nothing there`)];
    const part = taken.lots < lots ? " not all" : "";
    return [
      bright(`${word} ${amount}${part}`),
      ...averageFacts(taken, BigInt(best.price_ticks), ui, scale),
    ];
  };
  return [line("buy", book.asks), line("sell", book.bids)];
}

const bright = (text: string): Fact => ({ text, tone: "bright" });

/** Whole lots in a size. */
function unitsIn(size: Decimal, { mantissa, places }: Decimal): bigint {
  const most = Math.max(size.places, places);
  return widenDecimal(size, most).mantissa / (mantissa * 10n ** BigInt(most - places));
}
