// A screen that is left open: eight hours of the simulated exchange on a virtual clock. What a minute costs, and what is held, is
// what it was in the first minutes.
import { Readable, Writable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import type { Context } from "../../src/args/context.ts";
import { feedMarket } from "../../src/commands/screen/live-market.ts";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { Store } from "../../src/state/store.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { createRandom } from "../../src/units/random.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openDashboard } from "../support/open-dashboard.ts";
import { isSoak, report, runs, SEED } from "../support/soak.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { createYardstick, expectFlat, LIMIT_MS, MIB, SIZE, type Stretch } from "./growth.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** In the short form a quarter of one. */
const MINUTE_MS = isSoak ? 60_000 : 15_000;
const STEP_MS = 250;
const TICK_MS = 1000;

/** The dashboard of `monitor demo` with its account, and its exchange, on one virtual clock. */
async function openOnVirtualClock() {
  const clock = createVirtualClock();
  watchLoopback();
  const simulator = await startSimulator({
    seed: SEED,
    clock,
    history: 100,
    port: 0,
    scenario: loadScenario("steady"),
  });
  onTestFinished(() => simulator.close());
  const { ws_url: url, base_url: baseUrl, account } = simulator.announcement;
  const store = new Store();
  const { dashboard } = openDashboard(
    { store, nowMs: 0 },
    {
      now: () => clock.now(),
      wall: () => clock.wall(),
      isSimulated: true,
      account: { address: account.address, subaccountId: `${account.subaccount_id}` },
    },
  );
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const context: Context = {
    stdin: Readable.from([]),
    stdout: sink,
    stderr: sink,
    env: {},
    args: [],
    clock,
    options: {},
    random: createRandom(SEED),
    interrupt: new AbortController().signal,
    onHangup: () => () => {},
  };
  const app = mountDashboard(dashboard, { ...SIZE, clock });
  feedMarket({
    context,
    dashboard,
    market: { type: "perp", id: "1" },
    historyBuffer: new HistoryBuffer({ live: store, clock }),
    service: { url, baseUrl, headers: {} },
    onFailure: (error) => app.reports.push({ kind: "failure", cause: error }),
    onOpen: (close) => onTestFinished(close),
  });
  const passMinute = async () => {
    for (let passedMs = STEP_MS; passedMs <= MINUTE_MS; passedMs += STEP_MS) {
      clock.advance(STEP_MS);
      await settleLoopback();
      if (passedMs % TICK_MS === 0) dashboard.tick();
      app.writer.take();
    }
  };
  return { dashboard, app, passMinute };
}

test(
  "hours of a screen cost in each minute what the first ones cost, and hold what those filled",
  async () => {
    const minutes = runs(1, 8 * 60);
    const perStretch = Math.ceil(minutes / 48);
    const { dashboard, app, passMinute } = await openOnVirtualClock();
    const stretches: Stretch[] = [];
    const yardstick = createYardstick();
    let spent = 0;
    for (let minute = 1; minute <= minutes; minute++) {
      const before = process.cpuUsage();
      await passMinute();
      const { user, system } = process.cpuUsage(before);
      spent += (user + system) / 1000;
      yardstick.take();
      if (minute % perStretch > 0) continue;
      if (isSoak) for (let i = 0; i < 2; i++) collect();
      const { heapUsed, external } = process.memoryUsage();
      const memory = (heapUsed + external) / MIB;
      const cpuMs = spent / perStretch / yardstick.read();
      stretches.push({ cpuMs, memory });
      report(`minute ${minute}: ${cpuMs.toFixed(0)} ms of CPU a minute, ${memory.toFixed(1)} MiB`);
      spent = 0;
    }
    expect(app.reports).toEqual([]);
    const states = dashboard.model.feeds.map(({ status }) => status.state);
    expect(states.length).toBeGreaterThan(0);
    for (const state of states) expect(["live", "quiet"]).toContain(state);
    if (isSoak) expectFlat("eight simulated hours", stretches);
  },
  LIMIT_MS,
);
