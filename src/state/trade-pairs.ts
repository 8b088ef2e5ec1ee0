// Pairs the same trades from two sources: the stream has ticks and lots, the REST listing quote and base currency. They share
// no id, so they are matched by millisecond, taker side and count.

import { compareDecimal, type Decimal, parseDecimal } from "../units/decimal.ts";
import { NS_PER_MS } from "../units/time.ts";
import type { Trade } from "../wire/channels/trades.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { TapeSpan } from "./trades.ts";

/** A number of ticks or lots, and the same amount in currency. */
export interface UnitPair {
  readonly units: bigint;
  readonly value: Decimal;
}

export interface MatchedMoment {
  /** Millisecond and side: `1800000000123+`. */
  readonly key: string;
  readonly ms: bigint;
  readonly prices: readonly UnitPair[];
  /** Sorted by size, so a pair here need not belong to the same trade as the pair at its index in `prices`. */
  readonly sizes: readonly UnitPair[];
}

export interface ComparedTape {
  /** Stream trades without gaps except for the holes, in any order. */
  readonly trades: readonly Trade[];
  readonly holes: readonly TapeSpan[];
}

/**
 * Moments present in both sources, oldest first. Left out: those at the edges of the tape, which may be incomplete, and those
 * that rounding of times could have mixed with a neighbour.
 * Prices and sizes are each paired in sorted order, since any scale preserves order.
 * @param records one page of the listing
 */
export function matchTrades(
  { trades, holes }: ComparedTape,
  records: readonly TradeRecord[],
): readonly MatchedMoment[] {
  const streamed = groupBy(trades, ({ timestamp_ns, taker_is_bid }) =>
    getKey(BigInt(timestamp_ns) / NS_PER_MS, taker_is_bid),
  );
  const listed = groupBy(records, ({ timestamp_ms, taker_is_bid }) =>
    getKey(BigInt(timestamp_ms), taker_is_bid),
  );
  const isInside = selectInside(trades, holes, records);
  return [...streamed]
    .flatMap(([key, group]) => {
      const matching = listed.get(key) ?? [];
      const ms = getMs(key);
      const isCertain = matching.length === group.length && isInside(ms);
      if (!isCertain || hasNeighbour(key, streamed) || hasNeighbour(key, listed)) return [];
      return pairUp(key, ms, group, matching) ?? [];
    })
    .sort((a, b) => (a.ms < b.ms ? -1 : 1));
}

function getKey(ms: bigint, takerIsBid: boolean): string {
  return `${ms}${takerIsBid ? "+" : "-"}`;
}

function getMs(key: string): bigint {
  return BigInt(key.slice(0, -1));
}

function groupBy<T>(values: readonly T[], keyOfValue: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOfValue(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** Another trade on that side a millisecond away could be this one, if the sources round times differently. */
function hasNeighbour(key: string, groups: ReadonlyMap<string, unknown>): boolean {
  const ms = getMs(key);
  const side = key.endsWith("+");
  return groups.has(getKey(ms - 1n, side)) || groups.has(getKey(ms + 1n, side));
}

function selectInside(
  trades: readonly Trade[],
  holes: readonly TapeSpan[],
  records: readonly TradeRecord[],
): (ms: bigint) => boolean {
  const [oldest, newest] = getRange(trades.map(({ timestamp_ns }) => BigInt(timestamp_ns)));
  const [oldestListed] = getRange(records.map(({ timestamp_ms }) => BigInt(timestamp_ms)));
  const first = max(oldest / NS_PER_MS, oldestListed);
  const last = newest / NS_PER_MS;
  const missing = holes.map(({ afterNs, untilNs }) => [
    BigInt(afterNs) / NS_PER_MS,
    BigInt(untilNs) / NS_PER_MS,
  ]);
  return (ms) =>
    ms > first &&
    ms < last &&
    missing.every(([after = 0n, until = 0n]) => ms < after || ms > until);
}

function getRange(values: readonly bigint[]): readonly [oldest: bigint, newest: bigint] {
  const [first = 0n] = values;
  return values.reduce<readonly [bigint, bigint]>(
    ([least, most], value) => [value < least ? value : least, max(most, value)],
    [first, first],
  );
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function pairUp(
  key: string,
  ms: bigint,
  trades: readonly Trade[],
  records: readonly TradeRecord[],
): MatchedMoment | undefined {
  const prices = records.map(({ price }) => parseDecimal(price));
  const sizes = records.map(({ quantity }) => parseDecimal(quantity));
  const isRead = [...prices, ...sizes].every((value) => value !== undefined);
  if (!isRead) return undefined;
  return {
    key,
    ms,
    prices: inOrder(
      trades.map(({ price_ticks }) => price_ticks),
      prices as Decimal[],
    ),
    sizes: inOrder(
      trades.map(({ size_base_lots }) => size_base_lots),
      sizes as Decimal[],
    ),
  };
}

function inOrder(units: readonly string[], values: readonly Decimal[]): readonly UnitPair[] {
  const sorted = [...values].sort(compareDecimal);
  return units
    .map((text) => BigInt(text))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap((count, i) => {
      const value = sorted[i];
      return value === undefined ? [] : { units: count, value };
    });
}
