// What was stacked and what was pulled: how much more, or less, rests at each step of the ladder than a few seconds ago, beside
// what has traded there since.
import type { PastBook } from "../state/book-window.ts";
import { MAX_TRADES, type TapeHole } from "../state/trades.ts";
import { compareUint } from "../units/uint.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { getStep, type LadderStep, selectSteps } from "./orderbook.ts";

/** What changes are worked out from. */
export interface ChangeFacts {
  readonly book: PastBook;
  /** Server time of the book of now, nanoseconds in digit text. */
  readonly untilNs: string;
  /** Newest first. */
  readonly trades: readonly Trade[];
  readonly holes: readonly TapeHole[];
  /** Width of a step in ticks. */
  readonly grouping: bigint;
}

/** Lots that were stacked at a step, or, negative, pulled; undefined where nobody knows. */
export type ChangeOf = (
  side: "bid" | "ask",
  step: Pick<LadderStep, "priceTicks" | "sizeLots">,
) => bigint | undefined;

const unknown: ChangeOf = () => undefined;

/** Both books are of server times, and exactly the trades between these count. */
export function selectChanges({ book, untilNs, trades, holes, grouping }: ChangeFacts): ChangeOf {
  const sinceNs = book.timestampNs;
  if (holes.some((hole) => compareUint(hole.untilNs, sinceNs) > 0)) return unknown;
  const oldest = trades.at(-1);
  // Of more trades than are kept nobody knows those of before.
  if (
    trades.length >= MAX_TRADES &&
    oldest !== undefined &&
    compareUint(oldest.timestamp_ns, sinceNs) > 0
  )
    return unknown;
  const traded = { bid: new Map<bigint, bigint>(), ask: new Map<bigint, bigint>() };
  for (const { timestamp_ns, taker_is_bid, price_ticks, size_base_lots } of trades) {
    if (compareUint(timestamp_ns, sinceNs) <= 0) break;
    if (compareUint(timestamp_ns, untilNs) > 0) continue;
    const side = taker_is_bid ? "ask" : "bid";
    const step = getStep(BigInt(price_ticks), grouping, side);
    traded[side].set(step, (traded[side].get(step) ?? 0n) + BigInt(size_base_lots));
  }
  const before = selectSteps(book, { grouping, rows: Number.POSITIVE_INFINITY });
  const sizes = {
    bid: new Map(before.bids.map(({ priceTicks, sizeLots }) => [priceTicks, sizeLots])),
    ask: new Map(before.asks.map(({ priceTicks, sizeLots }) => [priceTicks, sizeLots])),
  };
  const worst = { bid: before.bids.at(-1)?.priceTicks, ask: before.asks.at(-1)?.priceTicks };
  return (side, { priceTicks, sizeLots }) => {
    const last = worst[side];
    if (last === undefined) return undefined;
    // Beyond the worst level of before, and in its step where levels were left out, it is not known what rested.
    const order = side === "bid" ? priceTicks - last : last - priceTicks;
    if (order < 0n || (order === 0n && book.isCut)) return undefined;
    const was = sizes[side].get(priceTicks) ?? 0n;
    return sizeLots - was + (traded[side].get(priceTicks) ?? 0n);
  };
}
