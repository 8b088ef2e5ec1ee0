// What the user has chosen in the market's view. What is kept from run to run is a choice; the rest lasts as long as the screen.
import type { PastBook } from "../../rows/book-change.ts";
import { createChoice } from "../../screen/choice.ts";
import type { Ui } from "../../screen/ui.ts";
import { INTERVALS } from "../../wire/channels.ts";

export const preset = createChoice("market.preset", [1, 2, 3, 4]);
export const interval = createChoice("chart.interval", INTERVALS);
export const source = createChoice("chart.source", ["last", "mark"]);
export const study = createChoice("chart.study", ["volume", "delta", "cvd", "none"]);
export const average = createChoice("chart.vwap", [false, true]);
export const profile = createChoice("chart.profile", [false, true]);
export const footprint = createChoice("chart.footprint", [false, true]);
/** Columns of a candle, with the gap behind it. */
export const pitch = createChoice("chart.pitch", [1, 2, 3, 5], 2);
/** The heatmap in place of the chart, and the seconds of its columns. */
export const heatmap = createChoice("chart.heatmap", [false, true]);
export const heatStep = createChoice("heatmap.seconds", [1, 10]);
/** Which of the market's steps the book's rows have. */
export const grouping = createChoice("book.grouping", [0, 1, 2, 3, 4, 5, 6, 7], 2);
/** What the bars of the book's rows show. */
export const depth = createChoice("book.depth", ["sum", "own"]);
export const traded = createChoice("book.traded", [false, true]);
export const pulled = createChoice("book.pulled", [false, true]);
/** Trades below this value in quote are passed over in the tape. */
export const minimum = createChoice("tape.minimum", [0, 100, 1000, 10_000, 100_000, 1_000_000]);

/** What belongs to one market while it is shown. */
const begin = (market: string) => ({
  market,
  widths: new Map<string, number>(),
  tape: { price: 0, size: 0 },
  spreadRow: undefined as number | undefined,
  /** Candles between the right edge and the newest one. */
  pan: 0,
  /** Candles back from the newest one that is shown; undefined: no crosshair. */
  crosshair: undefined as number | undefined,
  /** Candles that fit side by side, and that were there, as last drawn. */
  ...{ capacity: 1, candles: 1 },
  /** Rows that the tape is scrolled. */
  scrolled: 0,
  /** Rows from the best price, asks above 0: the cursor that says what filling up to a level costs. */
  level: undefined as number | undefined,
  /** Of the last seconds, for what was stacked and pulled. */
  books: [] as readonly PastBook[],
  /** An amount in base whose cost is shown, as typed. */
  amount: "",
});
export type Shown = ReturnType<typeof begin>;

const shown = new WeakMap<Ui, Shown>();

/** Another market begins anew. */
export function shownOf(ui: Ui): Shown {
  let state = shown.get(ui);
  if (state?.market !== ui.market) {
    state = begin(ui.market);
    shown.set(ui, state);
  }
  return state;
}
