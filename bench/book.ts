// T5, T6, T7: updates of an order book, compared with the books of ccxt and of the package `orderbooks`; errors with prices that
// a float cannot represent; reading the top of both sides.

import { Book } from "../src/state/book.ts";
import type { Orderbook } from "../src/wire/channels/orderbook.ts";
import { optionalPackage, runBench } from "./harness/bench.ts";
import { createBookChanges } from "./harness/book-changes.ts";
import { atLeast, atMost, type Effort, type Figure, figure } from "./harness/figure.ts";
import { measureInTurns, median, medianRatio, timed } from "./harness/statistics.ts";

const MIDDLE = 9_123_456n;
/** Far above what a float represents exactly. */
const LARGE_MIDDLE = 18_446_744_073_700_000_000n;
const SHOWN = 25;
/** A screen reads the top once in this many frames of a busy market. */
const FRAMES_A_LOOK = 15;
const LEVELS_A_FRAME = 4;

/** A book of any implementation. */
interface AnyBook {
  apply(changes: Orderbook): void;
  /** Reads the best `SHOWN` levels of each side. */
  look(): unknown;
}

type MakeBook = (first: Orderbook) => AnyBook;

const makeOurs: MakeBook = (first) => {
  const book = Book.of(first);
  return { apply: (changes) => book.apply(changes), look: () => book.depth(SHOWN) };
};

interface CcxtSide extends Array<[number, number]> {
  storeArray(level: [number, number]): void;
}

/** ccxt stores floats; its users convert text to them. */
async function findCcxt(): Promise<MakeBook | undefined> {
  const path = "../node_modules/ccxt/js/src/base/ws/OrderBookSide.js";
  const url = new URL(path, import.meta.url).href;
  const ccxt = await optionalPackage<{ Bids: new () => CcxtSide; Asks: new () => CcxtSide }>(url);
  if (ccxt === undefined) return undefined;
  return (first) => {
    const bids = new ccxt.Bids();
    const asks = new ccxt.Asks();
    const apply = (changes: Orderbook) => {
      for (const level of changes.bids) {
        bids.storeArray([Number(level.price_ticks), Number(level.size_base_lots)]);
      }
      for (const level of changes.asks) {
        asks.storeArray([Number(level.price_ticks), Number(level.size_base_lots)]);
      }
    };
    apply(first);
    return { apply, look: () => [bids.slice(0, SHOWN), asks.slice(0, SHOWN)] };
  };
}

type OrderbooksLevel = [symbol: string, price: number, side: string, size: number];

interface OrderbooksBook {
  readonly book: readonly OrderbooksLevel[];
  handleDelta(removed: OrderbooksLevel[], changed: OrderbooksLevel[]): void;
}

/** This package stores both sides in one list. */
async function findOrderbooks(): Promise<MakeBook | undefined> {
  const found = await optionalPackage<{
    OrderBook: new (symbol: string, options: object) => OrderbooksBook;
  }>("orderbooks");
  if (found === undefined) return undefined;
  return (first) => {
    const book = new found.OrderBook("X", { maxDepth: 1e6 });
    const apply = ({ bids, asks }: Orderbook) => {
      const removed: OrderbooksLevel[] = [];
      const changed: OrderbooksLevel[] = [];
      for (const [side, levels] of [["Buy", bids] as const, ["Sell", asks] as const]) {
        for (const { price_ticks, size_base_lots } of levels) {
          const list = size_base_lots === "0" ? removed : changed;
          list.push(["X", Number(price_ticks), side, Number(size_base_lots)]);
        }
      }
      book.handleDelta(removed, changed);
    };
    apply(first);
    return { apply, look: () => book.book.slice(0, SHOWN * 2) };
  };
}

/** Nanoseconds per level for each implementation, including the reads of a screen. */
async function compare(
  makes: readonly MakeBook[],
  levels: number,
  frames: number,
  slices: number,
): Promise<number[][]> {
  const { first, changes } = createBookChanges(levels, MIDDLE, frames, 11);
  const ways = makes.map((make) => () => {
    const book = make(first);
    book.look();
    const start = performance.now();
    for (const [i, change] of changes.entries()) {
      book.apply(change);
      if (i % FRAMES_A_LOOK === 0) book.look();
    }
    return performance.now() - start;
  });
  const taken = await measureInTurns(ways, slices);
  return taken.map((times) => times.map((ms) => (ms * 1e6) / (frames * LEVELS_A_FRAME)));
}

