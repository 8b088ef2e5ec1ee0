// What was stacked or pulled, against sums over everything that a small market has done in the last seconds.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectChanges } from "../../src/select/orderbook.ts";
import { WINDOW_MS } from "../../src/state/book-window.ts";
import { MAX_TRADES } from "../../src/state/trades.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const BEST = { bid: 1000, ask: 1001 } as const;
const LEVELS = 40;

interface Act {
  readonly side: "bid" | "ask";
  readonly apart: number;
  readonly size: number;
  readonly isTrade: boolean;
  readonly ms: number;
}

const act: fc.Arbitrary<Act> = fc.record({
  side: fc.constantFrom("bid" as const, "ask" as const),
  apart: fc.integer({ min: 0, max: 5 }),
  size: fc.integer({ min: 1, max: 50 }),
  isTrade: fc.boolean(),
  ms: fc.integer({ min: 1, max: 1500 }),
});

/** Bids stand at the step at or below them, asks at that at or above. */
const stepOf = (side: "bid" | "ask", price: number, grouping: number) =>
  (side === "bid" ? Math.floor : Math.ceil)(price / grouping) * grouping;

/** A market whose book has been decided: its frames are changes. */
class Market {
  readonly feed = new MarketFeed();
  readonly sizes = { bid: new Map<number, number>(), ask: new Map<number, number>() };
  #sequence = 0;

  constructor(isWatched = true) {
    for (let i = 0; i < LEVELS; i++) {
      this.sizes.bid.set(BEST.bid - i, 100);
      this.sizes.ask.set(BEST.ask + i, 100);
    }
    this.feed.advance(60_000);
    this.feed.link("open");
    for (const channel of [CHANNELS.orderbook, CHANNELS.trades]) {
      this.feed.say({ type: "subscribing", channel });
    }
    this.feed.trade(BEST.bid, 1);
    this.snapshot();
    for (let i = 0; i < 60 && !this.book.isDecided; i++) this.set("bid", BEST.bid - 1, 100 + i);
    if (isWatched) this.book.watchChanges(this.feed.nowMs);
    this.pass(WINDOW_MS);
    this.snapshot();
  }

  get book() {
    return this.feed.store.slice("orderbook", CHANNELS.orderbook).data;
  }

