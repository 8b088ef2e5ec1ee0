// The past of a simulated exchange. Old trading, where it is asked for: over 120 days, thinner with age, a walk of the price back
// from where the books begin. Then trading as it is in live time, run as fast as it goes, up to now.
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { MINUTE_MS, US_PER_MS } from "../units/time.ts";
import { INTERVAL_MS, INTERVALS } from "../wire/channels.ts";
import { createOwner } from "./exchange/account.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { ATOMS_PER_QUOTE, notionalAtoms } from "./exchange/money.ts";
import { lotsWorth, type Venue } from "./traders/trader.ts";
import type { World } from "./world.ts";

/** Each interval has a past of so many candles. */
const CANDLES = 120;
/** Trades of a market in each of them, where no shorter interval has more. With two or more no candle is left out. */
const TRADES_IN_CANDLE = 3;
const TRADES_IN_MINUTE = 6;
/**
 * How much further than in live time the price goes a day ago and before, and how fast it comes home: about two in a hundred
 * a day. Towards now it becomes as calm as live time, so that the newest candles are as high as those that follow.
 */
const VOLATILITY_FACTOR = 4;
const CALM_MS = 86_400_000;
const REVERSION_MS = 60 * 86_400_000;
const MAX_LEVEL = 4;
/** Four uniform numbers less 2 have this much less spread than a standard normal one. */
const SPREAD = Math.sqrt(3);
/** Markets of one base asset are so far apart at most. */
const MAX_BASIS = 0.000_05;

/** A moment of old trading: simulated time, the time to the next one, and prices as a part of where they begin. */
interface OldMoment {
  readonly timeUs: number;
  readonly gapMs: number;
  readonly level: number;
}

/** The moments of a base asset, oldest first. The walk is made backwards: the last price is the one that books begin at. */
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

/** A market then: those who traded there, and the bet of one of them who wagered more than he had. */
interface OldMarket {
  readonly market: Market;
  readonly random: Random;
  /** Indexes of their accounts; the last one is of him who bets. */
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
 * Worth of a trade at moments that are ten seconds apart, in a market of activity 1: what is traded there in ten seconds of
 * live time, so that old minutes have the volume of new ones. It grows with the root of the gap.
 */
const TRADE_QUOTE = 650_000;
const TRADE_GAP_MS = 10_000;
/** How often one bets who has no position; with how much of his own, and how many times that. */
const BETS = 1 / 8;
const BET_QUOTE = 9_000;
const BET_TIMES: readonly [number, number] = [100, 200];
const CLIENT_ORDERS = 100_000_000;

/**
 * Old trading: thousands of trades and their candles, and liquidations in every perpetual market, up to simulated time 0 and
 * the prices that markets begin at. Who traded then has long closed everything: nobody owns or owes anything of it.
 */
export function makeOldTrading(venues: readonly Venue[]): void {
  const [first] = venues;
  if (first === undefined) return;
  const { exchange, randomFor } = first;
  const assets = new Set(venues.map(({ market }) => market.spec.baseAsset));
  const turns = [...assets].flatMap((asset) => {
    const ours = venues.map(({ market }) => market).filter(({ spec }) => spec.baseAsset === asset);
    const volatilityPpm = ours[0]?.spec.volatilityPpm ?? 0;
    const markets = ours.map((market) => openOldMarket(exchange, market, randomFor));
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
  // Mostly below the mean, now and then many times larger.
  const lots = Math.round((lotsWorth(spec, quote) * 0.3) / (random() + 0.03));
  trade(Math.floor(random() * (TRADERS - 1)), random() < 0.5, Math.max(1, lots));
}

/** Makes a bet now and then; it ends when its margin is doubled, or liquidated when half of it is lost. @returns whether it traded */
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
    isPartial: false,
    isBankrupt: marginAtoms < 0n,
    positions: [{ market: market.index, isLong, closedLots: lots, marginAtoms }],
  });
  return true;
}

/** Books, positions and mark prices need a moment to come to life. */
const MIN_PAST_MS = MINUTE_MS;

/** Where simulated time meets the clock. */
export interface Present {
  /** Unix milliseconds of simulated time 0, a whole minute. */
  readonly epochMs: number;
  /** The simulated time that belongs to a monotonic time of the clock, in microseconds and milliseconds. */
  readonly simulatedUs: number;
  readonly monotonicMs: number;
}

/**
 * The past that is as live time: runs a fresh world as fast as it goes until it has made so many trades, then on to a moment that
 * has the same second of its minute as the wall clock. So simulated minutes are minutes of the wall clock, and what happens does
 * not depend on when it is started.
 * @param trades count over all markets
 */
export function runPast({ simulation }: World, trades: number, clock: Clock): Present {
  const { exchange } = simulation;
  const end = exchange.trades.rows.length + trades;
  simulation.runUntil(MIN_PAST_MS * US_PER_MS);
  while (exchange.trades.rows.length < end) simulation.step();
  // What is left takes time as well: live time catches up with it from here.
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
