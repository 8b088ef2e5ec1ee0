// The market's view: what is the price doing, who is in the book, what do I hold here.

import { lastPrice } from "../../rows/market.ts";
import type { Layout, Slot, View } from "../../screen/pane.ts";
import type { Ui } from "../../screen/ui.ts";
import { askForAlert } from "../alerts.ts";
import { BOOK_KEYS, BOOK_PANE, cursorPrice, MIN_BOOK, minBookWidth } from "./book-pane.ts";
import { CHART_KEYS, CHART_PANE, crosshairPrice } from "./chart-pane.ts";
import { footprint, heatmap, preset, shownOf } from "./choices.ts";
import { MIN_FOOTPRINT } from "./footprint.ts";
import { HEADER_PANE } from "./header.ts";
import { HEAT_KEYS, HEAT_PANE } from "./heat-pane.ts";
import { TAPE_PANE } from "./tape-pane.ts";

/** What the others do not need is its; a footprint needs more than candles do. */
const chart = (ui: Ui): Slot => {
  if (heatmap.get(ui)) return HEAT;
  const columns = footprint.get(ui) ? Math.min(ui.columns, MIN_FOOTPRINT.columns) : 30;
  return { pane: CHART_PANE, grow: 6, min: [columns, 6], goes: 1 };
};
const HEAT: Slot = { pane: HEAT_PANE, grow: 6, min: [30, 6], goes: 1 };
/** Further columns that were asked for are shown, if need be in place of the chart. */
const book = (ui: Ui): Slot => ({
  pane: BOOK_PANE,
  ...{ grow: 1, min: [minBookWidth(ui), 6], goes: minBookWidth(ui) > MIN_BOOK ? -1 : 3 },
});
/** With its times, unless the book needs the room. */
const tape = (ui: Ui): Slot => ({
  pane: TAPE_PANE,
  ...{ grow: 1, min: [minBookWidth(ui) > MIN_BOOK ? 26 : 33, 5], goes: 4 },
});
/** By preset: what stands beside each other. */
const PRESETS: Readonly<Record<number, (ui: Ui) => readonly Slot[]>> = {
  1: (ui) => [chart(ui), book(ui), tape(ui)],
  2: (ui) => [book(ui), tape(ui)],
  3: (ui) => [chart(ui), book(ui)],
  4: (ui) => [HEAT, book(ui)],
};

function layout(ui: Ui): Layout {
  const slots = PRESETS[preset.get(ui)]?.(ui) ?? [];
  const rows = ui.account === undefined ? 2 : 3;
  return {
    column: [
      { pane: HEADER_PANE, grow: 0, min: [20, rows], goes: 2 },
      // The first is the last to go.
      { row: slots.map((slot, i) => (i === 0 ? { ...slot, goes: 0 } : slot)) },
    ],
  };
}

const show = (number: 1 | 2 | 3 | 4, says: string) => ({
  key: String(number),
  says,
  run(ui: Ui) {
    preset.set(ui, number);
    if (number !== 3) return;
    heatmap.set(ui, false);
    ui.focusOn(CHART_PANE);
  },
});

/** One field, prefilled with the price at the cursor, the crosshair, or the last one, on the side on which the price is not yet. */
function alertAtPrice(ui: Ui): void {
  const last = lastPrice(ui.moment.store, ui.market);
  const price = cursorPrice(ui) ?? crosshairPrice(ui) ?? last;
  const isBelow = price !== undefined && last !== undefined && Number(price) < Number(last);
  askForAlert(ui, `last ${isBelow ? "<" : ">"} ${price ?? ""}`);
}

function putAway(ui: Ui): void {
  if (!ui.back()) Object.assign(shownOf(ui), { crosshair: undefined, level: undefined, pan: 0 });
}

function star(ui: Ui): void {
  ui.notify(ui.star(ui.market) ? "★ starred" : "no star any more");
}

export const MARKET: View = {
  name: "market",
  title: "Market",
  isOfMarket: true,
  least: HEADER_PANE,
  key: "D",
  layout,
  keys: [
    ...CHART_KEYS,
    ...BOOK_KEYS,
    ...HEAT_KEYS,
    { key: "escape", says: "no crosshair, no cursor", run: putAway },
    { key: "*", says: "star the market, or take its star away", run: star },
    {
      key: "!",
      says: "alert at the cursor, the crosshair or the last price",
      hint: "alert",
      run: alertAtPrice,
    },
    show(1, "all panes of the market"),
    show(2, "book and trades"),
    show(3, "chart and book"),
    show(4, "heatmap and book"),
  ],
};
