// The order book as a ladder: levels grouped by price, with cumulative sizes; its place in a pane, and the scale of its bars.

import type { PastBook } from "../state/book-window.ts";
import type { OrderbookState } from "../state/orderbook.ts";
import { MAX_TRADES, type TapeHole } from "../state/trades.ts";
import { divideInteger, formatDecimal, multiplyDecimal, parseDecimal } from "../units/decimal.ts";
import { listRoundSteps } from "../units/round-steps.ts";
import { formatUnits, type Scale, toUnits } from "../units/scale.ts";
import { compareUint, stripZeros } from "../units/uint.ts";
import { parseWhole, WholeSum } from "../units/whole.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { Trade } from "../wire/channels/trades.ts";

export interface LadderStep {
  readonly priceTicks: bigint;
  readonly sizeLots: bigint;
  /** Size of this step and of all better ones. */
  readonly cumulativeLots: bigint;
}

/** The same with numbers as exact text: in currency, or in ticks and lots without a scale. */
export interface LadderRow extends LadderStep {
  readonly price: string;
  readonly size: string;
  readonly cumulativeSize: string;
}

/** Both sides of the book in steps: best first, at most as many as requested. */
export interface Ladder<Step extends LadderStep = LadderRow> {
  readonly bids: readonly Step[];
  readonly asks: readonly Step[];
}

/** Levels of each side, best first. */
export interface LadderLevels {
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
}

export interface StepOptions {
  /** Width of a step in ticks, at least 1: bids are rounded down to it, asks up. */
  readonly grouping: bigint;
  readonly rows: number;
}

/** Groupings, as `[` and `]` step through them: 1, 2, 5, 10 … */
export const GROUPINGS = listRoundSteps(24);

/** The square of twice the price, divided by this, is the square of one basis point of the price. */
const BASIS_POINTS_SQUARED = 4n * 10n ** 8n;

/** The step nearest to one basis point of the price, by ratio. @param sumTicks bid plus ask in ticks */
export function selectGrouping(sumTicks: bigint): bigint {
  const isNearest = (step: bigint, i: number) =>
    sumTicks * sumTicks <= BASIS_POINTS_SQUARED * step * (GROUPINGS[i + 1] ?? step);
  return GROUPINGS.find(isNearest) ?? GROUPINGS.at(-1) ?? 1n;
}

/** With fewer rows on a side, a ladder is mostly empty. */
const FEW_ROWS = 20n;

/** The same step, or the next finer one that gives a side of a shallow book enough rows. @param book best first */
export function refineGrouping(step: bigint, { bids, asks }: LadderLevels): bigint {
  const spans = [bids, asks].map((levels) => {
    const [best, worst] = [levels[0], levels.at(-1)].map((level) =>
      BigInt(level?.price_ticks ?? 0),
    );
    const span = (best ?? 0n) - (worst ?? 0n);
    return span < 0n ? -span : span;
  });
  const widest = spans.reduce((most, span) => (span > most ? span : most), 0n);
  return GROUPINGS.findLast((each) => each <= step && widest >= each * FEW_ROWS) ?? 1n;
}

export function levelsNeeded({ grouping, rows }: StepOptions): number {
  return rows * Number(grouping);
}

/** @param book levels of each side, best first */
export function selectSteps(book: LadderLevels, options: StepOptions): Ladder<LadderStep> {
  return { bids: group(book.bids, options, "bid"), asks: group(book.asks, options, "ask") };
}

/** @param book levels of each side, best first */
export function selectLadder(
  book: LadderLevels,
  options: StepOptions & { readonly scale: Scale | undefined },
): Ladder {
  const { bids, asks } = selectSteps(book, options);
  const { tickSize, lotSize } = options.scale ?? {};
  const toRow = (step: LadderStep): LadderRow => ({
    ...step,
    price: formatUnits(`${step.priceTicks}`, tickSize),
    size: formatUnits(`${step.sizeLots}`, lotSize),
    cumulativeSize: formatUnits(`${step.cumulativeLots}`, lotSize),
  });
  return { bids: bids.map(toRow), asks: asks.map(toRow) };
}

