import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  GROUPINGS,
  getShare,
  type LadderLine,
  levelsNeeded,
  placeLadder,
  refineGrouping,
  selectBarScale,
  selectBidPercent,
  selectGrouping,
  selectLadder,
  selectSteps,
} from "../../src/select/orderbook.ts";
import type { PriceLevel } from "../../src/wire/channels/orderbook.ts";
import { level } from "../support/market-feed.ts";

/** Around where a Number ends to be exact, beyond u64, and with zeros before them, as the wire may have them. */
const size = fc
  .tuple(
    fc.nat(3),
    fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 16n }), fc.bigInt({ min: 0n, max: 2n ** 70n })),
  )
  .map(([zeros, lots]) => `${"0".repeat(zeros)}${lots}`);

/** Levels of different prices, the best first, of small prices or beyond u64. */
const side = (isBid: boolean) =>
  fc
    .tuple(
      fc.constantFrom(0n, 2n ** 64n),
      fc.uniqueArray(fc.tuple(fc.bigInt({ min: 1n, max: 200n }), size), {
        maxLength: 40,
        selector: ([price]) => price,
      }),
    )
    .map(([low, levels]) =>
      levels
        .sort(([a], [b]) => (a < b === isBid ? 1 : -1))
        .map(([price, lots]) => level(low + price, lots)),
    );

const options = fc.record({
  grouping: fc.constantFrom(...GROUPINGS.slice(0, 8)),
  rows: fc.integer({ min: 1, max: 30 }),
});

/** A bid stands at the step at or below it, an ask at that at or above it. */
function expectedSteps(
  levels: readonly PriceLevel[],
  { grouping, rows }: { grouping: bigint; rows: number },
  isBid: boolean,
) {
  const sizes = new Map<bigint, bigint>();
  for (const { price_ticks, size_base_lots } of levels) {
    const above = BigInt(price_ticks) + (isBid ? 0n : grouping - 1n);
    const step = above - (above % grouping);
    sizes.set(step, (sizes.get(step) ?? 0n) + BigInt(size_base_lots));
  }
  let cumulativeLots = 0n;
  return [...sizes].slice(0, rows).map(([priceTicks, sizeLots]) => {
    cumulativeLots += sizeLots;
    return { priceTicks, sizeLots, cumulativeLots };
  });
}

describe("ladder", () => {
  test("holds every lot at the step on the far side of the spread, adds up outwards, and needs no more levels than it says", () => {
    fc.assert(
      fc.property(side(true), side(false), options, (bids, asks, asked) => {
        const expected = {
          bids: expectedSteps(bids, asked, true),
          asks: expectedSteps(asks, asked, false),
        };
        expect(selectSteps({ bids, asks }, asked)).toEqual(expected);
        const needed = levelsNeeded(asked);
        const cut = { bids: bids.slice(0, needed), asks: asks.slice(0, needed) };
        expect(selectSteps(cut, asked)).toEqual(expected);
        const [bid = 0n, ask = 0n] = [expected.bids, expected.asks].map(
          (steps) => steps.at(-1)?.cumulativeLots,
        );
        const percent = selectBidPercent(expected);
        expect(percent === undefined).toBe(bid + ask === 0n);
        // Half up, in whole percent.
        const apart = 200n * bid - 2n * BigInt(percent ?? 0) * (bid + ask);
        expect(apart >= -bid - ask && (apart === 0n || apart < bid + ask)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("shows ticks and lots as they are, and prices and sizes once a scale is known", () => {
    const book = { bids: [level(9702060n, "1410")], asks: [level(9702252n, "11747")] };
    const plain = selectLadder(book, { grouping: 1n, rows: 5, scale: undefined });
    expect(plain.bids[0]).toMatchObject({ price: "9702060", size: "1410" });
    const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
    const scaled = selectLadder(book, { grouping: 100n, rows: 5, scale });
    expect(scaled.bids[0]).toMatchObject({ price: "97020.00", size: "0.1410" });
    expect(scaled.asks[0]).toMatchObject({ price: "97023.00", size: "1.1747" });
  });
});

describe("the usual grouping of a shallow book", () => {
  const book = (deep: number) => {
    const levels = (sign: number) => [1, 2, 3, deep].map((far) => level(10_000 + sign * far));
    return { bids: levels(-1), asks: levels(1) };
  };

  test.each([
    [20_001, 1000n],
    [401, 20n],
    [201, 10n],
    [101, 5n],
    [4, 1n],
  ])("reaches over %i ticks in twenty rows or more, where it can", (deep, step) =>
    expect(refineGrouping(1000n, book(deep))).toBe(step),
  );

  test("is exact where a book has nothing", () => {
    expect(refineGrouping(1000n, { bids: [], asks: [] })).toBe(1n);
  });
});

describe("the usual grouping", () => {
  test.each([
    [9_711_399n + 9_711_401n, 1000n],
    [340_047n + 340_049n, 50n],
    [12n + 14n, 1n],
    [0n, 1n],
    [10n ** 40n, 5n * 10n ** 7n],
  ])("of twice the price %s is %s", (sumTicks, grouping) =>
    expect(selectGrouping(sumTicks)).toBe(grouping),
  );

  test("is never further from a basis point than its neighbours are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 2 ** 40 }), (price) => {
        const far = (step: bigint) => Math.abs(Math.log(Number(step) / (price / 10_000)));
        const chosen = far(selectGrouping(BigInt(price) * 2n));
        for (const step of GROUPINGS) expect(chosen).toBeLessThanOrEqual(far(step) + 1e-9);
      }),
    );
  });
});

describe("bars", () => {
  test("are never longer than their room, and at least half of it where the most is shown", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 70n }), (most) => {
        const scale = selectBarScale(most, undefined);
        expect(scale).toBeGreaterThanOrEqual(most);
        expect(getShare(most, scale)).toBeGreaterThanOrEqual(0.5);
      }),
    );
  });

  test("keep their scale while the most that is shown comes and goes", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 20n }),
        fc.integer({ min: 50, max: 100 }),
        (scale, percent) => {
          const most = (scale * BigInt(percent) + 99n) / 100n;
          expect(selectBarScale(most, scale)).toBe(scale);
        },
      ),
    );
    expect(selectBarScale(49n, 100n)).toBe(50n);
    expect(selectBarScale(101n, 100n)).toBe(150n);
  });
});

