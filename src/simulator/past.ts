// A year of trading before the start, thinning with age: trades with their candles, liquidations in every perpetual market, and
// thirty days of fills and funding of the published owner. Nothing of it passes through the books. The price is a random walk
// backwards from the start prices, so that it leads up to them.
import type { Random } from "../units/random.ts";
import { DAY_MS, SECOND_MS, US_PER_MS } from "../units/time.ts";
import { INTERVALS } from "../wire/channels.ts";
import type { Account } from "./exchange/account.ts";
import { INTERVAL_MS } from "./exchange/candles.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { notionalAtoms } from "./exchange/money.ts";
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

/** The times between two moments, newest first, each up to an age. */
function gapsOf(activity: number, density: number) {
  return INTERVALS.map((interval) => {
    const many = interval === "1m" ? TRADES_IN_MINUTE : TRADES_IN_CANDLE;
    const count = (activity < LARGE ? FEW_TRADES : many) * density;
    const untilMs = interval === "1d" ? YEAR_MS : CANDLES * INTERVAL_MS[interval];
    return { untilMs, gapMs: INTERVAL_MS[interval] / count };
  });
}

/** How many trades there are at least, whatever is asked for. */
export function countOldTrades(specs: readonly MarketSpec[]): number {
  let count = 0;
  for (const { activity } of specs) {
    let fromMs = 0;
    for (const { untilMs, gapMs } of gapsOf(activity, 1)) {
      count += Math.ceil((untilMs - fromMs) / gapMs);
      fromMs = untilMs;
    }
  }
  return count;
}

/** A moment of old trading in all markets of a base asset, with the price relative to the start price. */
interface OldMoment {
  readonly timeUs: number;
  readonly gapMs: number;
  readonly level: number;
  readonly markets: readonly OldMarket[];
}

interface OldMarket {
  readonly market: Market;
  readonly random: Random;
  readonly traders: readonly Account[];
  readonly habits: readonly Habit[];
  /** The last funding rate, and a source of its own: when it settles depends on the hour of the start. */
  rate: number;
  readonly rates: Random;
}

/** The moments of a base asset, newest first. */
function createMoments(
  markets: readonly OldMarket[],
  random: Random,
  density: number,
  startUs: number,
): OldMoment[] {
  const { activity, volatilityPpm } = markets[0]?.market.spec ?? { activity: 0, volatilityPpm: 0 };
  const moments: OldMoment[] = [];
  let ageMs = 0;
  let level = 1;
  for (const { untilMs, gapMs } of gapsOf(activity, density)) {
    const calmStep = (volatilityPpm / 1_000_000) * Math.sqrt(gapMs / SECOND_MS);
    for (; ageMs < untilMs; ageMs += gapMs) {
      const timeUs = startUs - Math.ceil((ageMs + random() * gapMs) * US_PER_MS);
      moments.push({ timeUs, gapMs, level, markets });
      const step = calmStep * (1 + (VOLATILITY_FACTOR - 1) * Math.min(1, ageMs / DAY_MS));
      level += level * drawNormal(random) * step + ((1 - level) * gapMs) / REVERSION_MS;
      level = Math.min(MAX_LEVEL, Math.max(1 / MAX_LEVEL, level));
    }
  }
  return moments;
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
  exchange.begin(startUs - YEAR_MS * US_PER_MS);
  const olds = exchange.markets.map((market): OldMarket => {
    const random = randomFor(`old ${market.index}`);
    return {
      market,
      random,
      traders: Array.from({ length: TRADERS }, () => openStranger(exchange, random)),
      habits: habits.filter(({ market: index }) => index === market.index),
      rate: BASE_RATE,
      rates: randomFor(`old rates ${market.index}`),
    };
  });
  exchange.commit();
  const moments = [...new Set(specs.map(({ baseAsset }) => baseAsset))].flatMap((asset) => {
    const markets = olds.filter(({ market }) => market.spec.baseAsset === asset);
    return createMoments(markets, randomFor(`old ${asset}`), density, startUs);
  });
  moments.sort((a, b) => a.timeUs - b.timeUs);
  let fundingAtUs = (Math.floor((startUs - OWN_US) / fundingUs) + 1) * fundingUs;
  for (const moment of moments) {
    for (; fundingAtUs <= moment.timeUs; fundingAtUs += fundingUs) {
      settleAt(exchange, olds, fundingAtUs, fundingUs);
    }
    for (const old of moment.markets) {
      exchange.begin(moment.timeUs);
      tradeAt(exchange, old, moment, moment.timeUs > startUs - OWN_US);
      exchange.commit();
    }
  }
}

function settleAt(
  exchange: Exchange,
  olds: readonly OldMarket[],
  timeUs: number,
  fundingUs: number,
): void {
  exchange.begin(timeUs);
  for (const old of olds) {
    const { market, rates } = old;
    if (!market.isPerp) continue;
    const rate = Math.round(old.rate * 0.9 + BASE_RATE * 0.1 + (rates() - 0.5) * BASE_RATE);
    old.rate = Math.max(-MAX_RATE, Math.min(MAX_RATE, rate));
    const { markTicks, lastTicks: indexTicks } = market;
    const intervalMs = fundingUs / US_PER_MS;
    const settled = { rate: old.rate, markTicks, indexTicks, timeUs, intervalMs, isSettled: true };
    settleFunding(exchange, market, settled);
  }
  exchange.commit();
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

function tradeAt(exchange: Exchange, old: OldMarket, moment: OldMoment, isOwnTime: boolean): void {
  const { market, random, habits, traders } = old;
  const { startTicks, activity } = market.spec;
  const priceTicks = Math.max(1, Math.round(startTicks * moment.level));
  const isFall = priceTicks < market.lastTicks;
  market.markTicks = priceTicks;
  // About as many a day at every age, but for the last hours, which have more.
  for (const habit of isOwnTime ? habits : []) {
    if (random() < Math.sqrt(moment.gapMs / DAY_MS)) tradeOwn(exchange, old, habit, priceTicks);
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
  const quote = TRADE_QUOTE * activity * Math.sqrt(moment.gapMs / TRADE_GAP_MS);
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
  const id = liquidations.nextId();
  liquidations.add({ id, index, timeUs, account: account.index, isBankrupt, positions });
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
