// P1, P6, S4, S5: the program on a real terminal under 10,000 updates a second: CPU, frames, bytes, and from a key to the first byte
// of its response. Takes two minutes.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { runBench } from "./harness/bench.ts";
import { atLeast, atMost, type Effort, type Figure, figure } from "./harness/figure.ts";
import { PARSER } from "./harness/places.ts";
import { median, medianRatio, quantile } from "./harness/statistics.ts";
import { sleep, startWatchedMonitor, type WatchedMonitor } from "./harness/watched-monitor.ts";

/** A key with the text that only it draws, and the key that undoes it with its text. */
interface MeasuredKey {
  readonly key: string;
  readonly answer: string;
  readonly back: string;
  readonly isBack: string;
}

/** Freezes the screen, which is shown in every part of it. */
const FREEZE: MeasuredKey = { key: "f", answer: "FROZEN", back: "f", isBack: "live" };
/** Scrolls the trades, which then have the focus: their title shows it, and is a plain line after the undo. */
const SCROLL: MeasuredKey = { key: "j", answer: "scrolled", back: "g", isBack: "────────" };
const FOCUS_TRADES = "\u001b[Z";
/** Mean pause between keys, as a person types. */
const PAUSE_MS = 40;
/** /proc counts in hundredths of a second. */
const MS_PER_TICK = 10;

/** CPU milliseconds used by a process so far. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Until then V8 is still compiling hot code. */
const WARM_UP_MS = 25_000;
/** Limit for waiting for a frame. */
const GIVEN_UP_MS = 30_000;

/** Cost of the program once warm; also, without a goal, of its first seconds. */
async function measureLoad(monitor: WatchedMonitor, effort: Effort): Promise<Figure[]> {
  const first = await measureShare(monitor, effort);
  await sleep(effort.pick(WARM_UP_MS, 0));
  return [
    ...(await measureShare(monitor, effort)),
    ...first
      .slice(0, 2)
      .map(({ what, unit, ours }) => ({ id: "", what: `${what}, first seconds`, unit, ours })),
  ];
}

async function measureShare({ terminal }: WatchedMonitor, effort: Effort): Promise<Figure[]> {
  const before = { frames: terminal.frames, bytes: terminal.bytes, cpu: cpuMsOf(terminal.pid) };
  const startedAt = performance.now();
  await sleep(effort.pick(10_000, 100));
  // In a smoke run on a busy machine there may be no frame yet.
  const isLost = () => performance.now() - startedAt > GIVEN_UP_MS;
  while (terminal.frames === before.frames && !isLost()) await sleep(100);
  const taken = performance.now() - startedAt;
  const frames = terminal.frames - before.frames;
  return [
    figure(
      "S4",
      "frames a second at 10,000 updates/s",
      "",
      (frames * 1000) / taken,
      atLeast("ours", 58),
    ),
    figure(
      "S4",
      "share of a core at 10,000 updates/s",
      "%",
      ((cpuMsOf(terminal.pid) - before.cpu) * 100) / taken,
      atMost("ours", 12),
    ),
    figure(
      "S3",
      "bytes of a frame of a busy market",
      "KB",
      (terminal.bytes - before.bytes) / frames / 1024,
    ),
    figure(
      "P6",
      "to the terminal in a second, 60 frames",
      "KB",
      ((terminal.bytes - before.bytes) * 1000) / taken / 1024,
      atMost("ours", 110),
    ),
  ];
}

/** Bytes with ten frames a second. */
async function measureSlowFrames(effort: Effort): Promise<Figure> {
  const monitor = await startWatchedMonitor({ args: ["--fps", "10"] });
  await sleep(effort.pick(2000, 0));
  const before = monitor.terminal.bytes;
  const startedAt = performance.now();
  await sleep(effort.pick(10_000, 100));
  const taken = performance.now() - startedAt;
  const bytes = monitor.terminal.bytes - before;
  await monitor.end();
  return figure(
    "P6",
    "to the terminal in a second, 10 frames",
    "KB",
    (bytes * 1000) / taken / 1024,
    atMost("ours", 20),
  );
}

/** Cost of the warm program compared with a client that reads and parses the same frames at the same time. */
async function measureOverParser(
  { terminal, url }: WatchedMonitor,
  effort: Effort,
): Promise<Figure> {
  const parser = fork(PARSER, [url], { execArgv: [] });
  await sleep(effort.pick(5000, 200));
  const ours: number[] = [];
  const least: number[] = [];
  const pids = [terminal.pid, parser.pid ?? 0] as const;
  for (let slice = 0; slice < effort.pick(9, 1); slice++) {
    const startedAt = performance.now();
    const before = pids.map(cpuMsOf);
    await sleep(effort.pick(3000, 100));
    const taken = performance.now() - startedAt;
    const [own = 0, bare = 0] = pids.map((pid, i) => (cpuMsOf(pid) - (before[i] ?? 0)) / taken);
    ours.push(own * 100);
    least.push(bare * 100);
  }
  parser.disconnect();
  return {
    id: "P1",
    what: "share of a core at 10,000 updates/s, over a client that parses",
    unit: "%",
    ours: median(ours),
    other: { name: "ws + JSON.parse", value: median(least) },
    ratio: medianRatio(ours, least),
    goal: atMost("ratio", 1.6),
  };
}

async function measureKeys(
  { terminal }: WatchedMonitor,
  effort: Effort,
  { key, answer, back, isBack }: MeasuredKey,
): Promise<number[]> {
  const times: number[] = [];
  const pause = (i: number) => sleep(PAUSE_MS * (0.5 + ((i * 7) % 10) / 10));
  for (let i = 0; i < effort.pick(200, 2); i++) {
    const shown = terminal.shows(answer);
    const start = performance.now();
    terminal.type(key);
    await shown;
    times.push(performance.now() - start);
    await pause(i);
    // The next key must wait until the first one is undone.
    const isAsBefore = terminal.shows(isBack);
    terminal.type(back);
    await isAsBefore;
    await pause(i + 3);
  }
  return times;
}

await runBench(async (effort) => {
  const monitor = await startWatchedMonitor();
  await sleep(effort.pick(2000, 0));
  const load = await measureLoad(monitor, effort);
  const overParser = await measureOverParser(monitor, effort);
  const keys = await measureKeys(monitor, effort, FREEZE);
  monitor.terminal.type(FOCUS_TRADES);
  await sleep(PAUSE_MS);
  const ofOnePane = await measureKeys(monitor, effort, SCROLL);
  await monitor.end();
  const goals = [[0.5, 1] as const, [0.95, 4] as const, [0.99, 8] as const];
  const latency = goals.flatMap(([part, most]): Figure[] => [
    figure(
      "S5",
      `key to its first byte at 10,000 updates/s, p${part * 100}`,
      "ms",
      quantile(keys, part),
      atMost("ours", most),
    ),
    figure(
      "",
      `the same of a key that scrolls one pane, p${part * 100}`,
      "ms",
      quantile(ofOnePane, part),
    ),
  ]);
  return [...load, overParser, await measureSlowFrames(effort), ...latency];
});
