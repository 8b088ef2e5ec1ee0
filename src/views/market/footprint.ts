// The footprint of candles: what was sold × bought at each row of prices, with the candle's delta and total below. Where one side
// took three times as much as the other did one row away, its figure is bold.

import { coverageOf, type KnownFlow, type Span, selectProfile } from "../../rows/flow.ts";
import type { Theme } from "../../screen/theme.ts";
import type { Surface } from "../../terminal/surface.ts";
import { approximate } from "../../units/decimal.ts";
import type { Scale } from "../../units/scale.ts";
import { type PriceScale, rowAt } from "./price-scale.ts";

interface Sides {
  readonly sold: number;
  readonly bought: number;
}
/** By row of the chart. */
export type FootprintCandle = ReadonlyMap<number, Sides>;

const NOTHING: Sides = { sold: 0, bought: 0 };
/** Digits of the largest figure. */
const DIGITS = 5;
/** A column for the candle, a figure on each side of the cross, and a gap. */
export const FOOTPRINT_PITCH = DIGITS * 2 + 4;
/** With frame, axes and sums: four candles, each of nine cells or more; with less there is little to read. */
export const MIN_FOOTPRINT = { columns: 70, rows: 15 };
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
    return rows;
  });
}

/** The same number of decimals in every cell: as many as the largest one has room for. */
function placesOf(candles: readonly (FootprintCandle | undefined)[]): number {
  let most = 0;
  for (const candle of candles)
    for (const { sold, bought } of candle?.values() ?? []) most = Math.max(most, sold, bought);
  return Math.max(0, DIGITS - 1 - Math.max(1, Math.floor(most).toString().length));
}

/** @param labels columns that they take, by row @param xOf of the candle, right of which its figures stand */
export function drawFootprint(
  area: Surface,
  below: Surface,
  candles: readonly (FootprintCandle | undefined)[],
  labels: ReadonlyMap<number, number>,
  xOf: (index: number) => number,
  theme: Theme,
): void {
  const places = placesOf(candles);
  const { tones } = theme;
  for (const [i, candle] of candles.entries()) {
    const x = xOf(i);
    if (candle === undefined || x < 0) continue;
    // A figure is shown in full or not at all: none under a label.
    for (const row of candle.keys())
      if (x >= (labels.get(row) ?? 0)) drawCell(area, candle, x, row, places, theme);
    const sides = [...candle.values()];
    const sold = sides.reduce((sum, each) => sum + each.sold, 0);
    const bought = sides.reduce((sum, each) => sum + each.bought, 0);
    const [sign, style] = bought < sold ? ["−", tones.loss] : ["+", tones.gain];
    below.text(x, 0, sign + Math.abs(bought - sold).toFixed(places), style);
    below.text(x + 1, 1, (bought + sold).toFixed(places), tones.dim);
  }
}

function drawCell(
  area: Surface,
  candle: FootprintCandle,
  x: number,
  row: number,
  places: number,
  { tones, styles }: Theme,
): void {
  const at = (of: number) => candle.get(of) ?? NOTHING;
  const { sold, bought } = at(row);
  const isSold = sold > 0 && sold >= IMBALANCE * at(row - 1).bought;
  const isBought = bought > 0 && bought >= IMBALANCE * at(row + 1).sold;
  const middle = x + 1 + DIGITS;
  const bold = (style: number, isBold: boolean) =>
    isBold ? styles.with(style, { bold: true }) : style;
  area.textRight(middle, row, sold.toFixed(places), bold(tones.loss, isSold));
  area.text(middle, row, "×", tones.dim);
  area.text(middle + 1, row, bought.toFixed(places), bold(tones.gain, isBought));
}
