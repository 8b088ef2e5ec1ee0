// The trades of a market as a pane: newest first, one row for each sweep of a taker, holes where trades are missing, own fills;
// small trades can be passed over.
//
//   ◆ 08:11:58.987 ▲ 97,022.52  +0.2663  ×4  ███

import { selectFills } from "../../rows/account.ts";
import { formatShort, formatSpan, formatTime } from "../../rows/format.ts";
import { selectTape, type TapeRow } from "../../rows/tape.ts";
import type { Pane } from "../../screen/pane.ts";
import { formatState, themeOf } from "../../screen/states.ts";
import type { Theme } from "../../screen/theme.ts";
import type { Ui } from "../../screen/ui.ts";
import type { Moment } from "../../state/moment.ts";
import { select } from "../../state/store.ts";
import { barText, eighthsOf } from "../../terminal/bars.ts";
import type { Surface } from "../../terminal/surface.ts";
import { approximate, multiplyDecimal } from "../../units/decimal.ts";
import { Memo } from "../../units/memo.ts";
import type { Scale } from "../../units/scale.ts";
import { formatIsoMs, msOfNs } from "../../units/time.ts";
import { minimum, shownOf } from "./choices.ts";
import { figuresOf } from "./figures.ts";

type Trade = Extract<TapeRow, { kind: "trade" }>;

const scrollBy = (rows: number) => (ui: Ui) => {
  const shown = shownOf(ui);
  shown.scrolled = Math.max(0, shown.scrolled + rows);
};
const PAGE = 20;

export const TAPE_PANE: Pane = {
  name: "trades",
  channels: ({ market }) => [`trades/${market}`],
  keys: [
    { key: "down j", says: "trades: older", run: scrollBy(1) },
    { key: "up k", says: "trades: newer", run: scrollBy(-1) },
    { key: "page-down", says: "trades: a page older", run: scrollBy(PAGE) },
    { key: "page-up", says: "trades: a page newer", run: scrollBy(-PAGE) },
    { key: "home", says: "trades: the newest", run: scrollBy(Number.NEGATIVE_INFINITY) },
    { key: "+ =", says: "trades: pass over more small ones", hint: "larger", run: minimum.more },
    { key: "-", says: "trades: pass over fewer small ones", run: minimum.less },
  ],
  title(moment, ui) {
    const least = minimum.get(ui);
    const { scrolled } = shownOf(ui);
    return [
      "Trades",
      least === 0 ? "" : `from ${formatShort(String(least))}`,
      scrolled === 0 ? "" : `${scrolled} rows back`,
      formatState(moment, `trades/${ui.market}`).text,
    ];
  },
  draw(surface, moment, ui) {
    const theme = themeOf(moment, `trades/${ui.market}`, ui);
    const lines = linesOf(moment, ui, surface.height);
    if (lines.length === 0) surface.text(1, 0, "no trade yet", theme.tones.dim);
    drawTape(surface, lines, ownTimes(moment, ui), shownOf(ui).tape, theme);
  },
  point({ action }, ui) {
    if (action === "wheel-down") scrollBy(3)(ui);
    if (action === "wheel-up") scrollBy(-3)(ui);
  },
  sheet(moment, ui) {
    const { price, size } = figuresOf(moment.store, ui.market);
    const rows = rowsOf(moment, ui, Number.MAX_SAFE_INTEGER, 0).filter(
      (row) => row.kind === "trade",
    );
    return {
      name: "trades",
      columns: ["time", "side", "price", "size", "trades"],
      rows: rows.map(({ timestampNs, isBought, priceTicks, lots, trades }) => [
        ...[formatIsoMs(msOfNs(timestampNs)), isBought ? "buy" : "sell"],
        ...[price(priceTicks), size(lots), String(trades)],
      ]),
    };
  },
};

interface Line {
  readonly row: TapeRow;
  /** Empty for a hole. */
  readonly price: string;
  readonly size: string;
  /** With milliseconds. */
  readonly time: string;
}

const lines = new Memo<readonly Line[]>();

/** Trades come seldom, frames often. */
function linesOf(moment: Moment, ui: Ui, height: number): readonly Line[] {
  const { store } = moment;
  const { display, market } = ui;
  const { scrolled } = shownOf(ui);
  const tape = select(store, "trades", `trades/${market}`);
  const open = tape?.holes.filter(({ healed }) => !healed).length;
  const { scale, price, size } = figuresOf(store, market, display);
  const { trades = [] } = tape ?? {};
  const lineOf = (row: TapeRow): Line => {
    if (row.kind === "hole") return { row, price: "", size: "", time: "" };
    const time = formatTime(msOfNs(row.timestampNs), display, true);
    return { row, price: price(row.priceTicks), size: size(row.lots), time };
  };
  return lines.get(
    [tape, trades.length, trades.at(-1), open, scale, minimum.get(ui), display, height, scrolled],
    () => rowsOf(moment, ui, height, scrolled).map(lineOf),
  );
}

