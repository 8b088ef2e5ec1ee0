// Prices as rows of a chart. Floats place pixels; every number that is written comes from exact text.

export interface PriceScale {
  readonly low: number;
  readonly high: number;
  readonly rows: number;
}

/** With a little air above and below; a flat range gets some height. */
export function createPriceScale(low: number, high: number, rows: number): PriceScale | undefined {
  if (!Number.isFinite(low) || !Number.isFinite(high) || rows < 2) return undefined;
  const air = (high - low) * 0.03 || Math.abs(high) * 0.0005 || 1;
  return { low: low - air, high: high + air, rows };
}

/** Half cells from the top: two in a row. */
export function halfOf({ low, high, rows }: PriceScale, price: number): number {
  return Math.round(((high - price) / (high - low)) * (rows * 2 - 1));
}

export function rowAt(scale: PriceScale, price: number): number {
  return Math.floor(halfOf(scale, price) / 2);
}

/** Prices for the axis: round steps, one for every few rows, from the top. */
export function axisPrices(
  { low, high, rows }: PriceScale,
  rowsBetween: number,
): readonly { readonly price: number; readonly places: number }[] {
  const rough = ((high - low) / rows) * rowsBetween;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? rough;
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const prices = [];
  for (let i = Math.floor(high / step); i * step > low; i--)
    prices.push({ price: i * step, places });
  return prices;
}
