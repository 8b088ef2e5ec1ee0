// A watch of hours over a scenario, on a virtual clock: all of it, over real sockets, against the ledger.
import { Readable, Writable } from "node:stream";
import type { Context } from "../../src/args/context.ts";
import { runWatch } from "../../src/live/watch.ts";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import { createRandom } from "../../src/units/random.ts";
import { type Ledger, startTruthfulSimulator } from "../simulator/ledger.ts";
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
const HOUR_MS = 3_600_000;

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

/** Best prices of the ledger, and when each was last one. */
class BestPrices {
  readonly wrong: string[] = [];
  fired = 0;
  readonly #ledger: Ledger;
  readonly #seenMs = new Map<bigint, number>();
  readonly #stop: () => void;
  /** Prices of the step that goes on. */
  readonly #fresh = new Set<bigint>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#stop = ledger.onTransaction(() => this.#note());
  }

  #note(): void {
    const { bids, asks } = this.#ledger.book(...MARKET);
    for (const level of [bids[0], asks[0]]) {
      if (level !== undefined) this.#fresh.add(BigInt(level.price_ticks));
    }
  }

  /** A step is over. */
  settle(nowMs: number): void {
    this.#note();
    for (const price of this.#fresh) this.#seenMs.set(price, nowMs);
    this.#fresh.clear();
    for (const [price, atMs] of this.#seenMs) {
      if (atMs < nowMs - JUDGE_MS) this.#seenMs.delete(price);
    }
  }

  line({ event, rule, value }: WatchLine, nowMs: number): void {
    if (event !== "alert") return;
    this.fired++;
    const seenMs = this.#seenMs.get(BigInt(value ?? "-1")) ?? Number.NEGATIVE_INFINITY;
    if (seenMs < nowMs - FRESH_MS) this.wrong.push(`${rule} fired from old data: ${value}`);
  }

  stop(): void {
    this.#stop();
  }
}

/** Rules of levels around a price, each with its oracle. */
function openOracles(price: bigint, startMs: number): ReadonlyMap<string, CrossingOracle> {
  const sides = [
    [">", true],
    ["<", false],
  ] as const;
  const levels = Array.from(
    { length: LEVELS * 2 + 1 },
    (_, i) => price + (price * BigInt(i - LEVELS) * APART) / 10_000n,
  );
  return new Map(
    levels.flatMap((level) =>
      sides.map(([sign, isAbove]) => {
        const rule = `perp/1 last ${sign} ${level} ticks every 0s`;
        return [rule, new CrossingOracle(rule, level, isAbove, startMs)] as const;
      }),
    ),
  );
}

/** Gives each whole line to the callback. */
function collectLines(onLine: (line: WatchLine) => void): Writable {
  let rest = "";
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(JSON.parse(line));
      done();
    },
  });
}

export async function watchForADay(options: WatchDayOptions): Promise<WatchDay> {
  const { scenario, seed, forMs, stepMs, onHour = () => {} } = options;
  const clock = createVirtualClock();
  watchLoopback();
  const simulator = await startTruthfulSimulator({
    seed,
    clock,
    history: 100,
    port: 0,
    scenario: loadScenario(scenario),
  });
  const { ledger, announcement } = simulator;
  const price = BigInt(ledger.trades(...MARKET).at(-1)?.trade.price_ticks ?? "1");
  const oracles = openOracles(price, clock.wall());
  const bestRules = [
    `perp/1 bid > ${price} ticks every 0s`,
    `perp/1 ask < ${price} ticks every 0s`,
  ];
  const best = new BestPrices(ledger);
  let notEvaluated = 0;
  const stdout = collectLines((line) => {
    if (line.event === "not evaluated") notEvaluated++;
    oracles.get(line.rule)?.line(line, clock.wall());
    if (bestRules.includes(line.rule)) best.line(line, clock.wall());
  });
  const end = new AbortController();
  const context: Context = {
    stdin: Readable.from([]),
    stdout,
    stderr: stdout,
    env: {},
    args: [],
    clock,
    options: { alert: [...oracles.keys(), ...bestRules] },
    random: createRandom(seed),
    interrupt: end.signal,
    onHangup: () => () => {},
  };
  const code = runWatch(context, {
    ...{
      service: { url: announcement.ws_url, headers: {} },
      config: {},
      markets: [],
      accounts: [],
    },
    openRecorder: () => Promise.reject(new Error("no alert records")),
    knownScales: {},
    parts: [],
    isEndless: false,
    follow: () => () => {},
  });
  const each = (judge: (oracle: CrossingOracle) => void) => {
    for (const oracle of oracles.values()) judge(oracle);
  };
  let lastIndex = ledger.lastIndex;
  for (let passedMs = stepMs; passedMs <= forMs; passedMs += stepMs) {
    clock.advance(stepMs);
    const nowMs = clock.wall();
    for (const { index, trade } of ledger.trades(...MARKET, lastIndex)) {
      lastIndex = index;
      each((oracle) => oracle.trade(BigInt(trade.price_ticks), nowMs));
    }
    best.settle(nowMs);
    await settleLoopback();
    if (passedMs % JUDGE_MS === 0) each((oracle) => oracle.settle(nowMs));
    if (passedMs % HOUR_MS === 0) onHour(passedMs / HOUR_MS);
  }
  each((oracle) => oracle.settle(clock.wall(), JUDGE_MS));
  best.stop();
  end.abort("SIGTERM");
  await settleLoopback();
  const result = { notEvaluated, bestPriceFirings: best.fired, code: await code };
  await simulator.close();
  return { ...result, ...sumOf([...oracles.values()], best) };
}

function sumOf(oracles: readonly CrossingOracle[], best: BestPrices) {
  const sum = (of: (oracle: CrossingOracle) => number) =>
    oracles.reduce((all, oracle) => all + of(oracle), 0);
  return {
    wrong: [...best.wrong, ...oracles.flatMap(({ wrong }) => wrong)],
    crossings: sum(({ crossings }) => crossings),
    fired: sum(({ fired }) => fired),
    missed: sum(({ missed }) => missed),
  };
}
