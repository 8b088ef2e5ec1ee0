// The candles of one market in all intervals, updated together.
import { DAY_MS, US_PER_MS } from "../../units/time.ts";
import { INTERVAL_MS, INTERVALS, type Interval } from "../../wire/channels.ts";
import type { Exchange } from "./exchange.ts";

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
/** Of the others the current candle and the one before are kept. */
const STEPS = DAY_MS / INTERVAL_MS[DAY_STEP];

export class Candles {
  /** Oldest first. Periods without trades have no candle. */
  readonly #series = INTERVALS.map((interval) => ({
    interval,
    candles: [] as Candle[],
    /** The transaction of the newest candle's first trade. */
    openedBy: 0,
  }));

  add({ nowUs, index }: Exchange, ticks: number, lots: number): void {
    const timeMs = Math.floor(nowUs / US_PER_MS);
    const volume = { volumeLots: lots, volumeTickLots: ticks * lots, count: 1 };
    const sample = { open: ticks, high: ticks, low: ticks, close: ticks, ...volume };
    for (const series of this.#series) {
      const { interval, candles } = series;
      const periodMs = INTERVAL_MS[interval];
      const openTimeMs = timeMs - (timeMs % periodMs);
      const last = candles[candles.length - 1];
      if (last?.openTimeMs === openTimeMs) {
        extend(last, sample);
        continue;
      }
      series.openedBy = index;
      if (candles.push({ openTimeMs, ...sample }) > (interval === DAY_STEP ? STEPS : 2))
        candles.shift();
    }
  }

  /** The current candle, and before it the one that has ended if the transaction has begun a new period. */
  newest(interval: Interval, index?: number): readonly Candle[] {
    const { candles = [], openedBy = 0 } = this.#series[INTERVALS.indexOf(interval)] ?? {};
    return candles.slice(openedBy === index ? -2 : -1);
  }

  /** Figures of the last day, to a quarter of an hour; undefined if nothing happened in it. */
  day(nowUs: number): Candle | undefined {
    const sinceMs = nowUs / US_PER_MS - DAY_MS;
    const steps = this.#series[INTERVALS.indexOf(DAY_STEP)]?.candles ?? [];
    const [first, ...others] = steps.filter(({ openTimeMs }) => openTimeMs > sinceMs);
    const day = first && { ...first };
    if (day !== undefined) for (const each of others) extend(day, each);
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
