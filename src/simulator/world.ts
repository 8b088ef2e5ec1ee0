// The simulated world of a scenario: markets, prices, traders, the published owner, and its past. The same seed gives the same world.
import { crc32 } from "node:zlib";
import { type Clock, pause } from "../units/clock.ts";
import { createRandom, type Random } from "../units/random.ts";
import { US_PER_MS, US_PER_S } from "../units/time.ts";
import { type Account, createOwner, type Owner } from "./exchange/account.ts";
import { type Act, Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { ATOMS_PER_QUOTE } from "./exchange/money.ts";
import { liquidate, publishPrices, settleAllFunding } from "./exchange/settlement.ts";
import { countOldTrades, makePast } from "./past.ts";
import type { Scenario } from "./scenario.ts";
import { moveFairPrices } from "./traders/fair-price.ts";
import { type Catalogue, type Habit, openOwner } from "./traders/owner.ts";
import { bet, join, ladder, take } from "./traders/strategies.ts";
import { SMALL, type Trader } from "./traders/trader.ts";

export interface World {
  readonly exchange: Exchange;
  readonly catalogue: Catalogue;
  /** The liquidator named in liquidation records. */
  readonly liquidator: Owner;
  readonly fundingMs: number;
}

const MARK_US = US_PER_S;
/** Trades stored beyond those of the past: an hour or more. */
const MAX_LIVE_TRADES = 100_000;
/** More than strangers can lose; only those who bet have less. */
const FUNDS = 1_000_000_000 * ATOMS_PER_QUOTE;

/** What everything that is made at the start is given. */
export interface Setting {
  readonly exchange: Exchange;
  /** A source of random numbers by name. */
  readonly randomFor: (name: string) => Random;
  readonly startUs: number;
  readonly fundingUs: number;
}

export interface WorldSetup {
  /** Any integer. The same seed and scenario produce the same market. */
  readonly seed: number;
  readonly scenario: Scenario;
  /** The least number of past trades over all markets; undefined or less than some 40,000 in twenty markets: that many. */
  readonly history?: number | undefined;
  readonly clock: Clock;
  /** Aborted when the world is no longer needed, maybe while a long past is made. */
  readonly abandoned: AbortSignal;
}

/**
 * Creates the world as it is at the start: with its past, and traders who have not acted yet.
 * @param startUs apart from the hours of funding, it changes nothing but times
 * @throws the signal's reason
 */
export async function createWorld(setup: WorldSetup, startUs: number): Promise<World> {
  const { seed, scenario, history = 0, clock, abandoned } = setup;
  const randomFor = (name: string) => createRandom(crc32(`${seed} ${name}`));
  const { markets: specs, funding_interval_ms: fundingMs } = scenario;
  const least = countOldTrades(specs);
  const most = Math.max(history, least) + MAX_LIVE_TRADES;
  const exchange = new Exchange(specs, most, randomFor("transactions"));
  const { markets } = exchange;
  const fundingUs = fundingMs * US_PER_MS;

  const setting = { exchange, randomFor, startUs, fundingUs };
  const { catalogue, habits } = openOwner(setting);
  const stages = markets.map((market) => openStage(setting, market, habits));
  const rest = () => pause(clock, 0, abandoned);
  await makePast(setting, stages, Math.max(1, history / least), rest);
  const start = randomFor("start");
  for (const act of [...habits, ...stages].flatMap(({ acts }) => acts)) {
    exchange.schedule(act, startUs + Math.floor(start() * US_PER_S));
  }
  for (const asset of new Set(specs.map(({ baseAsset }) => baseAsset))) {
    const together = markets.filter(({ spec }) => spec.baseAsset === asset);
    exchange.schedule(moveFairPrices(together, randomFor(asset)), startUs);
  }
  exchange.schedule(publishPrices(exchange, MARK_US, fundingUs), startUs + MARK_US);
  const firstFundingUs = (Math.floor(startUs / fundingUs) + 1) * fundingUs;
  exchange.schedule(settleAllFunding(exchange, fundingUs), firstFundingUs);
  // Margins are checked right after the prices have moved.
  exchange.schedule(liquidate(exchange, MARK_US), startUs + MARK_US + 1);
  return { exchange, catalogue, liquidator: createOwner(randomFor("liquidator")), fundingMs };
}

/** Near, middle and far ladders: together 20 to 40 levels on each side. */
const LADDERS = [
  { levels: 7, gridPpm: 2.1, gapPpm: 0.6, quote: 14_000, periodMs: 220 },
  { levels: 7, gridPpm: 7, gapPpm: 4, quote: 40_000, periodMs: 340 },
  { levels: 8, gridPpm: 26, gapPpm: 18, quote: 120_000, periodMs: 1100 },
  { levels: 6, gridPpm: 103, gapPpm: 120, quote: 400_000, periodMs: 5200 },
];
const JOINERS = [
  { limitPpm: 4, quote: 5_000, periodMs: 60 },
  { limitPpm: 8, quote: 9_000, periodMs: 90 },
  { limitPpm: 14, quote: 2_000, periodMs: 70 },
];
/** Small trades, bursts, and a rare sweep through several levels. */
const TAKERS = [
  { quote: 1_500, periodMs: 900, burstMs: 60, burst: 5, reachPpm: 3 },
  { quote: 4_000, periodMs: 1500, burstMs: 30, burst: 12, reachPpm: 6 },
  { quote: 90_000, periodMs: 24_000, burstMs: 200, burst: 3, reachPpm: 60 },
];
/** Margin and leverage. */
const BETS = [
  ...[400, 900, 1_600].map((quote) => ({ quote, times: 180 })),
  ...[2_500, 4_000, 9_000].map((quote) => ({ quote, times: 140 })),
];

/** A market, the accounts of its traders, scaled by its price and activity, and the subaccounts that trade there, too. */
export interface Stage {
  readonly market: Market;
  readonly accounts: readonly Account[];
  readonly acts: readonly Act[];
  readonly habits: readonly Habit[];
}

function openStage(setting: Setting, market: Market, all: readonly Habit[]): Stage {
  const { exchange, randomFor } = setting;
  const { activity, symbol } = market.spec;
  const accounts: Account[] = [];
  const isSmall = activity < SMALL;
  /** @param pace how often they act, relative to those in a calm large market */
  const open = <S>(strategy: (trader: Trader, style: S) => Act, styles: S[], pace: number) =>
    styles.map((style) => {
      const random = randomFor(`${symbol} ${accounts.length}`);
      const account = exchange.openAccount(createOwner(random), FUNDS);
      accounts.push(account);
      return strategy({ exchange, market, account, random, pace, homeLots: 0 }, style);
    });
  // Those that keep a market in order act as often as in a large one, at least; in small markets they have time.
  const steady = isSmall ? 0.25 : Math.max(1, activity);
  const bets = isSmall ? BETS : [...BETS, ...BETS];
  const acts = [
    ...open(ladder, LADDERS, steady),
    ...open(join, JOINERS, steady),
    ...open(take, TAKERS, activity),
    ...(market.isPerp ? open(bet, bets, 1) : []),
  ];
  const habits = all.filter(({ trader }) => trader.market === market);
  return { market, accounts, acts, habits };
}
