// 7: level changes of whole books, over ccxt's book, with the reads of a screen; and how many levels differ in the end from a plain
// book of BigInts, with prices that no float represents.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createDialect } from "../src/dialect/dialect.ts";
import { bookFold } from "../src/state/book.ts";
import { createRandom } from "../src/units/random.ts";
import type { Level, Orderbook, Update } from "../src/wire/frames.ts";
import { compare, cpuMs, inTurns, type Row } from "./measure.ts";

const CCXT = "ccxt@4.5.84";
const SHOWN = 25;
/** A screen reads once in so many frames of a busy market. */
const FRAMES_A_LOOK = 15;
const LEVELS_A_FRAME = 4;
const FRAMES = 5000;
const SIDES = ["bids", "asks"] as const;

/** A whole book, then changes: most are near the top, and one of ten removes its level. */
function createFrames(levels: number, middle: bigint): readonly Orderbook[] {
  const random = createRandom(11);
  const below = (limit: number) => Math.floor(random() * limit);
  const level = (sign: bigint, depth: number, isGone: boolean): Level => ({
    price_ticks: String(middle + sign * BigInt(depth + 1)),
    size_base_lots: isGone ? "0" : String(1 + below(1e8)),
  });
  const near = () => Math.floor(levels * 1.1 * (1 - Math.sqrt(Math.sqrt(random()))));
  const side = (sign: bigint, isWhole: boolean) =>
    Array.from({ length: isWhole ? levels : LEVELS_A_FRAME / 2 }, (_, i) =>
      isWhole ? level(sign, i, false) : level(sign, near(), below(10) === 0),
    );
  return Array.from({ length: FRAMES + 1 }, (_, i) => ({
    bids: side(-1n, i === 0),
    asks: side(1n, i === 0),
  }));
}

interface AnyBook {
  apply(frame: Orderbook, i: number): void;
  look(): readonly unknown[];
}

function createOurs() {
  const book = bookFold.empty();
  const dialect = createDialect({}, { book: "changes" });
  return {
    book,
    apply(orderbook: Orderbook, i: number) {
      const update = { body: { orderbook }, sequence: null } as Update<"orderbook">;
      const place = i === 0 ? "first" : "next";
      bookFold.apply(book, update, { dialect, place, isContinuous: false, nowMs: 0 });
    },
    look: () => [book.bids.slice(0, SHOWN), book.asks.slice(0, SHOWN)],
  };
}

/** Installed once into the temporary folder. @returns undefined where it cannot be had */
async function loadCcxt(): Promise<(() => AnyBook) | undefined> {
  const folder = join(tmpdir(), `monitor-bench-${CCXT}`);
  const file = join(folder, "node_modules/ccxt/js/src/base/ws/OrderBookSide.js");
  const install = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", CCXT];
  if (!existsSync(file)) spawnSync("npm", install, { stdio: ["ignore", 2, 2] });
  if (!existsSync(file)) return undefined;
  const { Bids, Asks } = await import(pathToFileURL(file).href);
  return () => {
    const book = { bids: new Bids(), asks: new Asks() };
    return {
      apply(frame) {
        for (const side of SIDES)
          for (const { price_ticks, size_base_lots } of frame[side])
            book[side].storeArray([Number(price_ticks), Number(size_base_lots)]);
      },
      look: () => [book.bids.slice(0, SHOWN), book.asks.slice(0, SHOWN)],
    };
  };
}

/** Nanoseconds of a level, reads included. */
function timed(create: () => AnyBook, [first, ...frames]: readonly Orderbook[]): number {
  const book = create();
  if (first !== undefined) book.apply(first, 0);
  const before = cpuMs();
  for (const [i, frame] of frames.entries()) {
    book.apply(frame, i + 1);
    if (i % FRAMES_A_LOOK === 0) book.look();
  }
  return ((cpuMs() - before) * 1e6) / (FRAMES * LEVELS_A_FRAME);
}

function countWrong(): number {
  const { book, apply } = createOurs();
  const plain = { bids: new Map<bigint, string>(), asks: new Map<bigint, string>() };
  for (const [i, frame] of createFrames(100, 18_446_744_073_700_000_000n).entries()) {
    apply(frame, i);
    for (const side of SIDES)
      for (const { price_ticks, size_base_lots } of frame[side])
        if (size_base_lots === "0") plain[side].delete(BigInt(price_ticks));
        else plain[side].set(BigInt(price_ticks), size_base_lots);
  }
  const sorted = { bids: [...plain.bids].sort().reverse(), asks: [...plain.asks].sort() };
  return SIDES.flatMap((side) =>
    sorted[side].filter(([price, size], i) => {
      const level = book[side][i];
      return level?.price_ticks !== String(price) || level.size_base_lots !== size;
    }),
  ).length;
}

export async function measure(): Promise<readonly Row[]> {
  const ccxt = await loadCcxt();
  const rows: Row[] = [];
  for (const levels of [25, 200, 2000]) {
    const frames = createFrames(levels, 9_123_456n);
    const sides = [createOurs, ...(ccxt ? [ccxt] : [])].map((each) => () => timed(each, frames));
    const name = ccxt ? "ccxt" : "ccxt, which is not there";
    const what = `a level change of a book of 2 × ${levels}`;
    rows.push(compare(what, "ns", await inTurns(31, sides, 31), [name, "≥", 4]));
  }
  const what = "wrong levels of a book of u64 prices";
  return [...rows, { what, unit: "", ours: countWrong(), goal: ["ours", "≤", 0] }];
}
