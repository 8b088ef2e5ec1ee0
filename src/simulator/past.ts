// A year of trading before the start, thinning with age: trades with their candles, liquidations in every perpetual market, and
// thirty days of fills and funding of the published owner. Nothing of it passes through the books, and only the owner's part moves
// money. The price is a random walk that ends at the start price.
import type { Random } from "../units/random.ts";
import { DAY_MS, SECOND_MS, US_PER_MS } from "../units/time.ts";
import { INTERVAL_MS, INTERVALS } from "../wire/channels.ts";
import type { Account } from "./exchange/account.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { Market, MarketSpec } from "./exchange/market.ts";
import { notionalAtoms } from "./exchange/money.ts";
import { BASE_RATE, settleFunding } from "./exchange/settlement.ts";
import { drawNormal } from "./traders/fair-price.ts";
import type { Habit } from "./traders/owner.ts";
import { CLIENT_ORDER_IDS, drawLots, lotsWorth, type Venue } from "./traders/trader.ts";

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

/** Spans of time with one trade every `gapMs`, from now back. */
function spansOf(activity: number, density: number) {
  let untilMs = 0;
  return INTERVALS.map((interval) => {
    const fromMs = untilMs;
    untilMs = interval === "1d" ? YEAR_MS : CANDLES * INTERVAL_MS[interval];
    const many = interval === "1m" ? TRADES_IN_MINUTE : TRADES_IN_CANDLE;
    const trades = (activity < LARGE ? FEW_TRADES : many) * density;
    const count = Math.ceil(((untilMs - fromMs) / INTERVAL_MS[interval]) * trades);
    return { fromMs, count, gapMs: (untilMs - fromMs) / count };
  });
}

/** How many trades there are at least, whatever is asked for. */
export function countOldTrades(specs: readonly MarketSpec[]): number {
  const spans = specs.flatMap(({ activity }) => spansOf(activity, 1));
  return spans.reduce((sum, { count }) => sum + count, 0);
}

/** The moments of old trading, newest first: time to the start, time since the one before, price relative to the start. */
interface Walk {
  readonly agesUs: number[];
  readonly gapsMs: number[];
  readonly levels: number[];
}

function walkBack({ activity, volatilityPpm }: MarketSpec, random: Random, density: number): Walk {
  const walk: Walk = { agesUs: [], gapsMs: [], levels: [] };
  let level = 1;
  for (const { fromMs, count, gapMs } of spansOf(activity, density)) {
    const calm = (volatilityPpm / 1_000_000) * Math.sqrt(gapMs / SECOND_MS);
    for (let i = 0; i < count; i++) {
      const ageMs = fromMs + (i + random()) * gapMs;
      const step = calm * (1 + (VOLATILITY_FACTOR - 1) * Math.min(1, ageMs / DAY_MS));
      level += level * drawNormal(random) * step + ((1 - level) * gapMs) / REVERSION_MS;
      level = Math.min(MAX_LEVEL, Math.max(1 / MAX_LEVEL, level));
      walk.agesUs.push(Math.ceil(ageMs * US_PER_MS));
      walk.gapsMs.push(gapMs);
      walk.levels.push(level);
    }
  }
  return walk;
}

export interface PastSetup {
  readonly exchange: Exchange;
  readonly randomFor: Venue["randomFor"];
  readonly stages: readonly { readonly market: Market; readonly accounts: readonly Account[] }[];
  readonly habits: readonly Habit[];
  readonly startUs: number;
  readonly fundingUs: number;
  /** The least number of trades. */
  readonly trades: number;
}

/** More than there are markets: an age and a market are one number, so that sorting is quick. */
const PLACES = 32;

/** Makes all of it, oldest first; the exchange is left at its newest transaction. */
export function makePast(setup: PastSetup): void {
  const { exchange, randomFor, stages, habits, startUs, fundingUs, trades } = setup;
  const specs = exchange.markets.map(({ spec }) => spec);
  const density = Math.max(1, trades / countOldTrades(specs));
  /** All markets of a base asset trade at the same moments, at the same prices. */
  const walks = new Map<string, Walk>();
  const olds = stages.map(({ market, accounts }) => {
    const { spec } = market;
    const asset = `old ${spec.baseAsset}`;
    const walk = walks.get(asset) ?? walkBack(spec, randomFor(asset), density);
    walks.set(asset, walk);
    const own = habits.filter(({ trader }) => trader.venue.market === market);
    const random = randomFor(`old ${spec.symbol}`);
    return { market, random, accounts, habits: own, walk, left: walk.levels.length };
  });
  const keys = olds.flatMap(({ walk }, place) => walk.agesUs.map((us) => us * PLACES + place));
  // A source of its own: when funding settles depends on the hour of the start.
  const random = randomFor("old rates");
  let settledUs = (Math.floor((startUs - OWN_US) / fundingUs) + 1) * fundingUs;
  const settleUntil = (timeUs: number) => {
    for (; settledUs <= timeUs; settledUs += fundingUs) settleOld(exchange, random, settledUs);
  };
  for (const key of Float64Array.from(keys).sort().reverse()) {
    const old = olds[key % PLACES];
    if (old === undefined) continue;
    const timeUs = startUs - Math.floor(key / PLACES);
    settleUntil(timeUs);
    exchange.begin(timeUs);
    old.left--;
    tradeAt(exchange, old, timeUs > startUs - OWN_US);
    exchange.commit();
  }
  settleUntil(startUs);
}

