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
    for (const { periodMs, kept, candles } of this.#series) {
      const openTimeMs = timeMs - (timeMs % periodMs);
      let candle = candles[candles.length - 1];
      if (candle?.openTimeMs !== openTimeMs) {
        candle = createCandle(openTimeMs, ticks);
        candles.push(candle);
        if (candles.length > kept) candles.shift();
      }
      if (ticks > candle.high) candle.high = ticks;
      if (ticks < candle.low) candle.low = ticks;
      candle.close = ticks;
      candle.volumeLots += lots;
      candle.volumeTickLots += ticks * lots;
      candle.count++;
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
    if (first === undefined) return undefined;
    const day = { ...first };
    for (const { high, low, close, volumeLots, volumeTickLots, count } of others) {
      day.high = Math.max(day.high, high);
      day.low = Math.min(day.low, low);
      day.close = close;
      day.volumeLots += volumeLots;
      day.volumeTickLots += volumeTickLots;
      day.count += count;
    }
    return day;
  }
}

/** Spelled out for speed, as an order is. */
function createCandle(openTimeMs: number, ticks: number): Candle {
  return {
    openTimeMs,
    open: ticks,
    high: ticks,
    low: ticks,
    close: ticks,
    volumeLots: 0,
    volumeTickLots: 0,
    count: 0,
  };
}
