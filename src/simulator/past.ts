// A year of trading before the start, thinning with age: trades with their candles, liquidations in every perpetual market, and
// thirty days of fills of the published owner. Nothing of it passes through the books, and only the owner's part moves money. The
// price is a random walk that ends at the start price.
import type { Random } from "../units/random.ts";
import { DAY_MS, SECOND_MS, US_PER_MS } from "../units/time.ts";
import { INTERVAL_MS, INTERVALS, type Interval } from "../wire/channels.ts";
import { CLIENT_ORDER_IDS, type Exchange } from "./exchange/exchange.ts";
import type { MarketSpec } from "./exchange/market.ts";
import { notionalAtoms } from "./exchange/money.ts";
import { BASE_RATE, MAX_SETTLED, settleFunding } from "./exchange/settlement.ts";
import { drawNormal } from "./traders/fair-price.ts";
import { drawLots, inventoryOf, lotsWorth, SMALL } from "./traders/trader.ts";
import type { Setting, Stage } from "./world.ts";

const DAY_US = DAY_MS * US_PER_MS;
/** Of the published owner's fills, and of the candles that are kept. */
const OWN_US = 30 * DAY_US;
const CANDLES_US = 2 * DAY_US;
/** Candles of each interval that are filled; those of a day go back a year. With two or more trades in one, none is missing. */
const CANDLES = 120;
const tradesIn = (interval: Interval, activity: number) =>
  activity < SMALL ? 2 : interval === "1m" ? 6 : 3;
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
    untilMs = interval === "1d" ? 365 * DAY_MS : CANDLES * INTERVAL_MS[interval];
    const trades = tradesIn(interval, activity) * density;
    const count = Math.ceil(((untilMs - fromMs) / INTERVAL_MS[interval]) * trades);
    return { fromMs, count, gapMs: (untilMs - fromMs) / count };
  });
}

const countIn = (spans: ReturnType<typeof spansOf>) =>
  spans.reduce((sum, { count }) => sum + count, 0);

/** How many trades there are at least, whatever is asked for. */
export function countOldTrades(specs: readonly MarketSpec[]): number {
  return countIn(specs.flatMap(({ activity }) => spansOf(activity, 1)));
}

/** The moments of old trading, newest first: time to the start, time since the one before, price in ticks. */
function walkBack(spec: MarketSpec, random: Random, density: number) {
  const { activity, startTicks, volatilityPpm } = spec;
  const spans = spansOf(activity, density);
  const count = countIn(spans);
  const agesUs = new Float64Array(count);
  const gapsMs = new Float64Array(count);
  const prices = new Float64Array(count);
  let level = 1;
  let at = 0;
  for (const { fromMs, count, gapMs } of spans) {
    const calm = (volatilityPpm / 1_000_000) * Math.sqrt(gapMs / SECOND_MS);
    for (let i = 0; i < count; i++) {
      const ageMs = fromMs + (i + random()) * gapMs;
      const step = calm * (1 + (VOLATILITY_FACTOR - 1) * Math.min(1, ageMs / DAY_MS));
      level += level * drawNormal(random) * step + ((1 - level) * gapMs) / REVERSION_MS;
      level = Math.min(MAX_LEVEL, Math.max(1 / MAX_LEVEL, level));
      agesUs[at] = Math.ceil(ageMs * US_PER_MS);
      gapsMs[at] = gapMs;
      prices[at++] = Math.max(1, Math.round(startTicks * level));
    }
  }
  return { agesUs, gapsMs, prices, left: at };
}

/** Moments made without a rest: more than the twenty markets have unasked. */
const MOMENTS_AT_ONCE = 50_000;

/**
 * Makes all of it, oldest first; the exchange is left at its newest transaction.
 * @param density how many times more trades than there are at least
 * @param rest called now and then in a long past
 */
