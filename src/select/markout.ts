// Markouts of own fills: the price of the last trade at or before 1, 10 and 60 seconds later, by the service's clock, minus
// the price of the fill; positive if the move favours the own side.
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
  /** Unix milliseconds of the service's clock until which only the holes are missing. */
  readonly knownUntilMs: number;
  readonly tickSize: Decimal;
}

/**
 * Exact, in price units, one for each of `MARKOUTS`. Undefined if trades of the span are not held or may be missing, if
 * there was none after the fill, and until the time is over.
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
    // With at least the decimals of the tick size, so that numbers line up in a column.
    const exact = trimDecimal(move);
    return formatDecimal(widenDecimal(exact, Math.max(exact.places, tickSize.places)));
  });
}

/** Includes the exact nanosecond; later ones in the same millisecond are excluded. */
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
