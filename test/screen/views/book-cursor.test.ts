import { describe, expect, test } from "vitest";
import { BookCursor, type BookLine } from "../../../src/screen/views/market/model.ts";

const lines = (...prices: number[]): BookLine[] => [
  ...prices.slice(0, 2).map((price): BookLine => ({ side: "ask", priceTicks: BigInt(price) })),
  "spread",
  ...prices.slice(2).map((price): BookLine => ({ side: "bid", priceTicks: BigInt(price) })),
];

function cursorAt(row: number): BookCursor {
  const cursor = new BookCursor();
  cursor.setLines(lines(105, 104, 102, 101, 100));
  cursor.select(row);
  return cursor;
}

describe("cursor in the book", () => {
  test("begins at the best bid, goes over the spread, and stops at the edges", () => {
    const cursor = new BookCursor();
    cursor.setLines(lines(105, 104, 102, 101, 100));
    cursor.toggle();
    expect(cursor.level).toEqual({ side: "bid", priceTicks: 102n });
    cursor.move(-1);
    expect(cursor.level).toEqual({ side: "ask", priceTicks: 104n });
    cursor.move(-9);
    expect(cursor.level?.priceTicks).toBe(105n);
    cursor.move(99);
    expect(cursor.level?.priceTicks).toBe(100n);
    cursor.toggle();
    expect(cursor.level).toBeUndefined();
  });

  test.each([
    [-1, 102n],
    [1, 100n],
    [2, 99n],
  ])("from a level that has gone, %i goes to its neighbours", (steps, price) => {
    const cursor = cursorAt(4);
    expect(cursor.level?.priceTicks).toBe(101n);
    cursor.setLines(lines(105, 104, 102, 100, 99));
    cursor.move(steps);
    expect(cursor.level?.priceTicks).toBe(price);
  });

  test("from a level below all that is left, a step goes to the last one", () => {
    for (const steps of [-1, 1]) {
      const cursor = cursorAt(5);
      cursor.setLines(lines(105, 104, 102, 101));
      cursor.move(steps);
      expect(cursor.level?.priceTicks).toBe(101n);
    }
  });

  test("a row without a level changes nothing", () => {
    const cursor = cursorAt(0);
    cursor.select(2);
    cursor.select(99);
    expect(cursor.level?.priceTicks).toBe(105n);
  });
});
