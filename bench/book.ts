// 7: level changes of whole books, over ccxt's book, with the reads of a screen; and reads that differ from a plain book of BigInts,
// with prices that no float represents.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createDialect } from "../src/dialect/dialect.ts";
import { type Book, bookFold } from "../src/state/book.ts";
import { createRandom } from "../src/units/random.ts";
import type { Update } from "../src/wire/frames.ts";
import { inTurns, median, medianRatio, type Row } from "./measure.ts";

type Levels = readonly { readonly price_ticks: string; readonly size_base_lots: string }[];
interface Changes {
  readonly bids: Levels;
  readonly asks: Levels;
}

const CCXT = "ccxt@4.5.84";
const SHOWN = 25;
/** A screen reads once in so many frames of a busy market. */
const FRAMES_A_LOOK = 15;
const LEVELS_A_FRAME = 4;
const FRAMES = 5000;

/** Most changes are near the top; about one of ten removes its level. */
function createChanges(levels: number, middle: bigint, seed: number): readonly Changes[] {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const level = (sign: bigint, depth: number, isGone = false) => ({
    price_ticks: String(middle + sign * BigInt(depth + 1)),
    size_base_lots: isGone ? "0" : String(1 + below(1e8)),
  });
  const whole = (sign: bigint) => Array.from({ length: levels }, (_, i) => level(sign, i));
  const near = () => Math.floor(levels * (1 - Math.sqrt(Math.sqrt(random()))) * 1.1);
  const changes = Array.from({ length: FRAMES }, () => {
    const some = (sign: bigint) =>
      Array.from({ length: LEVELS_A_FRAME / 2 }, () => level(sign, near(), below(10) === 0));
    return { bids: some(-1n), asks: some(1n) };
  });
  return [{ bids: whole(-1n), asks: whole(1n) }, ...changes];
}

interface AnyBook {
  apply(changes: Changes, isFirst: boolean): void;
  look(): readonly unknown[];
}

function createOurs(): AnyBook & { readonly book: Book } {
  const book = bookFold.empty();
  const dialect = createDialect({}, { book: "changes" });
  return {
    book,
    apply: (orderbook, isFirst) =>
      bookFold.apply(book, { body: { orderbook }, sequence: null } as Update<"orderbook">, {
        ...{ dialect, place: isFirst ? "first" : "next", isContinuous: false, nowMs: 0 },
      }),
    look: () => [book.bids.slice(0, SHOWN), book.asks.slice(0, SHOWN)],
  };
}

interface CcxtSide extends Array<[number, number]> {
  storeArray(level: [number, number]): void;
}

/** Installed once into the temporary folder. @returns undefined where it cannot be had */
async function loadCcxt(): Promise<(() => AnyBook) | undefined> {
  const folder = join(tmpdir(), `monitor-bench-${CCXT}`);
  const file = join(folder, "node_modules/ccxt/js/src/base/ws/OrderBookSide.js");
  const install = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", CCXT];
  if (!existsSync(file)) spawnSync("npm", install, { stdio: ["ignore", 2, 2] });
  if (!existsSync(file)) return undefined;
  const sides = await import(pathToFileURL(file).href);
  return () => {
    const [bids, asks] = [new sides.Bids() as CcxtSide, new sides.Asks() as CcxtSide];
    const store = (side: CcxtSide, levels: Levels) => {
      for (const level of levels)
        side.storeArray([Number(level.price_ticks), Number(level.size_base_lots)]);
    };
    return {
      apply(changes) {
        store(bids, changes.bids);
        store(asks, changes.asks);
      },
      look: () => [bids.slice(0, SHOWN), asks.slice(0, SHOWN)],
    };
  };
}

/** Nanoseconds of a level, reads included. */
function timed(create: () => AnyBook, changes: readonly Changes[]): number {
  const book = create();
  const [first, ...rest] = changes;
  if (first !== undefined) book.apply(first, true);
  const startMs = performance.now();
  for (const [i, change] of rest.entries()) {
    book.apply(change, false);
    if (i % FRAMES_A_LOOK === 0) book.look();
  }
  return ((performance.now() - startMs) * 1e6) / (FRAMES * LEVELS_A_FRAME);
}

/** Reads that differ from a Map of BigInts, sorted each time. */
function countWrong(seed: number): number {
  const { book, apply } = createOurs();
  const [plainBids, plainAsks] = [new Map<bigint, string>(), new Map<bigint, string>()];
  const store = (side: Map<bigint, string>, levels: Levels) => {
    for (const { price_ticks, size_base_lots } of levels)
      if (size_base_lots === "0") side.delete(BigInt(price_ticks));
      else side.set(BigInt(price_ticks), size_base_lots);
  };
  const best = (side: Map<bigint, string>, sign: number) =>
    [...side].sort(([a], [b]) => (a > b ? sign : -sign)).join();
  const textOf = (levels: Levels) =>
    levels.map(({ price_ticks, size_base_lots }) => [price_ticks, size_base_lots]).join();
  let wrong = 0;
  for (const [i, changes] of createChanges(100, 18_446_744_073_700_000_000n, seed).entries()) {
    apply(changes, i === 0);
    store(plainBids, changes.bids);
    store(plainAsks, changes.asks);
    if (i % FRAMES_A_LOOK > 0) continue;
    if (textOf(book.bids) !== best(plainBids, -1)) wrong++;
    if (textOf(book.asks) !== best(plainAsks, 1)) wrong++;
  }
  return wrong;
}

export async function measure(): Promise<readonly Row[]> {
  const ccxt = await loadCcxt();
  const rows: Row[] = [];
  for (const levels of [25, 200, 2000]) {
    const changes = createChanges(levels, 9_123_456n, 11);
    const sides = [createOurs, ...(ccxt === undefined ? [] : [ccxt])];
    const [ours = [], other] = await inTurns(
      15,
      sides.map((create) => () => timed(create, changes)),
    );
    rows.push({
      what: `a level change of a book of 2 × ${levels}; how many times faster than ccxt`,
      ...{ unit: "ns", ours: median(ours), ratio: other && medianRatio(other, ours) },
      other: { name: ccxt ? "ccxt" : "ccxt is not there", value: median(other ?? []) },
      goal: ["ratio", "≥", 4],
    });
  }
  const wrong = [1, 2, 3].reduce((sum, seed) => sum + countWrong(seed), 0);
  const what = "reads of whole books of u64 prices that differ from BigInts";
  return [...rows, { what, unit: "", ours: wrong, goal: ["ours", "≤", 0] }];
}
