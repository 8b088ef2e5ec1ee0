// A year of trading before the start, thinning with age: trades with their candles, liquidations in every perpetual market, and
// thirty days of fills and funding of the published owner. Nothing of it passes through the books. The price is a random walk that
// ends at the start price.
import type { Random } from "../units/random.ts";
import { DAY_MS, SECOND_MS, US_PER_MS } from "../units/time.ts";
import { INTERVALS } from "../wire/channels.ts";
import type { Account } from "./exchange/account.ts";
import { INTERVAL_MS } from "./exchange/candles.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { notionalAtoms } from "./exchange/money.ts";
import { type Act, Schedule } from "./exchange/schedule.ts";
import { BASE_RATE, MAX_RATE, settleFunding } from "./exchange/settlement.ts";
import type { MarketSpec } from "./scenario.ts";
import { drawNormal } from "./traders/fair-price.ts";
import type { Habit } from "./traders/owner.ts";
import { drawLots, lotsWorth, openStranger, type Venue } from "./traders/trader.ts";

const YEAR_MS = 365 * DAY_MS;
/** Of the published owner's fills and funding. */
const OWN_US = 30 * DAY_MS * US_PER_MS;
/** Candles of each interval that are filled; those of a day go back a year. With two or more trades in one, none is missing. */
const CANDLES = 120;
/** Activity from which a market counts as large, and trades in a minute and in longer candles there; elsewhere it is two. */
const LARGE = 0.2;
const TRADES_IN_MINUTE = 6;
const TRADES_IN_CANDLE = 3;
const FEW_TRADES = 2;
/**
 * A day ago and earlier, volatility is this many times the live one, and the deviation of the price decays by about 2 % a day.
 * Towards now volatility falls to the live level, so that the newest candles are as tall as those that follow.
 */
const VOLATILITY_FACTOR = 4;
const REVERSION_MS = 60 * DAY_MS;
const MAX_LEVEL = 4;

/** A span of time with one old trade. */
interface Slot {
  readonly gapMs: number;
  /** From its end to the start. */
  readonly ageMs: number;
}

/** Oldest first, without gaps. */
function* slots(activity: number, density: number): Generator<Slot> {
  const spans = INTERVALS.map((interval, i) => {
    const many = interval === "1m" ? TRADES_IN_MINUTE : TRADES_IN_CANDLE;
    const untilMs = interval === "1d" ? YEAR_MS : CANDLES * INTERVAL_MS[interval];
    const before = INTERVALS[i - 1];
    const fromMs = before === undefined ? 0 : CANDLES * INTERVAL_MS[before];
    const trades = (activity < LARGE ? FEW_TRADES : many) * density;
    const count = Math.ceil(((untilMs - fromMs) / INTERVAL_MS[interval]) * trades);
    return { fromMs, count, gapMs: (untilMs - fromMs) / count };
  });
  for (const { fromMs, count, gapMs } of spans.reverse()) {
    for (let i = count - 1; i >= 0; i--) yield { gapMs, ageMs: fromMs + i * gapMs };
  }
}

/** How many trades there are at least, whatever is asked for. */
export function countOldTrades(specs: readonly MarketSpec[]): number {
  return specs.reduce((sum, { activity }) => sum + [...slots(activity, 1)].length, 0);
}

/** A moment of old trading, with the price relative to some price. */
interface Moment extends Slot {
  readonly level: number;
}

function* walk(
  { activity, volatilityPpm }: MarketSpec,
  random: Random,
  density: number,
): Generator<Moment> {
  let level = 1;
  for (const { gapMs, ageMs } of slots(activity, density)) {
    const calm = (volatilityPpm / 1_000_000) * Math.sqrt(gapMs / SECOND_MS);
    const step = calm * (1 + (VOLATILITY_FACTOR - 1) * Math.min(1, ageMs / DAY_MS));
    level += level * drawNormal(random) * step + ((1 - level) * gapMs) / REVERSION_MS;
    level = Math.min(MAX_LEVEL, Math.max(1 / MAX_LEVEL, level));
    yield { gapMs, ageMs: ageMs + random() * gapMs, level };
  }
}

