// The candles of one market in all six intervals. During the history only minutes are built, because the hour and the day of
// simulated time are not known before it ends; from then on all intervals are updated together.

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
  /** Start of the period in milliseconds, simulated during the history, then Unix. */
  readonly openTimeMs: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volumeLots: number;
  volumeAtoms: bigint;
  count: number;
}

/** Periods without trades have no candle. */
interface Series {
  readonly periodMs: number;
  /** Oldest first. */
  readonly candles: Candle[];
}

/** About two weeks of minutes; older candles are dropped, a tenth at a time. */
const MAX_CANDLES_KEPT = 20_000;
const DAY_MINUTES = 1440;

/** The series of all intervals, built from the same prices. */
export class CandleBoard {
  #minutes = createSeries("1m");
  #series: readonly Series[] = [this.#minutes];
  #epochMs = 0;

  /** Sets the Unix time of simulated time 0, a whole minute; called once, when the history ends. */
  goLive(epochMs: number): void {
    const past = this.#minutes.candles;
    this.#epochMs = epochMs;
    this.#series = INTERVALS.map(createSeries);
    this.#minutes = this.series("1m");
    for (const candle of past) {
      const shifted = { ...candle, openTimeMs: candle.openTimeMs + epochMs };
      for (const series of this.#series) fold(series, shifted);
    }
  }

  add(timeUs: number, priceTicks: number, sizeLots: number, atoms: bigint): void {
    const moment: Candle = {
      openTimeMs: Math.floor(timeUs / US_PER_MS) + this.#epochMs,
      open: priceTicks,
      high: priceTicks,
      low: priceTicks,
      close: priceTicks,
      volumeLots: sizeLots,
      volumeAtoms: atoms,
      count: 1,
    };
    for (const series of this.#series) fold(series, moment);
  }

  /**
   * Candles of one interval, oldest first, in Unix milliseconds. Read-only.
   * @throws {RangeError} for intervals other than a minute during the history
   */
  series(interval: Interval): Series {
    const found = this.#series.find(({ periodMs }) => periodMs === INTERVAL_MS[interval]);
    if (found === undefined) throw new RangeError(`no ${interval} candles before live time`);
    return found;
  }

  /** Figures of the last 1440 minutes, including the current one; undefined if nothing happened in them. */
  dayFigures(nowUs: number): Candle | undefined {
    const minuteMs = INTERVAL_MS["1m"];
    const nowMs = Math.floor(nowUs / US_PER_MS) + this.#epochMs;
    const sinceMs = (Math.floor(nowMs / minuteMs) - DAY_MINUTES + 1) * minuteMs;
    const [first, ...others] = this.#minutes.candles
      .slice(-DAY_MINUTES)
      .filter(({ openTimeMs }) => openTimeMs >= sinceMs);
    if (first === undefined) return undefined;
    const day = { ...first };
    for (const candle of others) merge(day, candle);
    return day;
  }
}

function createSeries(interval: Interval): Series {
  return { periodMs: INTERVAL_MS[interval], candles: [] };
}

/** Adds a trade, or a candle of a shorter interval; it must fit into one period and be newer than all others. */
function fold({ periodMs, candles }: Series, newer: Candle): void {
  const last = candles[candles.length - 1];
  if (last !== undefined && newer.openTimeMs < last.openTimeMs + periodMs) {
    merge(last, newer);
    return;
  }
  const openTimeMs = Math.floor(newer.openTimeMs / periodMs) * periodMs;
  candles.push({ ...newer, openTimeMs });
  if (candles.length > MAX_CANDLES_KEPT) candles.splice(0, MAX_CANDLES_KEPT / 10);
}

function merge(candle: Candle, newer: Candle): void {
  if (newer.high > candle.high) candle.high = newer.high;
  if (newer.low < candle.low) candle.low = newer.low;
  candle.close = newer.close;
  candle.volumeLots += newer.volumeLots;
  candle.volumeAtoms += newer.volumeAtoms;
  candle.count += newer.count;
}
