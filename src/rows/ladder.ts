// The rows of an order book as a ladder: levels grouped by price, with the sum from the best price on.
import { divideHalfEven } from "../units/decimal.ts";
import { roundStep } from "../units/round-steps.ts";

/** A level as the wire has it: ticks and lots as digits. */
interface Level {
  readonly price_ticks: string;
  readonly size_base_lots: string;
}

export interface LadderRow {
  /** Bids are rounded down to a row, asks up. */
  readonly priceTicks: bigint;
  readonly lots: bigint;
  /** From the best price up to this row. */
  readonly totalLots: bigint;
  /** The same in ticks times lots: what taking all of it costs. */
  readonly totalValue: bigint;
}

/** Best first. */
export interface Ladder {
  readonly bids: readonly LadderRow[];
  readonly asks: readonly LadderRow[];
}

export function selectLadder(
  { bids, asks }: { readonly bids: readonly Level[]; readonly asks: readonly Level[] },
  groupingTicks: bigint,
  maxRows: number,
): Ladder {
  return {
    bids: groupSide(bids, groupingTicks, maxRows, false),
    asks: groupSide(asks, groupingTicks, maxRows, true),
  };
}

/** The row of a price on its side of the book. */
export function rowOf(priceTicks: bigint, groupingTicks: bigint, isAsk: boolean): bigint {
  const low = priceTicks - (priceTicks % groupingTicks);
  return isAsk && low !== priceTicks ? low + groupingTicks : low;
}

function groupSide(
  levels: readonly Level[],
  groupingTicks: bigint,
  maxRows: number,
  isAsk: boolean,
): readonly LadderRow[] {
  const rows: { priceTicks: bigint; lots: bigint; totalLots: bigint; totalValue: bigint }[] = [];
  let [totalLots, totalValue] = [0n, 0n];
  for (const { price_ticks, size_base_lots } of levels) {
    const [price, lots] = [BigInt(price_ticks), BigInt(size_base_lots)];
    const priceTicks = rowOf(price, groupingTicks, isAsk);
    const last = rows.at(-1);
    const isSame = last?.priceTicks === priceTicks;
    if (!isSame && rows.length === maxRows) break;
    totalLots += lots;
    totalValue += price * lots;
    if (last !== undefined && isSame)
      Object.assign(last, { lots: last.lots + lots, totalLots, totalValue });
    else rows.push({ priceTicks, lots, totalLots, totalValue });
  }
  return rows;
}

/** Steps of the book's rows that suit its prices: a row for about each hundredth of a percent, and its neighbours. */
export function groupingSteps(bestTicks: bigint, count = 8): readonly bigint[] {
  const usual = roundStep(bestTicks / 50_000n > 1n ? bestTicks / 50_000n : 1n);
  const steps: bigint[] = [1n];
  for (
    let step = roundStep(usual / 5n > 1n ? usual / 5n : 1n);
    steps.length < count;
    step = roundStep(step + 1n)
  )
    if (step > 1n) steps.push(step);
  return steps;
}

/** What taking an amount from one side costs. */
export interface Taken {
  /** Less than asked for where the side ends before. */
  readonly lots: bigint;
  /** Ticks times lots. */
  readonly value: bigint;
  readonly worstTicks: bigint;
}

export function takeLots(levels: readonly Level[], wanted: bigint): Taken | undefined {
  let [lots, value, worstTicks] = [0n, 0n, 0n];
  for (const { price_ticks, size_base_lots } of levels) {
    if (lots >= wanted) break;
    const [price, size] = [BigInt(price_ticks), BigInt(size_base_lots)];
    const part = size < wanted - lots ? size : wanted - lots;
    lots += part;
    value += price * part;
    worstTicks = price;
  }
  return lots === 0n ? undefined : { lots, value, worstTicks };
}

/** Average price in hundredths of a tick, for the distance to the best one. */
export function averageTicks({ value, lots }: Pick<Taken, "value" | "lots">): {
  readonly mantissa: bigint;
  readonly places: number;
} {
  return divideHalfEven(value, lots, 2);
}

/** Share of the bids in what rests within the shown rows, in percent. */
export function imbalancePercent({ bids, asks }: Ladder): number | undefined {
  const [bid, ask] = [bids.at(-1)?.totalLots ?? 0n, asks.at(-1)?.totalLots ?? 0n];
  return bid + ask === 0n ? undefined : Number((bid * 1000n) / (bid + ask)) / 10;
}
