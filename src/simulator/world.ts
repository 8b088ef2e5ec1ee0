// The whole simulated world of a scenario: markets, prices, traders, the published owner. One seed, one world.
import { createRandom, type Random } from "../units/random.ts";
import { US_PER_MS } from "../units/time.ts";
import { type Catalogue, createOwner, type Owner } from "./exchange/account.ts";
import { Exchange } from "./exchange/exchange.ts";
import type { Market } from "./exchange/market.ts";
import { liquidate, publishPrices, settleFunding } from "./exchange/office.ts";
import { Simulation } from "./exchange/schedule.ts";
import { makeOldTrading } from "./past.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { openClient } from "./traders/client.ts";
import { createFairPrice, type FairPrice } from "./traders/fair-price.ts";
import { openTraders } from "./traders/roster.ts";

export interface World {
  readonly simulation: Simulation;
  /** The owner whose accounts are on the stream. */
  readonly catalogue: Catalogue;
  /** Whose address liquidation records name. */
  readonly liquidator: Owner;
}

/** Traders act for the first time within this time. */
const SPREAD_US = 1_000_000;

/**
 * Makes the world as it is at simulated time 0: traders are there and have not acted.
 * @param maxTrades how many are kept at least; older ones are forgotten
 * @param hasOldTrading there was trading before time 0, for 120 days: the same world otherwise, but for ids and indexes
 */
export function createWorld(
  seed: number,
  scenario: Scenario,
  maxTrades: number,
  hasOldTrading = false,
): World {
  const randomFor = (name: string) => createRandom(deriveSeed(seed, name));
  const exchange = new Exchange(scenario.markets, maxTrades, randomFor("transactions"));
  const simulation = new Simulation(exchange);
  const fairs = createFairPrices(exchange.markets, randomFor);
  for (const fair of fairs.values()) simulation.add(() => fair.act(), 0);

  const venues = [...fairs].map(([market, fair]) => ({ exchange, market, fair, randomFor }));
  if (hasOldTrading) makeOldTrading(venues);
  exchange.begin(0);
  const { catalogue, acts } = openClient(exchange, venues, randomFor, scenario.subaccounts);
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
      const fair = createFairPrice(market.spec, randomFor(`fair ${type}/${id}`), leader);
      if (leader === undefined) leaders.set(baseAsset, fair);
      return [market, fair];
    }),
  );
}

/** A seed of its own for each name (FNV-1a over the seed and the name). */
function deriveSeed(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed} ${name}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash;
}
