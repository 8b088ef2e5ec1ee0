import { expect, test } from "vitest";
import {
  CHUNK_ROWS,
  LiquidationLog,
  TradeLog,
  type TradeRow,
} from "../../../src/simulator/ledger/log.ts";

const FIRST_ID = 700_000_001;

const tradeAt = (row: number): Omit<TradeRow, "id"> => ({
  index: 2 ** 40 + (row >> 1),
  timeUs: 2 ** 42 + row * 7,
  market: row % 5,
  priceTicks: 2 ** 44 + row,
  sizeLots: (row * 2_654_435_761) % 4_000_000_000,
  takerIsBid: row % 3 === 0,
  maker: row % 60_000,
  taker: (row * 7) % 60_000,
  makerClientOrderId: row,
  takerClientOrderId: 4_000_000_000 - row,
});

test("a log of trades gives back every one as it was, numbered without a gap, and forgets whole chunks of the oldest", () => {
  const log = new TradeLog(FIRST_ID, CHUNK_ROWS);
  const count = CHUNK_ROWS * 3 + 501;
  for (let row = 0; row < count; row++) log.add(tradeAt(row));
  expect(log.length).toBe(CHUNK_ROWS + 501);
  const forgotten = count - log.length;
  for (let position = 0; position < log.length; position += 331) {
    const row = forgotten + position;
    expect(log.at(position)).toEqual({ id: FIRST_ID + row, ...tradeAt(row) });
  }
  for (const position of [-1, log.length]) expect(() => log.at(position)).toThrow(RangeError);
  const last = count - 1;
  expect(log.since(tradeAt(last).index).map(({ id }) => id - FIRST_ID)).toEqual([last]);
  expect(log.since(0)).toHaveLength(log.length);
  const isOfMarket = ({ market }: TradeRow) => market === 2;
  const newest = (count: number, end?: number) =>
    log.newest(count, isOfMarket, end).map(({ id }) => id - FIRST_ID);
  expect(newest(2)).toEqual([last - 1, last - 6]);
  expect(newest(9, 7)).toEqual([forgotten + 5, forgotten]);
});

test("a log of liquidations numbers its rows, and forgets a tenth of the oldest at once", () => {
  const log = new LiquidationLog();
  const facts = { account: 1, isPartial: false, isBankrupt: false, positions: [] };
  for (let i = 0; i < 110_001; i++) log.add({ ...facts, index: 50 + (i >> 1), timeUs: i });
  expect([log.length, log.at(0).timeUs, log.at(0).id]).toEqual([100_001, 10_000, 4_110_001]);
  expect(log.since(55_000).map(({ timeUs }) => timeUs)).toEqual(
    Array.from({ length: 101 }, (_, i) => 109_900 + i),
  );
  const isEven = ({ timeUs }: { timeUs: number }) => timeUs % 2 === 0;
  expect(log.newest(2, isEven).map(({ timeUs }) => timeUs)).toEqual([110_000, 109_998]);
  expect(log.newest(9, isEven, 3).map(({ timeUs }) => timeUs)).toEqual([10_002, 10_000]);
});
