// The footprint of candles: what was sold × bought at each row of prices, with the candle's delta and total below. Where one side
// took three times as much as the other did one row away, its figure is bold.

import { coverageOf, type KnownFlow, type Span, selectProfile } from "../../rows/flow.ts";
import type { Theme } from "../../screen/theme.ts";
import type { Surface } from "../../terminal/surface.ts";
import { approximate } from "../../units/decimal.ts";
import type { Scale } from "../../units/scale.ts";
import { type PriceScale, rowAt } from "./price-scale.ts";

/** Lots by row of the chart. */
export interface FootprintCandle {
  readonly rows: ReadonlyMap<number, Sides>;
}
interface Sides {
  readonly sold: number;
  readonly bought: number;
}

const NOTHING: Sides = { sold: 0, bought: 0 };
/** Digits of the largest figure. */
const DIGITS = 5;
/** A column for the candle, a figure on each side of the cross, and a gap. */
export const FOOTPRINT_PITCH = DIGITS * 2 + 4;
/** Below this height a candle has too few cells to tell anything. */
export const MIN_FOOTPRINT_ROWS = 9;
const IMBALANCE = 3;

/** In base currency; undefined for a candle of which trades are missing. */
export function selectFootprint(
  known: KnownFlow,
  periods: readonly Span[],
  chart: PriceScale,
  scale: Scale,
): readonly (FootprintCandle | undefined)[] {
  const tick = approximate(scale.tickSize);
  const lot = approximate(scale.lotSize);
  // Finer than a row, so that none is split between two by rounding.
  const grouping = BigInt(
    Math.max(1, Math.floor((chart.high - chart.low) / chart.rows / tick / 8)),
  );
  return periods.map((span) => {
    const since = Math.max(span.fromMs, known.sinceMs ?? Number.POSITIVE_INFINITY);
    if (since >= span.untilMs || coverageOf(known, span).openHoles > 0) return undefined;
    const rows = new Map<number, Sides>();
    const { levels } = selectProfile(known, span, grouping);
    for (const { priceTicks, soldLots, boughtLots } of levels) {
      const row = rowAt(chart, Number(priceTicks) * tick);
      const { sold, bought } = rows.get(row) ?? NOTHING;
      rows.set(row, {
        sold: sold + Number(soldLots) * lot,
        bought: bought + Number(boughtLots) * lot,
      });
    }
    return { rows };
  });
}

/** The same number of decimals in every cell: as many as the largest one has room for. */
function placesOf(candles: readonly (FootprintCandle | undefined)[]): number {
  let most = 0;
  for (const candle of candles)
    for (const { sold, bought } of candle?.rows.values() ?? []) most = Math.max(most, sold, bought);
  return Math.max(0, DIGITS - 1 - Math.max(1, Math.floor(most).toString().length));
}

/** @param xOf of the candle, right of which its figures stand */
export function drawFootprint(
  area: Surface,
  below: Surface,
  candles: readonly (FootprintCandle | undefined)[],
  xOf: (index: number) => number,
  { tones, styles }: Theme,
): void {
  const places = placesOf(candles);
  const bold = (style: number, isBold: boolean) =>
    isBold ? styles.with(style, { bold: true }) : style;
  for (const [i, candle] of candles.entries()) {
    if (candle === undefined) continue;
    const middle = xOf(i) + 1 + DIGITS;
    const at = (row: number) => candle.rows.get(row) ?? NOTHING;
    let [allSold, allBought] = [0, 0];
    for (const [row, { sold, bought }] of candle.rows) {
      allSold += sold;
      allBought += bought;
      const isSold = sold > 0 && sold >= IMBALANCE * at(row - 1).bought;
      const isBought = bought > 0 && bought >= IMBALANCE * at(row + 1).sold;
      area.textRight(middle, row, sold.toFixed(places), bold(tones.loss, isSold));
      area.text(middle, row, "×", tones.dim);
      area.text(middle + 1, row, bought.toFixed(places), bold(tones.gain, isBought));
    }
    const delta = allBought - allSold;
    const sign = delta < 0 ? "−" : "+";
    const text = `${sign}${Math.abs(delta).toFixed(places)}`;
    below.text(xOf(i), 0, text, delta < 0 ? tones.loss : tones.gain);
    below.text(xOf(i) + 1, 1, (allBought + allSold).toFixed(places), tones.dim);
  }
}
