// Stream and store against the simulated exchange and its ledger, where it reads the document as no scenario does.
import { expect, test } from "vitest";
import { PaneWatch } from "../soak/pane-watch.ts";
import { startLiveRig } from "../support/live-rig.ts";

test.each([
  ["whole books", { book: "whole" }],
  ["no sequences at all", { sequences: "null" }],
  ["whole lists", { account_lists: "everything" }],
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
