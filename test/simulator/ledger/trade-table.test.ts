import { expect, test } from "vitest";
import { CHUNK_ROWS, type TradeRow, TradeTable } from "../../../src/simulator/ledger/tables.ts";

const tradeAt = (row: number): TradeRow => ({
  index: 2 ** 40 + row * 3,
  timeUs: row * 7,
  market: row % 5,
  priceTicks: 10_000_000 + row,
  sizeLots: (row * 2_654_435_761) % 4_000_000_000,
  takerIsBid: row % 3 === 0,
  maker: row % 60_000,
  taker: (row * 7) % 60_000,
  makerClientOrderId: row,
  takerClientOrderId: 4_000_000_000 - row,
});

test("gives back every trade as it was put in, and forgets only whole chunks of the oldest", () => {
  const table = new TradeTable(CHUNK_ROWS);
  const count = CHUNK_ROWS * 3 + 500;
  for (let row = 0; row < count; row++) table.add(tradeAt(row));
  expect(table.first).toBe(CHUNK_ROWS * 2);
  expect(table.end).toBe(count);
  for (let row = table.first; row < count; row += 331) {
    expect(table.at(row)).toEqual(tradeAt(row));
    expect(table.indexAt(row)).toBe(tradeAt(row).index);
    expect(table.isOf(row, tradeAt(row).taker)).toBe(true);
    expect(table.isOf(row, 60_001)).toBe(false);
  }
  expect(() => table.at(table.first - 1)).toThrow(RangeError);
  expect(() => table.at(count)).toThrow(RangeError);
});
