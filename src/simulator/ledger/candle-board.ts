// The candles of one market in all six periods. While history is made only minutes are folded, because
// the hour and the day that simulated time belongs to are not known before it ends; then all periods go
// on side by side.
import { INTERVAL_MS, INTERVALS, type Interval } from "../../wire/channels.ts";
import { type Candle, CandleSeries } from "./candle-series.ts";

const US_PER_MS = 1000;
/** Minutes in a day: the window of the 24 hour figures. */
const DAY_MINUTES = 1440;

/** Figures over the last 24 hours, whole minutes, the current one included. */
export interface DayFigures {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly volumeLots: number;
  readonly volumeAtoms: bigint;
  readonly count: number;
}

/** The series of all periods, fed with the same prices. */
export class CandleBoard {
  #minutes = new CandleSeries(INTERVAL_MS["1m"]);
  #series: readonly CandleSeries[] = [this.#minutes];
  #epochMs = 0;

  /** Tells what Unix time simulated time 0 is, a whole minute; called once, when history ends. */
  goLive(epochMs: number): void {
    const past = this.#minutes.candles;
    this.#epochMs = epochMs;
    this.#series = INTERVALS.map((interval) => new CandleSeries(INTERVAL_MS[interval]));
    this.#minutes = this.series("1m");
    for (const candle of past) {
      const shifted = { ...candle, openTimeMs: candle.openTimeMs + epochMs };
      for (const series of this.#series) series.fold(shifted);
    }
  }

  add(timeUs: number, priceTicks: number, sizeLots: number, atoms: bigint): void {
    const timeMs = Math.floor(timeUs / US_PER_MS) + this.#epochMs;
    for (const series of this.#series) series.add(timeMs, priceTicks, sizeLots, atoms);
  }

  /**
   * Candles of one period, oldest first, times in Unix milliseconds. For reading only.
   * @throws {RangeError} for periods other than a minute while history is still being made.
   */
  series(interval: Interval): CandleSeries {
    const found = this.#series.find(({ periodMs }) => periodMs === INTERVAL_MS[interval]);
    if (found === undefined) throw new RangeError(`no ${interval} candles before live time`);
    return found;
  }

  /** Figures of the 24 hours up to now. @returns undefined when nothing happened in them. */
  dayFigures(nowUs: number): DayFigures | undefined {
    const minuteMs = INTERVAL_MS["1m"];
    const nowMs = Math.floor(nowUs / US_PER_MS) + this.#epochMs;
    const sinceMs = (Math.floor(nowMs / minuteMs) - DAY_MINUTES + 1) * minuteMs;
    const window = this.#minutes.candles
      .slice(-DAY_MINUTES)
      .filter(({ openTimeMs }) => openTimeMs >= sinceMs);
    return window[0] === undefined ? undefined : sumCandles(window[0].open, window);
  }
}

function sumCandles(open: number, candles: readonly Candle[]): DayFigures {
  let high = open;
  let low = open;
  let volumeLots = 0;
  let volumeAtoms = 0n;
  let count = 0;
  for (const candle of candles) {
    high = Math.max(high, candle.high);
    low = Math.min(low, candle.low);
    volumeLots += candle.volumeLots;
    volumeAtoms += candle.volumeAtoms;
    count += candle.count;
  }
  return { open, high, low, volumeLots, volumeAtoms, count };
}
