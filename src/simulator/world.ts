// The simulated world of a scenario: markets, prices, traders, the published owner, and its past. The same seed gives the same world.
import { createRandom } from "../units/random.ts";
import { US_PER_MS } from "../units/time.ts";
import { createOwner, type Owner } from "./exchange/account.ts";
import { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { type Act, Schedule } from "./exchange/schedule.ts";
import { liquidate, publishPrices, settleAllFunding } from "./exchange/settlement.ts";
import { countOldTrades, makePast } from "./past.ts";
import type { Scenario } from "./scenario.ts";
import { createFairPrice, type FairPrice } from "./traders/fair-price.ts";
import { type Catalogue, employOwner, openOwner } from "./traders/owner.ts";
import {
  type JoinStyle,
  join,
  type LadderStyle,
  type LeverageStyle,
  ladder,
  leverage,
  type TakeStyle,
  take,
} from "./traders/strategies.ts";
import { openTrader, type Venue } from "./traders/trader.ts";

export interface World {
  readonly exchange: Exchange;
  readonly schedule: Schedule;
  readonly catalogue: Catalogue;
  /** The liquidator named in liquidation records. */
  readonly liquidator: Owner;
}

const SPREAD_US = 1_000_000;
/** Trades stored beyond those of the past: an hour or more. */
const MAX_LIVE_TRADES = 100_000;

/**
 * Creates the world as it is at the start: with its past, and traders who have not acted yet.
 * @param startUs apart from the hours of funding, it changes nothing but times
 * @param history the least number of past trades
 */
export function createWorld(
  seed: number,
  scenario: Scenario,
  startUs: number,
  history: number,
): World {
  const randomFor = (name: string) => createRandom(deriveSeed(seed, name));
  const { markets: specs } = scenario;
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
  const fundingUs = scenario.funding_interval_ms * US_PER_MS;

  const { catalogue, habits } = openOwner(exchange, startUs, randomFor);
  makePast({ venues, habits, startUs, fundingUs, trades: history });
  exchange.begin(startUs);
  const start = randomFor("start");
  for (const act of [...employOwner(venues, habits), ...venues.flatMap(openTraders)]) {
    schedule.add(act, startUs + Math.floor(start() * SPREAD_US));
  }
  exchange.commit();

  const markUs = scenario.mark_interval_ms * US_PER_MS;
  const indexOf = ({ spec: { baseAsset, startTicks } }: Market) =>
    Math.round((fairs.get(baseAsset)?.level ?? 1) * startTicks);
  for (const fair of fairs.values()) schedule.add(() => fair.act(), startUs);
  schedule.add(publishPrices(exchange, indexOf, markUs, fundingUs), startUs + markUs);
  const firstFundingUs = (Math.floor(startUs / fundingUs) + 1) * fundingUs;
  schedule.add(settleAllFunding(exchange, fundingUs), firstFundingUs);
  // Margins are checked right after the prices have moved.
  schedule.add(liquidate(exchange, markUs), startUs + markUs + 1);
  return { exchange, schedule, catalogue, liquidator: createOwner(randomFor("liquidator")) };
}

/** A separate seed for each name (FNV-1a over seed and name). */
function deriveSeed(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed} ${name}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash;
}

const LEVERAGED: readonly LeverageStyle[] = [
  { quote: 400, leverage: [150, 200] },
  { quote: 900, leverage: [125, 200] },
  { quote: 1_600, leverage: [150, 200] },
  { quote: 2_500, leverage: [100, 200] },
  { quote: 4_000, leverage: [125, 175] },
  { quote: 9_000, leverage: [100, 150] },
];
/** Activity below which a market is small. */
const SMALL = 0.2;

/** Opens the accounts of a market's traders, scaled by its price and activity. Must run inside a transaction. */
function openTraders(venue: Venue): Act[] {
  const { isPerp, spec } = venue.market;
  const { activity } = spec;
  // Those that keep a market in order act as often as in a large one, at least; in small markets they have time.
  const steady = activity < SMALL ? 0.25 : Math.max(1, activity);
  // The name is part of the seed.
  const open = (name: string, pace: number) => openTrader(venue, name, pace);
  const maker = (i: number, style: LadderStyle) => ladder(open(`maker ${i}`, steady), style);
  const joiner = (i: number, style: JoinStyle) => join(open(`joiner ${i}`, steady), style);
  const taker = (i: number, style: TakeStyle) => take(open(`taker ${i}`, activity), style);
  return [
    // Near, middle and far ladders: together 20 to 40 levels on each side.
    maker(0, { levels: 7, gridPpm: 2.1, gapPpm: 0.6, quote: 14_000, periodMs: 220 }),
    maker(1, { levels: 7, gridPpm: 7, gapPpm: 4, quote: 40_000, periodMs: 340 }),
    maker(2, { levels: 8, gridPpm: 26, gapPpm: 18, quote: 120_000, periodMs: 1100 }),
    maker(3, { levels: 6, gridPpm: 103, gapPpm: 120, quote: 400_000, periodMs: 5200 }),
    joiner(0, { limitPpm: 4, quote: 5_000, periodMs: 60 }),
    joiner(1, { limitPpm: 8, quote: 9_000, periodMs: 90 }),
    joiner(2, { limitPpm: 14, quote: 2_000, periodMs: 70 }),
    // Small trades, bursts, and a rare sweep through several levels.
    taker(0, { quote: 1_500, periodMs: 900, burstMs: 60, burst: 5, reachPpm: 3 }),
    taker(1, { quote: 4_000, periodMs: 1500, burstMs: 30, burst: 12, reachPpm: 6 }),
    taker(2, { quote: 90_000, periodMs: 24_000, burstMs: 200, burst: 3, reachPpm: 60 }),
    ...(isPerp ? (activity < SMALL ? LEVERAGED : [...LEVERAGED, ...LEVERAGED]) : []).map(
      (style, i) => leverage(open(`leveraged ${i}`, 1), style),
    ),
  ];
}
