// A trader: an account in one market, the fair price, and random numbers of its own. Strategies are in strategies.ts.
import type { Random } from "../../units/random.ts";
import { US_PER_MS } from "../../units/time.ts";
import { type Account, createOwner } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { Order, Terms } from "../exchange/order-book.ts";
import type { MarketSpec } from "../scenario.ts";
import type { FairPrice } from "./fair-price.ts";

/** Client order ids count up within a range of the market, and wrap around. */
const CLIENT_ORDER_IDS = 100_000_000;
/** Initial funds: only leveraged traders, who withdraw all but a margin, can run out of them. */
const FUNDS = 400_000_000n * ATOMS_PER_QUOTE;
const SPOT_HOME_QUOTE = 60_000_000;

/** A market to trade in, and a random source by name. */
export interface Venue {
  readonly exchange: Exchange;
  readonly market: Market;
  readonly fair: FairPrice;
  readonly randomFor: (name: string) => Random;
}

/** Lots worth an amount in whole units of quote currency; at least one. */
export function lotsWorth({ startTicks, atomsPerTickLot }: MarketSpec, quote: number): number {
  const lots = (quote * Number(ATOMS_PER_QUOTE)) / (startTicks * atomsPerTickLot);
  return Math.max(1, Math.round(lots));
}

/** A trader with an account of its own and ample funds. Must run inside a transaction. */
export function openTrader(venue: Venue, name: string, activity: number): Trader {
  const { exchange, market } = venue;
  const random = venue.randomFor(`${market.spec.type}/${market.spec.id} ${name}`);
  const account = openStranger(exchange, random);
  const homeLots = market.isPerp ? 0 : lotsWorth(market.spec, SPOT_HOME_QUOTE);
  const position = account.positions[market.index];
  if (position !== undefined) position.lots = homeLots;
  return new Trader(venue, account, random, activity, homeLots);
}

/** An account that nobody watches. */
export function openStranger(exchange: Exchange, random: Random, atoms = FUNDS): Account {
  const owner = createOwner(random);
  const createdAtUs = exchange.nowUs;
  const setup = { owner, subaccountId: 0, createdAtUs, isPublished: false };
  return exchange.openAccount({ ...setup, status: "active" }, atoms);
}

export class Trader {
  readonly venue: Venue;
  readonly account: Account;
  readonly random: Random;
  /** Relative to a calm large market. */
  readonly #activity: number;
  /** Initial spot holding, not counted as inventory; 0 in perpetual markets. */
  readonly #homeLots: number;
  #clientOrders = 0;

  constructor(venue: Venue, account: Account, random: Random, activity: number, homeLots: number) {
    this.venue = venue;
    this.account = account;
    this.random = random;
    this.#activity = activity;
    this.#homeLots = homeLots;
  }

  /** The position, or the change of base currency since the start, in lots. */
  get inventoryLots(): number {
    return (this.account.positions[this.venue.market.index]?.lots ?? 0) - this.#homeLots;
  }

  /** Ticks in a fraction of the price, at least one. */
  ticksOf(ppm: number): number {
    return Math.max(1, Math.round((this.venue.market.spec.startTicks * ppm) / 1_000_000));
  }

  lotsOf(quote: number): number {
    return lotsWorth(this.venue.market.spec, quote);
  }

  /** A wait around a mean, in microseconds, scaled by the trader's activity. */
  waitUs(meanMs: number): number {
    return (meanMs * US_PER_MS * (0.5 + this.random())) / this.#activity;
  }

  /** A wait between random events: often short, sometimes long. */
  randomIntervalUs(meanMs: number): number {
    const factor = this.random() * this.random();
    return (meanMs * US_PER_MS * factor * 4) / this.#activity;
  }

  between([low, high]: readonly [number, number]): number {
    return low + this.random() * (high - low);
  }

  /** A size in lots: mostly below the mean, sometimes many times larger, often a round number. */
  drawLots(meanLots: number): number {
    const lots = Math.max(1, Math.round((meanLots * 0.3) / (this.random() + 0.03)));
    if (lots < 20 || this.random() < 0.5) return lots;
    const round = 10 ** (String(lots).length - 1);
    return Math.round(lots / round) * round;
  }

  /** Places a passive order. Undefined if it would trade or was rejected. */
  rest(isBid: boolean, priceTicks: number, sizeLots: number): Order | undefined {
    if (priceTicks <= 0 || this.venue.market.book.wouldTrade(isBid, priceTicks)) return undefined;
    const order = this.send(isBid, priceTicks, sizeLots, "post-only");
    return order.level === undefined ? undefined : order;
  }

  /** Takes liquidity up to this far beyond the best price. */
  take(isBid: boolean, sizeLots: number, reachTicks: number): void {
    const best = this.venue.market.book.best(!isBid);
    if (best === undefined) return;
    const limit = best + (isBid ? reachTicks : -reachTicks);
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
