// Stream and store against the simulated exchange and its ledger, where it reads the document as no scenario does
// (those: test/soak/scenarios.test.ts).
import { expect, test } from "vitest";
import { PaneWatch } from "../soak/pane-watch.ts";
import { startLiveRig } from "../support/live-rig.ts";

test.each([
  ["whole books in between", { book: "delta-with-resets", book_reset_every: 20 }],
  ["no sequences at all", { sequences: "null" }],
  ["a first frame without sequences", { sequences: "first-null" }],
  ["a first frame that names itself", { first_previous: "same" }],
  ["no hello", { hello: "never" }],
  ["no backlog of trades", { trades_backlog: 0 }],
])(
  "nothing untrue is called live of a service with %s, and in the end all is the exchange's own",
  async (_, readings) => {
    const rig = await startLiveRig({ scenario: { readings }, seed: 6, history: 100 });
    const watch = new PaneWatch(rig, rig.simulator, rig.clock);
    await rig.pass(6000, () => {
      watch.note();
      if (rig.clock.now() % 250 === 0) watch.look();
    });
    expect(watch.checks).toBeGreaterThan(20);
    expect(watch.lies).toEqual([]);
    expect(watch.untrue()).toEqual([]);
  },
);