describe("the place of a ladder", () => {
  const ladder = (asks: readonly number[], bids: readonly number[]): LadderLine[] => [
    ...asks.map(BigInt),
    "spread",
    ...bids.map(BigInt),
  ];
  const down = (from: number, count: number) => Array.from({ length: count }, (_, i) => from - i);
  const usual = { room: 9, scroll: 0, cursorTicks: undefined, before: undefined };
  const seen = (rows: readonly LadderLine[], room: number, first: number) =>
    Array.from({ length: room }, (_, i) => rows[first + i]);

  test("begins with the spread in the middle", () => {
    expect(placeLadder({ ...usual, rows: ladder(down(120, 20), down(100, 20)) })).toEqual({
      first: 16,
      scrolled: 0,
    });
  });

  test("stays where it is when the best price moves, until that leaves the middle third", () => {
    let before = { rows: seen(ladder(down(120, 20), down(100, 20)), 9, 16), scrolled: 0 };
    const rowOf101 = before.rows.indexOf(101n);
    // Asks are bought one after the other and become bids.
    const spreads = [1, 2, 3].map((bought) => {
      const rows = ladder(down(120, 20 - bought), down(100 + bought, 20 + bought));
      const { first, scrolled } = placeLadder({ ...usual, rows, before });
      before = { rows: seen(rows, 9, first), scrolled };
      return [before.rows.indexOf("spread"), before.rows.indexOf(101n)];
    });
    // The price goes to the other side of the spread, which takes its place; with the second the spread leaves the middle.
    expect(spreads).toEqual([
      [3, rowOf101 + 1],
      [4, rowOf101 + 3],
      [3, rowOf101 + 3],
    ]);
  });

  test("always shows the spread in its middle third", () => {
    const prices = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), {
      minLength: 2,
      maxLength: 90,
    });
    const book = fc.tuple(prices, fc.integer({ min: 1, max: 299 })).map(([all, at]) => {
      const sorted = [...all].sort((a, b) => b - a);
      return ladder(
        sorted.filter((price) => price > at),
        sorted.filter((price) => price <= at),
      );
    });
    fc.assert(
      fc.property(
        fc.array(book, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 40 }),
        (books, room) => {
          let before: { rows: (LadderLine | undefined)[]; scrolled: number } | undefined;
          for (const rows of books) {
            const { first, scrolled } = placeLadder({ ...usual, room, rows, before });
            before = { rows: seen(rows, room, first), scrolled };
            const spread = rows.indexOf("spread") - (first - scrolled);
            expect(spread).toBeGreaterThanOrEqual(
              Math.min(Math.floor(room / 3), Math.floor((room - 1) / 2)),
            );
            expect(spread).toBeLessThan(Math.ceil((room * 2) / 3));
            // No room is left empty while there is something to show in it.
            const shown = before.rows.filter((row) => row !== undefined).length;
            expect(shown).toBe(Math.min(room, rows.length));
          }
        },
      ),
    );
  });

  test("shows the cursor wherever it is", () => {
    const rows = ladder(down(160, 60), down(100, 60));
    for (const cursorTicks of [160n, 131n, 101n, 100n, 77n, 41n]) {
      const { first } = placeLadder({ ...usual, rows, cursorTicks });
      expect(seen(rows, 9, first)).toContain(cursorTicks);
    }
  });
});
