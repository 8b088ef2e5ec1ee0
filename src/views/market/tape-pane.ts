// The trades of a market as a pane: sweeps, holes, own fills, small trades passed over.

import { selectFills } from "../../rows/account.ts";
import { formatShort } from "../../rows/format.ts";
import { selectTape, type TapeRow } from "../../rows/tape.ts";
import type { Pane } from "../../screen/pane.ts";
import { formatState, themeOf } from "../../screen/states.ts";
import type { Ui } from "../../screen/ui.ts";
import type { Moment } from "../../state/moment.ts";
import { select } from "../../state/store.ts";
import { approximate, multiplyDecimal } from "../../units/decimal.ts";
import { Memo } from "../../units/memo.ts";
import type { Scale } from "../../units/scale.ts";
import { formatIsoMs, msOfNs } from "../../units/time.ts";
import { minimum, shownOf } from "./choices.ts";
import { figuresOf } from "./figures.ts";
import { drawTape, textsOf } from "./tape-picture.ts";

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
    const { tape, scrolled } = shownOf(ui);
    const shown = shownTrades(moment, ui, surface.height, scrolled);
    if (shown.rows.length === 0) surface.text(1, 0, "no trade yet", theme.tones.dim);
    const own = ownTimes(moment, ui);
    const isOwn = (row: Extract<TapeRow, { kind: "trade" }>) => own.has(msOfNs(row.timestampNs));
    drawTape(surface, { ...shown, isOwn }, tape, theme);
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

const texts = new Memo<ReturnType<typeof textsOf>>();

/** Trades come seldom, frames often. */
function shownTrades(moment: Moment, ui: Ui, height: number, skip: number) {
  const { store } = moment;
  const { display, market } = ui;
  const tape = select(store, "trades", `trades/${market}`);
  const open = tape?.holes.filter(({ healed }) => !healed).length;
  const { scale, price, size } = figuresOf(store, market, display);
  const { trades = [] } = tape ?? {};
  return texts.get(
    [tape, trades.length, trades.at(-1), open, scale, minimum.get(ui), display, height, skip],
    () => textsOf(rowsOf(moment, ui, height, skip), price, size, display),
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
