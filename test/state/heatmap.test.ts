// What a heatmap keeps of each second, against a reference that keeps whole books in maps.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createHeatCell,
  getHeatRow,
  HEAT_SECONDS,
  Heatmap,
  isBookProven,
} from "../../src/state/heatmap.ts";
import { CHANNELS, type Levels, MarketFeed } from "../support/market-feed.ts";

const MEGABYTE = 1024 * 1024;

/** A connected market, and the heatmap of it. */
function open(rowTicks = 1n) {
  const feed = new MarketFeed();
  const heat = new Heatmap(CHANNELS, rowTicks, 0);
  feed.store.beforeChange((atMs) => heat.advance(feed.store, atMs));
  let sequence = 0;
  const connect = () => {
    feed.link("open");
    feed.say({ type: "subscribing", channel: CHANNELS.orderbook });
    feed.say({ type: "subscribing", channel: CHANNELS.trades });
  };
  const book = (bids: Levels, asks: Levels, isFirst = false) =>
    feed.book(bids, asks, ++sequence, isFirst);
  /** Lets time pass without a word on the book. */
  const pass = (ms: number) => {
    feed.advance(ms);
    feed.link("open");
    feed.store.advance(feed.nowMs);
  };
  connect();
  return { feed, heat, connect, book, pass };
}

/** Everything that is kept of a second, with the prices of its rows. */
function rowsAt(heat: Heatmap, second: number) {
  const bids: [number, number][] = [];
  const asks: [number, number][] = [];
  const trades: [number, number, number][] = [];
  heat.visit(second, 0n, {
    bid: (row, lots) => void bids.push([row, lots]),
    ask: (row, lots) => void asks.push([row, lots]),
    trade: (row, bought, sold) => void trades.push([row, bought, sold]),
  });
  return { bids, asks, trades };
}

/** What the first second has in a row. */
function cellAt(heat: Heatmap, row: bigint) {
  const rows = heat.rowsAt(0);
  return rows && createHeatCell(rows, row);
}

const NO_LOTS = { bidLots: undefined, askLots: undefined, boughtLots: 0n, soldLots: 0n };

type Side = Map<bigint, bigint>;
type Rows = [number, number][];
/** Rows of the largest sizes that have room in a second. */
const SURE_ROWS = 15;

/** All rows, or those for which there was room. */
function best(rows: Rows, count: number): Rows {
  return rows.slice(0, Math.max(count, Math.min(rows.length, SURE_ROWS)));
}

function group(side: Side, rowTicks: bigint, isBid: boolean): Rows {
  const rows = new Map<bigint, bigint>();
  for (const [price, lots] of side) {
    const row = getHeatRow(price, rowTicks, isBid);
    rows.set(row, (rows.get(row) ?? 0n) + lots);
  }
  return [...rows]
    .sort(([a], [b]) => (isBid ? Number(b - a) : Number(a - b)))
    .map(([row, lots]) => [Number(row), Number(lots)]);
}

interface LevelStep {
  readonly kind: "level";
  readonly isBid: boolean;
  readonly price: number;
  readonly size: bigint;
}
type Step = LevelStep | { readonly kind: "time" | "lost" | "resync"; readonly ms: number };

const levelStep = fc.record<LevelStep>({
  kind: fc.constant("level"),
  isBid: fc.boolean(),
  price: fc.nat(39),
  size: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 14n })),
});
const pause = fc.record({ kind: fc.constantFrom("time", "lost", "resync"), ms: fc.nat(2600) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: levelStep },
  { weight: 5, arbitrary: pause },
);

/** A market, the heatmap of it, and whole books by the second as anybody would write them down. */
class Reference {
  readonly expected = new Map<number, Record<"bids" | "asks", Rows> | undefined>();
  readonly #market: ReturnType<typeof open>;
  readonly #rowTicks: bigint;
  readonly #bids: Side = new Map();
  readonly #asks: Side = new Map();
  #second = 0;

  constructor(rowTicks: bigint) {
    this.#market = open(rowTicks);
    this.#rowTicks = rowTicks;
    for (let i = 0; i < 40; i++) {
      this.#bids.set(BigInt(1000 - i), 5n);
      this.#asks.set(BigInt(1001 + i), 5n);
    }
    this.#snapshot();
  }

