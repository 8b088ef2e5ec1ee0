/**
 * What a listing is made of: transactions, oldest first, each with a hidden index and some rows, and
 * between them rows of other markets and owners that the service scans but does not list.
 */

import { isSelfTrade } from "./listing-rows.ts";
import { createRandom, hash, type Random } from "./random.ts";

/** Which field of a record, if any, equals the transaction index or leads to it. */
export type CursorField =
  | "none"
  | "trade-id"
  | "trade-id-of-transaction"
  | "trade-id-times-1000"
  | "timestamp-ms"
  | "timestamp-us"
  | "timestamp-ns"
  | "timestamp-s"
  | "row-number";

export interface LedgerOptions {
  seed: number;
  cursor: CursorField;
  /** Transactions that exist at the first request. */
  transactions: number;
  /** Transactions that may arrive after it. */
  arriving: number;
  sizes: "one" | "few" | "many";
  /** Rows of the oldest transaction; 0 leaves it to `sizes`. */
  oldestSize: number;
  /** Rows of one transaction somewhere; 0 for none. */
  hugeSize: number;
  gaps: "one" | "small" | "wide" | "nanoseconds" | "mixed";
  firstIndex: bigint;
  pace: "burst" | "busy" | "slow" | "coarse";
  /** Rows of others between two own transactions: the largest that is usual, and the rare stretch. */
  foreign: number;
  quietStretch: number;
  /** Rows of others above the newest own row. */
  quietHead: number;
  /** Share of rows that repeat the row before them in every field. */
  twinShare: number;
  isBland: boolean;
  /** A trade with itself is listed twice, for the maker and for the taker, as equal rows. */
  listsSelfTradesTwice: boolean;
  selfTradeShare: number;
  /** Times of rows differ from the order of their transactions by this much. */
  timeJitterMs: number;
  /** How `trade_id` counts when it is not the index. */
  ids: "dense" | "scattered" | "falling" | "zero";
}

export interface Ledger {
  /** By transaction, oldest first. */
  index: bigint[];
  /** Number of the first row of each transaction, and the count of rows at the end. */
  start: number[];
  /** Rows of others between this transaction and the one above it. */
  foreign: number[];
  /** Rows of others below this transaction. */
  foreignBelow: number[];
  /** By row, oldest first. */
  transactionOf: number[];
  content: number[];
  timestampMs: number[];
  id: string[];
}

const FIRST_TIME_MS = 1_700_000_000_123;
const UNITS = { "timestamp-us": 1_000n, "timestamp-ns": 1_000_000n } as const;

function drawSize(random: Random, options: LedgerOptions, t: number, hugeAt: number): number {
  if (options.cursor === "trade-id" || options.cursor === "row-number") return 1;
  if (t === 0 && options.oldestSize > 0) return options.oldestSize;
  if (t === hugeAt) return options.hugeSize;
  if (options.sizes === "one") return 1;
  if (options.sizes === "few") return random.chance(0.6) ? 1 : random.int(2, 6);
  return random.chance(0.3) ? 1 : random.int(2, 40);
}

function drawGap(random: Random, options: LedgerOptions): bigint {
  const gaps = options.gaps === "mixed" ? random.pick(["one", "small", "wide"]) : options.gaps;
  if (gaps === "one") return 1n;
  if (gaps === "small") return BigInt(random.int(1, 12));
  if (gaps === "wide") return BigInt(random.int(1, 100_000));
  return BigInt(random.int(1, 1_000_000)) * 1_000_003n;
}

function drawStep(random: Random, pace: LedgerOptions["pace"]): number {
  if (pace === "burst") return random.chance(0.9) ? random.int(0, 3) : random.int(1, 60_000);
  if (pace === "busy") return random.int(0, 2_000);
  if (pace === "slow") return random.int(1_000, 30_000_000);
  return random.int(0, 3) * 1_000;
}

function drawForeign(random: Random, options: LedgerOptions): number {
  if (options.quietStretch > 0 && random.chance(0.02)) return options.quietStretch;
  return options.foreign > 0 ? random.int(0, options.foreign) : 0;
}

interface Clock {
  timeMs: number;
  index: bigint;
}

/** The next transaction's time and index, with room for the rows of others between. */
function nextClock(random: Random, options: LedgerOptions, clock: Clock, foreign: number): Clock {
  const step = drawStep(random, options.pace);
  switch (options.cursor) {
    case "timestamp-ms": {
      const timeMs = clock.timeMs + Math.max(step, foreign + 1);
      return { timeMs, index: BigInt(timeMs) };
    }
    case "timestamp-s": {
      const seconds = Math.floor(clock.timeMs / 1_000) + Math.max(step % 9_000, foreign + 1);
      return { timeMs: seconds * 1_000, index: BigInt(seconds) };
    }
    case "timestamp-us":
    case "timestamp-ns": {
      const unit = UNITS[options.cursor];
      const timeMs = clock.timeMs + step + Math.ceil(foreign / 1_000);
      const inMs = clock.index / unit === BigInt(timeMs) ? clock.index % unit : 0n;
      const rest = inMs + 1n + BigInt(random.int(0, 20));
      if (rest < unit) return { timeMs, index: BigInt(timeMs) * unit + rest };
      return { timeMs: timeMs + 1, index: BigInt(timeMs + 1) * unit };
    }
    default: {
      const least = BigInt(foreign + 1);
      const gap = options.cursor === "row-number" ? least : drawGap(random, options);
      return { timeMs: clock.timeMs + step, index: clock.index + (gap > least ? gap : least) };
    }
  }
}