  snapshot(): void {
    const levels = (side: "bid" | "ask") => [...this.sizes[side]];
    this.feed.book(levels("bid"), levels("ask"), ++this.#sequence, true);
  }

  set(side: "bid" | "ask", price: number, size: number): void {
    const level: [number, number][] = [[price, size]];
    this.feed.book(side === "bid" ? level : [], side === "ask" ? level : [], ++this.#sequence);
    if (size === 0) this.sizes[side].delete(price);
    else this.sizes[side].set(price, size);
  }

  /** A taker takes so much of a level. */
  take(side: "bid" | "ask", price: number, size: number): void {
    this.feed.trade(price, size, side === "ask");
    this.set(side, price, (this.sizes[side].get(price) ?? 0) - size);
  }

  pass(ms: number): void {
    this.feed.advance(ms);
    this.feed.link("open");
  }

  /** Takes so much, or puts there, which is what it answers. */
  act({ side, apart, size, isTrade }: Omit<Act, "ms">) {
    const price = side === "bid" ? BEST.bid - apart : BEST.ask + apart;
    const was = this.sizes[side].get(price) ?? 0;
    if (isTrade && was > size) {
      this.take(side, price, size);
      return [];
    }
    this.set(side, price, size);
    return [{ at: this.feed.nowMs, side, price, lots: size - was }];
  }

  /** What rests now in the step of a price. */
  resting(side: "bid" | "ask", step: number, grouping: number) {
    const prices = [...this.sizes[side].keys()].filter(
      (price) => stepOf(side, price, grouping) === step,
    );
    return prices.reduce((sum, price) => sum + (this.sizes[side].get(price) ?? 0), 0);
  }

  /** Of each step; undefined where nothing is known. */
  changes(grouping = 1) {
    const tape = this.feed.store.slice("trades", CHANNELS.trades).data;
    const { holes } = tape;
    const trades = tape.recent(MAX_TRADES);
    const before = this.book.before(this.feed.nowMs);
    if (before === undefined) return undefined;
    const untilNs = this.book.timestampNs;
    const of = selectChanges({ book: before, untilNs, trades, holes, grouping: BigInt(grouping) });
    return (side: "bid" | "ask", step: number) => {
      const sizeLots = BigInt(this.resting(side, step, grouping));
      return of(side, { priceTicks: BigInt(step), sizeLots });
    };
  }
}

describe("pulled and stacked", () => {
  test("are what was put there less what was taken away in the last five seconds, whatever traded, in each step of the ladder", () => {
    const acts = fc.array(act, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(acts, fc.constantFrom(1, 2, 10), (all, grouping) => {
        const market = new Market();
        const put: ReturnType<Market["act"]> = [];
        for (const { ms, ...each } of all) {
          // Apart from each other by more than a book stands for.
          market.pass(ms + 250);
          put.push(...market.act(each));
        }
        const sinceMs = market.feed.nowMs - 5000;
        const changeOf = market.changes(grouping);
        for (const side of ["bid", "ask"] as const) {
          const stepAt = (price: number) => stepOf(side, price, grouping);
          const steps = [...new Set([...market.sizes[side].keys()].map(stepAt))];
          const expected = steps.map((step) =>
            put
              .filter(
                (each) => each.at > sinceMs && each.side === side && stepAt(each.price) === step,
              )
              .reduce((sum, { lots }) => sum + BigInt(lots), 0n),
          );
          expect(steps.map((step) => changeOf?.(side, step))).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("are not known before it is decided how frames are taken, and begin anew with a resync", () => {
    const feed = new MarketFeed();
    feed.link("open");
    feed.say({ type: "subscribing", channel: CHANNELS.orderbook });
    feed.book([[10, 1]], [[12, 1]], 1, true);
    const { data } = feed.store.slice("orderbook", CHANNELS.orderbook);
    expect(data.before(feed.nowMs)).toBeUndefined();
    const market = new Market();
    market.pass(1000);
    market.set("bid", 999, 150);
    expect(market.changes()?.("bid", 999)).not.toBe(0n);
    market.snapshot();
    expect(market.changes()?.("bid", 999)).toBe(0n);
    market.pass(300);
    market.set("bid", 999, 160);
    expect(market.changes()?.("bid", 999)).toBe(10n);
  });

  test("are blank until they have been looked at for five seconds, and cost nothing before", () => {
    const market = new Market(false);
    const { book: data, feed } = market;
    let looks = 0;
    const depth = data.depth.bind(data);
    data.depth = (count) => {
      looks++;
      return depth(count);
    };
    const follow = (seconds: number) => {
      for (let i = 0; i < 4 * seconds; i++) {
        market.pass(250);
        market.set("bid", BEST.bid - 1, 200 + i);
      }
    };
    follow(20);
    expect([data.isDecided, looks]).toEqual([true, 0]);
    expect(data.before(feed.nowMs)).toBeUndefined();
    expect(data.watchChanges(feed.nowMs)).toBe(WINDOW_MS);
    follow(4);
    expect(data.before(feed.nowMs)).toBeUndefined();
    expect(data.watchChanges(feed.nowMs)).toBe(1000);
    follow(1);
    expect(data.before(feed.nowMs)).toBeDefined();
    expect(looks).toBeGreaterThan(0);
    feed.advance(600_001);
    looks = 0;
    follow(20);
    expect(looks).toBe(0);
  });

  test("are blank while a trade of that time may be missing, and beyond the book of before", () => {
    const market = new Market();
    market.pass(300);
    market.set("bid", BEST.bid - LEVELS - 3, 5);
    expect(market.changes()?.("bid", BEST.bid - LEVELS - 3)).toBeUndefined();
    expect(market.changes()?.("bid", 999)).toBe(0n);
    market.feed.store.slice("trades", CHANNELS.trades).data.miss();
    market.pass(300);
    market.set("bid", 999, 150);
    market.feed.trade(999, 1);
    expect(market.changes()?.("bid", 999)).toBeUndefined();
  });

  test("are the same in a copy of the store, as the past is shown from", () => {
    const market = new Market();
    market.pass(1000);
    market.set("ask", 1002, 140);
    const copy = market.feed.store.copy().slice("orderbook", CHANNELS.orderbook).data;
    const { nowMs } = market.feed;
    const before = market.book.before(nowMs);
    market.pass(6000);
    market.set("ask", 1002, 1);
    expect(copy.before(nowMs)).toEqual(before);
    expect(market.book.before(market.feed.nowMs)).not.toEqual(before);
  });
});
