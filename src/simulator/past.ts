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
import { ATOMS_PER_QUOTE, getMargin } from "./exchange/money.ts";
import { BASE_RATE, MAX_RATE, settleFunding } from "./exchange/settlement.ts";
import type { MarketSpec } from "./scenario.ts";
import type { Habit } from "./traders/owner.ts";
import { lotsWorth, openStranger, type Venue } from "./traders/trader.ts";

const YEAR_MS = 365 * DAY_MS;
/** Of the published owner's fills and funding. */
const OWN_DAYS = 30;
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
/** The sum of four uniform numbers, minus 2, has a standard deviation lower than 1 by this factor. */
const SPREAD = Math.sqrt(3);
/** Largest deviation of a market from the price of its base asset, as a fraction. */
const MAX_BASIS = 0.000_05;

/** A moment of old trading: its age, the time until the next one, and the price relative to the start price. */
interface OldMoment {
  readonly ageUs: number;
  readonly gapMs: number;
  readonly level: number;
}

/** The times between two moments, by the age up to which they hold, newest first. */
function gapsOf(activity: number, density: number) {
  return INTERVALS.map((interval) => {
    const many = interval === "1m" ? TRADES_IN_MINUTE : TRADES_IN_CANDLE;
    const count = (activity < LARGE ? FEW_TRADES : many) * density;
    const untilMs = interval === "1d" ? YEAR_MS : CANDLES * INTERVAL_MS[interval];
    return { untilMs, gapMs: INTERVAL_MS[interval] / count };
  });
}

function countMoments(activity: number): number {
  let fromMs = 0;
  return gapsOf(activity, 1).reduce((sum, { untilMs, gapMs }) => {
    const count = (untilMs - fromMs) / gapMs;
    fromMs = untilMs;
    return sum + count;
  }, 0);
}

/** The moments of a base asset, newest first. */
function createMoments({ spec }: Market, random: Random, density: number): OldMoment[] {
  const moments: OldMoment[] = [];
  let ageMs = 0;
  let level = 1;
  for (const { untilMs, gapMs } of gapsOf(spec.activity, density)) {
    const calmStep = (spec.volatilityPpm / 1_000_000) * Math.sqrt(gapMs / SECOND_MS) * SPREAD;
    for (; ageMs < untilMs; ageMs += gapMs) {
      const ageUs = Math.ceil((ageMs + random() * gapMs) * US_PER_MS);
      moments.push({ ageUs, gapMs, level });
      const normal = random() + random() + random() + random() - 2;
      const step = calmStep * (1 + (VOLATILITY_FACTOR - 1) * Math.min(1, ageMs / DAY_MS));
      level += level * normal * step + ((1 - level) * gapMs) / REVERSION_MS;
      level = Math.min(MAX_LEVEL, Math.max(1 / MAX_LEVEL, level));
    }
  }
  return moments;
}

/** A market in the past: its traders, and one who bets more than he has. */
interface OldMarket {
  readonly market: Market;
  readonly random: Random;
  readonly traders: readonly Account[];
  readonly bettor: Account;
  /** Margin of the running bet. */
  marginAtoms: bigint;
  readonly habits: readonly Habit[];
  /** The last funding rate, and a source of its own: when it settles depends on the hour of the start. */
  rate: number;
  readonly rates: Random;
}
const TRADERS = 4;
/**
 * Value of a trade if moments are ten seconds apart, in a market of activity 1: the volume of ten seconds of live time, so that
 * old minutes trade as much as new ones. It grows with the square root of the gap.
 */
const TRADE_QUOTE = 650_000;
const TRADE_GAP_MS = 10_000;
/** Probability that the bettor opens a position when flat; its largest margin, and the range of its leverage. */
const BETS = 1 / 3;
const BET_QUOTE = 9_000;
const BET_TIMES: readonly [number, number] = [100, 200];
const CLIENT_ORDERS = 100_000_000;

export interface PastSetup {
  readonly venues: readonly Venue[];
  readonly habits: readonly Habit[];
  readonly startUs: number;
  readonly fundingUs: number;
  /** The least number of trades. */
  readonly trades: number;
}

/** How many trades there are at least, whatever is asked for. */
export function countOldTrades(specs: readonly MarketSpec[]): number {
  return specs.reduce((sum, { activity }) => sum + Math.ceil(countMoments(activity)), 0);
}

