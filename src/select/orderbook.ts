// The order book as a ladder: levels grouped by price, with cumulative sizes and bars.

import { formatUnits, type Scale } from "../units/scale.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";

/** One step of the ladder. */
export interface LadderRow {
  readonly priceTicks: bigint;
  readonly price: string;
  readonly size: string;
  readonly sizeLots: bigint;
  /** Size of this step and of all better ones. */
  readonly cumulativeSize: string;
  /** Length of the bar, 0 to 1: the cumulative size as a part of the largest shown. */
  readonly depthShare: number;
}

/** Both sides of the book, in steps. */
export interface Ladder {
  /** Best first, at most as many as asked for. */
  readonly bids: readonly LadderRow[];
  readonly asks: readonly LadderRow[];
}

/** Levels of each side, best first. */
interface LadderLevels {
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
}

/** How a ladder is made from levels. */
export interface LadderOptions {
  /** Width of a step in ticks, 1 or more: bids are rounded down to it, asks up. */
  readonly grouping: bigint;
  /** Steps of each side. */
  readonly rows: number;
  readonly scale: Scale | undefined;
}

/** Steps of the grouping, as `[` and `]` walk through them: 1, 2, 5, 10 … */
export const GROUPINGS: readonly bigint[] = Array.from(
  { length: 24 },
  (_, i) => ([1n, 2n, 5n][i % 3] ?? 1n) * 10n ** BigInt(Math.floor(i / 3)),
);

/** Levels of each side that a ladder of these rows can need. Never throws. */
export function levelsNeeded({ grouping, rows }: LadderOptions): number {
  return rows * Number(grouping);
}

/** @param book levels of each side, best first. Never throws. */
export function selectLadder(book: LadderLevels, options: LadderOptions): Ladder {
  const bids = group(book.bids, options, (price, step) => price - (price % step));
  const asks = group(book.asks, options, (price, step) => price + ((step - (price % step)) % step));
  const deepest = maxOf([bids.at(-1), asks.at(-1)].map((step) => step?.cumulative ?? 0n));
  const toRow = (step: Step): LadderRow => ({
    priceTicks: step.priceTicks,
    price: formatUnits(step.priceTicks.toString(), options.scale?.tickSize),
    size: formatUnits(step.size.toString(), options.scale?.lotSize),
    sizeLots: step.size,
    cumulativeSize: formatUnits(step.cumulative.toString(), options.scale?.lotSize),
    depthShare: share(step.cumulative, deepest),
  });
  return { bids: bids.map(toRow), asks: asks.map(toRow) };
}

/** Share of the bids in the size of these rows, in whole percent, half up; undefined when they hold no size. */
export function selectBidPercent({ bids, asks }: Ladder): number | undefined {
  const bid = sumOf(bids);
  const total = bid + sumOf(asks);
  return total === 0n ? undefined : Number((bid * 200n + total) / (total * 2n));
}

function sumOf(rows: readonly LadderRow[]): bigint {
  return rows.reduce((sum, { sizeLots }) => sum + sizeLots, 0n);
}

interface Step {
  readonly priceTicks: bigint;
  size: bigint;
  cumulative: bigint;
}

function group(
  levels: readonly PriceLevel[],
  { grouping, rows }: LadderOptions,
  round: (price: bigint, step: bigint) => bigint,
): Step[] {
  const steps: Step[] = [];
  let cumulative = 0n;
  for (const level of levels) {
    const price = BigInt(level.price_ticks);
    const priceTicks = grouping === 1n ? price : round(price, grouping);
    const size = BigInt(level.size_base_lots);
    const last = steps.at(-1);
    const isSame = last?.priceTicks === priceTicks;
    if (!isSame && steps.length === rows) break;
    cumulative += size;
    if (isSame && last !== undefined) {
      last.size += size;
      last.cumulative = cumulative;
    } else steps.push({ priceTicks, size, cumulative });
  }
  return steps;
}

function maxOf(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n);
}

/** A part of a whole for drawing: to a thousandth, so that it may be a Number. */
function share(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole) / 1000;
}
