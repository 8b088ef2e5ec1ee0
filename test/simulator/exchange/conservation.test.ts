import fc from "fast-check";
import { expect, test } from "vitest";
import type { Account } from "../../../src/simulator/exchange/account.ts";
import type { Exchange } from "../../../src/simulator/exchange/exchange.ts";
import type { Market } from "../../../src/simulator/exchange/market.ts";
import { heldAtoms, heldLots } from "../../../src/simulator/exchange/money.ts";
import { runs } from "../../support/soak.ts";
import { expectLotsAddUp, openWorld, sum } from "../world-rig.ts";

/** Every level is the sum of its orders, and the book is not crossed. */
function expectBookAddsUp(accounts: readonly Account[], { index, book }: Market): void {
  const orders = accounts.flatMap((each) => each.orders.filter(({ market }) => market === index));
  const sizes = [...book.bids.levels, ...book.asks.levels].map(({ sizeLots }) => sizeLots);
  expect(sum(sizes)).toBe(sum(orders.map(({ remainingLots }) => remainingLots)));
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(book.best(true) ?? 0).toBeLessThan(book.best(false) ?? Number.POSITIVE_INFINITY);
}

/** Open spot orders are backed by what the account has. */
function expectBacked({ markets }: Exchange, account: Account): void {
  expect(account.quoteAtoms - heldAtoms(account, markets) >= 0n).toBe(true);
  for (const market of markets.filter(({ isPerp }) => !isPerp)) {
    const lots = account.positions[market.index]?.lots ?? 0;
    expect(lots).toBeGreaterThanOrEqual(heldLots(account, market));
  }
}

test("lots and orders add up, and spot orders are backed, at every moment of any seed", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { simulation } = openWorld(seed);
      const { exchange } = simulation;
      for (let second = 1; second <= 120; second++) {
        simulation.runUntil(second * 1_000_000);
        expectLotsAddUp(exchange);
        for (const market of exchange.markets) expectBookAddsUp(exchange.accounts, market);
        for (const account of exchange.accounts) expectBacked(exchange, account);
      }
      expect(exchange.trades.length).toBeGreaterThan(200);
    }),
    { numRuns: runs(1, 60) },
  );
});

test("each market looks alive: many levels, a narrow spread, trades of many sizes, some sweeps", () => {
  const { simulation } = openWorld(2);
  const { markets, trades } = simulation.exchange;
  const spreads = markets.map((): number[] => []);
  const levels = markets.map((): number[] => []);
  simulation.runUntil(30_000_000);
  for (let tick = 300; tick < 3300; tick++) {
    simulation.runUntil(tick * 100_000);
    for (const { index, book } of markets) {
      spreads[index]?.push((book.best(false) ?? 0) - (book.best(true) ?? 0));
      levels[index]?.push(book.bids.levels.length, book.asks.levels.length);
    }
  }
  const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
  for (const { index, spec } of markets) {
    expect(median(spreads[index] ?? []), spec.symbol).toBeLessThanOrEqual(5);
    expect(median(levels[index] ?? []), spec.symbol).toBeGreaterThanOrEqual(20);
    expect(median(levels[index] ?? []), spec.symbol).toBeLessThanOrEqual(40);
  }
  const sizes = new Set(trades.since(0).map(({ sizeLots }) => sizeLots));
  expect(sizes.size).toBeGreaterThan(300);
});
