import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  GROUPINGS,
  levelsNeeded,
  selectBidPercent,
  selectLadder,
} from "../../src/select/orderbook.ts";

const level = (price: bigint, size: bigint) => ({
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
});

/** Sides with different prices, best first. */
const side = (isBid: boolean) =>
  fc
    .uniqueArray(fc.bigInt({ min: 1n, max: 200n }), { maxLength: 40 })
    .chain((prices) =>
      fc.tuple(
        ...prices.map((price) =>
          fc.tuple(fc.constant(price), fc.bigInt({ min: 1n, max: 10n ** 20n })),
        ),
      ),
    )
    .map((levels) =>
      [...levels]
        .sort(([a], [b]) => (a < b === isBid ? 1 : -1))
        .map(([price, size]) => level(price, size)),
    );

const options = fc.record({
  grouping: fc.constantFrom(...GROUPINGS.slice(0, 8)),
  rows: fc.integer({ min: 1, max: 30 }),
});

const sum = (sizes: readonly bigint[]) => sizes.reduce((total, size) => total + size, 0n);

describe("ladder", () => {
  test("holds every lot of the levels that it groups, at the step on the far side of the spread", () => {
    fc.assert(
      fc.property(side(true), side(false), options, (bids, asks, { grouping, rows }) => {
        const ladder = selectLadder({ bids, asks }, { grouping, rows, scale: undefined });
        for (const { priceTicks, size } of ladder.bids) {
          const inside = bids.filter(({ price_ticks }) => {
            const price = BigInt(price_ticks);
            return price >= priceTicks && price < priceTicks + grouping;
          });
          expect(BigInt(size)).toBe(sum(inside.map((each) => BigInt(each.size_base_lots))));
        }
        for (const { priceTicks, size } of ladder.asks) {
          const inside = asks.filter(({ price_ticks }) => {
            const price = BigInt(price_ticks);
            return price <= priceTicks && price > priceTicks - grouping;
          });
          expect(BigInt(size)).toBe(sum(inside.map((each) => BigInt(each.size_base_lots))));
        }
      }),
    );
  });

  test("adds sizes up from the spread outwards, and never shows more steps than asked for", () => {
    fc.assert(
      fc.property(side(true), side(false), options, (bids, asks, { grouping, rows }) => {
        const ladder = selectLadder({ bids, asks }, { grouping, rows, scale: undefined });
        for (const steps of [ladder.bids, ladder.asks]) {
          expect(steps.length).toBeLessThanOrEqual(rows);
          steps.forEach((step, i) => {
            const before = BigInt(steps[i - 1]?.cumulativeSize ?? "0");
            expect(BigInt(step.cumulativeSize)).toBe(before + BigInt(step.size));
            expect(step.depthShare).toBeGreaterThanOrEqual(0);
            expect(step.depthShare).toBeLessThanOrEqual(1);
          });
        }
      }),
    );
  });

  test("needs no more levels than it says it needs", () => {
    fc.assert(
      fc.property(side(true), side(false), options, (bids, asks, { grouping, rows }) => {
        const needed = levelsNeeded({ grouping, rows, scale: undefined });
        const cut = { bids: bids.slice(0, needed), asks: asks.slice(0, needed) };
        const asked = { grouping, rows, scale: undefined };
        expect(selectLadder(cut, asked)).toEqual(selectLadder({ bids, asks }, asked));
      }),
    );
  });

  test("shows ticks and lots as they are, and prices and sizes once a scale is known", () => {
    const book = { bids: [level(9702060n, 1410n)], asks: [level(9702252n, 11747n)] };
    const plain = selectLadder(book, { grouping: 1n, rows: 5, scale: undefined });
    expect(plain.bids[0]).toMatchObject({ price: "9702060", size: "1410" });
    const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
    const scaled = selectLadder(book, { grouping: 100n, rows: 5, scale });
    expect(scaled.bids[0]).toMatchObject({ price: "97020.00", size: "0.1410" });
    expect(scaled.asks[0]).toMatchObject({ price: "97023.00", size: "1.1747" });
  });

  test("says how much of the size is bid, in whole percent", () => {
    const options = { grouping: 1n, rows: 5, scale: undefined };
    const percentOf = (book: Parameters<typeof selectLadder>[0]) =>
      selectBidPercent(selectLadder(book, options));
    expect(percentOf({ bids: [level(1n, 1n)], asks: [level(2n, 2n)] })).toBe(33);
    expect(percentOf({ bids: [], asks: [level(2n, 2n)] })).toBe(0);
    expect(percentOf({ bids: [], asks: [] })).toBeUndefined();
  });
});
