import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Book } from "../../src/state/book.ts";
import { isZero } from "../../src/units/uint.ts";
import type { PriceLevel } from "../../src/wire/channels/orderbook.ts";
import { level, levelsOf } from "../support/market-feed.ts";
import { runs } from "../support/soak.ts";

/** Prices that are close together at every size, where Numbers run into each other. */
const price = fc.oneof(
  fc.bigInt({ min: 0n, max: 30n }),
  fc.bigInt({ min: 2n ** 53n - 8n, max: 2n ** 53n + 8n }),
  fc.bigInt({ min: 2n ** 64n - 8n, max: 2n ** 64n - 1n }),
);
const anyLevel = fc
  .record({ price, size: fc.bigInt({ min: 0n, max: 4n }), zeros: fc.constantFrom("", "00") })
  .map(
    ({ price, size, zeros }): PriceLevel => ({
      price_ticks: `${zeros}${price}`,
      size_base_lots: `${size}`,
    }),
  );
const frame = fc.record({
  bids: fc.array(anyLevel, { maxLength: 12 }),
  asks: fc.array(anyLevel, { maxLength: 12 }),
});
const order = (a: PriceLevel, b: PriceLevel) =>
  BigInt(a.price_ticks) < BigInt(b.price_ticks) ? -1 : 1;
/** As services send whole books. */
const bestFirst = frame.map(({ bids, asks }) => ({
  bids: [...bids].sort(order).reverse(),
  asks: [...asks].sort(order),
}));
const frames = fc.oneof(frame, bestFirst);
const steps = fc.array(fc.record({ frame: frames, isWhole: fc.boolean() }), { maxLength: 20 });

/** A side as plainly as it can be written: exact prices in a map. */
class ReferenceSide {
  readonly #levels = new Map<bigint, bigint>();

  take(levels: readonly PriceLevel[], isWhole: boolean): void {
    if (isWhole) this.#levels.clear();
    for (const { price_ticks, size_base_lots } of levels) {
      this.#levels.set(BigInt(price_ticks), BigInt(size_base_lots));
    }
    for (const [price, size] of this.#levels) if (size === 0n) this.#levels.delete(price);
  }

  list(isBid: boolean): [bigint, bigint][] {
    const order = ([a]: [bigint, bigint], [b]: [bigint, bigint]) => (a < b ? -1 : a > b ? 1 : 0);
    const levels = [...this.#levels].sort(order);
    return isBid ? levels.reverse() : levels;
  }
}

const exact = (levels: readonly PriceLevel[]) =>
  levels.map(({ price_ticks, size_base_lots }) => [BigInt(price_ticks), BigInt(size_base_lots)]);

describe("order book", () => {
  test("is exact for prices of any size: the same levels in the same order as a BigInt reference", () => {
    fc.assert(
      fc.property(steps, (frames) => {
        let book = new Book();
        const bids = new ReferenceSide();
        const asks = new ReferenceSide();
        for (const { frame, isWhole } of frames) {
          if (isWhole) book = Book.of(frame);
          else book.apply(frame);
          bids.take(frame.bids, isWhole);
          asks.take(frame.asks, isWhole);
          expect(book.top).toEqual({
            bid: bids.list(true)[0]?.[0].toString(),
            ask: asks.list(false)[0]?.[0].toString(),
          });
          const depth = book.depth(Number.POSITIVE_INFINITY);
          expect(exact(depth.bids)).toEqual(bids.list(true));
          expect(exact(depth.asks)).toEqual(asks.list(false));
        }
      }),
      { numRuns: runs(400, 20_000) },
    );
  });

  test("gives copies of its top that later frames do not change", () => {
    const book = Book.of({ bids: levelsOf("5:1"), asks: [] });
    const before = book.depth(1);
    book.apply({ bids: levelsOf("5:2"), asks: [] });
    expect(before.bids[0]?.size_base_lots).toBe("1");
    expect(book.depth(1).bids[0]?.size_base_lots).toBe("2");
  });

  test("keeps the text of each level as it came", () => {
    const book = Book.of({ bids: levelsOf("007:010"), asks: [] });
    expect(book.depth(1).bids).toEqual([{ price_ticks: "007", size_base_lots: "010" }]);
  });

  test("says at sight that a frame repeats half of it only of one that does", () => {
    let seen = 0;
    fc.assert(
      fc.property(frames, frames, fc.nat(11), (held, other, from) => {
        // Mostly what is held already, a few levels along.
        const mixed = {
          bids: [...held.bids.slice(from % 3), ...other.bids.slice(0, from % 4)],
          asks: [...other.asks.slice(0, from % 2), ...held.asks.slice(from % 5)],
        };
        for (const frame of [mixed, other]) {
          if (!Book.of(held).isClearlyRepeatedBy(frame)) continue;
          seen++;
          const book = Book.of(held);
          const levels = frame.bids.length + frame.asks.length;
          expect(levels * 2).toBeGreaterThan(book.size);
          expect(book.countHeld(frame, levels) * 2).toBeGreaterThanOrEqual(book.size);
          expect(
            [...frame.bids, ...frame.asks].every((level) => !isZero(level.size_base_lots)),
          ).toBe(true);
        }
      }),
      { numRuns: runs(1000, 20_000) },
    );
    expect(seen).toBeGreaterThan(0);
  });

  test("sees at sight that the next whole book repeats it, with levels gone at the top and new ones between", () => {
    const side = (from: number, step: number) =>
      Array.from({ length: 40 }, (_, i) => level(from + i * step, 5));
    const book = Book.of({ bids: side(998, -1), asks: side(1002, 1) });
    const next = { bids: side(995, -1), asks: [...side(1000, 1).slice(0, 3), ...side(1004, 1)] };
    expect(book.isClearlyRepeatedBy(next)).toBe(true);
    expect(book.isClearlyRepeatedBy({ bids: side(995, -1), asks: [] })).toBe(false);
  });
});
