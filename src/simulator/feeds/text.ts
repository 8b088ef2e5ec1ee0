// Numbers of the exchange as text of the wire: always exact.
import { type Decimal, divideInteger, formatDecimal } from "../../units/decimal.ts";
import { formatUnits } from "../../units/scale.ts";
import type { MarketSpec } from "../exchange/market.ts";
import { QUOTE_PLACES } from "../exchange/money.ts";
import type { Readings } from "../scenarios/readings.ts";

/** A price in quote currency. */
export function priceText(spec: MarketSpec, ticks: number | bigint): string {
  return formatUnits(String(ticks), spec.tickSize);
}

/** A size in base currency. */
export function sizeText(spec: MarketSpec, lots: number): string {
  return formatUnits(String(lots), spec.lotSize);
}

/** An amount of quote currency. */
export function quoteText(atoms: bigint): string {
  return formatDecimal({ mantissa: atoms, places: QUOTE_PLACES });
}

/** A rate in millionths as a fraction of 1. */
export function ppmText(ppm: bigint): string {
  return formatDecimal({ mantissa: ppm, places: 6 });
}

/** numerator / denominator, rounded to some places; "0" where there is nothing to divide by. */
export function quotientText(numerator: bigint, denominator: bigint, places: number): string {
  const quotient = divideInteger(numerator, denominator, places);
  return quotient === undefined ? "0" : formatDecimal(quotient);
}

/** Ticks and lots of the stream, with the zeros that a scenario may add to make them large. */
export class StreamScale {
  readonly #tickZeros: string;
  readonly #lotZeros: string;

  constructor({ extra_tick_digits, extra_lot_digits }: Readings) {
    this.#tickZeros = "0".repeat(extra_tick_digits);
    this.#lotZeros = "0".repeat(extra_lot_digits);
  }

  ticks(ticks: number | bigint): string {
    return `${ticks}${this.#tickZeros}`;
  }

  lots(lots: number): string {
    return lots === 0 ? "0" : `${lots}${this.#lotZeros}`;
  }

  /** The tick size that belongs to such ticks. */
  tickSize({ tickSize }: MarketSpec): string {
    return formatDecimal(shrink(tickSize, this.#tickZeros.length));
  }

  lotSize({ lotSize }: MarketSpec): string {
    return formatDecimal(shrink(lotSize, this.#lotZeros.length));
  }
}

function shrink({ mantissa, places }: Decimal, digits: number): Decimal {
  return { mantissa, places: places + digits };
}

const US_PER_MS = 1000;

/** Turns simulated microseconds into Unix times. */
export class WallTime {
  /** Unix milliseconds at simulated time 0. */
  readonly epochMs: number;

  constructor(epochMs: number) {
    this.epochMs = epochMs;
  }

  /** Unix nanoseconds, digit text. The simulated clock counts microseconds: the last three digits are zeros. */
  ns(timeUs: number): string {
    return `${this.epochMs * US_PER_MS + timeUs}000`;
  }

  /** Unix milliseconds, cut. */
  ms(timeUs: number): number {
    return this.epochMs + Math.floor(timeUs / US_PER_MS);
  }
}
