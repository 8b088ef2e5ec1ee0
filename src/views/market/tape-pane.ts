// The trades of a market as a pane: sweeps, holes, own fills, small trades passed over.

import { selectFills } from "../../rows/account.ts";
import { formatNumber, formatShort } from "../../rows/format.ts";
import { scaleOf } from "../../rows/market.ts";
import { selectTape, type TapeRow } from "../../rows/tape.ts";
import type { Pane } from "../../screen/pane.ts";
import type { Ui } from "../../screen/ui.ts";
import type { Moment } from "../../state/moment.ts";
import { select } from "../../state/store.ts";
import type { Tape } from "../../state/tape.ts";
import { multiplyDecimal } from "../../units/decimal.ts";
import { Memo } from "../../units/memo.ts";
import { formatUnits, type Scale } from "../../units/scale.ts";
import { formatIsoMs, msOfNs } from "../../units/time.ts";
import { formatState, isCurrent } from "../states.ts";
import { minimum, shownOf } from "./state.ts";
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
    const { state } = formatState(moment, `trades/${ui.market}`);
    const theme = isCurrent(state) ? ui.theme : ui.theme.outdated;
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
    const scale = scaleOf(moment.store, ui.market);
    const columns = ["time", "side", "price", "size", "trades"];
    const rows = rowsOf(moment, ui, Number.MAX_SAFE_INTEGER, 0).flatMap((row) =>
      row.kind === "hole"
        ? []
        : [
            [
              formatIsoMs(msOfNs(row.timestampNs)),
              row.isBought ? "buy" : "sell",
              formatUnits(row.priceTicks, scale?.tickSize),
              formatUnits(`${row.lots}`, scale?.lotSize),
              String(row.trades),
            ],
          ],
    );
    return { name: "trades", columns, names: columns, rows };
  },
};

const texts = new Memo<ReturnType<typeof textsOf>>();

/** Trades come seldom, frames often. */
function shownTrades({ store }: Moment, ui: Ui, height: number, skip: number) {
  const tape = select(store, "trades", `trades/${ui.market}`);
  const open = tape?.holes.filter(({ healed }) => !healed).length;
  const scale = scaleOf(store, ui.market);
  const least = minimum.get(ui);
  const { display } = ui;
  const { trades = [] } = tape ?? {};
  return texts.get(
    [tape, trades.length, trades.at(-1), open, scale, least, display, height, skip],
    () =>
      textsOf(
        tape === undefined ? [] : tapeRows(tape, scale, least, height, skip),
        (ticks) => formatNumber(formatUnits(ticks, scale?.tickSize), display),
        (lots) => formatNumber(formatUnits(`${lots}`, scale?.lotSize), display),
        display,
      ),
  );
}

function rowsOf({ store }: Moment, ui: Ui, height: number, skip: number): readonly TapeRow[] {
  const tape = select(store, "trades", `trades/${ui.market}`);
  if (tape === undefined) return [];
  return tapeRows(tape, scaleOf(store, ui.market), minimum.get(ui), height, skip);
}

function tapeRows(
  tape: Tape,
  scale: Scale | undefined,
  least: number,
  height: number,
  skip: number,
): readonly TapeRow[] {
  if (least === 0 || scale === undefined) return selectTape(tape, height, skip);
  const isLarge = (row: TapeRow) =>
    row.kind === "hole" || worthOf(row.priceTicks, row.lots, scale) >= least;
  return selectTape(tape, Number.MAX_SAFE_INTEGER)
    .filter(isLarge)
    .slice(skip, skip + height);
}

function worthOf(ticks: string, lots: bigint, scale: Scale): number {
  const { mantissa, places } = multiplyDecimal(
    multiplyDecimal({ mantissa: BigInt(ticks), places: 0 }, scale.tickSize),
    multiplyDecimal({ mantissa: lots, places: 0 }, scale.lotSize),
  );
  return Number(mantissa) / 10 ** places;
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
