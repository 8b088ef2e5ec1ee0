// T1, T12: text to a checked frame, compared with JSON.parse alone; cost of the schemas at the start.
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure, figure } from "./harness/figure.ts";
import { cpuMs, measureInTurns, median, medianRatio, timed } from "./harness/statistics.ts";
import { mixedTraffic, Traffic } from "./harness/traffic.ts";

// Loaded here to measure what a start pays for the schemas.
const cpuBefore = cpuMs();
const { createDecoder } = await import("../src/wire/decode.ts");
const importMs = cpuMs() - cpuBefore;
const traffic = new Traffic(7);

function pool(count: number, make: () => string): string[] {
  return Array.from({ length: count }, make);
}

async function compare(what: string, messages: readonly string[], effort: Effort): Promise<Figure> {
  const decoder = createDecoder();
  const rounds = Math.max(1, Math.round(effort.pick(2_000_000, 40_000) / lengthOf(messages)));
  const repeat = (work: (message: string) => void) =>
    timed(() => {
      for (let round = 0; round < rounds; round++) for (const message of messages) work(message);
    });
  const decode = (message: string) => {
    if (!decoder.decode(message).ok) throw new Error(`not accepted: ${message}`);
  };
  const [ours = [], parse = []] = await measureInTurns(
    [repeat(decode), repeat(JSON.parse)],
    effort.pick(31, 1),
  );
  const toMicroseconds = 1000 / (rounds * messages.length);
  return {
    id: "",
    what: `decode a frame, ${what}`,
    unit: "µs",
    ours: median(ours) * toMicroseconds,
    other: { name: "JSON.parse", value: median(parse) * toMicroseconds },
    ratio: medianRatio(ours, parse),
  };
}

function lengthOf(messages: readonly string[]): number {
  return messages.reduce((sum, { length }) => sum + length, 0);
}

/** The first frame of each kind compiles its schema. The leading space keeps it from the fast reader, which needs no schema. */
function measureStart(messages: readonly string[]): Figure {
  const start = cpuMs();
  for (const message of messages) createDecoder().decode(` ${message}`);
  const ours = importMs + cpuMs() - start;
  const what = "CPU to load zod and compile the schemas of five channel kinds";
  return figure("T12", what, "ms", ours, atMost("ours", 50));
}

await runBench(async (effort) => {
  const kinds: readonly (readonly [what: string, count: number, make: () => string])[] = [
    ["bbo", 1000, () => traffic.move().bbo()],
    ["book of 2 × 25", 150, () => traffic.book(25)],
    ["book of 2 × 200", 20, () => traffic.book(200)],
    ["one trade", 1000, () => traffic.trades(1)],
    ["20 trades", 150, () => traffic.trades(20)],
    ["candle", 600, () => traffic.candles()],
    ["account", 80, () => traffic.account(20, 5)],
  ];
  // Before the pools are made: V8 then compiles and collects in other threads, whose CPU would be counted.
  const start = measureStart(kinds.map(([, , make]) => make()));
  const mixed = await compare("mixed traffic", mixedTraffic(7, effort.pick(1, 0.02)), effort);
  const figures: Figure[] = [{ ...mixed, id: "T1", goal: atMost("ratio", 1.25) }];
  for (const [what, count, make] of kinds) {
    const messages = pool(Math.min(count, effort.pick(1000, 10)), make);
    figures.push(await compare(what, messages, effort));
  }
  return [...figures, start];
});
