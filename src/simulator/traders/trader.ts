// A trader: one account in one market, the fair price, and its own random numbers. How it trades is one of strategies.ts.
import type { Random } from "../../units/random.ts";
import { US_PER_MS } from "../../units/time.ts";
import type { Order, Terms } from "../engine/order-book.ts";
import { type Account, createOwner } from "../exchange/account.ts";
import { type Exchange, moveCash } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";

/** Client order ids of a trader count up within a range of its market, and start again at its end. */
const CLIENT_ORDER_IDS = 100_000_000;
/** What a trader begins with: only a leveraged one, who takes out all but a margin, can run out of it. */
const FUNDS = 400_000_000n * ATOMS_PER_QUOTE;
const SPOT_HOME_QUOTE = 60_000_000;

/** A market to trade in, and a source of random numbers for each name. */
export interface Venue {
  readonly exchange: Exchange;
  readonly market: Market;
  readonly fair: FairPrice;
  readonly randomFor: (name: string) => Random;
}

/** Lots that are worth an amount in whole units of quote currency, at least one. */
export function lotsWorth({ startTicks, atomsPerTickLot }: MarketSpec, quote: number): number {
  const lots = (quote * Number(ATOMS_PER_QUOTE)) / (startTicks * atomsPerTickLot);
  return Math.max(1, Math.round(lots));
}

/** A trader with an account of its own and more than enough in it. Must run inside a transaction. */
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
  moveCash(exchange, account, { kind: "deposit", atoms: FUNDS });
  return new Trader(venue, account, random, activity, SPOT_HOME_QUOTE);
}

export class Trader {
  readonly venue: Venue;
  readonly account: Account;
  readonly random: Random;
  /** How often it acts, relative to a calm large market. */
  readonly #activity: number;
  /** The spot holding that it is given and that counts as no inventory; 0 in perpetual markets. */
  readonly #homeLots: number;
  #clientOrders = 0;

  constructor(venue: Venue, account: Account, random: Random, activity = 1, homeQuote = 0) {
    const { exchange, market } = venue;
    this.venue = venue;
    this.account = account;
    this.random = random;
    this.#activity = activity;
    this.#homeLots = market.isPerp ? 0 : lotsWorth(market.spec, homeQuote);
    if (market.isPerp) return;
    moveCash(exchange, account, { kind: "deposit", market: market.index, lots: this.#homeLots });
  }

  /** The account's position, or what it has more or less of the base currency than it began with, in lots. */
  get inventoryLots(): number {
    const { index, isPerp } = this.venue.market;
    if (isPerp) return this.account.positions[index]?.lots ?? 0;
    return (this.account.holdings[index]?.lots ?? 0) - this.#homeLots;
  }

  /** Ticks in a part of the price, at least one. */
  ticksOf(ppm: number): number {
    return Math.max(1, Math.round((this.venue.market.spec.startTicks * ppm) / 1_000_000));
  }

  lotsOf(quote: number): number {
    return lotsWorth(this.venue.market.spec, quote);
  }

  /** A wait around a mean, in microseconds of this trader's pace. */
  waitUs(meanMs: number): number {
    return (meanMs * US_PER_MS * (0.5 + this.random())) / this.#activity;
  }

  /** A wait as of things that happen by chance: often short, sometimes long. */
  chanceUs(meanMs: number): number {
    const factor = this.random() * this.random();
    return (meanMs * US_PER_MS * factor * 4) / this.#activity;
  }

  between([low, high]: readonly [number, number]): number {
    return low + this.random() * (high - low);
  }

  /** A size in lots: mostly below the mean, now and then many times larger, often a round number. */
  drawLots(meanLots: number): number {
    const lots = Math.max(1, Math.round((meanLots * 0.3) / (this.random() + 0.03)));
    if (lots < 20 || this.random() < 0.5) return lots;
    const round = 10 ** (String(lots).length - 1);
    return Math.round(lots / round) * round;
  }

  /** Places an order that is to rest. It is not sent when it would trade. */
  rest(isBid: boolean, priceTicks: number, sizeLots: number): Order | undefined {
    if (priceTicks <= 0 || this.venue.market.book.wouldTrade(isBid, priceTicks)) return undefined;
    const order = this.send(isBid, priceTicks, sizeLots, "post-only");
    return order.level === undefined ? undefined : order;
  }

  /** Takes what rests on the other side, at most this far beyond its best price. */
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

// What a market is worth to the world outside: a seeded random walk with regimes, in whole sixteenths of a
// tick. Only additions, products and square roots are used, so that one seed gives the same walk on every machine.

const FRACTION = 16;
const US_PER_S = 1_000_000;
const STEP_US = 100_000;
/** Four uniform numbers less 2 have this much less spread than a standard normal one. */
const SPREAD = Math.sqrt(3);
/** Pulls the walk home over days, so that weeks of it stay within reason. */
const MEAN_REVERSION = 2 ** -20;
/** A follower closes this part of the distance to its leader at each step. */
const FOLLOWING = 0.25;

/** How the walk goes for a while. `volatility` is relative to the market; `totalMove`, its drift in all, a part of the price. */
interface Regime {
  readonly share: number;
  readonly seconds: readonly [number, number];
  readonly volatility: number;
  readonly totalMove: readonly [number, number];
}
const NO_REGIME: Regime = { share: 0, seconds: [60, 60], volatility: 1, totalMove: [0, 0] };

/** Mostly calm, sometimes brisk; a rush is what liquidates people. */
const REGIMES: readonly Regime[] = [
  { share: 0.55, seconds: [40, 200], volatility: 1, totalMove: [0, 0.0004] },
  { share: 0.33, seconds: [20, 90], volatility: 1.9, totalMove: [0.0002, 0.0012] },
  { share: 0.12, seconds: [12, 40], volatility: 2.4, totalMove: [0.0015, 0.0045] },
];

export interface FairPrice {
  readonly ticks: number;
  /** As a part of where it began. */
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
