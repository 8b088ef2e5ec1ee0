// The candles of one market in all six intervals, updated together.
import { DAY_MS, HOUR_MS, MINUTE_MS, US_PER_MS } from "../../units/time.ts";
import { INTERVALS, type Interval } from "../../wire/channels.ts";

export const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  "1m": MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "4h": 4 * HOUR_MS,
  "1d": DAY_MS,
};

/** Prices in ticks, volume in lots and quote atoms. `count`: trades, or samples of the mark price. */
export interface Candle {
  /** Start of the period, Unix milliseconds. */
  readonly openTimeMs: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volumeLots: number;
  volumeAtoms: bigint;
  count: number;
}

/** Kept at least, beside a day of minutes: the current candle and the one before. */
const LEAST = 2;

export class Candles {
  /** Oldest first. Periods without trades have no candle. */
  readonly #series = INTERVALS.map((interval) => ({
    periodMs: INTERVAL_MS[interval],
    candles: [] as Candle[],
  }));

  add(timeUs: number, priceTicks: number, sizeLots: number, atoms: bigint): void {
    const timeMs = Math.floor(timeUs / US_PER_MS);
    for (const { periodMs, candles } of this.#series) {
      const openTimeMs = timeMs - (timeMs % periodMs);
      let candle = candles[candles.length - 1];
      if (candle?.openTimeMs !== openTimeMs) {
        candle = createCandle(openTimeMs, priceTicks);
        candles.push(candle);
        dropOld(candles, periodMs === MINUTE_MS ? openTimeMs - DAY_MS : openTimeMs);
      }
      if (priceTicks > candle.high) candle.high = priceTicks;
      if (priceTicks < candle.low) candle.low = priceTicks;
      candle.close = priceTicks;
      candle.volumeLots += sizeLots;
      candle.volumeAtoms += atoms;
      candle.count++;
    }
  }

  /** Oldest first; mutated as the market trades. */
  of(interval: Interval): readonly Candle[] {
    return this.#series[INTERVALS.indexOf(interval)]?.candles ?? [];
  }

  /** Figures of the last 1440 minutes, including the current one; undefined if nothing happened in them. */
  day(nowUs: number): Candle | undefined {
    const nowMs = Math.floor(nowUs / US_PER_MS);
    const sinceMs = nowMs - (nowMs % MINUTE_MS) - DAY_MS;
    const [first, ...others] = this.of("1m").filter(({ openTimeMs }) => openTimeMs > sinceMs);
    if (first === undefined) return undefined;
    const day = { ...first };
    for (const { high, low, close, volumeLots, volumeAtoms, count } of others) {
      day.high = Math.max(day.high, high);
      day.low = Math.min(day.low, low);
      day.close = close;
      day.volumeLots += volumeLots;
      day.volumeAtoms += volumeAtoms;
      day.count += count;
    }
    return day;
  }
}

function dropOld(candles: Candle[], beforeMs: number): void {
  while (candles.length > LEAST && (candles[0]?.openTimeMs ?? 0) < beforeMs) candles.shift();
}

function createCandle(openTimeMs: number, ticks: number): Candle {
  const prices = { open: ticks, high: ticks, low: ticks, close: ticks };
  return { openTimeMs, ...prices, volumeLots: 0, volumeAtoms: 0n, count: 0 };
}
