// What a trader works with: one account in one market, the fair price, and luck.
import type { Random } from "../../units/random.ts";
import type { Order, Terms } from "../engine/order-book.ts";
import type { Account } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market, MarketSpec } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { FairPrice } from "./fair-price.ts";

const US_PER_MS = 1000;
/** Client order ids of a desk count up within a range of its market, and start again at its end. */
const CLIENT_ORDER_IDS = 100_000_000;

/** What a desk is opened with. */
export interface DeskSetup {
  readonly exchange: Exchange;
  readonly account: Account;
  readonly market: Market;
  readonly fair: FairPrice;
  readonly random: Random;
  /** How often it acts, relative to a calm large market. */
  readonly activity: number;
  /** The spot holding that counts as no inventory; 0 in perpetual markets. */
  readonly homeLots: number;
}

/** Lots that are worth an amount in whole units of quote currency, at least one. Never throws. */
export function lotsWorth({ startTicks, atomsPerTickLot }: MarketSpec, quote: number): number {
  const lots = (quote * Number(ATOMS_PER_QUOTE)) / (startTicks * atomsPerTickLot);
  return Math.max(1, Math.round(lots));
}

/** An account in one market. Orders are sent inside a transaction. */
export class Desk {
  readonly exchange: Exchange;
  readonly account: Account;
  readonly market: Market;
  readonly fair: FairPrice;
  readonly random: Random;
  readonly #activity: number;
  readonly #homeLots: number;
  #clientOrders = 0;

  constructor(setup: DeskSetup) {
    this.exchange = setup.exchange;
    this.account = setup.account;
    this.market = setup.market;
    this.fair = setup.fair;
    this.random = setup.random;
    this.#activity = setup.activity;
    this.#homeLots = setup.homeLots;
  }

  /** The account's position, or what it has more or less of the base currency than it began with, in lots. */
  get inventoryLots(): number {
    const { index, isPerp } = this.market;
    if (isPerp) return this.account.positions[index]?.lots ?? 0;
    return (this.account.holdings[index]?.lots ?? 0) - this.#homeLots;
  }

  /** Ticks in a part of the price, at least one. */
  ticksOf(ppm: number): number {
    return Math.max(1, Math.round((this.market.spec.startTicks * ppm) / 1_000_000));
  }

  /** Lots that are worth an amount in whole units of quote currency, at least one. */
  lotsOf(quote: number): number {
    return lotsWorth(this.market.spec, quote);
  }

  /** A wait around a mean, in microseconds of this desk's pace. */
  waitUs(meanMs: number): number {
    return (meanMs * US_PER_MS * (0.5 + this.random())) / this.#activity;
  }

  /** A wait as of things that happen by chance: often short, sometimes long. */
  chanceUs(meanMs: number): number {
    const luck = this.random() * this.random();
    return (meanMs * US_PER_MS * luck * 4) / this.#activity;
  }

  /** Places an order that is to rest. It is not sent when it would trade. */
  rest(isBid: boolean, priceTicks: number, sizeLots: number): Order | undefined {
    if (priceTicks <= 0 || this.market.book.wouldTrade(isBid, priceTicks)) return undefined;
    const order = this.send(isBid, priceTicks, sizeLots, "post-only");
    return order.level === undefined ? undefined : order;
  }

  /** Takes what rests on the other side, at most this far beyond its best price. */
  take(isBid: boolean, sizeLots: number, reachTicks: number): Order | undefined {
    const { best } = this.market.book.side(!isBid);
    if (best === undefined) return undefined;
    const limit = isBid ? best.priceTicks + reachTicks : best.priceTicks - reachTicks;
    return limit <= 0 ? undefined : this.send(isBid, limit, sizeLots, "ioc");
  }

  send(isBid: boolean, priceTicks: number, sizeLots: number, terms: Terms): Order {
    this.#clientOrders = (this.#clientOrders + 1) % CLIENT_ORDER_IDS;
    const clientOrderId = this.market.index * CLIENT_ORDER_IDS + this.#clientOrders;
    const request = { isBid, priceTicks, sizeLots, terms, clientOrderId };
    return this.exchange.place(this.account, this.market, request);
  }

  cancel(order: Order): void {
    this.exchange.cancel(order);
  }
}
