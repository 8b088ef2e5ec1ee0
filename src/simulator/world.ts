// The simulated world of a scenario: markets, prices, traders, the published owner, and its past. The same seed gives the same world.
import { createRandom } from "../units/random.ts";
import { US_PER_MS, US_PER_S } from "../units/time.ts";
import { type Account, createOwner, type Owner } from "./exchange/account.ts";
import { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { ATOMS_PER_QUOTE } from "./exchange/money.ts";
import { type Act, Schedule } from "./exchange/schedule.ts";
import { liquidate, publishPrices, settleAllFunding } from "./exchange/settlement.ts";
import { countOldTrades, makePast } from "./past.ts";
import type { Scenario } from "./scenario.ts";
import { createFairPrice, type FairPrice } from "./traders/fair-price.ts";
import { type Catalogue, openOwner } from "./traders/owner.ts";
import { bet, join, ladder, take } from "./traders/strategies.ts";
import { Trader, type Venue } from "./traders/trader.ts";

export interface World {
  readonly exchange: Exchange;
  readonly schedule: Schedule;
  readonly catalogue: Catalogue;
  /** The liquidator named in liquidation records. */
  readonly liquidator: Owner;
  readonly fundingMs: number;
}

const SPREAD_US = US_PER_S;
const MARK_US = US_PER_S;
/** Trades stored beyond those of the past: an hour or more. */
const MAX_LIVE_TRADES = 100_000;
/** More than strangers can lose; only those who bet have less. */
const FUNDS = 1_000_000_000 * ATOMS_PER_QUOTE;

interface WorldSetup {
  readonly seed: number;
  readonly scenario: Scenario;
  /** Apart from the hours of funding, it changes nothing but times. */
  readonly startUs: number;
  /** The least number of past trades. */
  readonly history: number;
  /** Called now and then while a long past is made. */
  readonly rest: () => Promise<void>;
}

/** Creates the world as it is at the start: with its past, and traders who have not acted yet. */
export async function createWorld(setup: WorldSetup): Promise<World> {
  const { seed, scenario, startUs, history, rest } = setup;
  const randomFor = (name: string) => createRandom(deriveSeed(seed, name));
  const { markets: specs, funding_interval_ms: fundingMs } = scenario;
  const maxTrades = Math.max(history, countOldTrades(specs)) + MAX_LIVE_TRADES;
  const exchange = new Exchange(specs, maxTrades, randomFor("transactions"));
  const schedule = new Schedule(exchange);
  /** By base asset: all its markets follow one price. */
  const fairs = new Map<string, FairPrice>();
  const venues = exchange.markets.map((market): Venue => {
    const { baseAsset, volatilityPpm } = market.spec;
    const fair = fairs.get(baseAsset) ?? createFairPrice(volatilityPpm, randomFor(baseAsset));
    fairs.set(baseAsset, fair);
    return { exchange, market, fair, randomFor };
  });
  const fundingUs = fundingMs * US_PER_MS;

  const { catalogue, habits } = openOwner(exchange, venues, randomFor, startUs);
  const stages = venues.map((venue) => ({ ...openTraders(venue), market: venue.market }));
  const past = { exchange, randomFor, stages, habits, startUs, fundingUs, rest };
  await makePast({ ...past, trades: history });
  const start = randomFor("start");
  for (const act of [...habits, ...stages].flatMap(({ acts }) => acts)) {
    schedule.add(act, startUs + Math.floor(start() * SPREAD_US));
  }
  const indexOf = ({ spec: { baseAsset, startTicks } }: Market) =>
    Math.round((fairs.get(baseAsset)?.level ?? 1) * startTicks);
  for (const fair of fairs.values()) schedule.add(() => fair.act(), startUs);
  schedule.add(publishPrices(exchange, indexOf, MARK_US, fundingUs), startUs + MARK_US);
  const firstFundingUs = (Math.floor(startUs / fundingUs) + 1) * fundingUs;
  schedule.add(settleAllFunding(exchange, fundingUs), firstFundingUs);
  // Margins are checked right after the prices have moved.
  schedule.add(liquidate(exchange, MARK_US), startUs + MARK_US + 1);
  const liquidator = createOwner(randomFor("liquidator"));
  return { exchange, schedule, catalogue, liquidator, fundingMs };
}

/** A separate seed for each name (FNV-1a over seed and name). */
function deriveSeed(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed} ${name}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash;
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
/** Activity below which a market is small. */
const SMALL = 0.2;

/** Opens the accounts of a market's traders, scaled by its price and activity. */
function openTraders(venue: Venue): { accounts: Account[]; acts: Act[] } {
  const { exchange, market, randomFor } = venue;
  const { activity, symbol } = market.spec;
  const accounts: Account[] = [];
  const isSmall = activity < SMALL;
  /** @param pace how often they act, relative to those in a calm large market */
  const open = <S>(strategy: (trader: Trader, style: S) => Act, styles: S[], pace: number) =>
    styles.map((style) => {
      const random = randomFor(`${symbol} ${accounts.length}`);
      const account = exchange.openAccount(createOwner(random), FUNDS);
      accounts.push(account);
      return strategy(new Trader(venue, account, random, pace), style);
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
  return { accounts, acts };
}