interface OldMarket {
  readonly market: Market;
  readonly random: Random;
  readonly traders: readonly Account[];
  readonly habits: readonly Habit[];
}

export interface PastSetup {
  readonly venues: readonly Venue[];
  readonly habits: readonly Habit[];
  readonly startUs: number;
  readonly fundingUs: number;
  /** The least number of trades. */
  readonly trades: number;
}

const TRADERS = 5;

/** Makes all of it, oldest first; the exchange is left at its newest transaction. */
export function makePast({ venues, habits, startUs, fundingUs, trades }: PastSetup): void {
  const [first] = venues;
  if (first === undefined) return;
  const { exchange, randomFor } = first;
  const specs = exchange.markets.map(({ spec }) => spec);
  const density = Math.max(1, trades / countOldTrades(specs));
  const schedule = new Schedule(exchange);
  exchange.begin(startUs - YEAR_MS * US_PER_MS);
  for (const market of exchange.markets) {
    const { index, spec } = market;
    const random = randomFor(`old ${index}`);
    const traders = Array.from({ length: TRADERS }, () => openStranger(exchange, random));
    const old = { market, random, traders, habits: habits.filter((each) => each.market === index) };
    // All markets of a base asset trade at the same moments, at the same prices.
    const asset = specs.find(({ baseAsset }) => baseAsset === spec.baseAsset) ?? spec;
    const moments = () => walk(asset, randomFor(`old ${spec.baseAsset}`), density);
    let end = 1;
    for (const { level } of moments()) end = level;
    schedule.add(tradeOld(exchange, old, moments(), end, startUs), exchange.nowUs);
  }
  exchange.commit();
  const settledUs = (Math.floor((startUs - OWN_US) / fundingUs) + 1) * fundingUs;
  schedule.add(settleOld(exchange, randomFor, fundingUs), settledUs);
  schedule.runUntil(startUs);
}

/** @param end level of the last moment, which is at the start price */
function tradeOld(
  exchange: Exchange,
  old: OldMarket,
  moments: Iterator<Moment>,
  end: number,
  startUs: number,
): Act {
  let moment: Moment | undefined;
  return (nowUs) => {
    if (moment !== undefined) {
      tradeAt(exchange, old, moment.level / end, moment.gapMs, nowUs > startUs - OWN_US);
    }
    const { done, value } = moments.next();
    if (done) return Number.POSITIVE_INFINITY;
    moment = value;
    return startUs - Math.ceil(value.ageMs * US_PER_MS) - nowUs;
  };
}

function settleOld(exchange: Exchange, randomFor: Venue["randomFor"], fundingUs: number): Act {
  const perps = exchange.markets
    .filter(({ isPerp }) => isPerp)
    // A source of its own: when it settles depends on the hour of the start.
    .map((market) => ({ market, random: randomFor(`old rates ${market.index}`), rate: BASE_RATE }));
  return (timeUs) => {
    for (const old of perps) {
      const { markTicks, lastTicks: indexTicks } = old.market;
      const rate = Math.round(old.rate * 0.9 + BASE_RATE * 0.1 + (old.random() - 0.5) * BASE_RATE);
      old.rate = Math.max(-MAX_RATE, Math.min(MAX_RATE, rate));
      const settled = { rate: old.rate, markTicks, indexTicks, timeUs, isSettled: true };
      settleFunding(exchange, old.market, { ...settled, intervalMs: fundingUs / US_PER_MS });
    }
    return fundingUs;
  };
}

/**
 * Value of a trade if moments are ten seconds apart, in a market of activity 1: the volume of ten seconds of live time, so that
 * old minutes trade as much as new ones. It grows with the square root of the gap.
 */
