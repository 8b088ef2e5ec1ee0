// The tape: trades newest first, with the trades of one taker's sweep as one line.

import type { HoleCause, TapeHole, TradesState } from "../state/trades.ts";
import { listRoundSteps } from "../units/round-steps.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import { formatSpan, msOfNs } from "../units/time.ts";
import type { Trade } from "../wire/channels/trades.ts";

export type TapeLine = TapeRow | ReturnType<typeof formatHole>;

export interface TapeRow {
  readonly kind: "sweep";
  /** The oldest trade of the sweep, which stays while newer ones join it. */
  readonly first: Trade;
  readonly timestampNs: string;
  readonly takerIsBid: boolean;
  /** Price of the last trade of the sweep: where it ended. */
  readonly price: string;
  readonly size: string;
  readonly sizeLots: bigint;
  readonly count: number;
  readonly isLarge: boolean;
}

export interface TapeOptions extends TapeFilter {
  readonly rows: number;
  /** Newest lines that are passed over; none if undefined. */
  readonly skip?: number | undefined;
  readonly scale: Scale | undefined;
}

export interface TapeFilter {
  /** Lines of a smaller size, in lots, are left out. */
  readonly minimumLots: bigint;
  /** Lines of a smaller value, in ticks times lots, are left out. */
  readonly minimumValue?: bigint | undefined;
  readonly holes: readonly TapeHole[];
}

/** Minimum sizes, as `+` and `-` step through them: 0, 1, 2, 5, 10 … lots. */
export const MINIMUM_SIZES: readonly bigint[] = [0n, ...listRoundSteps(30)];

/** Minimum values if the scale is known, in quote currency: 0, 10, 20, 50 … */
export const MINIMUM_VALUES: readonly bigint[] = [
  0n,
  ...listRoundSteps(24).map((step) => step * 10n),
];

/** The least whole number of ticks times lots worth this much quote currency. */
export function unitsOfValue(value: bigint, { tickSize, lotSize }: Scale): bigint {
  const unit = tickSize.mantissa * lotSize.mantissa;
  const scaled = value * 10n ** BigInt(tickSize.places + lotSize.places);
  return unit === 0n ? 0n : (scaled + unit - 1n) / unit;
}

/** A line is large at this multiple, or more, of the average of the lines shown. */
const LARGE = 4n;

interface Sweep {
  first: Trade;
  readonly last: Trade;
  sizeLots: bigint;
  value: bigint;
  count: number;
}

/** The newest lines after those passed over. Holes are shown regardless of the minimum. @param trades newest first */
export function selectTape(trades: readonly Trade[], options: TapeOptions): readonly TapeLine[] {
  const lines: (Sweep | TapeHole)[] = [];
  const { rows, skip = 0 } = options;
  let skipped = 0;
  let total = 0n;
  let sweeps = 0n;
  for (const line of filteredLines(trades, options)) {
    if (lines.length >= rows) break;
    if (skipped++ < skip) continue;
    lines.push(line);
    if (isHole(line)) continue;
    total += line.sizeLots;
    sweeps++;
  }
  return lines.map((line) =>
    isHole(line) ? formatHole(line) : formatSweep(line, options.scale, total, sweeps),
  );
}

/**
 * How many lines there are, counted up to `rows` after that of this trade; and how many before that, undefined if it has none.
 * @param trades newest first
 */
export function placeInTape(
  trades: readonly Trade[],
  filter: TapeFilter,
  { first, rows }: { readonly first: Trade | undefined; readonly rows: number },
): { readonly length: number; readonly place: number | undefined } {
  let length = 0;
  let place: number | undefined;
  for (const line of filteredLines(trades, filter)) {
    if (length >= (place ?? Number.POSITIVE_INFINITY) + rows) break;
    if (!isHole(line) && line.first === first) place = length;
    length++;
  }
  return { length, place };
}

function* filteredLines(trades: readonly Trade[], filter: TapeFilter): Generator<Sweep | TapeHole> {
  const { minimumLots, minimumValue = 0n, holes } = filter;
  for (const line of linesOf(trades, holes)) {
    if (isHole(line) || (line.sizeLots >= minimumLots && line.value >= minimumValue)) yield line;
  }
}

