// A trader: an account in one market, and random numbers of its own. Strategies are in strategies.ts.
import type { Random } from "../../units/random.ts";
import { US_PER_MS } from "../../units/time.ts";
import type { Account } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market, MarketSpec } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";

/** Activity below which a market is small. */
export const SMALL = 0.2;

export interface Trader {
  readonly exchange: Exchange;
  readonly market: Market;
  readonly account: Account;
  readonly random: Random;
  /** How often it acts, relative to one in a calm large market. */
  readonly pace: number;
  /** What it held of a spot market at first, which is not counted as inventory. */
  readonly homeLots: number;
}

/** Lots worth an amount in whole units of quote currency; at least one. */
export function lotsWorth({ startTicks, atomsPerTickLot }: MarketSpec, quote: number): number {
  return Math.max(1, Math.round((quote * ATOMS_PER_QUOTE) / (startTicks * atomsPerTickLot)));
}

/** A size in lots: mostly below the mean, sometimes many times larger. */
export function drawLots(meanLots: number, random: Random): number {
  return Math.max(1, Math.round((meanLots * 0.3) / (random() + 0.03)));
}

/** The position, or the change of base currency since the start, in lots. */
export function inventoryOf({ account, market, homeLots }: Trader): number {
  return (account.positions[market.index]?.lots ?? 0) - homeLots;
}

/** Ticks in a fraction of the price, at least one. */
export function ticksIn({ startTicks }: MarketSpec, ppm: number): number {
  return Math.max(1, Math.round((startTicks * ppm) / 1_000_000));
}

/** A wait in microseconds: often short, sometimes long. */
export function waitUs({ random, pace }: Trader, meanMs: number): number {
  return (meanMs * US_PER_MS * random() * random() * 4) / pace;
}

/** Takes liquidity up to this fraction of the price beyond the best one. */
export function takeUpTo(trader: Trader, isBid: boolean, sizeLots: number, ppm: number): void {
  const { exchange, market, account } = trader;
  const best = market.book.best(!isBid)?.priceTicks;
  if (best === undefined) return;
  const priceTicks = best + ticksIn(market.spec, ppm) * (isBid ? 1 : -1);
  if (priceTicks > 0)
    exchange.place(account, market, { isBid, priceTicks, sizeLots, terms: "ioc" });
}
