import { describe, expect, test } from "vitest";
import {
  type BookLevel,
  type BookLine,
  levelAfter,
} from "../../../src/screen/views/market/orderbook.ts";

const lines = (...prices: number[]): BookLine[] => [
  ...prices.slice(0, 2).map((price): BookLine => ({ side: "ask", priceTicks: BigInt(price) })),
  "spread",
  ...prices.slice(2).map((price): BookLine => ({ side: "bid", priceTicks: BigInt(price) })),
];
const bid = (price: bigint): BookLevel => ({ side: "bid", priceTicks: price });
const priceAfter = (book: readonly BookLine[], level: BookLevel, steps: number) =>
  levelAfter(book, level, steps)?.priceTicks;

describe("cursor in the book", () => {
  test("goes over the spread, and stops at the edges", () => {
    const book = lines(105, 104, 102, 101, 100);
    expect(levelAfter(book, bid(102n), -1)).toEqual({ side: "ask", priceTicks: 104n });
    expect(priceAfter(book, bid(102n), -9)).toBe(105n);
    expect(priceAfter(book, bid(102n), 99)).toBe(100n);
  });

  test.each([
    [-1, 102n],
    [1, 100n],
    [2, 99n],
  ])("from a level that has gone, %i goes to its neighbours", (steps, price) => {
    expect(priceAfter(lines(105, 104, 102, 100, 99), bid(101n), steps)).toBe(price);
  });

  test("from a level below all that is left, a step goes to the last one", () => {
    for (const steps of [-1, 1]) {
      expect(priceAfter(lines(105, 104, 102, 101), bid(100n), steps)).toBe(101n);
    }
  });

  test("stays where nothing is shown", () => {
    expect(levelAfter(["spread"], bid(100n), 1)).toEqual(bid(100n));
  });
});
