// A simulated world without a server: the exchange and its people, for tests that look inside.
import { expect } from "vitest";
import { createOwner } from "../../src/simulator/exchange/account.ts";
import { deposit, Exchange } from "../../src/simulator/exchange/exchange.ts";
import {
  decodeScenario,
  loadScenario,
  type Scenario,
} from "../../src/simulator/scenarios/scenario.ts";
import { createWorld, type World } from "../../src/simulator/world.ts";
import { createRandom } from "../../src/units/random.ts";

/** @param scenario name of a built-in scenario, or fields of one */
export function scenarioOf(scenario: string | object): Scenario {
  return typeof scenario === "string"
    ? loadScenario(scenario)
    : decodeScenario({ name: "test", description: "", ...scenario }, "test");
}

export function openWorld(
  seed: number,
  scenario: string | object = "steady",
  hasOldTrading = false,
): World {
  return createWorld(seed, scenarioOf(scenario), 1_000_000, hasOldTrading);
}

/** The exchange of steady with two accounts of a million each, and nobody else. */
export function openExchange() {
  const exchange = new Exchange(loadScenario("steady").markets, 1000, createRandom(1));
  const random = createRandom(2);
  const open = () =>
    exchange.openAccount({
      owner: createOwner(random),
      subaccountId: 0,
      status: "active",
      createdAtUs: 0,
      isPublished: true,
    });
  const [perp, , spot] = exchange.markets;
  const maker = open();
  const taker = open();
  if (perp === undefined || spot === undefined) throw new Error("no markets");
  exchange.begin(0);
  for (const account of [maker, taker]) {
    deposit(exchange, account, 1_000_000_000_000n);
  }
  exchange.commit();
  return { exchange, perp, spot, maker, taker };
}

export const sum = (numbers: readonly number[]) =>
  numbers.reduce((total, number) => total + number, 0);

/** What somebody is long somebody else is short, and nobody holds less than nothing of a spot market. */
export function expectLotsAddUp({ accounts, markets }: Exchange): void {
  for (const { index, isPerp, openInterestLots } of markets) {
    const lots = accounts.map((account) => account.positions[index]?.lots ?? 0);
    if (!isPerp) {
      expect(Math.min(...lots)).toBeGreaterThanOrEqual(0);
      continue;
    }
    expect(sum(lots)).toBe(0);
    expect(openInterestLots).toBe(sum(lots.filter((each) => each > 0)));
  }
}
