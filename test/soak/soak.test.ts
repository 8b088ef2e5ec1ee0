// Stream and store against the simulated exchange over real sockets, on one virtual clock, while faults of all kinds strike.
// Short here; `npm run soak` runs it for hours of that clock.
import { expect, test } from "vitest";
import { SCENARIO_NAMES } from "../../src/simulator/scenarios/scenario.ts";
import { STEP_MS, startClosableRig } from "../support/live-rig.ts";
import { isSoak, report, runs, SEED } from "../support/soak.ts";
import { PaneWatch } from "./pane-watch.ts";

const CHECK_MS = 250;
/** Faults strike for the first half of each cycle. */
const CYCLE_MS = isSoak ? 120_000 : 40_000;
/** Where faults strike all the time, a moment at which all is well is waited for this long. */
const PATIENCE_MS = 60_000;

const storm = { for_ms: CYCLE_MS / 2, every_ms: CYCLE_MS };
const now = (share: number) => ({ after_ms: share * CYCLE_MS, every_ms: CYCLE_MS });
const FAULTS = [
  { kind: "bad-frame", probability: 0.002, ...storm },
  { kind: "crossed-book", probability: 0.004, ...storm },
  { kind: "gap", probability: 0.003, ...storm },
  { kind: "duplicate", probability: 0.03, ...storm },
  { kind: "late-first-frame", delay_ms: 700, probability: 0.5, ...storm },
  { kind: "refused", probability: 0.3, ...storm },
  { kind: "lost-connection", ...now(0.08) },
  { kind: "unsubscribed", ...now(0.15) },
  { kind: "unavailable", ...now(0.22), for_ms: 3000 },
  { kind: "lost-connection", ...now(0.32) },
  { kind: "slow", delay_ms: 700, ...now(0.4), for_ms: 3000 },
];

async function openSession(scenario: string | object, seed: number) {
  const events = new Map<string, number>();
  const rig = await startClosableRig({
    scenario,
    seed,
    sessionOf: () => ({
      onEvent: ({ type }) => events.set(type, (events.get(type) ?? 0) + 1),
    }),
  });
  const watch = new PaneWatch(rig, rig.simulator, rig.clock);
  const pass = (ms: number) =>
    rig.pass(ms, () => {
      watch.note();
      if (rig.clock.now() % CHECK_MS < STEP_MS) watch.look();
    });
  return { events, watch, pass, close: rig.close };
}

test("what is shown as live is the exchange's own while faults strike, and after quiet all of it is", async () => {
  for (let run = 0; run < runs(1, 60); run++) {
    const seed = SEED + run;
    const { events, watch, pass, close } = await openSession({ faults: FAULTS }, seed);
    for (let cycle = 0; cycle < runs(1, 3); cycle++) {
      await pass(CYCLE_MS - STEP_MS);
      expect(watch.untrue(), `seed ${seed}`).toEqual([]);
      await pass(STEP_MS);
    }
    expect(watch.lies, `seed ${seed}`).toEqual([]);
    expect(watch.checks).toBeGreaterThan(100);
    for (const type of ["gap", "resync", "rejected", "unavailable", "lost"]) {
      expect([type, events.get(type) ?? 0]).toEqual([type, expect.toSatisfy((n) => n > 0)]);
    }
    report(`seed ${seed}: ${[...events].map((each) => each.join(" ")).join(", ")}`);
    await close();
  }
}, 3_600_000);

/** Takes long to make its past. */
const BUSY = "busy";

test.each(SCENARIO_NAMES.filter((name) => isSoak || name !== BUSY))(
  "the scenario %s is shown as it is, and comes to an end at which all is true",
  async (name) => {
    const { watch, pass, close } = await openSession(name, SEED);
    await pass(runs(10, name === BUSY ? 2 : 180) * 1000);
    for (let ms = 0; ms < PATIENCE_MS && watch.untrue().length > 0; ms += 500) await pass(500);
    expect(watch.untrue()).toEqual([]);
    expect(watch.lies).toEqual([]);
    await close();
  },
  3_600_000,
);
