// A screen that is left open: eight hours of the simulated exchange on a virtual clock, and an hour of the built program on
// real terminals. What a minute costs, and what is held, is what it was in the first minutes.
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import type { Context } from "../../src/args/context.ts";
import { feedMarket } from "../../src/commands/screen/live-market.ts";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { Store } from "../../src/state/store.ts";
import { systemClock } from "../../src/system/system-clock.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { pause } from "../../src/units/clock.ts";
import { createRandom } from "../../src/units/random.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openDashboard } from "../support/open-dashboard.ts";
import { isSoak, report, runs, SEED } from "../support/soak.ts";
import { openPty } from "../support/terminal/open-pty.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MINUTE_MS = 60_000;
const STEP_MS = 250;
const TICK_MS = 1000;
const SIZE = { columns: 160, rows: 50 };
const MIB = 2 ** 20;
const LIMIT_MS = 180 * MINUTE_MS;
/** The goal is a tenth; the rest is what other work on the machine may change. */
const MAX_CPU = 1.25;
const MAX_MEMORY = 1.1;

const SAMPLE = JSON.stringify(
  Array.from({ length: 300 }, (_, i) => ({ id: i, text: `${i * 7919}` })),
);
/** What the same work takes: a busy machine makes all work dearer. */
function createYardstick() {
  let takenMs = 0;
  let firstMs: number | undefined;
  return {
    take() {
      const before = process.cpuUsage();
      for (let i = 0; i < 20; i++) JSON.stringify(JSON.parse(SAMPLE));
      const { user, system } = process.cpuUsage(before);
      takenMs += (user + system) / 1000;
    },
    /** What was taken since the last call, over what was taken before the first. */
    read(): number {
      firstMs ??= takenMs;
      const ratio = takenMs / firstMs;
      takenMs = 0;
      return ratio;
    },
  };
}

/** What minutes cost each, in CPU of a machine as busy as at first, and what was held behind them, MiB. */
interface Stretch {
  readonly cpuMs: number;
  readonly memory: number;
}

/** The last third over the second quarter of all stretches, by the median of each. */
function growth(stretches: readonly Stretch[], of: (stretch: Stretch) => number): number {
  const { length } = stretches;
  const early = stretches.slice(Math.floor(length / 4), Math.floor(length / 2));
  const late = stretches.slice(-Math.ceil(length / 3));
  const median = (part: readonly Stretch[]) =>
    part.map(of).sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
  return median(late) / median(early);
}

function expectFlat(name: string, stretches: readonly Stretch[]): void {
  const cpu = growth(stretches, ({ cpuMs }) => cpuMs);
  const memory = growth(stretches, ({ memory: held }) => held);
  report(`${name}: ${cpu.toFixed(2)} × the CPU, ${memory.toFixed(2)} × the memory`);
  expect(cpu, `${name}: CPU of the last minutes over that of the first`).toBeLessThan(MAX_CPU);
  expect(memory, `${name}: memory likewise`).toBeLessThan(MAX_MEMORY);
}

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
      const memory = process.memoryUsage().heapUsed / MIB;
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

/** Seconds of CPU and MiB of a process and its threads. */
function readProcess(pid: number): { readonly cpuMs: number; readonly memory: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const [userTicks, systemTicks, pages] = [fields[11], fields[12], fields[21]].map(Number);
  return {
    cpuMs: ((userTicks ?? 0) + (systemTicks ?? 0)) * 10,
    memory: ((pages ?? 0) * 4096) / MIB,
  };
}

const PROGRAM = fileURLToPath(new URL("../../bin/monitor.js", import.meta.url));

test.runIf(isSoak)(
  "an hour of the built program costs in each minute what the first ones cost",
  async () => {
    const minutes = runs(0, 60);
    const open = (...args: string[]) => {
      const { PATH = "" } = process.env;
      const { pty } = openPty(process.execPath, [PROGRAM, ...args], {
        cols: SIZE.columns,
        rows: SIZE.rows,
        env: { PATH, HOME: "/dev/null", TERM: "xterm-256color", COLORTERM: "truecolor" },
      });
      onTestFinished(() => pty.kill());
      return pty;
    };
    const announced = new Promise<string>((resolve) => {
      let text = "";
      open("simulate").onData((data) => {
        text += data;
        if (text.includes("}}")) resolve(text.replaceAll(/[\r\n]/g, ""));
      });
    });
    const { ws_url, base_url, account } = JSON.parse(await announced);
    const service = ["--ws-url", ws_url, "--base-url", base_url];
    const screens = {
      demo: open("demo"),
      market: open("perp/1", ...service),
      account: open("account", account.address, `${account.subaccount_id}`, ...service),
    };
    for (const { onData } of Object.values(screens)) onData(() => {});
    const names = Object.keys(screens) as (keyof typeof screens)[];
    const stretches = { demo: [], market: [], account: [] } as Record<string, Stretch[]>;
    let before = names.map((name) => readProcess(screens[name].pid));
    const yardstick = createYardstick();
    for (let minute = 1; minute <= minutes; minute++) {
      for (let second = 0; second < 60; second++) {
        await pause(systemClock, 1000, new AbortController().signal);
        yardstick.take();
      }
      const dearer = yardstick.read();
      const now = names.map((name) => readProcess(screens[name].pid));
      for (const [i, name] of names.entries()) {
        const cpuMs = ((now[i]?.cpuMs ?? 0) - (before[i]?.cpuMs ?? 0)) / dearer;
        const { memory } = now[i] ?? { memory: 0 };
        stretches[name]?.push({ cpuMs, memory });
        report(
          `minute ${minute}, ${name}: ${cpuMs.toFixed(0)} ms of CPU, ${memory.toFixed(0)} MiB`,
        );
      }
      before = now;
    }
    for (const name of names) expectFlat(`an hour, ${name}`, stretches[name] ?? []);
  },
  LIMIT_MS,
);
