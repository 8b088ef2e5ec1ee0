// The tape of one market. Stream trades carry no id, so what comes again after a new subscription is
// recognised by time. Reading: docs/adr/0005.
import type { Trade, TradesUpdate } from "../protocol/channels/trades.ts";
import { compareUint, stripZeros } from "../units/uint.ts";

/** Trades that are kept; older ones are let go. */
export const MAX_TRADES = 2000;

/** A stretch of time in which trades may have been missed. */
export interface TapeHole {
  /** Server time of the last trade before and the first one after it; undefined where there is none. */
  readonly afterNs: string | undefined;
  readonly untilNs: string | undefined;
}

/** The tape of one market, up to a cap, and where trades may be missing in it. Only the fold changes it. */
export class TradesState {
  /** Oldest first, in the order of the service. */
  #trades: Trade[] = [];
  #total = 0;
  #isNewestFirst = false;
  #holes: TapeHole[] = [];
  #isHoleOpen = false;
  /** True after the first update: a first one of a later subscription may repeat what is held. */
  #hasStarted = false;

  /** The same tape; later trades of this one do not reach it. */
  copy(): TradesState {
    const copy = new TradesState();
    copy.#trades = [...this.#trades];
    copy.#total = this.#total;
    copy.#isNewestFirst = this.#isNewestFirst;
    copy.#holes = [...this.#holes];
    copy.#isHoleOpen = this.#isHoleOpen;
    copy.#hasStarted = this.#hasStarted;
    return copy;
  }

  /** Trades received since the start, without repeats. */
  get total(): number {
    return this.#total;
  }

  /** Stretches in which trades may be missing, oldest first; at most as many as can still be seen. */
  get holes(): readonly TapeHole[] {
    return this.#holes;
  }

  /** Count of trades that are kept. */
  get size(): number {
    return this.#trades.length;
  }

  /** The newest `count` trades, newest first. */
  recent(count = MAX_TRADES): readonly Trade[] {
    return this.#trades.slice(Math.max(0, this.#trades.length - count)).reverse();
  }

  /** Folds in an update; the first of a new subscription may repeat what is held. */
  update(frame: TradesUpdate, isFirst: boolean): void {
    const trades = this.#oldestFirst(frame.trades);
    if (isFirst && this.#hasStarted) this.#rejoin(trades);
    else if (isToldAgain(this.#trades, trades)) this.#append(withoutRepeats(this.#trades, trades));
    else this.#append(trades);
    this.#hasStarted = true;
  }

  #rejoin(trades: readonly Trade[]): void {
    const fresh = withoutRepeats(this.#trades, trades);
    const overlaps = fresh.length < trades.length;
    // Nothing of what is held came again, so what lies between is unknown.
    if (!overlaps) this.#isHoleOpen = true;
    this.#append(fresh);
  }

  #append(trades: readonly Trade[]): void {
    const first = trades[0];
    if (first === undefined) return;
    if (this.#isHoleOpen) {
      this.#holes.push({ afterNs: this.#trades.at(-1)?.timestamp_ns, untilNs: first.timestamp_ns });
      this.#isHoleOpen = false;
    }
    this.#trades.push(...trades.slice(-MAX_TRADES));
    this.#total += trades.length;
    if (this.#trades.length > MAX_TRADES * 2) this.#trim();
  }

  #trim(): void {
    this.#trades = this.#trades.slice(-MAX_TRADES);
    const oldest = this.#trades[0]?.timestamp_ns ?? "0";
    this.#holes = this.#holes.filter((hole) => compareNs(hole.untilNs ?? "0", oldest) >= 0);
  }

  /** The order of trades within a frame is not shown: their times tell, and the habit of the service. */
  #oldestFirst(trades: readonly Trade[]): readonly Trade[] {
    const first = trades[0];
    const last = trades.at(-1);
    if (first === undefined || last === undefined) return trades;
    const order = compareNs(first.timestamp_ns, last.timestamp_ns);
    if (order !== 0) this.#isNewestFirst = order > 0;
    const ordered = this.#isNewestFirst ? [...trades].reverse() : trades;
    return isOrdered(ordered) ? ordered : [...ordered].sort(compareTime);
  }
}

/**
 * True when trades begin before the newest held one, and one of that time is held: the service tells the past once
 * more. So comes the first frame of a subscription behind an update of the one before, which was taken for it.
 */
function isToldAgain(held: readonly Trade[], came: readonly Trade[]): boolean {
  const boundary = held.at(-1)?.timestamp_ns;
  const oldest = came[0]?.timestamp_ns;
  if (boundary === undefined || oldest === undefined || compareNs(oldest, boundary) >= 0)
    return false;
  // Looked through for times alone, since a service may tell old trades all day long; few frames hold many.
  const times = new Set(came.map(({ timestamp_ns }) => stripZeros(timestamp_ns)));
  let known: Set<string> | undefined;
  for (let i = held.length - 1; i >= 0; i--) {
    const trade = held[i];
    if (trade === undefined || compareNs(trade.timestamp_ns, oldest) < 0) break;
    if (!times.has(stripZeros(trade.timestamp_ns))) continue;
    known ??= new Set(came.map(momentOf));
    if (compareNs(trade.timestamp_ns, boundary) < 0 && known.has(momentOf(trade))) return true;
  }
  return false;
}

/**
 * The trades of a new subscription that are not held yet: those that are newer than the newest held one,
 * and of its very moment those that are held fewer times than they came.
 */
function withoutRepeats(held: readonly Trade[], came: readonly Trade[]): readonly Trade[] {
  const boundary = held.at(-1)?.timestamp_ns;
  if (boundary === undefined) return came;
  const counts = new Map<string, number>();
  for (let i = held.length - 1; i >= 0; i--) {
    const trade = held[i];
    if (trade === undefined || compareNs(trade.timestamp_ns, boundary) !== 0) break;
    counts.set(identity(trade), (counts.get(identity(trade)) ?? 0) + 1);
  }
  return came.filter((trade) => {
    const order = compareNs(trade.timestamp_ns, boundary);
    if (order !== 0) return order > 0;
    const left = counts.get(identity(trade)) ?? 0;
    counts.set(identity(trade), left - 1);
    return left <= 0;
  });
}

function identity(trade: Trade): string {
  const price = stripZeros(trade.price_ticks);
  return `${price}/${stripZeros(trade.size_base_lots)}/${trade.taker_is_bid}`;
}

function momentOf(trade: Trade): string {
  return `${stripZeros(trade.timestamp_ns)}/${identity(trade)}`;
}

function isOrdered(trades: readonly Trade[]): boolean {
  return trades.every((trade, i) => {
    const before = trades[i - 1];
    return before === undefined || compareTime(before, trade) <= 0;
  });
}

function compareTime(a: Trade, b: Trade): number {
  return compareNs(a.timestamp_ns, b.timestamp_ns);
}

function compareNs(a: string, b: string): number {
  return compareUint(stripZeros(a), stripZeros(b));
}
