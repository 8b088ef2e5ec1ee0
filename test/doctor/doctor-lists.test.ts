// How the doctor finds out in which way the lists of an account are to be read: against the simulated exchange in each of
// its ways, on one virtual clock.
import { expect, onTestFinished, test } from "vitest";
import { decodeScenario } from "../../src/simulator/scenarios/scenario.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { runDoctor } from "../support/doctor-run.ts";
import { runSettled } from "../support/settled-run.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";

const examine = (readings: object) => runSettled((clock) => examineOn(clock, readings));

async function examineOn(clock: VirtualClock, readings: object) {
  const scenario = decodeScenario({ name: "test", description: "", readings }, "test");
  const simulator = await startSimulator({ seed: 5, scenario, history: 300, port: 0, clock });
  onTestFinished(() => simulator.close());
  const { ws_url, base_url, account } = simulator.announcement;
  const given = { account: [`${account.address}/${account.subaccount_id}`] };
  return runDoctor(ws_url, base_url, given, clock);
}

test.each([
  ["changed-rows", "later lists hold what has changed"],
  ["everything", "later lists hold all there is"],
])("an account whose lists hold %s", async (account_lists, words) => {
  const { checks, code, requests } = await examine({ account_lists });
  expect(checks["reading.lists"]).toMatch(new RegExp(`^ok .*inferred: ${words}`));
  expect(checks["reading.sequence"]).toMatch(/^ok .* in (\d+) of \1$/);
  expect(checks["reading.null"]).toMatch(/; null in 0 later;/);
  expect([code, requests <= 30]).toEqual([0, true]);
});
