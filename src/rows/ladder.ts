// The rows of an order book as a ladder: levels grouped by price, with the sum from the best price on.
import { divideHalfEven } from "../units/decimal.ts";

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
export function groupTicks(priceTicks: bigint, groupingTicks: bigint, isAsk: boolean): bigint {
  const low = priceTicks - (priceTicks % groupingTicks);
  return isAsk && low !== priceTicks ? low + groupingTicks : low;
}

/** Numbers below this are exact, and so is a sum of two. */
const EXACT = 2 ** 52;

/** Levels are summed as numbers as long as these are exact, which is several times faster than in integers of any size. */
function groupSide(
  levels: readonly Level[],
  groupingTicks: bigint,
  maxRows: number,
  isAsk: boolean,
): readonly LadderRow[] {
  const rows: LadderRow[] = [];
  let [totalLots, totalValue] = [0n, 0n];
  for (let at = 0; at < levels.length && rows.length < maxRows; ) {
    const priceTicks = groupTicks(BigInt(levels[at]?.price_ticks ?? 0), groupingTicks, isAsk);
    const end = endOfRow(levels, at, priceTicks, groupingTicks, isAsk);
    const { lots, value } = sumLevels(levels, at, end);
    totalLots += lots;
    totalValue += value;
    rows.push({ priceTicks, lots, totalLots, totalValue });
    at = end;
  }
  return rows;
}

/** Index behind the levels of a row. */
function endOfRow(
  levels: readonly Level[],
  from: number,
  priceTicks: bigint,
  groupingTicks: bigint,
  isAsk: boolean,
): number {
  // Of bids a row begins at its price, of asks it ends there.
  const last = isAsk ? priceTicks : priceTicks + groupingTicks - 1n;
  const first = last - groupingTicks + 1n;
  const [least, most] = [Number(first), Number(last)];
  const isExact = most < EXACT;
  let at = from + 1;
  for (; at < levels.length; at++) {
    const text = levels[at]?.price_ticks ?? "";
    const isInside = isExact
      ? Number(text) >= least && Number(text) <= most
      : BigInt(text) >= first && BigInt(text) <= last;
    if (!isInside) break;
  }
  return at;
}

function sumLevels(levels: readonly Level[], from: number, end: number) {
  let [lots, value] = [0, 0];
  for (let at = from; at < end; at++) {
    const { price_ticks = "", size_base_lots = "" } = levels[at] ?? {};
    const size = Number(size_base_lots);
    lots += size;
    value += Number(price_ticks) * size;
  }
  // What is larger than this may have been rounded on the way.
  if (lots < EXACT && value < EXACT) return { lots: BigInt(lots), value: BigInt(value) };
  return sumExactly(levels.slice(from, end));
}

function sumExactly(levels: readonly Level[]) {
  let [lots, value] = [0n, 0n];
  for (const { price_ticks, size_base_lots } of levels) {
    const size = BigInt(size_base_lots);
    lots += size;
    value += BigInt(price_ticks) * size;
  }
  return { lots, value };
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