/** Share of the bids in the size of these rows, in whole percent, rounded half up; undefined if they hold no size. */
export function selectBidPercent({ bids, asks }: Ladder<LadderStep>): number | undefined {
  const bid = sumLots(bids);
  const total = bid + sumLots(asks);
  return total === 0n ? undefined : Number((bid * 200n + total) / (total * 2n));
}

function sumLots(rows: readonly LadderStep[]): bigint {
  return rows.reduce((sum, { sizeLots }) => sum + sizeLots, 0n);
}

function group(
  levels: readonly PriceLevel[],
  { grouping, rows }: StepOptions,
  side: Side,
): LadderStep[] {
  const steps: LadderStep[] = [];
  let cumulativeLots = 0n;
  let open: OpenStep | undefined;
  const close = ({ priceTicks, sizeLots }: OpenStep) => {
    cumulativeLots += sizeLots;
    steps.push({ priceTicks, sizeLots, cumulativeLots });
  };
  for (const { price_ticks, size_base_lots } of levels) {
    if (open?.holds(price_ticks) !== true) {
      if (open !== undefined) close(open);
      open = undefined;
      if (steps.length === rows) break;
      open = new OpenStep(side, getStep(BigInt(price_ticks), grouping, side));
    }
    open.add(size_base_lots);
  }
  if (open !== undefined) close(open);
  return steps;
}

type Side = "bid" | "ask";

export function getStep(price: bigint, grouping: bigint, side: Side): bigint {
  const below = price % grouping;
  return price - below + (side === "bid" || below === 0n ? 0n : grouping);
}

/** A step while its levels are added, best first: fast, since there may be thousands, and exact for sizes of any length. */
class OpenStep {
  readonly priceTicks: bigint;
  readonly #side: Side;
  readonly #bound: string;
  readonly #lots = new WholeSum();

  constructor(side: Side, priceTicks: bigint) {
    this.#side = side;
    this.priceTicks = priceTicks;
    this.#bound = `${priceTicks}`;
  }

  get sizeLots(): bigint {
    return this.#lots.total;
  }

  holds(price: string): boolean {
    const order = compareUint(stripZeros(price), this.#bound);
    return this.#side === "bid" ? order >= 0 : order <= 0;
  }

  add(size: string): void {
    this.#lots.add(parseWhole(size));
  }
}

/** Possible sizes of a full bar, in tenths of a power of ten. */
const BAR_SCALES = [10n, 15n, 20n, 30n, 50n, 70n, 100n];

/**
 * The size of a full bar: a round number not below the largest size shown. Unchanged while the largest fills at least half
 * of it, so that not all bars change with the largest.
 */
export function selectBarScale(most: bigint, before: bigint | undefined): bigint {
  if (before !== undefined && most <= before && most * 2n >= before) return before;
  const unit = 10n ** BigInt(`${most}`.length - 1);
  const tenths = BAR_SCALES.find((each) => each * unit >= most * 10n) ?? 100n;
  return (tenths * unit + 9n) / 10n;
}

/** A fraction for drawing, 0 to 1, to a thousandth, so that it may be a Number. */
export function getShare(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole) / 1000;
}

export type LadderLine = bigint | "spread";

export interface LadderPlace {
  /** From the top of the room; undefined for a blank row. */
  readonly rows: readonly (LadderLine | undefined)[];
  /** Rows scrolled from its place without scrolling, negative upwards. */
  readonly scrolled: number;
}

/**
 * Keeps as many rows as possible in place until the spread leaves the middle third of the room: then it is centred again.
 * @returns the first visible row, negative if there are blank ones above it, and its distance from where it would be
 *   without scrolling
 */
export function placeLadder({
  rows,
  room,
  scroll,
  cursorTicks,
  before,
}: {
  readonly rows: readonly LadderLine[];
  /** Visible rows. */
  readonly room: number;
  /** Rows scrolled by the user, negative upwards. */
  readonly scroll: number;
  /** A price that is always kept in view. */
  readonly cursorTicks: bigint | undefined;
  readonly before: LadderPlace | undefined;
}): { first: number; scrolled: number } {
  const spread = rows.indexOf("spread");
  const centred = spread - Math.floor((room - 1) / 2);
  const held = before !== undefined ? heldFirst(rows, before) : centred;
  const row = spread - held;
  const isInMiddle = row >= Math.floor(room / 3) && row < Math.ceil((room * 2) / 3);
  const base = isInMiddle ? held : centred;
  const least = Math.min(0, rows.length - room);
  const most = Math.max(0, rows.length - room);
  const bounded = (first: number) => Math.max(least, Math.min(first, most));
  let first = bounded(base + (rows.length <= room ? 0 : scroll));
  if (cursorTicks !== undefined) {
    // A level that has disappeared is replaced by the next lower one.
    const index = rows.findIndex((each) => each !== "spread" && each <= cursorTicks);
    const cursor = index < 0 ? rows.length - 1 : index;
    first = bounded(Math.max(cursor - room + 1, Math.min(first, cursor)));
  }
  return { first, scrolled: first - base };
}

