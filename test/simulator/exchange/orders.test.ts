import { expect, test } from "vitest";
import { moveCash } from "../../../src/simulator/exchange/exchange.ts";
import { liquidate } from "../../../src/simulator/exchange/settlement.ts";
import { expectNothingLost, openExchange } from "../world-rig.ts";

const order = (isBid: boolean, priceTicks: number, sizeLots: number) =>
  ({ isBid, priceTicks, sizeLots, terms: "limit", clientOrderId: 7 }) as const;

test("a smaller size keeps its place in the queue, another price or a larger size does not", () => {
  const { exchange, perp, maker, taker } = openExchange();
  exchange.begin(1);
  const best = () => {
    const { priceTicks, sizeLots, orders } = perp.book.bids.best ?? {};
    return { priceTicks, sizeLots, orders: [...(orders ?? [])] };
  };
  const first = exchange.place(maker, perp, order(true, 100, 10));
  const second = exchange.place(taker, perp, order(true, 100, 10));
  expect(exchange.replace(first, 100, 4)).toBe(first);
  expect(best()).toEqual({ priceTicks: 100, sizeLots: 14, orders: [first, second] });
  const larger = exchange.replace(first, 100, 6);
  expect(first.status).toBe("canceled");
  expect(best()).toEqual({ priceTicks: 100, sizeLots: 16, orders: [second, larger] });
  const moved = exchange.replace(second, 101, 10);
  expect(best()).toEqual({ priceTicks: 101, sizeLots: 10, orders: [moved] });
  expect(exchange.replace(second, 102, 1)).toBe(second);
  expect([...maker.orders]).toEqual([larger]);
  expect([...taker.orders]).toEqual([moved]);
});

test("a transaction that changes nothing has never been", () => {
  const { exchange, perp, maker } = openExchange();
  const seen: number[] = [];
  exchange.onTransaction((index) => seen.push(index));
  exchange.begin(1);
  const resting = exchange.place(maker, perp, order(true, 100, 10));
  exchange.commit();
  exchange.begin(2);
  exchange.cancel(resting);
  exchange.commit();
  exchange.begin(3);
  exchange.cancel(resting);
  exchange.commit();
  expect(seen).toHaveLength(2);
  expect(exchange.lastIndex).toBe(seen[1]);
});

test("in a spot market nothing is sold that is not there, nor twice, nor bought without money", () => {
  const { exchange, spot, maker, taker } = openExchange();
  exchange.begin(1);
  moveCash(exchange, maker, { kind: "deposit", market: spot.index, lots: 100 });
  expect(exchange.place(taker, spot, order(false, 9_700_000, 1)).status).toBe("rejected");
  const ask = exchange.place(maker, spot, order(false, 9_700_000, 60));
  expect(ask.status).toBe("open");
  expect(exchange.place(maker, spot, order(false, 9_700_000, 60)).status).toBe("rejected");
  exchange.cancel(ask);
  expect(exchange.place(maker, spot, order(false, 9_700_000, 100)).status).toBe("open");
  // A million buys at most 103,092 lots of 0.0001 at 97,000, less the fee.
  expect(exchange.place(taker, spot, order(true, 9_700_000, 103_092)).status).toBe("rejected");
  const market = { ...order(true, 1, 1), terms: "market" as const };
  expect(exchange.place(taker, spot, market).status).toBe("rejected");
  const bid = exchange.place(taker, spot, order(true, 9_700_000, 150));
  expect(bid).toMatchObject({ status: "partially_filled", remainingLots: 50 });
  expect(taker.heldAtoms).toBe(50n * 9_700_000n);
  exchange.replace(bid, 9_700_000, 20);
  expect(taker.heldAtoms).toBe(20n * 9_700_000n);
  exchange.commit();
  expectNothingLost(exchange);
});

test("an account that trades with itself keeps its position and pays both fees, in one trade", () => {
  const { exchange, perp, maker } = openExchange();
  exchange.begin(1);
  exchange.place(maker, perp, order(true, 10_000_000, 100));
  exchange.place(maker, perp, order(false, 10_000_000, 100));
  exchange.commit();
  expect(exchange.trades.since(0)).toHaveLength(1);
  expect(maker.positions[perp.index]).toMatchObject({ lots: 0, costAtoms: 0n });
  // 1000 quote units at −20 and 350 millionths.
  expect(exchange.treasury.feesAtoms).toBe(-20_000n + 350_000n);
  expect(maker.quoteAtoms).toBe(1_000_000_000_000n - 330_000n);
  expectNothingLost(exchange);
});

test("an account that loses more than it had is closed, and the insurance pays the rest", () => {
  const { exchange, perp, maker, taker } = openExchange();
  const move = (ticks: number) => {
    perp.markTicks = ticks;
    perp.indexTicks = ticks;
  };
  exchange.begin(1);
  exchange.place(maker, perp, order(false, 10_000_000, 200_000));
  exchange.place(taker, perp, order(true, 10_000_000, 200_000));
  exchange.place(maker, perp, order(true, 4_000_000, 200_000));
  const resting = exchange.place(taker, perp, order(true, 3_000_000, 5));
  exchange.commit();
  move(4_000_000);
  exchange.begin(2);
  liquidate(exchange, 1_000_000)(2);
  exchange.commit();
  const [liquidation] = exchange.liquidations.rows;
  expect(liquidation).toMatchObject({ account: taker.index, isPartial: false, isBankrupt: true });
  expect(liquidation?.positions).toEqual([
    { market: 0, isLong: true, closedLots: 200_000, marginAtoms: expect.any(BigInt) },
  ]);
  expect(liquidation?.positions[0]?.marginAtoms).toBeLessThan(0n);
  expect(resting.status).toBe("canceled");
  expect(taker.quoteAtoms).toBe(0n);
  expect(exchange.treasury.insuranceAtoms).toBeLessThan(0n);
  expectNothingLost(exchange);
});