/** Of at least the value that was chosen. */
function rowsOf({ store }: Moment, ui: Ui, height: number, skip: number): readonly TapeRow[] {
  const tape = select(store, "trades", `trades/${ui.market}`);
  const { scale } = figuresOf(store, ui.market);
  const least = minimum.get(ui);
  if (tape === undefined) return [];
  if (least === 0 || scale === undefined) return selectTape(tape, height, skip);
  return selectTape(tape, Number.MAX_SAFE_INTEGER)
    .filter((row) => row.kind === "hole" || worthOf(row.priceTicks, row.lots, scale) >= least)
    .slice(skip, skip + height);
}

function worthOf(ticks: string, lots: bigint, { tickSize, lotSize }: Scale): number {
  const { mantissa, places } = multiplyDecimal(tickSize, lotSize);
  return approximate({ mantissa: BigInt(ticks) * lots * mantissa, places });
}

const fillTimes = new Memo<ReadonlySet<number>>();
const NONE: ReadonlySet<number> = new Set();

/** Milliseconds of own fills in this market: a fill and its trade have one time. */
function ownTimes({ store }: Moment, { account, market, isMasked }: Ui): ReadonlySet<number> {
  const fills = account === undefined || isMasked ? undefined : selectFills(store, account);
  if (fills === undefined) return NONE;
  return fillTimes.get([fills, market], () => {
    const own = fills.slice(0, 200).filter((fill) => fill.market === market);
    return new Set(own.flatMap(({ timeMs }) => timeMs ?? []));
  });
}

const MIN_BAR = 4;
/** Between a size and its bar, with room for the count of trades. */
const BAR_GAP = 6;
/** With milliseconds, or without where there is little room. */
const TIME_WIDTHS = [12, 8, 0];

/**
 * @param own milliseconds of own fills
 * @param widths they grow with what is shown, so that columns stay
 */
function drawTape(
  surface: Surface,
  lines: readonly Line[],
  own: ReadonlySet<number>,
  widths: { price: number; size: number },
  { tones }: Theme,
): void {
  let largest = 1n;
  for (const { row, price, size } of lines) {
    widths.price = Math.max(widths.price, price.length);
    widths.size = Math.max(widths.size, size.length + 1);
    if (row.kind === "trade" && row.lots > largest) largest = row.lots;
  }
  const besides = 2 + 3 + widths.price + widths.size + 2;
  const timeWidth = TIME_WIDTHS.find((width) => width + besides <= surface.width) ?? 0;
  const priceX = 2 + (timeWidth > 0 ? timeWidth + 1 : 0);
  const priceEnd = priceX + 2 + widths.price;
  const sizeEnd = priceEnd + 2 + widths.size;
  const room = surface.width - sizeEnd - BAR_GAP;
  const drawTrade = (y: number, row: Trade, { price, size, time }: Line) => {
    const style = row.isBought ? tones.gain : tones.loss;
    const [glyph, sign] = row.isBought ? ["▲", "+"] : ["▼", "−"];
    if (own.has(msOfNs(row.timestampNs))) surface.text(0, y, "◆", tones.own);
    surface.text(2, y, time.slice(0, timeWidth), tones.dim);
    surface.text(priceX, y, glyph, style);
    surface.textRight(priceEnd, y, price, style);
    surface.textRight(sizeEnd, y, sign + size, style);
    const count = row.trades > 1 ? `×${row.trades}` : "";
    if (sizeEnd + 1 + count.length <= surface.width) surface.text(sizeEnd + 1, y, count, tones.dim);
    if (room < MIN_BAR) return;
    const bar = barText(eighthsOf(Number(row.lots), Number(largest), room));
    surface.text(sizeEnd + BAR_GAP, y, bar, style);
  };
  for (const [y, line] of lines.entries()) {
    const { row } = line;
    if (row.kind === "trade") drawTrade(y, row, line);
    else {
      const ms = Math.max(0, msOfNs(row.untilNs) - msOfNs(row.afterNs));
      surface.text(1, y, `┄┄ not seen ${formatSpan(ms)} ┄┄`, tones.notice);
    }
  }
}
