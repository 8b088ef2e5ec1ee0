// The past of a simulated exchange. First old trading, if requested: 120 days, thinning with age, the price a random walk
// backwards from the start prices of the books. Then ordinary trading, run as fast as possible up to now.

import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { MINUTE_MS, US_PER_MS } from "../units/time.ts";
import { INTERVALS } from "../wire/channels.ts";
import { createOwner } from "./exchange/account.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { ATOMS_PER_QUOTE, notionalAtoms } from "./exchange/money.ts";
import { INTERVAL_MS } from "./ledger/candles.ts";
import { lotsWorth, type Venue } from "./traders/trader.ts";
import type { World } from "./world.ts";

/** Candles in the past of each interval. */
const CANDLES = 120;
/** Trades per candle of a market, unless a shorter interval has more. With two or more, no candle is missing. */
const TRADES_IN_CANDLE = 3;
const TRADES_IN_MINUTE = 6;
/**
 * A day ago and earlier, volatility is this many times the live one, and the deviation of the price decays by about 2 % a day.
 * Towards now volatility falls to the live level, so that the newest candles are as tall as those that follow.
 */
const VOLATILITY_FACTOR = 4;
const CALM_MS = 86_400_000;
const REVERSION_MS = 60 * 86_400_000;
const MAX_LEVEL = 4;
/** The sum of four uniform numbers, minus 2, has a standard deviation lower than 1 by this factor. */
const SPREAD = Math.sqrt(3);
/** Largest deviation of a market from the price of its base asset, as a fraction. */
const MAX_BASIS = 0.000_05;

/** A moment of old trading: simulated time, time until the next one, and the price relative to the start price. */
interface OldMoment {
  readonly timeUs: number;
  readonly gapMs: number;
  readonly level: number;
}

/** The moments of a base asset, oldest first. The walk runs backwards, so that its last price is the start price. */
function createMoments(random: Random, volatilityPpm: number): OldMoment[] {
  const moments: OldMoment[] = [];
  let ageMs = 0;
  let level = 1;
  for (const interval of INTERVALS) {
    const count = interval === "1m" ? TRADES_IN_MINUTE : TRADES_IN_CANDLE;
    const gapMs = INTERVAL_MS[interval] / count;
    const calmStep = (volatilityPpm / 1_000_000) * Math.sqrt(gapMs / 1000) * SPREAD;
    for (; ageMs < CANDLES * INTERVAL_MS[interval]; ageMs += gapMs) {
      const timeUs = -Math.ceil((ageMs + random() * gapMs) * US_PER_MS);
      moments.push({ timeUs, gapMs, level });
      const normal = random() + random() + random() + random() - 2;
      const step = calmStep * (1 + (VOLATILITY_FACTOR - 1) * Math.min(1, ageMs / CALM_MS));
      level += level * normal * step + ((1 - level) * gapMs) / REVERSION_MS;
      level = Math.min(MAX_LEVEL, Math.max(1 / MAX_LEVEL, level));
    }
  }
  return moments.reverse();
}

/** A market in the past: its traders, and the bet of one who risked more than he had. */
interface OldMarket {
  readonly market: Market;
  readonly random: Random;
  /** Account indexes; the last one is the bettor's. */
  readonly accounts: readonly number[];
  bet:
    | {
        readonly isLong: boolean;
        readonly lots: number;
        readonly paid: bigint;
        readonly margin: bigint;
      }
    | undefined;
}
const TRADERS = 4;
/**
 * Value of a trade if moments are ten seconds apart, in a market of activity 1: the volume of ten seconds of live time, so that
 * old minutes trade as much as new ones. It grows with the square root of the gap.
 */
const TRADE_QUOTE = 650_000;
const TRADE_GAP_MS = 10_000;
/** Probability that the bettor opens a position when flat; its largest margin, and the range of its leverage. */
const BETS = 1 / 8;
const BET_QUOTE = 9_000;
const BET_TIMES: readonly [number, number] = [100, 200];
const CLIENT_ORDERS = 100_000_000;

/**
 * Old trading: thousands of trades with their candles, and liquidations in every perpetual market, up to simulated time 0 and
 * the start prices. Those traders have closed everything: no position or balance remains.
 */
export function makeOldTrading(venues: readonly Venue[]): void {
  const [first] = venues;
  if (first === undefined) return;
  const { exchange, randomFor } = first;
  const assets = new Set(venues.map(({ market }) => market.spec.baseAsset));
  const turns = [...assets].flatMap((asset) => {
    const assetMarkets = venues
      .map(({ market }) => market)
      .filter(({ spec }) => spec.baseAsset === asset);
    const volatilityPpm = assetMarkets[0]?.spec.volatilityPpm ?? 0;
    const markets = assetMarkets.map((market) => openOldMarket(exchange, market, randomFor));
    const moments = createMoments(randomFor(`old ${asset}`), volatilityPpm);
    return moments.flatMap((moment) => markets.map((market) => ({ market, moment })));
  });
  turns.sort((a, b) => a.moment.timeUs - b.moment.timeUs);
  for (const { market, moment } of turns) {
    exchange.begin(moment.timeUs);
    tradeAt(exchange, market, moment);
    exchange.commit();
  }
}