function formatSweep(
  { first, last, sizeLots, count }: Sweep,
  scale: Scale | undefined,
  total: bigint,
  sweeps: bigint,
): TapeRow {
  return {
    kind: "sweep",
    first,
    timestampNs: last.timestamp_ns,
    takerIsBid: last.taker_is_bid,
    price: formatUnits(last.price_ticks, scale?.tickSize),
    size: formatUnits(sizeLots.toString(), scale?.lotSize),
    sizeLots,
    count,
    isLarge: sizeLots > 0n && sizeLots * sweeps >= total * LARGE,
  };
}

/** Why trades may be missing, short enough for a narrow tape. */
const CAUSES: Readonly<Record<HoleCause, string>> = {
  connection: "connection",
  gap: "update missed",
  resync: "resync",
  lost: "subscription lost",
  unavailable: "unavailable",
  refused: "refused",
  unsubscribed: "not shown",
  unreadable: "unreadable",
  snapshot: "new snapshot",
  since: "not read yet",
  several: "several causes",
};

/** A span in which trades may be missing: the server time at which it begins, and `9.4 s not seen (connection)`. */
function formatHole({ afterNs, untilNs, cause }: TapeHole) {
  const ms = msOfNs(`${BigInt(untilNs) - BigInt(afterNs)}`);
  const words = `${formatSpan(ms)} not seen (${CAUSES[cause]})`;
  return { kind: "hole" as const, timestampNs: afterNs, words };
}

const isHole = (line: Sweep | TapeHole): line is TapeHole => "untilNs" in line;

type HolesByNext = ReadonlyMap<Trade | undefined, readonly TapeHole[]>;

function* linesOf(
  trades: readonly Trade[],
  holes: readonly TapeHole[],
): Generator<Sweep | TapeHole> {
  const byNext = new Map<Trade | undefined, TapeHole[]>();
  for (const hole of holes) byNext.set(hole.next, [hole, ...(byNext.get(hole.next) ?? [])]);
  yield* byNext.get(undefined) ?? [];
  for (const sweep of sweepsOf(trades, byNext)) {
    yield sweep;
    yield* byNext.get(sweep.first) ?? [];
  }
}

/**
 * Sweeps with trades among the newest ones, oldest first: lots and value (ticks times lots), and how much of each was there
 * before, since a sweep may have begun earlier. @param fresh number of new trades
 */
export function selectFreshSweeps(tape: TradesState, fresh: number) {
  const trades = tape.recent(Number.POSITIVE_INFINITY);
  const byNext = new Map<Trade | undefined, TapeHole[]>();
  for (const hole of tape.holes) byNext.set(hole.next, [hole]);
  const sweeps = [];
  let seen = 0;
  for (const { count, sizeLots, value } of fresh > 0 ? sweepsOf(trades, byNext) : []) {
    const before = trades.slice(Math.max(seen, fresh), seen + count);
    const sum = (of: (trade: Trade) => bigint) => before.reduce((all, each) => all + of(each), 0n);
    const lotsOf = ({ size_base_lots }: Trade) => BigInt(size_base_lots);
    sweeps.unshift({
      lots: sizeLots,
      lotsBefore: sum(lotsOf),
      value,
      valueBefore: sum((each) => BigInt(each.price_ticks) * lotsOf(each)),
    });
    seen += count;
    if (seen >= fresh) break;
  }
  return sweeps;
}

/** Trades of one moment and one side come from one taker, as far as the stream shows; a hole separates them. */
function* sweepsOf(trades: readonly Trade[], holes: HolesByNext): Generator<Sweep> {
  let sweep: Sweep | undefined;
  for (const trade of trades) {
    const size = BigInt(trade.size_base_lots);
    const value = BigInt(trade.price_ticks) * size;
    const isSame =
      sweep?.last.timestamp_ns === trade.timestamp_ns &&
      sweep.last.taker_is_bid === trade.taker_is_bid &&
      !holes.has(sweep.first);
    if (isSame && sweep !== undefined) {
      sweep.sizeLots += size;
      sweep.value += value;
      sweep.count++;
      sweep.first = trade;
      continue;
    }
    if (sweep !== undefined) yield sweep;
    sweep = { first: trade, last: trade, sizeLots: size, value, count: 1 };
  }
  if (sweep !== undefined) yield sweep;
}