const TRADE_QUOTE = 650_000;
const TRADE_GAP_MS = 10_000;
/** Share of liquidations in the trades of a perpetual market, and their mean value. */
const LIQUIDATIONS = 1 / 12;
const LIQUIDATED_QUOTE = 250_000;
const CLIENT_ORDERS = 100_000_000;

/** @param level the price, relative to the start price; @param gapMs since the trade before */
function tradeAt(
  exchange: Exchange,
  old: OldMarket,
  level: number,
  gapMs: number,
  isOwnTime: boolean,
): void {
  const { market, random, habits, traders } = old;
  const { startTicks, activity } = market.spec;
  const priceTicks = Math.max(1, Math.round(startTicks * level));
  const isFall = priceTicks < market.lastTicks;
  market.markTicks = priceTicks;
  // About as many a day at every age, but for the last hours, which have more.
  for (const habit of isOwnTime ? habits : []) {
    if (random() < Math.sqrt(gapMs / DAY_MS)) tradeOwn(exchange, old, habit, priceTicks);
  }
  const taker = traders[Math.floor(random() * TRADERS)];
  if (taker === undefined) return;
  if (market.isPerp && random() < LIQUIDATIONS) {
    // Longs after a fall, shorts after a rise.
    const lots = drawLots(lotsWorth(market.spec, LIQUIDATED_QUOTE * activity), random);
    trade(exchange, old, taker, !isFall, lots, priceTicks);
    liquidated(exchange, old, taker, isFall, lots);
    return;
  }
  const quote = TRADE_QUOTE * activity * Math.sqrt(gapMs / TRADE_GAP_MS);
  const lots = drawLots(lotsWorth(market.spec, quote), random);
  trade(exchange, old, taker, random() < 0.5, lots, priceTicks);
}

/** @param isTaker of the two, the account is the taker; the other one is a trader of the market */
function trade(
  exchange: Exchange,
  { market, random, traders }: OldMarket,
  account: Account,
  isBid: boolean,
  sizeLots: number,
  priceTicks: number,
  isTaker = true,
): void {
  const place = traders.indexOf(account) + 1 + Math.floor(random() * (TRADERS - 1));
  const other = traders[place % TRADERS] ?? account;
  const clientOrder = () => market.index * CLIENT_ORDERS + Math.floor(random() * CLIENT_ORDERS);
  exchange.trade(market, isTaker ? other : account, isTaker ? account : other, {
    priceTicks,
    sizeLots,
    takerIsBid: isTaker === isBid,
    makerClientOrderId: clientOrder(),
    takerClientOrderId: clientOrder(),
  });
}

/** Up to one part in this many of the position's value was left of its margin; a few were bankrupt. */
const MARGIN_LEFT = 400n;

function liquidated(
  { liquidations, index, nowUs: timeUs }: Exchange,
  { market, random }: OldMarket,
  account: Account,
  isLong: boolean,
  closedLots: number,
): void {
  const most = notionalAtoms(market.spec, market.lastTicks, closedLots) / MARGIN_LEFT;
  const marginAtoms = (most * BigInt(Math.floor(random() * 1000) - 100)) / 1000n;
  const positions = [{ market: market.index, isLong, closedLots, marginAtoms }];
  const isBankrupt = marginAtoms < 0n;
  liquidations.add({ index, timeUs, account: account.index, isBankrupt, positions });
}

/** Position, in mean trades, at which a subaccount only reduces it. */
const FULL = 15;
const MAKER_SHARE = 0.6;

function tradeOwn(
  exchange: Exchange,
  old: OldMarket,
  { account, quote, homeLots }: Habit,
  priceTicks: number,
): void {
  const { market, random } = old;
  const mean = lotsWorth(market.spec, quote);
  const lots = (account.positions[market.index]?.lots ?? 0) - homeLots;
  const isBid = random() < 0.5 - lots / (mean * FULL * 2);
  const size = Math.min(drawLots(mean, random), mean * FULL);
  trade(exchange, old, account, isBid, size, priceTicks, random() > MAKER_SHARE);
}