/** Makes all of it, oldest first; the exchange is left at its newest transaction. */
export function makePast({ venues, habits, startUs, fundingUs, trades }: PastSetup): void {
  const [first] = venues;
  if (first === undefined) return;
  const { exchange, randomFor } = first;
  const density = Math.max(1, trades / countOldTrades(exchange.markets.map(({ spec }) => spec)));
  const moments = new Map<string, readonly OldMoment[]>();
  exchange.begin(startUs - YEAR_MS * US_PER_MS);
  const olds = venues.map(({ market }): OldMarket => {
    const random = randomFor(`old ${market.spec.type}/${market.spec.id}`);
    return {
      market,
      random,
      traders: Array.from({ length: TRADERS }, () => openStranger(exchange, random)),
      bettor: openStranger(exchange, random, 0n),
      marginAtoms: 0n,
      habits: habits.filter(({ market: index }) => index === market.index),
      rate: BASE_RATE,
      rates: randomFor(`old rates ${market.index}`),
    };
  });
  exchange.commit();
  const turns = olds.flatMap((old) => {
    const { baseAsset } = old.market.spec;
    // Markets of one base asset move together.
    const ofAsset =
      moments.get(baseAsset) ?? createMoments(old.market, randomFor(`old ${baseAsset}`), density);
    moments.set(baseAsset, ofAsset);
    return ofAsset.map((moment) => ({ old, moment }));
  });
  turns.sort((a, b) => b.moment.ageUs - a.moment.ageUs);
  const ownUs = OWN_DAYS * DAY_MS * US_PER_MS;
  let nextFundingUs = (Math.floor((startUs - ownUs) / fundingUs) + 1) * fundingUs;
  for (const { old, moment } of turns) {
    const timeUs = startUs - moment.ageUs;
    for (; nextFundingUs <= timeUs; nextFundingUs += fundingUs) {
      settleAt(exchange, olds, nextFundingUs, fundingUs);
    }
    exchange.begin(timeUs);
    tradeAt(exchange, old, moment, moment.ageUs < ownUs);
    exchange.commit();
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
    const rate = Math.round(old.rate * 0.9 + BASE_RATE * 0.1 + (rates() - 0.5) * BASE_RATE * 2);
    old.rate = Math.max(-MAX_RATE, Math.min(MAX_RATE, rate));
    const { markTicks, lastTicks: indexTicks } = market;
    const intervalMs = fundingUs / US_PER_MS;
    const settled = { rate: old.rate, markTicks, indexTicks, timeUs, intervalMs, isSettled: true };
    settleFunding(exchange, market, settled);
  }
  exchange.commit();
}

function tradeAt(exchange: Exchange, old: OldMarket, moment: OldMoment, isOwnTime: boolean): void {
  const { market, random, habits, traders } = old;
  const { gapMs, level } = moment;
  const { startTicks, activity } = market.spec;
  const apart = level === 1 ? 0 : (random() - 0.5) * 2 * MAX_BASIS;
  const priceTicks = Math.max(1, Math.round(startTicks * (level + apart)));
  market.markTicks = priceTicks;
  // About as many a day at every age, but for the last hours, which have more.
  for (const habit of isOwnTime ? habits : []) {
    if (random() < Math.sqrt(gapMs / DAY_MS)) tradeOwn(exchange, old, habit, priceTicks);
  }
  if (market.isPerp && wager(exchange, old, priceTicks)) return;
  const quote = TRADE_QUOTE * activity * Math.sqrt(gapMs / TRADE_GAP_MS);
  const lots = drawLots(random, lotsWorth(market.spec, quote));
  const taker = traders[Math.floor(random() * TRADERS)];
  if (taker !== undefined) trade(exchange, old, taker, random() < 0.5, lots, priceTicks);
}

/** Mostly below the mean, sometimes many times larger. */
function drawLots(random: Random, meanLots: number): number {
  return Math.max(1, Math.round((meanLots * 0.3) / (random() + 0.03)));
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
  const others = traders.filter((trader) => trader !== account);
  const other = others[Math.floor(random() * others.length)] ?? account;
  const clientOrder = () => market.index * CLIENT_ORDERS + Math.floor(random() * CLIENT_ORDERS);
  exchange.trade(market, isTaker ? other : account, isTaker ? account : other, {
    priceTicks,
    sizeLots,
    takerIsBid: isTaker === isBid,
    makerClientOrderId: clientOrder(),
    takerClientOrderId: clientOrder(),
  });
}

/** Position, in mean trades, at which a subaccount only reduces it. */
const FULL = 15;
const MAKER_SHARE = 0.6;

function tradeOwn(
  exchange: Exchange,
  old: OldMarket,
  { account, quote }: Habit,
  priceTicks: number,
): void {
  const { market, random } = old;
  const mean = lotsWorth(market.spec, quote);
  const lots = account.positions[market.index]?.lots ?? 0;
  // What it has of a spot market is not a position, and it must not sell more than that.
  const load = market.isPerp ? lots / (mean * FULL) : 0;
  const isBid = random() < 0.5 - Math.max(-0.5, Math.min(0.5, load / 2));
  const size = Math.min(drawLots(random, mean), mean * FULL);
  if (!market.isPerp && !isBid && size > lots) return;
  trade(exchange, old, account, isBid, size, priceTicks, random() > MAKER_SHARE);
}

/** Opens a bet now and then; it closes when its margin has doubled, or by liquidation at half. @returns whether it traded */
function wager(exchange: Exchange, old: OldMarket, priceTicks: number): boolean {
  const { market, random, bettor } = old;
  const lots = bettor.positions[market.index]?.lots ?? 0;
  if (lots === 0) {
    if (random() > BETS) return false;
    const quote = Math.ceil(random() * BET_QUOTE);
    const [least, most] = BET_TIMES;
    old.marginAtoms = BigInt(quote) * ATOMS_PER_QUOTE;
    bettor.quoteAtoms = old.marginAtoms;
    const size = lotsWorth(market.spec, quote * (least + random() * (most - least)));
    trade(exchange, old, bettor, random() < 0.5, size, priceTicks);
    return true;
  }
  const { equityAtoms } = getMargin(bettor, [market]);
  const isLost = equityAtoms * 2n <= old.marginAtoms;
  if (!isLost && equityAtoms < old.marginAtoms * 2n) return false;
  const isLong = lots > 0;
  const closedLots = Math.abs(lots);
  trade(exchange, old, bettor, !isLong, closedLots, priceTicks);
  bettor.quoteAtoms = 0n;
  if (!isLost) return true;
  const { index, nowUs: timeUs } = exchange;
  exchange.liquidations.add({
    ...{ id: exchange.liquidations.nextId(), index, timeUs, account: bettor.index },
    isBankrupt: equityAtoms < 0n,
    positions: [{ market: market.index, isLong, closedLots, marginAtoms: equityAtoms }],
  });
  return true;
}
