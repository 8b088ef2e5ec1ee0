// The order book over time.
import { expect, test } from "vitest";
import type { Book } from "../../src/state/book.ts";
import { addBook, addHeatTrade, createHeatmap } from "../../src/state/heatmap.ts";
import { folding } from "../support/fold.ts";
import { level, trade } from "../support/frames.ts";

type Pairs = readonly (readonly [price: number, size: number])[];
function bookOf(bids: Pairs, asks: Pairs): Book {
  const levels = (pairs: Pairs) => pairs.map(([price, size]) => level(price, size));
  const book = folding("orderbook", "orderbook/perp/1");
  book.fold("first", { orderbook: { bids: levels(bids), asks: levels(asks) } });
  return book.state;
}

test("a column has the largest size of each row, the newest best prices, and what traded", () => {
  const heat = createHeatmap(10);
  const bids: Pairs = [
    [105, 3],
    [101, 4],
    [95, 1],
  ];
  const asks: Pairs = [
    [106, 2],
    [111, 5],
  ];
  addBook(heat, bookOf(bids, asks), 21_000);
  addBook(heat, bookOf([[99, 9]], [[115, 4]]), 21_300);
  const moved: Pairs = [
    [111, 1],
    [105, 8],
  ];
  addBook(heat, bookOf(moved, [[121, 7]]), 21_600);
  addHeatTrade(heat, trade(1, 104, 2), 21_700);
  addHeatTrade(heat, trade(2, 105, 1, false), 21_800);
  addHeatTrade(heat, trade(3, 109, 1), 21_999);
  const column = {
    isWhole: true,
    ...{ bidRows: [10, 9, 11], bidLots: [8, 9, 1], bid: 111 },
    ...{ askRows: [11, 12, 13], askLots: [2, 5, 7], ask: 121 },
    ...{ tradeRows: [10], tradeBought: [3], tradeSold: [1] },
  };
  expect(heat.columns).toEqual([[{ second: 21, ...column }], [{ second: 20, ...column }]]);
  addBook(heat, undefined, 22_000);
  expect(heat.columns[0].map(({ isWhole }) => isWhole)).toEqual([true, false]);
  expect(heat.columns[1].map(({ isWhole }) => isWhole)).toEqual([false]);
});