function idOf(options: LedgerOptions, index: bigint, row: number, position: number): string {
  if (options.cursor === "trade-id" || options.cursor === "trade-id-of-transaction") {
    return String(index);
  }
  if (options.cursor === "trade-id-times-1000") return String(index * 1_000n + BigInt(position));
  switch (options.ids) {
    case "dense":
      return String(70_000 + row);
    case "scattered":
      return String(hash(options.seed, row, 40));
    case "falling":
      return String(9_000_000 - row);
    case "zero":
      return "0";
  }
}

/** A twin repeats the row before it in every field, so it needs that row's time and a bland style. */
function isTwin(random: Random, options: LedgerOptions, isSameTime: boolean): boolean {
  return options.twinShare > 0 && isSameTime && random.chance(options.twinShare);
}

export function createLedger(options: LedgerOptions): Ledger {
  const random = createRandom(hash(options.seed, 50));
  const ledger: Ledger = {
    index: [],
    start: [0],
    foreign: [],
    foreignBelow: [],
    transactionOf: [],
    content: [],
    timestampMs: [],
    id: [],
  };
  const total = options.transactions + options.arriving;
  const hugeAt = options.hugeSize > 0 ? random.int(0, Math.max(options.transactions - 1, 0)) : -1;
  const isTimed = options.cursor.startsWith("timestamp");
  let clock: Clock = { timeMs: FIRST_TIME_MS, index: options.firstIndex };
  if (isTimed) clock = nextClock(random, options, { timeMs: FIRST_TIME_MS, index: 0n }, 0);
  let foreignBelow = 0;
  for (let t = 0; t < total; t++) {
    appendTransaction(ledger, random, options, clock, drawSize(random, options, t, hugeAt));
    ledger.foreignBelow.push(foreignBelow);
    const isHead = t === options.transactions - 1 && options.quietHead > 0;
    const foreign = isHead ? options.quietHead : drawForeign(random, options);
    const next = nextClock(random, options, clock, foreign);
    const room = next.index - clock.index - 1n;
    const fitting = BigInt(foreign) > room ? Number(room) : foreign;
    ledger.foreign.push(fitting);
    foreignBelow += fitting;
    clock = next;
  }
  ledger.index.push(clock.index);
  ledger.foreignBelow.push(foreignBelow);
  return ledger;
}

/** Milliseconds of a row after its transaction's time. */
function timeInTransaction(random: Random, options: LedgerOptions, share: number): number {
  if (options.timeJitterMs > 0) return random.int(0, options.timeJitterMs);
  return options.cursor === "timestamp-s" ? Math.floor(999 * share) : 0;
}

function appendTransaction(
  ledger: Ledger,
  random: Random,
  options: LedgerOptions,
  clock: Clock,
  size: number,
): void {
  const transaction = ledger.index.length;
  ledger.index.push(clock.index);
  for (let position = 0; position < size; position++) {
    const row = ledger.content.length;
    const timestampMs = clock.timeMs + timeInTransaction(random, options, position / size);
    const isRepeat = isTwin(random, options, ledger.timestampMs[row - 1] === timestampMs);
    const content = isRepeat ? (ledger.content[row - 1] ?? row) : row;
    const isTwice = options.listsSelfTradesTwice && isSelfTrade(content, options.selfTradeShare);
    const id = idOf(options, clock.index, row, position);
    const copies = isTwice ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      ledger.transactionOf.push(transaction);
      ledger.timestampMs.push(timestampMs);
      ledger.content.push(content);
      ledger.id.push(id);
    }
  }
  ledger.start.push(ledger.content.length);
}

/** How many items of the rising list are below the value, among the first `count`. */
export function countBelow(list: readonly bigint[], count: number, value: bigint): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as bigint) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows of others that lie between transaction `t` and the one above it, and below the cursor. */
export function foreignBetween(ledger: Ledger, t: number, before: bigint): number {
  const count = ledger.foreign[t] ?? 0;
  if (count === 0) return 0;
  const from = ledger.index[t] as bigint;
  const gap = (ledger.index[t + 1] as bigint) - from;
  const distance = before - from;
  if (distance >= gap) return count;
  // The j-th of them has the index from + floor(gap * j / (count + 1)).
  const below = (distance * BigInt(count + 1) + gap - 1n) / gap - 1n;
  return Number(below < 0n ? 0n : below);
}
