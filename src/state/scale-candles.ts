// The second evidence of a scale: candles of last prices are decimal text. What a candle names as a price must be the
// price of some trade in its period, and its volume a whole number of lots. Interpretation: docs/adr/0015.

import {
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import { type Scale, toUnits } from "../units/scale.ts";
import { NS_PER_MS } from "../units/time.ts";
import type { LastCandle } from "../wire/channels/candles.ts";
import type { Trade } from "../wire/channels/trades.ts";
import type { TapeSpan } from "./trades.ts";

/** Candle and trade need not be stamped by the same clock: trades this far outside the period count, too. */
const MARGIN_MS = 1000;

/** Trades of the stream, and the holes between them. */
export interface ComparedTape {
  readonly trades: readonly Trade[];
  readonly holes: readonly TapeSpan[];
}

export interface CandleEvidence {
  /** False when the tape does not cover the candle's period, or the candle is still forming. */
  readonly isObserved: boolean;
  readonly contradiction: string | undefined;
}

const NOTHING: CandleEvidence = { isObserved: false, contradiction: undefined };

export function askCandle(
  candle: LastCandle,
  intervalMs: number,
  { trades, holes }: ComparedTape,
  scale: Scale,
): CandleEvidence {
  const from = BigInt(candle.open_time_ms - MARGIN_MS) * NS_PER_MS;
  const until = BigInt(candle.open_time_ms + intervalMs + MARGIN_MS) * NS_PER_MS;
  const times = trades.map(({ timestamp_ns }) => BigInt(timestamp_ns));
  const isCovered = times.some((time) => time < from) && times.some((time) => time > until);
  if (!isCovered || candle.trades === 0 || holes.some((hole) => isBetween(hole, from, until))) {
    return NOTHING;
  }
  const inside = trades.filter((_, i) => {
    const time = times[i] ?? 0n;
    return time >= from && time <= until;
  });
  return { isObserved: true, contradiction: findContradiction(candle, inside, scale) };
}

function isBetween({ afterNs, untilNs }: TapeSpan, from: bigint, until: bigint): boolean {
  return BigInt(afterNs) <= until && BigInt(untilNs) >= from;
}

function findContradiction(
  { high, low, close, volume_base }: LastCandle,
  trades: readonly Trade[],
  { tickSize, lotSize }: Scale,
): string | undefined {
  const prices = new Set(
    trades.map(({ price_ticks }) => formatPrice(BigInt(price_ticks), tickSize)),
  );
  for (const price of [high, low, close]) {
    const value = parseDecimal(price);
    if (value === undefined || prices.has(formatDecimal(trimDecimal(value)))) continue;
    return `candle price ${price} is no trade's price × ${formatDecimal(tickSize)}`;
  }
  const volume = parseDecimal(volume_base);
  if (volume === undefined || toUnits(volume, lotSize) !== undefined) return undefined;
  return `candle volume ${volume_base} is not × ${formatDecimal(lotSize)}`;
}

function formatPrice(ticks: bigint, tickSize: Decimal): string {
  return formatDecimal(trimDecimal(multiplyDecimal({ mantissa: ticks, places: 0 }, tickSize)));
}
