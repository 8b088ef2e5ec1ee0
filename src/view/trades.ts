// The tape: trades newest first, those of one taker's sweep as one line.
import type { Trade } from "../protocol/channels/trades.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import { formatTimeOfDay, msOfNs } from "../units/time.ts";

/** One line of the tape. */
export interface TapeRow {
  /** Server time of day, UTC, with milliseconds. */
  readonly time: string;
  readonly timestampNs: string;
  readonly takerIsBid: boolean;
  /** Price of the last trade of the sweep: where it ended. */
  readonly price: string;
  /** Size of all trades of the sweep. */
  readonly size: string;
  readonly sizeLots: bigint;
  /** Trades in the sweep. */
  readonly count: number;
  /** True when it is far larger than its neighbours. */
  readonly isLarge: boolean;
}

/** Which trades are shown, and how. */
export interface TapeOptions {
  /** Lines at the most. */
  readonly rows: number;
  /** Lines of which the size is below this are left out, in lots. */
  readonly minimumLots: bigint;
  readonly scale: Scale | undefined;
}

/** Steps of the smallest size shown, as `+` and `-` walk through them: 0, 1, 2, 5, 10 … lots. */
export const MINIMUM_SIZES: readonly bigint[] = [
  0n,
  ...Array.from(
    { length: 30 },
    (_, i) => ([1n, 2n, 5n][i % 3] ?? 1n) * 10n ** BigInt(Math.floor(i / 3)),
  ),
];

/** A line is large from this many times the average of those shown. */
const LARGE = 4n;

interface Sweep {
  readonly last: Trade;
  sizeLots: bigint;
  count: number;
}

/** The newest lines. @param trades newest first. Never throws. */
export function selectTape(trades: readonly Trade[], options: TapeOptions): readonly TapeRow[] {
  const sweeps: Sweep[] = [];
  for (const sweep of sweepsOf(trades)) {
    if (sweeps.length >= options.rows) break;
    if (sweep.sizeLots >= options.minimumLots) sweeps.push(sweep);
  }
  const total = sweeps.reduce((sum, { sizeLots }) => sum + sizeLots, 0n);
  return sweeps.map(({ last, sizeLots, count }) => ({
    time: formatTimeOfDay(msOfNs(last.timestamp_ns), true),
    timestampNs: last.timestamp_ns,
    takerIsBid: last.taker_is_bid,
    price: formatUnits(last.price_ticks, options.scale?.tickSize),
    size: formatUnits(sizeLots.toString(), options.scale?.lotSize),
    sizeLots,
    count,
    isLarge: sizeLots > 0n && sizeLots * BigInt(sweeps.length) >= total * LARGE,
  }));
}

/** Trades of one moment and one side are the work of one taker, as far as the stream tells. */
function* sweepsOf(trades: readonly Trade[]): Generator<Sweep> {
  let sweep: Sweep | undefined;
  for (const trade of trades) {
    const size = BigInt(trade.size_base_lots);
    const isSame =
      sweep?.last.timestamp_ns === trade.timestamp_ns &&
      sweep.last.taker_is_bid === trade.taker_is_bid;
    if (isSame && sweep !== undefined) {
      sweep.sizeLots += size;
      sweep.count++;
      continue;
    }
    if (sweep !== undefined) yield sweep;
    sweep = { last: trade, sizeLots: size, count: 1 };
  }
  if (sweep !== undefined) yield sweep;
}
