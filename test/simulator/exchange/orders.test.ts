import { expect, test } from "vitest";
import { depositLots } from "../../../src/simulator/exchange/exchange.ts";
import { heldAtoms } from "../../../src/simulator/exchange/money.ts";
import { liquidate } from "../../../src/simulator/exchange/settlement.ts";
import { expectLotsAddUp, openExchange } from "../world-rig.ts";

const order = (isBid: boolean, priceTicks: number, sizeLots: number) =>
  ({ isBid, priceTicks, sizeLots, terms: "limit", clientOrderId: 7 }) as const;

test("in a spot market nothing is sold that is not there, nor twice, nor bought without money", () => {
  const { exchange, spot, maker, taker } = openExchange();
  exchange.begin(1);
  depositLots(exchange, maker, spot, 100);
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
  expect(heldAtoms(taker, exchange.markets)).toBe(50n * 9_700_000n);
  exchange.cancel(bid);
  expect(heldAtoms(taker, exchange.markets)).toBe(0n);
  exchange.commit();
  expectLotsAddUp(exchange);
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
  expect(maker.quoteAtoms).toBe(1_000_000_000_000n - 330_000n);
  expectLotsAddUp(exchange);
});

test("an account that loses more than it had is closed, and owes nothing", () => {
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
  expect(liquidation).toMatchObject({ account: taker.index, isBankrupt: true });
  expect(liquidation?.positions).toEqual([
    { market: 0, isLong: true, closedLots: 200_000, marginAtoms: expect.any(BigInt) },
  ]);
  expect(liquidation?.positions[0]?.marginAtoms).toBeLessThan(0n);
  expect(resting.status).toBe("canceled");
  expect(taker.quoteAtoms).toBe(0n);
  expectLotsAddUp(exchange);
});