/** The first row that keeps the most rows in place, without scrolling; of several, the first that is found. */
function heldFirst(rows: readonly LadderLine[], { rows: before, scrolled }: LadderPlace): number {
  const places = new Map(rows.map((each, i) => [each, i]));
  const votes = new Map<number, number>();
  let winner = Number.NaN;
  for (const [i, each] of before.entries()) {
    const place = each === undefined || each === "spread" ? undefined : places.get(each);
    if (place === undefined) continue;
    const first = place - i;
    const count = (votes.get(first) ?? 0) + 1;
    votes.set(first, count);
    if (count > (votes.get(winner) ?? 0)) winner = first;
  }
  return winner - scrolled;
}

export interface BookAmount {
  readonly kind: "base" | "quote";
  /** Lots, above zero; for quote, ticks times lots, rounded down, which may be 0. */
  readonly units: bigint;
}

/** Longer text cannot be an amount in any book. */
const FORM = /^\s*(\d{1,30}(?:\.\d{1,30})?)\s*(b|base|q|quote)?\s*$/i;

/** Parses an amount. @param scale of the market; without it, amounts are lots */
export function parseAmount(
  text: string,
  scale: Scale | undefined,
): { readonly amount: BookAmount } | { readonly fault: string } {
  const [, digits = "", unit = "base"] = FORM.exec(text) ?? [];
  const number = parseDecimal(digits);
  if (number === undefined) return { fault: "not an amount: 2.5, or 10000 quote" };
  if (number.mantissa === 0n) return { fault: "an amount is more than 0" };
  if (/^q/i.test(unit)) {
    if (scale === undefined) return { fault: "worth of a tick not known: give lots" };
    const worth = scale.tickSize.mantissa * scale.lotSize.mantissa;
    const places = scale.tickSize.places + scale.lotSize.places;
    const units =
      (number.mantissa * 10n ** BigInt(places)) / (worth * 10n ** BigInt(number.places));
    return { amount: { kind: "quote", units } };
  }
  const lots = toUnits(number, scale?.lotSize ?? ONE);
  if (lots === undefined) return { fault: "not a whole number of lots" };
  return { amount: { kind: "base", units: lots } };
}

/** What is taken from one side, and its cost, as decimal text: in currency, or in ticks and lots without a scale. */
export interface BookCost {
  readonly size: string;
  /** Average price, rounded half away from zero, with two decimals more than prices. */
  readonly average: string;
  /** The same with as many decimals as prices. */
  readonly shortAverage: string;
  /** Distance of the average from the best price, in basis points with four decimals. */
  readonly slippage: string;
  /** Levels taken, the last one perhaps in part. */
  readonly levels: number;
  /** Exact amount paid or received. */
  readonly value: string;
}

export interface AmountCost {
  /** Undefined if the side is empty, or the amount is less than one lot. */
  readonly cost: BookCost | undefined;
  /** False if the whole side is less than the amount. */
  readonly isEnough: boolean;
}

interface Taken {
  readonly ticks: bigint;
  readonly lots: bigint;
}

const ONE = { mantissa: 1n, places: 0 };
const AVERAGE_PLACES = 2;
const SLIPPAGE_PLACES = 4;

/** @returns undefined if no level is that good */
export function selectBookCost(
  {
    levels,
    side,
    worstTicks,
  }: { readonly levels: readonly PriceLevel[]; readonly side: Side; readonly worstTicks: bigint },
  scale: Scale | undefined,
): BookCost | undefined {
  const isTaken = ({ ticks }: Taken) =>
    side === "bid" ? ticks >= worstTicks : ticks <= worstTicks;
  return getCost(levels.map(takeAll).filter(isTaken), scale);
}

