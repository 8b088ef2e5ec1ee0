// A trader: an account in one market, the fair price, and random numbers of its own. Strategies are in strategies.ts.
import type { Random } from "../../units/random.ts";
import { US_PER_MS } from "../../units/time.ts";
import type { Order, Terms } from "../engine/order-book.ts";
import { type Account, createOwner } from "../exchange/account.ts";
import { deposit, depositLots, type Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";

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
  const account = exchange.openAccount({
    owner: createOwner(random),
    subaccountId: 0,
    status: "active",
    createdAtUs: exchange.nowUs,
    isPublished: false,
  });
  deposit(exchange, account, FUNDS);
  return new Trader(venue, account, random, activity, SPOT_HOME_QUOTE);
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

  constructor(venue: Venue, account: Account, random: Random, activity = 1, homeQuote = 0) {
    const { exchange, market } = venue;
    this.venue = venue;
    this.account = account;
    this.random = random;
    this.#activity = activity;
    this.#homeLots = market.isPerp ? 0 : lotsWorth(market.spec, homeQuote);
    if (!market.isPerp) depositLots(exchange, account, market, this.#homeLots);
  }

  /** The position, or the change of base currency since the start, in lots. */
  get inventoryLots(): number {
    const { index, isPerp } = this.venue.market;
    if (isPerp) return this.account.positions[index]?.lots ?? 0;
    return (this.account.holdings[index]?.lots ?? 0) - this.#homeLots;
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
    const { best } = this.venue.market.book.side(!isBid);
    if (best === undefined) return;
    const limit = best.priceTicks + (isBid ? reachTicks : -reachTicks);
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

// The fair price of a market: a seeded random walk with regimes, in whole sixteenths of a tick. Only additions, products and
// square roots are used, so that a seed gives the same walk on every machine.

const FRACTION = 16;
const US_PER_S = 1_000_000;
const STEP_US = 100_000;
/** The sum of four uniform numbers, minus 2, has a standard deviation lower than 1 by this factor. */
const SPREAD = Math.sqrt(3);
/** Pulls the walk back over days, so that it stays plausible for weeks. */
const MEAN_REVERSION = 2 ** -20;
/** A follower closes this part of the distance to its leader at each step. */
const FOLLOWING = 0.25;

/** A phase of the walk. `volatility` is relative to the market's; `totalMove` is its whole drift as a fraction of the price. */
interface Regime {
  readonly share: number;
  readonly seconds: readonly [number, number];
  readonly volatility: number;
  readonly totalMove: readonly [number, number];
}
const NO_REGIME: Regime = { share: 0, seconds: [60, 60], volatility: 1, totalMove: [0, 0] };

/** Mostly calm, sometimes brisk; a rush causes liquidations. */
const REGIMES: readonly Regime[] = [
  { share: 0.55, seconds: [40, 200], volatility: 1, totalMove: [0, 0.0004] },
  { share: 0.33, seconds: [20, 90], volatility: 1.9, totalMove: [0.0002, 0.0012] },
  { share: 0.12, seconds: [12, 40], volatility: 2.4, totalMove: [0.0015, 0.0045] },
];

export interface FairPrice {
  readonly ticks: number;
  /** Relative to the start price. */
  readonly level: number;
  act(): number;
}

/** @param leader a market of the same base asset whose price this one tracks */
export function createFairPrice(
  { startTicks, volatilityPpm }: MarketSpec,
  random: Random,
  leader: FairPrice | undefined,
): FairPrice {
  const start = startTicks * FRACTION;
  const spread = (start * volatilityPpm * Math.sqrt(STEP_US / US_PER_S) * SPREAD) / US_PER_S;
  let sixteenths = start;
  let regime = NO_REGIME;
  let stepsLeft = 0;
  let drift = 0;
  const between = ([low, high]: readonly [number, number]) => low + random() * (high - low);
  const noise = () => (random() + random() + random() + random() - 2) * spread;

  const changeRegime = () => {
    let draw = random();
    regime =
      REGIMES.find(({ share }) => {
        draw -= share;
        return draw < 0;
      }) ?? NO_REGIME;
    stepsLeft = Math.max(1, Math.round((between(regime.seconds) * US_PER_S) / STEP_US));
    const way = between(regime.totalMove) * (random() < 0.5 ? -1 : 1);
    drift = (way * sixteenths) / stepsLeft;
  };
  const wander = () => {
    if (stepsLeft === 0) changeRegime();
    stepsLeft--;
    const pull = (start - sixteenths) * MEAN_REVERSION;
    return noise() * regime.volatility + drift + pull;
  };
  const follow = (target: number) => (target - sixteenths) * FOLLOWING + noise() * FOLLOWING;

  return {
    get ticks() {
      return Math.round(sixteenths / FRACTION);
    },
    get level() {
      return sixteenths / start;
    },
    act() {
      const step = leader === undefined ? wander() : follow(leader.level * start);
      sixteenths = Math.max(FRACTION, sixteenths + Math.round(step));
      return STEP_US;
    },
  };
}