/** A rate around the usual one in each market. */
function settleOld(exchange: Exchange, random: Random, timeUs: number): void {
  exchange.begin(timeUs);
  for (const market of exchange.markets.filter(({ isPerp }) => isPerp)) {
    const rate = Math.round(BASE_RATE * (0.4 + 1.2 * random()));
    settleFunding(exchange, market, { rate, markTicks: market.lastTicks, timeUs });
  }
  exchange.commit();
}

interface OldMarket {
  readonly market: Market;
  readonly random: Random;
  readonly accounts: readonly Account[];
  readonly habits: readonly Habit[];
  readonly walk: Walk;
  /** Moments not yet made, of which the last one is next. */
  left: number;
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
/** Up to one part in this many of the position's value was left of its margin; a few were bankrupt. */
const MARGIN_LEFT = 400;

function tradeAt(exchange: Exchange, old: OldMarket, isOwnTime: boolean): void {
  const { market, random, habits, accounts, walk, left } = old;
  const { startTicks, activity } = market.spec;
  const gapMs = walk.gapsMs[left] ?? 0;
  const priceTicks = Math.max(1, Math.round(startTicks * (walk.levels[left] ?? 1)));
  const isFall = priceTicks < market.lastTicks;
  // About as many a day at every age, but for the last hours, which have more.
  for (const habit of isOwnTime ? habits : []) {
    if (random() < Math.sqrt(gapMs / DAY_MS)) tradeOwn(exchange, old, habit, priceTicks);
  }
  const isLiquidation = market.isPerp && random() < LIQUIDATIONS;
  const quote = isLiquidation ? LIQUIDATED_QUOTE : TRADE_QUOTE * Math.sqrt(gapMs / TRADE_GAP_MS);
  const size = drawLots(lotsWorth(market.spec, quote * activity), random);
  const place = Math.floor(random() * accounts.length);
  const [maker = 0, taker = 0] = [place, place + 1].map(
    (i) => accounts[i % accounts.length]?.index,
  );
  // Longs after a fall, shorts after a rise.
  const isBid = isLiquidation ? !isFall : random() < 0.5;
  const takerLots = isBid ? size : -size;
  exchange.record(market, {
    priceTicks,
    takerLots,
    maker,
    taker,
    makerClientOrderId: drawClientOrder(old),
    takerClientOrderId: drawClientOrder(old),
  });
  if (!isLiquidation) return;
  const mostAtoms = Number(notionalAtoms(market.spec, priceTicks, size)) / MARGIN_LEFT;
  const marginAtoms = Math.floor(mostAtoms * (random() - 0.1));
  const { index, nowUs: timeUs } = exchange;
  const liquidated = { market: market.index, account: taker, lots: -takerLots, marginAtoms };
  exchange.liquidations.add({ index, timeUs, ...liquidated });
}

function drawClientOrder({ market, random }: OldMarket): number {
  return market.index * CLIENT_ORDER_IDS + Math.floor(random() * CLIENT_ORDER_IDS);
}

/** Position, in mean trades, at which a subaccount only reduces it. */
const FULL = 15;
const MAKER_SHARE = 0.6;

/** With one of the market's makers. */
function tradeOwn(exchange: Exchange, old: OldMarket, { trader, quote }: Habit, ticks: number) {
  const { market, random, accounts } = old;
  const mean = lotsWorth(market.spec, quote);
  const isBuy = random() < 0.5 - trader.inventoryLots / (mean * FULL * 2);
  const size = Math.min(drawLots(mean, random), mean * FULL);
  const isMaker = random() < MAKER_SHARE;
  const [own, other = 0] = [trader.account.index, accounts[0]?.index];
  exchange.trade(market, {
    priceTicks: ticks,
    takerLots: isBuy === isMaker ? -size : size,
    maker: isMaker ? own : other,
    taker: isMaker ? other : own,
    makerClientOrderId: drawClientOrder(old),
    takerClientOrderId: drawClientOrder(old),
  });
}