export async function makePast(
  { exchange, randomFor, startUs, fundingUs }: Setting,
  stages: readonly Stage[],
  density: number,
  rest: () => Promise<void>,
): Promise<void> {
  const olds = stages.map((stage): OldMarket => {
    const { spec } = stage.market;
    // All markets of a base asset trade at the same moments, at the same prices.
    const walk = walkBack(spec, randomFor(`old ${spec.baseAsset}`), density);
    return { ...stage, random: randomFor(`old ${spec.symbol}`), ...walk };
  });
  // A source of its own: when funding settles depends on the hour of the start.
  const random = randomFor("old rates");
  let settledUs = (Math.floor(startUs / fundingUs) - MAX_SETTLED + 1) * fundingUs;
  const settleUntil = (timeUs: number) => {
    for (; settledUs <= timeUs; settledUs += fundingUs) settleOld(exchange, random, settledUs);
  };
  const ageOf = ({ agesUs, left }: OldMarket) => agesUs[left - 1] ?? -1;
  const total = olds.reduce((sum, { left }) => sum + left, 0);
  for (let made = 1; made <= total; made++) {
    const old = olds.reduce((oldest, each) => (ageOf(each) > ageOf(oldest) ? each : oldest));
    const ageUs = ageOf(old);
    settleUntil(startUs - ageUs);
    old.left--;
    exchange.transact(startUs - ageUs, () => {
      if (ageUs < OWN_US) tradeOwn(exchange, old);
      tradeOthers(exchange, old, ageUs < CANDLES_US);
    });
    if (made % MOMENTS_AT_ONCE === 0) await rest();
  }
  settleUntil(startUs);
}

/** A rate around the usual one in each market. */
function settleOld(exchange: Exchange, random: Random, timeUs: number): void {
  exchange.transact(timeUs, () => {
    for (const market of exchange.markets.filter(({ isPerp }) => isPerp)) {
      const rate = Math.round(BASE_RATE * (0.4 + 1.2 * random()));
      settleFunding(exchange, market, { rate, markTicks: market.lastTicks, timeUs });
    }
  });
}

interface OldMarket extends Stage, ReturnType<typeof walkBack> {
  readonly random: Random;
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

function tradeOthers(exchange: Exchange, old: OldMarket, hasCandles: boolean): void {
  const { market, random, accounts, gapsMs, prices, left } = old;
  const gapMs = gapsMs[left] ?? 0;
  const priceTicks = prices[left] ?? 0;
  const isFall = priceTicks < market.lastTicks;
  const isLiquidation = market.isPerp && random() < LIQUIDATIONS;
  const quote = isLiquidation ? LIQUIDATED_QUOTE : TRADE_QUOTE * Math.sqrt(gapMs / TRADE_GAP_MS);
  const size = drawLots(lotsWorth(market.spec, quote * market.spec.activity), random);
  const place = Math.floor(random() * accounts.length);
  const [maker, taker] = [place, (place + 1) % accounts.length].map((i) => accounts[i]?.index ?? 0);
  // Longs after a fall, shorts after a rise.
  const isBid = isLiquidation ? !isFall : random() < 0.5;
  const takerLots = isBid ? size : -size;
  exchange.record(market, priceTicks, takerLots, partyOf(old, maker), partyOf(old, taker));
  if (hasCandles) market.candles.add(exchange, priceTicks, size);
  if (!isLiquidation) return;
  const mostAtoms = notionalAtoms(market.spec, priceTicks, size) / MARGIN_LEFT;
  const marginAtoms = Math.floor(mostAtoms * (random() - 0.1));
  const { index, nowUs, liquidations } = exchange;
  liquidations.add(index, nowUs, market.index, taker ?? 0, -takerLots, marginAtoms);
}

/** An account with an old order of its. */
function partyOf({ market, random }: OldMarket, account = 0) {
  const nth = Math.floor(random() * CLIENT_ORDER_IDS);
  return { account, clientOrderId: market.index * CLIENT_ORDER_IDS + nth };
}

/** Position, in mean trades, at which a subaccount only reduces it. */
const FULL = 15;
const MAKER_SHARE = 0.6;

/** With one of the market's makers. About as often a day at every age, but for the last hours, which have more. */
function tradeOwn(exchange: Exchange, old: OldMarket): void {
  const { market, random, accounts, habits, gapsMs, prices, left } = old;
  const share = Math.sqrt((gapsMs[left] ?? 0) / DAY_MS);
  for (const { trader, quote } of habits.filter(() => random() < share)) {
    const mean = lotsWorth(market.spec, quote);
    const isBuy = random() < 0.5 - inventoryOf(trader) / (mean * FULL * 2);
    const size = Math.min(drawLots(mean, random), mean * FULL);
    const isMaker = random() < MAKER_SHARE;
    const parties = [partyOf(old, trader.account.index), partyOf(old, accounts[0]?.index)] as const;
    const [maker, taker] = isMaker ? parties : ([parties[1], parties[0]] as const);
    exchange.trade(market, prices[left] ?? 0, isBuy === isMaker ? -size : size, maker, taker);
  }
}
