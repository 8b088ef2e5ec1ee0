// The whole simulated world of a scenario: markets, prices, traders, the published owner. One seed, one world.
import type { Clock } from "../units/clock.ts";
import { createRandom, type Random } from "../units/random.ts";
import { type Catalogue, createOwner, type Owner } from "./exchange/account.ts";
import { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { liquidate, publishPrices, settleFunding } from "./exchange/office.ts";
import { Simulation } from "./exchange/schedule.ts";
import { createMarketSpec } from "./scenarios/market-setup.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { openClient } from "./traders/client.ts";
import { FairPrice } from "./traders/fair-price.ts";
import { openTraders } from "./traders/roster.ts";

/** Everything that is simulated. */
export interface World {
  readonly simulation: Simulation;
  /** The owner whose accounts are on the stream. */
  readonly catalogue: Catalogue;
  /** Whose address liquidation records name. */
  readonly liquidator: Owner;
}

const US_PER_MS = 1000;
/** Traders act for the first time within this time. */
const SPREAD_US = 1_000_000;

/**
 * Makes the world as it is at simulated time 0: traders are there and have not acted.
 * @param maxTrades how many are kept at least; older ones are forgotten
 */
export function createWorld(seed: number, scenario: Scenario, maxTrades: number): World {
  const randomFor = (name: string) => createRandom(seedOf(seed, name));
  const specs = scenario.markets.map(createMarketSpec);
  const exchange = new Exchange(specs, maxTrades, randomFor("transactions"));
  const simulation = new Simulation(exchange);
  const fairs = createFairPrices(exchange.markets, randomFor);
  for (const fair of fairs.values()) simulation.add(() => fair.act(), 0);

  const venues = [...fairs].map(([market, fair]) => ({ exchange, market, fair, randomFor }));
  exchange.begin(0);
  const { catalogue, acts } = openClient(exchange, venues, randomFor);
  const start = randomFor("start");
  for (const act of [...acts, ...openTraders(venues)]) {
    simulation.add(act, Math.floor(start() * SPREAD_US));
  }
  exchange.commit();

  const markUs = scenario.mark_interval_ms * US_PER_MS;
  const fundingUs = scenario.funding_interval_ms * US_PER_MS;
  const indexOf = (market: Market) => fairs.get(market)?.ticks ?? 0;
  simulation.add(publishPrices(exchange, indexOf, markUs, fundingUs), markUs);
  simulation.add(settleFunding(exchange, fundingUs), fundingUs);
  // Margins are looked at right after the prices moved.
  simulation.add(liquidate(exchange, markUs), markUs + 1);
  return { simulation, catalogue, liquidator: createOwner(randomFor("liquidator")) };
}

/** A fair price for each market; markets of one base asset share the first one's way. */
function createFairPrices(
  markets: readonly Market[],
  randomFor: (name: string) => Random,
): ReadonlyMap<Market, FairPrice> {
  const leaders = new Map<string, FairPrice>();
  return new Map(
    markets.map((market) => {
      const { type, id, baseAsset } = market.spec;
      const leader = leaders.get(baseAsset);
      const fair = new FairPrice(market.spec, randomFor(`fair ${type}/${id}`), leader);
      if (leader === undefined) leaders.set(baseAsset, fair);
      return [market, fair];
    }),
  );
}

/** A seed of its own for each name (FNV-1a over the seed and the name). */
function seedOf(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed} ${name}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash;
}

const MINUTE_MS = 60_000;
/** Books, positions and mark prices need a moment to come to life. */
const LEAST_PAST_MS = MINUTE_MS;

/** Where simulated time meets the clock. */
export interface Present {
  /** Unix milliseconds of simulated time 0, a whole minute. */
  readonly epochMs: number;
  /** The simulated time that belongs to a monotonic time of the clock, in microseconds and milliseconds. */
  readonly simulatedUs: number;
  readonly monotonicMs: number;
}

/**
 * The past: runs a fresh world as fast as it goes until it has made so many trades, then on to a moment that has the
 * same second of its minute as the wall clock. So simulated minutes are minutes of the wall clock, and what happens does
 * not depend on when it is started.
 * @param trades count over all markets
 */
export function runPast({ simulation }: World, trades: number, clock: Clock): Present {
  const { exchange } = simulation;
  simulation.runUntil(LEAST_PAST_MS * US_PER_MS);
  while (exchange.trades.end < trades) simulation.step();
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
