// The candles of one market in all intervals, updated together.
import { DAY_MS, US_PER_MS } from "../../units/time.ts";
import { INTERVAL_MS, INTERVALS, type Interval } from "../../wire/channels.ts";

/** Prices in ticks, volume in lots and in ticks times lots. `count`: trades, or samples of the mark price. */
export interface Candle {
  /** Start of the period, Unix milliseconds. */
  readonly openTimeMs: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volumeLots: number;
  volumeTickLots: number;
  count: number;
}

/** Of the figures of the last 24 hours, which begin with a whole one of these. */
const DAY_STEP = "15m";
/** What is kept: a day of these, and of the others the current candle and the one before. */
const KEPT = (interval: Interval) => (interval === DAY_STEP ? DAY_MS / INTERVAL_MS[interval] : 2);

export class Candles {
  /** Oldest first. Periods without trades have no candle. */
  readonly #series = INTERVALS.map((interval) => ({
    periodMs: INTERVAL_MS[interval],
    kept: KEPT(interval),
    candles: [] as Candle[],
  }));

  add(timeUs: number, ticks: number, lots: number): void {
    const timeMs = Math.floor(timeUs / US_PER_MS);
    const volume = { volumeLots: lots, volumeTickLots: ticks * lots, count: 1 };
    const sample = { open: ticks, high: ticks, low: ticks, close: ticks, ...volume };
    for (const { periodMs, kept, candles } of this.#series) {
      const openTimeMs = timeMs - (timeMs % periodMs);
      const last = candles[candles.length - 1];
      if (last?.openTimeMs === openTimeMs) extend(last, sample);
      else if (candles.push({ openTimeMs, ...sample }) > kept) candles.shift();
    }
  }

  /** Oldest first; mutated as the market trades. */
  of(interval: Interval): readonly Candle[] {
    return this.#series[INTERVALS.indexOf(interval)]?.candles ?? [];
  }

  /** Figures of the last day, to a quarter of an hour; undefined if nothing happened in it. */
  day(nowUs: number): Candle | undefined {
    const sinceMs = nowUs / US_PER_MS - DAY_MS;
    const [first, ...others] = this.of(DAY_STEP).filter(({ openTimeMs }) => openTimeMs > sinceMs);
    const day = first && { ...first };
    for (const each of others) if (day !== undefined) extend(day, each);
    return day;
  }
}

function extend(candle: Candle, next: Omit<Candle, "openTimeMs">): void {
  if (next.high > candle.high) candle.high = next.high;
  if (next.low < candle.low) candle.low = next.low;
  candle.close = next.close;
  candle.volumeLots += next.volumeLots;
  candle.volumeTickLots += next.volumeTickLots;
  candle.count += next.count;
}
