// Candles of one market and one period, folded from single prices or from the candles of a shorter period.

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
