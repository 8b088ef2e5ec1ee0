// A watch of hours over a scenario, on a virtual clock: all of it, over real sockets, against the ledger.
import { Readable, Writable } from "node:stream";
import type { Context } from "../../src/args/context.ts";
import { runWatch } from "../../src/live/watch.ts";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import { createRandom } from "../../src/units/random.ts";
import { startTruthfulSimulator } from "../simulator/ledger.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { CrossingOracle, type WatchLine } from "./watch-oracle.ts";

const MARKET = ["perp", 1] as const;
/** Levels on each side of the first price, and how far they are apart, in parts of ten thousand. */
const LEVELS = 20;
const APART = 4n;
const JUDGE_MS = 60_000;
/** A best price that fired was that of the ledger not long ago. */
const FRESH_MS = 2500;

export interface WatchDayOptions {
  readonly scenario: string;
  readonly seed: number;
  readonly forMs: number;
  /** What happens within one step arrives together. */
  readonly stepMs: number;
  /** Called once in every simulated hour. */
  readonly onHour?: (hour: number) => void;
}

export interface WatchDay {
  /** Empty when all is well. */
  readonly wrong: readonly string[];
  readonly crossings: number;
  readonly fired: number;
  readonly missed: number;
  readonly notEvaluated: number;
  readonly bestPriceFirings: number;
  readonly code: number;
}

export async function watchForADay(options: WatchDayOptions): Promise<WatchDay> {
  const { scenario, seed, forMs, stepMs, onHour } = options;
  const clock = createVirtualClock();
  watchLoopback();
  const simulator = await startTruthfulSimulator({
    ...{ seed, clock, history: 100, port: 0 },
    scenario: loadScenario(scenario),
  });
  const { ledger, announcement } = simulator;
  const first = BigInt(ledger.trades(...MARKET).at(-1)?.trade.price_ticks ?? "1");
  const oracles = new Map<string, CrossingOracle>();
  for (let i = -LEVELS; i <= LEVELS; i++) {
    const level = first + (first * BigInt(i) * APART) / 10_000n;
    for (const [sign, isAbove] of [
      [">", true],
      ["<", false],
    ] as const) {
      const rule = `perp/1 last ${sign} ${level} ticks every 0s`;
      oracles.set(rule, new CrossingOracle(rule, level, isAbove, clock.wall()));
    }
  }
  const bestRules = [
    `perp/1 bid > ${first} ticks every 0s`,
    `perp/1 ask < ${first} ticks every 0s`,
  ];
  const best = new Map<bigint, number>();
  const wrong: string[] = [];
  const counts = { notEvaluated: 0, bestPriceFirings: 0 };

  const take = (line: WatchLine) => {
    if (line.event === "not evaluated") counts.notEvaluated++;
    oracles.get(line.rule)?.line(line, clock.wall());
    if (line.event !== "alert" || !bestRules.includes(line.rule)) return;
    counts.bestPriceFirings++;
    const seenMs = best.get(BigInt(line.value ?? "-1")) ?? 0;
    if (seenMs < clock.wall() - FRESH_MS)
      wrong.push(`${line.rule} fired from old data: ${line.value}`);
  };
  const stop = ledger.onTransaction(() => {
    const { bids, asks } = ledger.book(...MARKET);
    for (const level of [bids[0], asks[0]]) {
      if (level !== undefined) best.set(BigInt(level.price_ticks), Number.POSITIVE_INFINITY);
    }
  });
  const end = new AbortController();
  let rest = "";
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) take(JSON.parse(line));
      done();
    },
  });
  const context: Context = {
    ...{ stdin: Readable.from([]), stdout, stderr: stdout, env: {}, args: [], clock },
    options: { alert: [...oracles.keys(), ...bestRules] },
    random: createRandom(seed),
    interrupt: end.signal,
  };
  const code = runWatch(context, {
    ...{
      service: { url: announcement.ws_url, headers: {} },
      config: {},
      markets: [],
      accounts: [],
    },
    ...{ knownScales: {}, parts: [], isEndless: false, follow: () => () => {} },
  });
  let lastIndex = ledger.lastIndex;
  let lastBest: readonly bigint[] = [];
  for (let passed = 0; passed < forMs; passed += stepMs) {
    clock.advance(stepMs);
    const nowMs = clock.wall();
    for (const { index, trade } of ledger.trades(...MARKET, lastIndex)) {
      lastIndex = index;
      for (const oracle of oracles.values()) oracle.trade(BigInt(trade.price_ticks), nowMs);
    }
    // Best prices of this step, and that of now until it changes.
    for (const [price, at] of best) if (at === Number.POSITIVE_INFINITY) best.set(price, nowMs);
    const { bids, asks } = ledger.book(...MARKET);
    lastBest = [bids[0], asks[0]].flatMap((level) => (level ? BigInt(level.price_ticks) : []));
    for (const price of lastBest) best.set(price, nowMs);
    await settleLoopback();
    if ((passed + stepMs) % JUDGE_MS === 0) {
      for (const oracle of oracles.values()) oracle.settle(nowMs);
      for (const [price, at] of best) if (at < nowMs - JUDGE_MS) best.delete(price);
    }
    if ((passed + stepMs) % 3_600_000 === 0) onHour?.((passed + stepMs) / 3_600_000);
  }
  stop();
  end.abort("SIGTERM");
  await settleLoopback();
  const sum = (of: (oracle: CrossingOracle) => number) =>
    [...oracles.values()].reduce((all, oracle) => all + of(oracle), 0);
  const result = {
    ...counts,
    wrong: [...wrong, ...[...oracles.values()].flatMap((oracle) => oracle.wrong)],
    crossings: sum(({ crossings }) => crossings),
    fired: sum(({ fired }) => fired),
    missed: sum(({ missed }) => missed),
    code: await code,
  };
  await simulator.close();
  return result;
}