  get heat(): Heatmap {
    return this.#market.heat;
  }

  take(each: Step): void {
    const { feed, connect } = this.#market;
    if (each.kind === "level") {
      this.#change(each);
      return;
    }
    if (each.kind === "lost") feed.link("waiting");
    if (each.kind === "resync") {
      feed.say({ type: "resync", channel: CHANNELS.orderbook, reason: "test" });
    }
    this.advance(each.ms);
    if (each.kind === "lost") connect();
    if (each.kind === "time") feed.store.advance(feed.nowMs);
    else this.#snapshot();
  }

  advance(ms: number): void {
    const { feed } = this.#market;
    for (; (this.#second + 1) * 1000 <= feed.nowMs + ms; this.#second++) {
      const isHeld = isBookProven(feed.store, CHANNELS.orderbook, (this.#second + 1) * 1000);
      const rows = {
        bids: group(this.#bids, this.#rowTicks, true),
        asks: group(this.#asks, this.#rowTicks, false),
      };
      this.expected.set(this.#second, isHeld ? rows : undefined);
    }
    feed.advance(ms);
  }

  end(): void {
    this.advance(1000);
    this.#market.feed.link("open");
  }

  #change({ isBid, price, size }: LevelStep): void {
    const side = isBid ? this.#bids : this.#asks;
    const at = BigInt(isBid ? 1000 - price : 1001 + price);
    this.#market.book(isBid ? [[at, size]] : [], isBid ? [] : [[at, size]]);
    if (size === 0n) side.delete(at);
    else side.set(at, size);
  }

  #snapshot(): void {
    this.#market.book([...this.#bids], [...this.#asks], true);
  }
}

describe("a heatmap", () => {
  test("holds what a naive reference holds at the end of each second, over random books and losses", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        fc.constantFrom(1n, 5n, 10n),
        (steps, rowTicks) => {
          const reference = new Reference(rowTicks);
          for (const each of steps) reference.take(each);
          reference.end();
          const { heat } = reference;
          for (const [at, rows] of reference.expected) {
            const { bids, asks } = rowsAt(heat, at);
            expect(heat.stateOf(at)).toBe(rows === undefined ? "missed" : "held");
            expect(bids).toEqual(best(rows?.bids ?? [], bids.length));
            expect(asks).toEqual(best(rows?.asks ?? [], asks.length));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("reads a row exactly, also where its lots and prices are beyond 2^53", () => {
    const { heat, book, pass } = open();
    const far = 10n ** 30n;
    book([[far, far + 7n]], [[far + 5n, 3n]], true);
    pass(1000);
    expect(cellAt(heat, far)).toEqual({ ...NO_LOTS, bidLots: far + 7n });
    expect(cellAt(heat, far + 5n)?.askLots).toBe(3n);
  });

  test("knows an empty row inside of the book from one that the book does not reach", () => {
    const { heat, book, pass } = open();
    book("10:1 8:1", "12:1", true);
    pass(1000);
    expect(cellAt(heat, 9n)?.bidLots).toBe(0n);
    expect(cellAt(heat, 7n)?.bidLots).toBeUndefined();
    expect(cellAt(heat, 11n)).toEqual(NO_LOTS);
  });

  test("marks a second with a loss in it, and holds its book where that was whole again at its end", () => {
    const { feed, heat, connect, book, pass } = open();
    book("10:1", "12:1", true);
    pass(1200);
    feed.link("waiting");
    feed.advance(300);
    connect();
    book("10:4", "12:1", true);
    pass(1500);
    expect([0, 1, 2].map((at) => heat.isBroken(at))).toEqual([false, true, false]);
    expect(heat.stateOf(1)).toBe("held");
    expect(rowsAt(heat, 1).bids).toEqual([[10, 4]]);
  });

  test("holds nothing of a book while it is not decided how its frames are taken", () => {
    const { feed, heat, book, pass } = open();
    book("10:1 9:1", "12:1 13:1", true);
    pass(1000);
    book("10:2 9:2", "12:1 13:2");
    expect(feed.store.slice("orderbook", CHANNELS.orderbook).data.isOpen).toBe(true);
    pass(1000);
    expect([heat.stateOf(0), heat.stateOf(1)]).toEqual(["held", "missed"]);
  });

  test("puts trades into the second in which they came, and a backlog into none", () => {
    const { feed, heat, book, pass } = open(10n);
    feed.advance(100_000);
    book("100:1", "110:1", true);
    feed.trade(105, 3, true, "1000000000");
    pass(200);
    feed.trade(105, 4, true);
    feed.trade(105, 5, true);
    feed.trade(105, 6, false);
    pass(1000);
    expect(rowsAt(heat, 100).trades).toEqual([
      [10, 0, 6],
      [11, 9, 0],
    ]);
  });

  test("says where not all rows of its trades had room", () => {
    const { feed, heat, book, pass } = open();
    feed.advance(100_000);
    book("100:1", "110:1", true);
    for (let i = 0; i < 60; i++) feed.trade(1000 + i * 3, 10_000 + i, true);
    pass(1000);
    book("100:1", "110:1", true);
    feed.trade(1000, 5, true);
    pass(1000);
    const kept = rowsAt(heat, 100).trades.length;
    expect(kept).toBeGreaterThan(10);
    expect(kept).toBeLessThan(60);
    expect(heat.tradedAt(100, 1003n)).toEqual({ boughtLots: 10_001n, soldLots: 0n });
    expect(heat.tradedAt(100, 1001n)).toEqual({ boughtLots: 0n, soldLots: 0n });
    expect(heat.tradedAt(100, 1177n)).toBeUndefined();
    expect(heat.tradedAt(101, 1177n)).toEqual({ boughtLots: 0n, soldLots: 0n });
  });

  test("keeps an hour of large books in less than 2 MB, the best rows of each side first", () => {
    const { heat, book, pass } = open();
    const levels = (second: number, direction: number): [number, number][] =>
      Array.from({ length: 50 }, (_, i) => [
        1_000_000 + direction * (i * 200 + 1),
        100_000_000 + second * 1000 + i,
      ]);
    for (let second = 0; second < HEAT_SECONDS + 90; second++) {
      book(levels(second, -1), levels(second, 1), true);
      pass(1000);
    }
    expect(heat.bytes).toBeLessThan(2 * MEGABYTE);
    expect(heat.stateOf(89)).toBe("held");
    expect(heat.first).toBeLessThanOrEqual(90);
    const { bids } = rowsAt(heat, 90);
    expect(bids.length).toBeGreaterThan(30);
    expect(bids).toEqual(levels(90, -1).slice(0, bids.length));
  });

  test("regrouped holds what one with these rows would have held, but for the worst row of a side", () => {
    const widths = fc.constantFrom<[bigint, bigint]>([1n, 5n], [1n, 2n], [5n, 10n], [2n, 10n]);
    const steps = fc.array(step, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(steps, widths, (each, [narrow, wide]) => {
        const [fine, reference] = [new Reference(narrow), new Reference(wide)];
        for (const one of [fine, reference]) {
          for (const act of each) one.take(act);
          one.end();
        }
        const heat = new Heatmap(CHANNELS, wide, 0);
        heat.takeOver(fine.heat, 0, fine.heat.next ?? 0);
        const sure = Math.floor(SURE_ROWS / Number(wide / narrow)) - 1;
        for (const [at, expected] of reference.expected) {
          const rows = expected ?? { bids: [], asks: [] };
          const { bids, asks, trades } = rowsAt(heat, at);
          expect(heat.stateOf(at)).toBe(reference.heat.stateOf(at));
          expect(heat.isBroken(at)).toBe(reference.heat.isBroken(at));
          expect(bids).toEqual(rows.bids.slice(0, bids.length));
          expect(asks).toEqual(rows.asks.slice(0, asks.length));
          expect(trades).toEqual(rowsAt(reference.heat, at).trades);
          expect(bids.length).toBeGreaterThanOrEqual(Math.min(sure, rows.bids.length - 1));
        }
      }),
      { numRuns: 40 },
    );
  });

  test("answers the same however often a recording goes back and over it again", () => {
    const { feed, heat, connect, book, pass } = open();
    const play = () => {
      for (let second = 0; second < 10; second++) {
        book(`10:${second + 1}`, "12:1", true);
        pass(1000);
      }
      return Array.from({ length: 10 }, (_, at) => rowsAt(heat, at));
    };
    const before = play();
    feed.store.clear();
    feed.nowMs = 0;
    connect();
    expect(play()).toEqual(before);
  });
});