/**
 * Cost of taking an amount from one side: as many whole lots as the amount contains, or pays for.
 * @param levels best first
 */
export function selectAmountCost(
  levels: readonly PriceLevel[],
  { kind, units }: BookAmount,
  scale: Scale | undefined,
): AmountCost {
  const taken: Taken[] = [];
  let rest = units;
  let isEnough = false;
  for (const level of levels) {
    const { ticks, lots } = takeAll(level);
    const each = kind === "base" ? 1n : ticks;
    // A level at price 0 would never use up an amount of quote currency.
    const maxLots = each === 0n ? lots : rest / each;
    const part = maxLots < lots ? maxLots : lots;
    if (part > 0n) taken.push({ ticks, lots: part });
    rest -= part * each;
    isEnough = part < lots || rest === 0n;
    if (isEnough) break;
  }
  return { cost: getCost(taken, scale), isEnough };
}

function takeAll({ price_ticks, size_base_lots }: PriceLevel): Taken {
  return { ticks: BigInt(price_ticks), lots: BigInt(size_base_lots) };
}

function getCost(taken: readonly Taken[], scale: Scale | undefined): BookCost | undefined {
  const lots = taken.reduce((sum, level) => sum + level.lots, 0n);
  const value = taken.reduce((sum, level) => sum + level.ticks * level.lots, 0n);
  const best = taken[0]?.ticks ?? 0n;
  const average = divideInteger(value, lots, AVERAGE_PLACES);
  const apart = value - best * lots;
  const slippage = divideInteger(
    (apart < 0n ? -apart : apart) * 10_000n,
    best * lots,
    SLIPPAGE_PLACES,
  );
  if (average === undefined || slippage === undefined) return undefined;
  const { tickSize = ONE, lotSize = ONE } = scale ?? {};
  const worth = multiplyDecimal({ mantissa: value, places: 0 }, tickSize);
  const short = divideInteger(worth.mantissa, lots, 0)?.mantissa ?? 0n;
  return {
    size: formatUnits(`${lots}`, scale?.lotSize),
    average: formatDecimal(multiplyDecimal(average, tickSize)),
    shortAverage: formatDecimal({ mantissa: short, places: worth.places }),
    slippage: formatDecimal(slippage),
    levels: taken.length,
    value: formatDecimal(multiplyDecimal(worth, lotSize)),
  };
}

/** How order book frames are interpreted, and the evidence: `changes, inferred 12`. */
export function formatBookInterpretation(data: OrderbookState): string {
  const { interpretation, isDecided, judged } = data;
  return `${BOOK_INTERPRETATIONS[interpretation]}, ${isDecided ? `inferred ${judged}` : "assumed"}`;
}

const BOOK_INTERPRETATIONS = {
  whole: "whole books",
  changes: "changes",
} as const;

// Size stacked and pulled: how much more, or less, rests at each step of the ladder than a few seconds ago, not counting
// what has traded there since.

/** Lots stacked at a step, or, if negative, pulled; undefined if unknown. */
export type ChangeOf = (
  side: "bid" | "ask",
  step: Pick<LadderStep, "priceTicks" | "sizeLots">,
) => bigint | undefined;

const unknown: ChangeOf = () => undefined;

/** Both books have server times, and exactly the trades between these count. */
export function selectChanges({
  book,
  untilNs,
  trades,
  holes,
  grouping,
}: {
  readonly book: PastBook;
  /** Server time of the current book, nanoseconds as digits. */
  readonly untilNs: string;
  /** Newest first. */
  readonly trades: readonly Trade[];
  readonly holes: readonly TapeHole[];
  readonly grouping: bigint;
}): ChangeOf {
  const sinceNs = book.timestampNs;
  if (holes.some((hole) => compareUint(hole.untilNs, sinceNs) > 0)) return unknown;
  const oldest = trades.at(-1);
  // Trades before the oldest one held are unknown.
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
    // Beyond the worst level of that book, and in its step if levels were cut off, the previous size is unknown.
    const order = side === "bid" ? priceTicks - last : last - priceTicks;
    if (order < 0n || (order === 0n && book.isCut)) return undefined;
    const was = sizes[side].get(priceTicks) ?? 0n;
    return sizeLots - was + (traded[side].get(priceTicks) ?? 0n);
  };
}
