// The whole simulated world of a scenario: markets, prices, traders, the published owner. One seed, one world.
import { createRandom, type Random } from "../units/random.ts";
import { type Catalogue, createOwner, type Owner } from "./exchange/account.ts";
import { Exchange } from "./exchange/exchange.ts";
import { FundingClerk, Liquidator, Oracle } from "./exchange/office.ts";
import { Schedule, Simulation } from "./exchange/schedule.ts";
import { LiquidationLog, TradeTable } from "./ledger/tables.ts";
import { createMarketSpec } from "./scenarios/market-setup.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { createClient } from "./traders/client.ts";
import { FairPrice } from "./traders/fair-price.ts";
import { createTraders, createTradersAcross } from "./traders/roster.ts";

/** Everything that is simulated. */
export interface World {
  readonly simulation: Simulation;
  /** The owner whose accounts are on the stream. */
  readonly catalogue: Catalogue;
  /** Whose address liquidation records name. */
  readonly liquidator: Owner;
}

/** What a world is made from. */
export interface WorldSetup {
  readonly seed: number;
  readonly scenario: Scenario;
  /** Trades that are kept at least; older ones are forgotten. */
  readonly maxTrades: number;
}

const US_PER_MS = 1000;
/** The fair price moves ten times a second. */
const FAIR_STEP_US = 100_000;
/** Traders wake up for the first time within this time. */
const SPREAD_US = 1_000_000;

/**
 * Makes the world as it is at simulated time 0: traders are there and have not acted. Never throws for a checked
 * scenario.
 */
export function createWorld({ seed, scenario, maxTrades }: WorldSetup): World {
  const randomFor = (name: string) => createRandom(seedOf(seed, name));
  const exchange = new Exchange({
    specs: scenario.markets.map(createMarketSpec),
    trades: new TradeTable(maxTrades),
    liquidations: new LiquidationLog(),
    random: randomFor("transactions"),
  });
  const schedule = new Schedule();
  const fairs = createFairPrices(exchange, randomFor);
  for (const fair of fairs) schedule.add(fair, 0);

  const start = randomFor("start");
  exchange.begin(0);
  const client = createClient({ exchange, fairs, randomFor });
  for (const actor of client.actors) schedule.add(actor, Math.floor(start() * SPREAD_US));
  const rosters = exchange.markets.flatMap((market) => {
    const fair = fairs[market.index];
    return fair === undefined ? [] : [{ exchange, market, fair, randomFor }];
  });
  for (const trader of [...rosters.flatMap(createTraders), ...createTradersAcross(rosters)]) {
    schedule.add(trader, Math.floor(start() * SPREAD_US));
  }
  exchange.commit();

  addOffice(scenario, exchange, schedule, fairs);
  return {
    simulation: new Simulation(exchange, schedule),
    catalogue: client.catalogue,
    liquidator: createOwner(randomFor("liquidator")),
  };
}

/** What the exchange itself does on time: mark prices, funding, liquidations. */
function addOffice(
  scenario: Scenario,
  exchange: Exchange,
  schedule: Schedule,
  fairs: readonly FairPrice[],
): void {
  const markUs = scenario.mark_interval_ms * US_PER_MS;
  const fundingUs = scenario.funding_interval_ms * US_PER_MS;
  const indexOf = (market: number) => fairs[market]?.ticks ?? 0;
  const oracle = new Oracle(exchange, indexOf, markUs, fundingUs);
  schedule.add(oracle, markUs);
  schedule.add(new FundingClerk(exchange, oracle, fundingUs), fundingUs);
  // Margins are looked at right after the prices moved.
  schedule.add(new Liquidator(exchange, markUs), markUs + 1);
}

/** A fair price for each market; markets of one base asset share the first one's way. */
function createFairPrices(
  { markets }: Exchange,
  randomFor: (name: string) => Random,
): readonly FairPrice[] {
  const leaders = new Map<string, FairPrice>();
  return markets.map(({ spec }) => {
    const fair = new FairPrice({
      startTicks: spec.startTicks,
      volatilityPpm: spec.volatilityPpm,
      stepUs: FAIR_STEP_US,
      leader: leaders.get(spec.baseAsset),
      random: randomFor(`fair ${spec.type}/${spec.id}`),
    });
    if (!leaders.has(spec.baseAsset)) leaders.set(spec.baseAsset, fair);
    return fair;
  });
}

/** A seed of its own for each name (FNV-1a over the seed and the name). */
function seedOf(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed} ${name}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash;
}