async function measureSpeed(effort: Effort): Promise<Figure[]> {
  const ccxt = await findCcxt();
  const orderbooks = await findOrderbooks();
  const figures: Figure[] = [];
  for (const [levels, goal] of [[25, 4] as const, [200, 4.3] as const, [2000, 9] as const]) {
    const what = `change a level of a book of 2 × ${levels}`;
    const makes = ccxt === undefined ? [makeOurs] : [makeOurs, ccxt];
    const [ours = [], other] = await compare(
      makes,
      levels,
      effort.pick(2000, 50),
      effort.pick(41, 1),
    );
    figures.push({
      id: "T5",
      what,
      unit: "ns",
      ours: median(ours),
      ...(other === undefined
        ? { note: "ccxt is not installed" }
        : { other: { name: "ccxt", value: median(other) }, ratio: medianRatio(other, ours) }),
      goal: atLeast("ratio", goal),
    });
    if (orderbooks === undefined) continue;
    const pair = [makeOurs, orderbooks];
    const [same = [], slow = []] = await compare(
      pair,
      levels,
      effort.pick(100, 10),
      effort.pick(5, 1),
    );
    figures.push({
      id: "",
      what,
      unit: "ns",
      ours: median(same),
      other: { name: "orderbooks", value: median(slow) },
      ratio: medianRatio(slow, same),
    });
  }
  return figures;
}

/** A naive reference side: BigInt keys, sorted for each read. */
class PlainSide {
  readonly #sizes = new Map<bigint, string>();

  apply(levels: Orderbook["bids"]): void {
    for (const { price_ticks, size_base_lots } of levels) {
      if (BigInt(size_base_lots) === 0n) this.#sizes.delete(BigInt(price_ticks));
      else this.#sizes.set(BigInt(price_ticks), size_base_lots);
    }
  }

  best(): string {
    const sorted = [...this.#sizes].sort(([a], [b]) => (a > b ? -1 : 1));
    return sorted
      .slice(0, SHOWN)
      .map(([price, size]) => `${price} ${size}`)
      .join();
  }
}

/** Counts reads that differ from the reference. */
function countWrong(make: MakeBook, seed: number, frames: number): number {
  const { first, changes } = createBookChanges(200, LARGE_MIDDLE, frames, seed);
  const plain = new PlainSide();
  plain.apply(first.bids);
  const book = make(first);
  let wrong = 0;
  for (const [i, change] of changes.entries()) {
    book.apply(change);
    plain.apply(change.bids);
    if (i % FRAMES_A_LOOK === 0 && bidsOf(book.look()) !== plain.best()) wrong++;
  }
  return wrong;
}

function bidsOf(look: unknown): string {
  const { bids } = look as Orderbook;
  return bids.map(({ price_ticks, size_base_lots }) => `${price_ticks} ${size_base_lots}`).join();
}

function measureExactness(effort: Effort): Figure {
  const seeds = Array.from({ length: effort.pick(12, 1) }, (_, i) => i + 1);
  const frames = effort.pick(5000, 100);
  return figure(
    "T6",
    "looks at a book of u64 prices that differ from BigInt",
    "",
    seeds.reduce((sum, seed) => sum + countWrong(makeOurs, seed, frames), 0),
    atMost("ours", 0),
  );
}

async function measureTop(effort: Effort): Promise<Figure> {
  const book = makeOurs(createBookChanges(200, MIDDLE, 0, 3).first);
  const looks = effort.pick(20_000, 100);
  const [times = []] = await measureInTurns(
    [
      timed(() => {
        for (let i = 0; i < looks; i++) book.look();
      }),
    ],
    effort.pick(41, 1),
  );
  return figure(
    "T7",
    `the best ${SHOWN} levels of both sides`,
    "µs",
    (median(times) * 1000) / looks,
    atMost("ours", 0.5),
  );
}

await runBench(async (effort) => [
  ...(await measureSpeed(effort)),
  measureExactness(effort),
  await measureTop(effort),
]);
