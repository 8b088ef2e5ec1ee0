// Merges the backlog with which a subscription begins into the trades held from before. Pure.

import { msOfNs } from "../units/time.ts";
import { compareUint, stripZeros } from "../units/uint.ts";
import type { Trade } from "../wire/channels/trades.ts";

export interface MergedBacklog {
  /** Its trades that are not held, oldest first. */
  readonly fresh: readonly Trade[];
  /** True when it overlaps the held trades and contains every held trade of its period. */
  readonly isOverlapping: boolean;
  /** True when nothing is missing between the two: they overlap, and the repeated trades cannot be new ones. */
  readonly isContinuous: boolean;
}

/**
 * Matches held and received trades by count, moment by moment, because the order within a moment is not documented.
 * @param held in the order in which they came
 * @param backlog oldest first; the service's last trades without a gap, as far back as it reaches
 * @param hasTwins the service is known to produce equal trades in one nanosecond: one repeated moment proves nothing
 */
export function mergeBacklog(
  held: readonly Trade[],
  backlog: readonly Trade[],
  hasTwins = false,
): MergedBacklog {
  const { repeats, isLacking } = matchHeld(held, backlog);
  const [newest, first] = [held.at(-1), backlog[0]];
  const isWithinMoment =
    newest !== undefined && first !== undefined && compareTime(newest, first) <= 0;
  // Among equal trades of one moment, some in the backlog may be new; how many is unknown.
  const isAmbiguous =
    (isWithinMoment && [...repeats.values()].some((each) => each > 1)) ||
    (hasTwins && isOfOneMoment([...repeats.keys()]));
  const isOverlapping = repeats.size > 0 && !isLacking;
  return {
    fresh: withoutCounted(backlog, repeats),
    isOverlapping,
    isContinuous: isOverlapping && !isAmbiguous,
  };
}

function isOfOneMoment(keys: readonly string[]): boolean {
  const timeOf = (key = "") => key.slice(0, key.indexOf("/"));
  return keys.every((key) => timeOf(key) === timeOf(keys[0]));
}

function matchHeld(held: readonly Trade[], backlog: readonly Trade[]) {
  const received = countTrades(backlog);
  const repeats = new Map<string, number>();
  const [firstNs = "0", lastNs = "0"] = [backlog[0]?.timestamp_ns, backlog.at(-1)?.timestamp_ns];
  let isLacking = false;
  for (const trade of held) {
    const [sinceFirst, sinceLast] = [
      compareNs(trade.timestamp_ns, firstNs),
      compareNs(trade.timestamp_ns, lastNs),
    ];
    if (sinceFirst < 0 || sinceLast > 0) continue;
    const key = tradeKey(trade);
    const again = (repeats.get(key) ?? 0) + 1;
    if (again <= (received.get(key) ?? 0)) repeats.set(key, again);
    // The ends of a backlog may lie within a moment, and it may begin with a late trade: those that came before that are not of it.
    else isLacking ||= repeats.size > 0 && sinceFirst > 0 && sinceLast < 0;
  }
  return { repeats, isLacking };
}

/**
 * Held trades without those from the listing that the backlog also contains: listed times are in milliseconds, those of the
 * backlog in nanoseconds.
 * @param isWhole the backlog is complete for its period except for its first millisecond; otherwise only listed trades with a
 * match in the backlog are left out
 */
export function withoutListed(
  held: readonly Trade[],
  listed: ReadonlySet<Trade>,
  backlog: readonly Trade[],
  isWhole: boolean,
): readonly Trade[] {
  const first = backlog[0];
  if (listed.size === 0 || first === undefined) return held;
  const beginMs = msOfNs(first.timestamp_ns);
  const lastMs = msOfNs(backlog.at(-1)?.timestamp_ns ?? "0");
  const exact = held.filter((trade) => !listed.has(trade));
  const received = countTrades(mergeBacklog(exact, backlog).fresh.map(byMillisecond));
  return held.filter((trade) => {
    const ms = msOfNs(trade.timestamp_ns);
    if (!listed.has(trade) || ms < beginMs || ms > lastMs) return true;
    if (isWhole && ms > beginMs) return false;
    const key = tradeKey(byMillisecond(trade));
    const left = received.get(key) ?? 0;
    received.set(key, left - 1);
    return left <= 0;
  });
}

function byMillisecond(trade: Trade): Trade {
  return { ...trade, timestamp_ns: `${msOfNs(trade.timestamp_ns)}000000` };
}

export function compareTime(a: Trade, b: Trade): number {
  return compareNs(a.timestamp_ns, b.timestamp_ns);
}

/** Compares two nanosecond timestamps in digit text. */
export function compareNs(a: string, b: string): number {
  return compareUint(stripZeros(a), stripZeros(b));
}

export function isEqualTrade(a: Trade, b: Trade): boolean {
  return tradeKey(a) === tradeKey(b);
}

function tradeKey(trade: Trade): string {
  const [time, price, size] = [trade.timestamp_ns, trade.price_ticks, trade.size_base_lots];
  return `${stripZeros(time)}/${stripZeros(price)}/${stripZeros(size)}/${trade.taker_is_bid}`;
}

function countTrades(trades: readonly Trade[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const trade of trades) {
    const key = tradeKey(trade);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Of equal trades, the first ones are taken to be the counted ones. */
function withoutCounted(
  trades: readonly Trade[],
  counts: ReadonlyMap<string, number>,
): readonly Trade[] {
  const left = new Map(counts);
  return trades.filter((trade) => {
    const key = tradeKey(trade);
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
}
