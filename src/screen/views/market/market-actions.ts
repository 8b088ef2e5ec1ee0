// What keys do in the view of a market.

import { CANDLE_SOURCES } from "../../../select/market-data.ts";
import { GROUPINGS } from "../../../select/orderbook.ts";
import { MINIMUM_SIZES } from "../../../select/trades.ts";
import { INTERVALS } from "../../../wire/channels.ts";
import { hidePane, PRESETS, showPane, USUAL_ARRANGEMENT } from "../../arrangement.ts";
import type { Action } from "../../keys.ts";
import { COPY_ACTIONS } from "./market-copy.ts";
import type { MarketModel } from "./market-model.ts";

const PAGE = 10;

function step<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? value;
}

function bounded(place: number, values: readonly unknown[]): number {
  return Math.max(0, Math.min(values.length - 1, place));
}

type Act = (model: MarketModel) => void;

const preset =
  (name: keyof typeof PRESETS): Act =>
  (model) =>
    model.arrange({ ...model.settings.arrangement, shown: PRESETS[name] });

const scroll =
  (rows: number): Act =>
  (model) =>
    model.scrollBy(rows);

/** What is frozen has the candles of one interval and source only. */
const whileLive =
  (act: Act): Act =>
  (model) => {
    if (model.dashboard.still.sinceMs === undefined) act(model);
  };

const group =
  (steps: number): Act =>
  (model) =>
    model.change({ grouping: bounded(model.settings.grouping + steps, GROUPINGS) });

const hide =
  (steps: number): Act =>
  (model) =>
    model.change({ minimum: bounded(model.settings.minimum + steps, MINIMUM_SIZES) });

/** The book comes to the screen, and has the focus. Never throws. */
export function showBook(model: MarketModel): void {
  const { arrangement, isZoomed } = model.settings;
  model.arrange(showPane(arrangement, "orderbook"), { focus: "orderbook", isZoomed });
}

/** By the action of the key. */
export const MARKET_ACTIONS: Readonly<Partial<Record<Action, Act>>> = {
  ...COPY_ACTIONS,
  watch({ dashboard }) {
    if (dashboard.market === undefined) return;
    dashboard.watchlist.toggle(dashboard.market);
    dashboard.tell();
  },
  interval: whileLive((model) =>
    model.change({ interval: step(INTERVALS, model.settings.interval) }),
  ),
  candleSource: whileLive((model) => {
    if (model.dashboard.market?.type !== "perp") return;
    model.change({ source: step(CANDLE_SOURCES, model.settings.source) });
  }),
  cursor: (model) => {
    model.cursor.toggle();
    showBook(model);
  },
  amount: (model) => {
    model.amount.open();
    showBook(model);
  },
  back: (model) => {
    const { amount, cursor, dashboard, settings } = model;
    if (amount.isShown) amount.set("");
    else if (cursor.level !== undefined) cursor.clear();
    else if (settings.isZoomed) model.change({ isZoomed: false });
    else dashboard.back();
    dashboard.tell();
  },
  zoom: (model) => {
    const { arrangement, isZoomed } = model.settings;
    // Where one pane is alone already, the others come back.
    if (arrangement.shown.length === 1) model.arrange({ ...arrangement, shown: PRESETS.layoutAll });
    else model.change({ isZoomed: !isZoomed });
  },
  hidePane: (model) => {
    const { arrangement, focus, isZoomed } = model.settings;
    if (!isZoomed && model.order.includes(focus)) model.arrange(hidePane(arrangement, focus));
  },
  paneLarger: (model) => model.resizeBy(1),
  paneSmaller: (model) => model.resizeBy(-1),
  groupingDown: group(-1),
  groupingUp: group(1),
  minimumUp: hide(1),
  minimumDown: hide(-1),
  focusNext: (model) => model.focusBy(1),
  focusPrevious: (model) => model.focusBy(-1),
  scrollUp: scroll(-1),
  scrollDown: scroll(1),
  scrollPageUp: scroll(-PAGE),
  scrollPageDown: scroll(PAGE),
  scrollHome: (model) => {
    model.scroll.reset(model.settings.focus);
    model.dashboard.tell();
  },
  layoutAll: preset("layoutAll"),
  layoutBook: preset("layoutBook"),
  layoutTape: preset("layoutTape"),
  layoutChart: preset("layoutChart"),
  layoutBookTape: preset("layoutBookTape"),
  layoutChartBook: preset("layoutChartBook"),
  layoutChartTape: preset("layoutChartTape"),
  layoutReset: (model) => model.arrange(USUAL_ARRANGEMENT),
};
