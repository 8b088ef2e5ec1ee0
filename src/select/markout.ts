// How the price went on after an own fill: the last trade at or before 1, 10 and 60 seconds later, by the service's clock, less the
// price of the fill, with the sign of the own side.
import type { TapeSpan } from "../state/trades.ts";
import {
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
  trimDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { msOfNs } from "../units/time.ts";
import type { Trade } from "../wire/channels/trades.ts";

/** Seconds after the fill. */
export const MARKOUTS = [1, 10, 60] as const;

export interface KnownTrades {
  readonly trades: readonly Trade[];
  /** Spans in which trades may be missing. */
  readonly holes: readonly TapeSpan[];
  /** Unix milliseconds of the service's clock until which nothing but the holes is missing. */
  readonly knownUntilMs: number;
  readonly tickSize: Decimal;
}

/**
 * In price units, exact, one for each of `MARKOUTS`. Undefined where trades of the span are not held or may be missing, where there was none
 * after the fill, and while the time is not over.
 */
export function selectMarkouts(
  {
    ms,
    price: text,
    isBuy,
  }: { readonly ms: number; readonly price: string; readonly isBuy: boolean },
  { trades, holes, knownUntilMs, tickSize }: KnownTrades,
): readonly (string | undefined)[] {
  const price = parseDecimal(text);
  const isHeld = trades[0] !== undefined && msOfNs(trades[0].timestamp_ns) <= ms;
  return MARKOUTS.map((seconds) => {
    const untilMs = ms + seconds * 1000;
    if (price === undefined || !isHeld || untilMs > knownUntilMs) return undefined;
    const isTouched = holes.some(
      (hole) => msOfNs(hole.afterNs) <= untilMs && msOfNs(hole.untilNs) >= ms,
    );
    if (isTouched) return undefined;
    const last = lastUntil(trades, untilMs);
    if (last === undefined || msOfNs(last.timestamp_ns) <= ms) return undefined;
    const then = multiplyDecimal({ mantissa: BigInt(last.price_ticks), places: 0 }, tickSize);
    const move = isBuy ? subtractDecimal(then, price) : subtractDecimal(price, then);
    // With the decimals of the tick size at least, so that numbers in a column stand one below the other.
    const exact = trimDecimal(move);
    return formatDecimal(widenDecimal(exact, Math.max(exact.places, tickSize.places)));
  });
}

/** Nanoseconds of the very moment count, later ones of its millisecond do not. */
function lastUntil(trades: readonly Trade[], ms: number): Trade | undefined {
  const end = BigInt(ms) * 1_000_000n;
  let [low, high] = [0, trades.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (BigInt(trades[middle]?.timestamp_ns ?? 0) <= end) low = middle + 1;
    else high = middle;
  }
  return trades[low - 1];
}
