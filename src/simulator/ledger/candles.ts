// Candles of one market and one period, folded from single prices or from the candles of a shorter period.
import { INTERVAL_MS, INTERVALS, type Interval } from "../../wire/channels.ts";

/** Prices in ticks, volume in lots and quote atoms. `count`: trades, or samples of the mark price. */
export interface Candle {
  /** Start of the period, in milliseconds of the clock that the series is kept on. */
  readonly openTimeMs: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volumeLots: number;
  volumeAtoms: bigint;
  count: number;
}

/** About two weeks of minutes; older candles are forgotten, a tenth at a time. */
const MAX_CANDLES_KEPT = 20_000;

/** A period in which nothing happened has no candle. */
export class CandleSeries {
  readonly periodMs: number;
  /** Oldest first. Only this class changes it. */
  readonly candles: Candle[] = [];

  constructor(periodMs: number) {
    this.periodMs = periodMs;
  }

  /** The candle of the newest period; undefined before the first price. */
  get last(): Candle | undefined {
    return this.candles[this.candles.length - 1];
  }

  add(timeMs: number, priceTicks: number, sizeLots: number, atoms: bigint): void {
    const candle = this.last;
    if (candle === undefined || timeMs >= candle.openTimeMs + this.periodMs) {
      this.#open({
        openTimeMs: timeMs - modulo(timeMs, this.periodMs),
        open: priceTicks,
        high: priceTicks,
        low: priceTicks,
        close: priceTicks,
        volumeLots: sizeLots,
        volumeAtoms: atoms,
        count: 1,
      });
      return;
    }
    if (priceTicks > candle.high) candle.high = priceTicks;
    if (priceTicks < candle.low) candle.low = priceTicks;
    candle.close = priceTicks;
    candle.volumeLots += sizeLots;
    candle.volumeAtoms += atoms;
    candle.count++;
  }

  /** Folds a candle of a shorter period, which lies within one period of this series and is newer than all. */
  fold(shorter: Candle): void {
    const candle = this.last;
    if (candle === undefined || shorter.openTimeMs >= candle.openTimeMs + this.periodMs) {
      const openTimeMs = shorter.openTimeMs - modulo(shorter.openTimeMs, this.periodMs);
      this.#open({ ...shorter, openTimeMs });
      return;
    }
    candle.high = Math.max(candle.high, shorter.high);
    candle.low = Math.min(candle.low, shorter.low);
    candle.close = shorter.close;
    candle.volumeLots += shorter.volumeLots;
    candle.volumeAtoms += shorter.volumeAtoms;
    candle.count += shorter.count;
  }

  #open(candle: Candle): void {
    this.candles.push(candle);
    if (this.candles.length > MAX_CANDLES_KEPT) this.candles.splice(0, MAX_CANDLES_KEPT / 10);
  }
}

function modulo(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}

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
