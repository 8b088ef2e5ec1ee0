// What was put into a book or taken from it lately, beside what traded there: stacked is positive, pulled negative.
import type { Book } from "../state/book.ts";
import type { Level, Trade } from "../wire/frames.ts";
import { groupTicks, selectLadder } from "./ladder.ts";

/** A book as it stood. */
export interface PastBook {
  /** Monotonic milliseconds. */
  readonly atMs: number;
  /** Unix nanoseconds by the service's clock. */
  readonly atNs: bigint;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

const WINDOW_MS = 5000;
const STEP_MS = 500;

/** The books of the last seconds with this one. What was before the newest first frame no longer counts. */
export function keepBook(
  past: readonly PastBook[],
  book: Book,
  { nowMs, serviceMs, firstAtMs }: { nowMs: number; serviceMs: number; firstAtMs: number },
): readonly PastBook[] {
  const kept = past.filter(
    ({ atMs }) => atMs >= Math.max(firstAtMs, nowMs - WINDOW_MS - STEP_MS) && atMs <= nowMs,
  );
  const newest = kept.at(-1);
  if (newest !== undefined && nowMs - newest.atMs < STEP_MS) return kept;
  const atNs = BigInt(Math.round(serviceMs)) * 1_000_000n;
  // Levels are replaced, never changed: copying the lists is enough.
  return [...kept, { atMs: nowMs, atNs, bids: book.bids.slice(), asks: book.asks.slice() }];
}

/** Lots by row, more than what traded explains. @param trades oldest first */
export function selectStacked(
  before: PastBook,
  trades: readonly Trade[],
  step: bigint,
  maxRows: number,
): (side: "bid" | "ask", priceTicks: bigint, lots: bigint) => bigint {
  const then = selectLadder(before, step, maxRows);
  const rows = {
    bid: new Map(then.bids.map(({ priceTicks, lots }) => [priceTicks, lots])),
    ask: new Map(then.asks.map(({ priceTicks, lots }) => [priceTicks, lots])),
  };
  const traded = { bid: new Map<bigint, bigint>(), ask: new Map<bigint, bigint>() };
  for (let i = trades.length - 1; i >= 0; i--) {
    const trade = trades[i] as Trade;
    if (BigInt(trade.timestamp_ns) < before.atNs) break;
    const side = trade.taker_is_bid ? "ask" : "bid";
    const row = groupTicks(BigInt(trade.price_ticks), step, side === "ask");
    traded[side].set(row, (traded[side].get(row) ?? 0n) + BigInt(trade.size_base_lots));
  }
  return (side, priceTicks, lots) =>
    lots - (rows[side].get(priceTicks) ?? 0n) + (traded[side].get(priceTicks) ?? 0n);
}