function openOldMarket(
  exchange: Exchange,
  market: Market,
  randomFor: (name: string) => Random,
): OldMarket {
  const { type, id } = market.spec;
  const random = randomFor(`old ${type}/${id}`);
  const open = () =>
    exchange.openAccount({
      owner: createOwner(random),
      subaccountId: 0,
      status: "active",
      isPublished: false,
      createdAtUs: -CANDLES * INTERVAL_MS["1d"] * US_PER_MS,
    });
  const accounts = Array.from({ length: TRADERS }, () => open().index);
  return { market, random, accounts, bet: undefined };
}

function tradeAt(exchange: Exchange, old: OldMarket, { timeUs, gapMs, level }: OldMoment): void {
  const { market, random, accounts } = old;
  const { spec } = market;
  const apart = level === 1 ? 0 : (random() - 0.5) * 2 * MAX_BASIS;
  const priceTicks = Math.max(1, Math.round(spec.startTicks * (level + apart)));
  const trade = (taker: number, takerIsBid: boolean, sizeLots: number) => {
    const others = 1 + Math.floor(random() * (TRADERS - 1));
    const clientOrder = () => market.index * CLIENT_ORDERS + Math.floor(random() * CLIENT_ORDERS);
    exchange.touch();
    exchange.trades.add({
      index: exchange.index,
      timeUs,
      market: market.index,
      priceTicks,
      sizeLots,
      takerIsBid,
      maker: accounts[(taker + others) % TRADERS] ?? 0,
      taker: accounts[taker] ?? 0,
      makerClientOrderId: clientOrder(),
      takerClientOrderId: clientOrder(),
    });
    market.tradeSequence = exchange.index;
    market.lastTicks = priceTicks;
    market.candles.add(timeUs, priceTicks, sizeLots, notionalAtoms(spec, priceTicks, sizeLots));
  };
  if (market.isPerp && wager(exchange, old, priceTicks, trade)) return;
  const quote = TRADE_QUOTE * spec.activity * Math.sqrt(gapMs / TRADE_GAP_MS);
  // Mostly below the mean, sometimes many times larger.
  const lots = Math.round((lotsWorth(spec, quote) * 0.3) / (random() + 0.03));
  trade(Math.floor(random() * (TRADERS - 1)), random() < 0.5, Math.max(1, lots));
}

/** Opens a bet now and then; it closes when its margin has doubled, or by liquidation at half. @returns whether it traded */
function wager(
  exchange: Exchange,
  old: OldMarket,
  priceTicks: number,
  trade: (taker: number, takerIsBid: boolean, sizeLots: number) => void,
): boolean {
  const { market, random, bet } = old;
  const { spec } = market;
  const bettor = TRADERS - 1;
  if (bet === undefined) {
    if (random() > BETS) return false;
    const quote = Math.ceil(random() * BET_QUOTE);
    const [least, most] = BET_TIMES;
    const lots = lotsWorth(spec, quote * (least + random() * (most - least)));
    const isLong = random() < 0.5;
    const margin = BigInt(quote) * ATOMS_PER_QUOTE;
    old.bet = { isLong, lots, margin, paid: notionalAtoms(spec, priceTicks, lots) };
    trade(bettor, isLong, lots);
    return true;
  }
  const { isLong, lots, paid, margin } = bet;
  const gain = notionalAtoms(spec, priceTicks, lots) - paid;
  const marginAtoms = margin + (isLong ? gain : -gain);
  const isLost = marginAtoms * 2n <= margin;
  if (!isLost && marginAtoms < margin * 2n) return false;
  old.bet = undefined;
  trade(bettor, !isLong, lots);
  if (!isLost) return true;
  exchange.liquidations.add({
    index: exchange.index,
    timeUs: exchange.nowUs,
    account: old.accounts[bettor] ?? 0,
    isBankrupt: marginAtoms < 0n,
    positions: [{ market: market.index, isLong, closedLots: lots, marginAtoms }],
  });
  return true;
}

/** Time for books, positions and mark prices to fill. */
const MIN_PAST_MS = MINUTE_MS;

/** Links simulated time to the clock. */
export interface Present {
  /** Unix milliseconds of simulated time 0, a whole minute. */
  readonly epochMs: number;
  /** A simulated time, and the monotonic time of the clock at that moment. */
  readonly simulatedUs: number;
  readonly monotonicMs: number;
}

/**
 * The recent past: runs a new world as fast as possible until it has made `trades` trades, then on to a moment at the same second
 * of its minute as the wall clock. So simulated minutes coincide with minutes of the wall clock, and what happens does not depend
 * on the time of the start.
 * @param trades count over all markets
 */
export function simulateRecentPast({ simulation }: World, trades: number, clock: Clock): Present {
  const { exchange } = simulation;
  const end = exchange.trades.length + trades;
  simulation.runUntil(MIN_PAST_MS * US_PER_MS);
  while (exchange.trades.length < end) simulation.step();
  // The rest takes time too; live time catches up from this moment.
  const monotonicMs = clock.now();
  const wallMs = Math.floor(clock.wall());
  const pastMs = Math.ceil(simulation.nowUs / US_PER_MS);
  const restMs = (((wallMs - pastMs) % MINUTE_MS) + MINUTE_MS) % MINUTE_MS;
  const simulatedUs = (pastMs + restMs) * US_PER_MS;
  simulation.runUntil(simulatedUs);
  const epochMs = wallMs - pastMs - restMs;
  for (const market of exchange.markets) market.goLive(epochMs);
  return { epochMs, simulatedUs, monotonicMs };
}
