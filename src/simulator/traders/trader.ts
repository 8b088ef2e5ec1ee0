// A trader: an account in one market, and random numbers of its own. Strategies are in strategies.ts.
import type { Random } from "../../units/random.ts";
import { US_PER_MS } from "../../units/time.ts";
import type { Account } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market, MarketSpec } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { Order, Terms } from "../exchange/order-book.ts";
import type { FairPrice } from "./fair-price.ts";

/** Client order ids count up within a range of the market, and wrap around. */
export const CLIENT_ORDER_IDS = 100_000_000;

/** A market to trade in, and a random source by name. */
export interface Venue {
  readonly exchange: Exchange;
  readonly market: Market;
  readonly fair: FairPrice;
  readonly randomFor: (name: string) => Random;
}

/** Lots worth an amount in whole units of quote currency; at least one. */
export function lotsWorth({ startTicks, atomsPerTickLot }: MarketSpec, quote: number): number {
  return Math.max(1, Math.round((quote * ATOMS_PER_QUOTE) / (startTicks * atomsPerTickLot)));
}

/** A size in lots: mostly below the mean, sometimes many times larger. */
export function drawLots(meanLots: number, random: Random): number {
  return Math.max(1, Math.round((meanLots * 0.3) / (random() + 0.03)));
}

export class Trader {
  readonly venue: Venue;
  readonly account: Account;
  readonly random: Random;
  readonly #pace: number;
  /** What it held of a spot market at first is not counted as inventory. */
  readonly #homeLots: number;
  #clientOrders = 0;

  /** @param pace how often it acts, relative to one in a calm large market */
  constructor(venue: Venue, account: Account, random: Random, pace = 1, homeLots = 0) {
    this.venue = venue;
    this.account = account;
    this.random = random;
    this.#pace = pace;
    this.#homeLots = homeLots;
  }

  /** The position, or the change of base currency since the start, in lots. */
  get inventoryLots(): number {
    return (this.account.positions[this.venue.market.index]?.lots ?? 0) - this.#homeLots;
  }

  get fairTicks(): number {
    return Math.round(this.venue.fair.level * this.venue.market.spec.startTicks);
  }

  /** Ticks in a fraction of the price, at least one. */
  ticksOf(ppm: number): number {
    return Math.max(1, Math.round((this.venue.market.spec.startTicks * ppm) / 1_000_000));
  }

  lotsOf(quote: number): number {
    return lotsWorth(this.venue.market.spec, quote);
  }

  /** A wait around a mean, in microseconds. */
  waitUs(meanMs: number): number {
    return (meanMs * US_PER_MS * (0.5 + this.random())) / this.#pace;
  }

  /** A wait between random events: often short, sometimes long. */
  randomIntervalUs(meanMs: number): number {
    return (meanMs * US_PER_MS * this.random() * this.random() * 4) / this.#pace;
  }

  /** Takes liquidity up to this fraction of the price beyond the best one. */
  take(isBid: boolean, sizeLots: number, reachPpm: number): void {
    const best = this.venue.market.book.best(!isBid)?.priceTicks;
    if (best === undefined) return;
    const limit = best + this.ticksOf(reachPpm) * (isBid ? 1 : -1);
    if (limit > 0) this.send(isBid, limit, sizeLots, "ioc");
  }

  send(isBid: boolean, priceTicks: number, sizeLots: number, terms: Terms): Order {
    const { exchange, market } = this.venue;
    this.#clientOrders = (this.#clientOrders + 1) % CLIENT_ORDER_IDS;
    const clientOrderId = market.index * CLIENT_ORDER_IDS + this.#clientOrders;
    const request = { isBid, priceTicks, sizeLots, terms, clientOrderId };
    return exchange.place(this.account, market, request);
  }
}
