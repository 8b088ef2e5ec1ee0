import { expect, test } from "vitest";
import type { Account } from "../../../src/simulator/exchange/account.ts";
import type { Exchange } from "../../../src/simulator/exchange/exchange.ts";
import type { Market } from "../../../src/simulator/exchange/market.ts";
import { getMargin, liquidationTicks } from "../../../src/simulator/exchange/money.ts";
import type { Liquidation } from "../../../src/simulator/ledger/log.ts";
import { runs } from "../../support/soak.ts";
import { expectLotsAddUp, openWorld } from "../world-rig.ts";

/** Lots that the liquidated account gave up in the last transaction. */
function closedIn({ trades }: Exchange, { account, index }: Liquidation): number {
  let lots = 0;
  for (const trade of trades.since(index)) {
    expect(trade).toMatchObject({ index, taker: account });
    lots += trade.sizeLots;
  }
  return lots;
}

test("liquidations happen, and close positions in the books", () => {
  const { simulation } = openWorld(3);
  const { exchange } = simulation;
  const { liquidations } = exchange;
  for (let seen = 0; seen < runs(12, 40); ) {
    simulation.step();
    if (liquidations.rows.length === seen) continue;
    seen = liquidations.rows.length;
    const liquidation = liquidations.rows.at(-1);
    if (liquidation === undefined) throw new Error("no liquidation");
    const closed = liquidation.positions.reduce((lots, each) => lots + each.closedLots, 0);
    expect(closedIn(exchange, liquidation)).toBe(closed);
    for (const position of liquidation.positions) {
      const account = exchange.accounts[liquidation.account];
      expect(account?.positions[position.market]?.lots).toBe(0);
    }
    expectLotsAddUp(exchange);
  }
});

/** True when the account has more than enough margin at some mark price. */
function isSafeAt(account: Account, exchange: Exchange, market: Market, ticks: number): boolean {
  const { markTicks } = market;
  market.markTicks = ticks;
  const { equityAtoms, maintenanceAtoms } = getMargin(account, exchange.markets);
  market.markTicks = markTicks;
  return equityAtoms > maintenanceAtoms;
}

/** Checks the liquidation price of one position. @returns false when it has none near the mark price */
function checkLiquidationPrice(exchange: Exchange, account: Account, market: Market): boolean {
  const ticks = Number(liquidationTicks(account, exchange.markets, market) ?? 0n);
  // Far away another margin tier may hold, which the price does not foresee.
  if (Math.abs(ticks - market.markTicks) > market.markTicks / 50) return false;
  const back = (account.positions[market.index]?.lots ?? 0) > 0 ? 1 : -1;
  expect(isSafeAt(account, exchange, market, ticks)).toBe(false);
  expect(isSafeAt(account, exchange, market, ticks + back)).toBe(true);
  return true;
}

test("at its liquidation price an account has no margin to spare, one tick before it has", () => {
  const { simulation } = openWorld(5);
  const { exchange } = simulation;
  let seen = 0;
  for (let second = 30; second < 400; second += 10) {
    simulation.runUntil(second * 1_000_000);
    for (const market of exchange.markets) {
      seen += exchange.accounts.filter((each) =>
        checkLiquidationPrice(exchange, each, market),
      ).length;
    }
  }
  expect(seen).toBeGreaterThan(100);
});
