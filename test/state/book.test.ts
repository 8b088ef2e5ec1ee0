// The order book.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { doubts, folding } from "../support/fold.ts";
import { level } from "../support/frames.ts";

type Pairs = readonly (readonly [price: number | string, size: number | string])[];
const orderbook = (bids: Pairs, asks: Pairs = []) => ({
  orderbook: {
    bids: bids.map(([price, size]) => level(price, size)),
    asks: asks.map(([price, size]) => level(price, size)),
  },
});
const start = (pinned = {}) => folding("orderbook", "orderbook/perp/1", { pinned });

/** Twenty bids from 100 down, and as many asks. */
const FULL = orderbook(
  Array.from({ length: 20 }, (_, i) => [100 - i, 10]),
  Array.from({ length: 20 }, (_, i) => [101 + i, 10]),
);

describe("a book", () => {
  it("is kept by changes, best first; size 0 removes", () => {
    const book = start();
    book.fold(
      "first",
      orderbook(
        [
          [9, 1],
          [7, 2],
        ],
        [[10, 3]],
      ),
    );
    book.fold(
      "next",
      orderbook(
        [
          [8, 5],
          [9, 0],
        ],
        [
          [10, 4],
          [12, 1],
        ],
      ),
    );
    expect(book.state).toMatchObject(
      orderbook(
        [
          [8, 5],
          [7, 2],
        ],
        [
          [10, 4],
          [12, 1],
        ],
      ).orderbook,
    );
  });

  it("is replaced by a first frame", () => {
    const book = start();
    book.fold("first", FULL);
    book.fold("first", orderbook([[3, 1]]));
    expect(book.state).toMatchObject(orderbook([[3, 1]]).orderbook);
  });

  it("is what a map of prices would hold, in whatever order levels come", () => {
    const size = fc.integer({ min: 0, max: 3 });
    const price = fc.oneof(
      fc.integer({ min: 1, max: 30 }).map(String),
      // Beyond what a float tells apart.
      fc.integer({ min: 0, max: 9 }).map((last) => `900719925474099300${last}`),
    );
    const frames = fc.array(fc.array(fc.tuple(price, size), { maxLength: 8 }), { maxLength: 12 });
    fc.assert(
      fc.property(frames, (changes) => {
        const book = start({ book: "changes" });
        book.fold("first", orderbook([]));
        for (const pairs of changes) book.fold("next", orderbook(pairs, pairs));
        const held = new Map(changes.flat());
        for (const [at, amount] of held) if (amount === 0) held.delete(at);
        const sorted = [...held].sort(([a], [b]) => (BigInt(a) < BigInt(b) ? -1 : 1));
        const levels = sorted.map(([at, amount]) => level(at, amount));
        expect(book.state).toMatchObject({ asks: levels, bids: levels.toReversed() });
      }),
      { seed: 3 },
    );
  });

  it("turns out to be sent whole where three frames repeat most of it", () => {
    const book = start();
    book.fold("first", FULL);
    const { bids, asks } = FULL.orderbook;
    const whole = (drop: number) => ({ orderbook: { bids: bids.slice(drop), asks } });
    expect(book.fold("next", whole(1))).toEqual([]);
    expect(book.fold("next", whole(2))).toEqual([]);
    expect(book.fold("next", whole(3))).toMatchObject([{ point: "book", value: "snapshots" }]);
    // From that frame on, what is left out is gone.
    expect(book.state.bids[0]?.price_ticks).toBe("97");
    book.fold("next", whole(5));
    expect(book.state.bids[0]?.price_ticks).toBe("95");
  });

  it("turns out to be sent by changes where three frames in a row are tiny, and is asked for", () => {
    const book = start();
    book.dialect.book = { value: "snapshots", source: "learned" };
    book.fold("first", FULL);
    book.fold("next", orderbook([[100, 5]]));
    book.fold("next", orderbook([[100, 6]]));
    const findings = book.fold("next", orderbook([[100, 7]]));
    expect(findings).toMatchObject([{ point: "book", value: "changes" }, { kind: "doubt" }]);
    expect(doubts(findings)).toHaveLength(1);
    book.fold("first", FULL);
    book.fold("next", orderbook([[100, 0]]));
    expect(book.state.bids[0]?.price_ticks).toBe("99");
  });

  it("takes busy changes for changes, and small books for nothing", () => {
    const book = start();
    book.fold("first", FULL);
    for (let i = 1; i < 20; i++)
      expect(
        book.fold("next", orderbook(Array.from({ length: 20 }, (_, j) => [100 - j, 10 + i]))),
      ).toEqual([]);
    const small = start();
    small.fold(
      "first",
      orderbook(
        [
          [5, 1],
          [4, 1],
        ],
        [[6, 1]],
      ),
    );
    for (let i = 0; i < 9; i++)
      expect(
        small.fold(
          "next",
          orderbook(
            [
              [5, 1],
              [4, 1],
            ],
            [[6, 1]],
          ),
        ),
      ).toEqual([]);
  });

  it("stays as the config says", () => {
    const book = start({ book: "changes" });
    book.fold("first", FULL);
    for (let i = 0; i < 5; i++) book.fold("next", { orderbook: { ...FULL.orderbook, bids: [] } });
    expect(book.dialect.book).toEqual({ value: "changes", source: "configured" });
    expect(book.state.bids).toHaveLength(20);
  });
});
