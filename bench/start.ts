// S7: from the start of the process to its first frame on the terminal, over a bare Node that writes one word; and what
// the watcher of the terminal adds to that, and takes.
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { PROGRAM } from "./harness/places.ts";
import { median, medianRatio, takeTurns } from "./harness/statistics.ts";
import { FRAME_END, TerminalProcess } from "./harness/terminal-process.ts";
import { unwatched, watched, watcherMemory } from "./harness/unwatched.ts";

const MEGABYTE = 1024 * 1024;
const BARE = ["-e", `process.stdout.write(${JSON.stringify(FRAME_END)})`];
const NOBODY = ["perp/1", "--ws-url", "ws://127.0.0.1:9"];
const COMMANDS: readonly (readonly string[])[] = [["demo"], NOBODY];

async function timeToFrame(
  args: readonly string[],
  atFrame: (pid: number) => void = () => {},
): Promise<number> {
  const start = performance.now();
  const terminal = new TerminalProcess(args);
  await terminal.shows(FRAME_END);
  const taken = performance.now() - start;
  atFrame(terminal.pid);
  await terminal.end();
  return taken;
}

async function overBareNode(effort: Effort): Promise<Figure[]> {
  const ways = [BARE, ...COMMANDS.map((command) => [PROGRAM, ...command])];
  const slices = ways.map((args) => () => timeToFrame(args));
  const [bare = [], ...ours] = await takeTurns(slices, effort.pick(31, 1));
  return COMMANDS.map(([name = ""], i): Figure => {
    const times = ours[i] ?? [];
    return {
      id: "S7",
      what: `start to first frame, monitor ${name}`,
      unit: "ms",
      ours: median(times),
      other: { name: "bare Node", value: median(bare) },
      ratio: medianRatio(times, bare),
      goal: atMost("ratio", 2.6),
    };
  });
}

async function ofWatcher(effort: Effort): Promise<Figure[]> {
  const memory: ReturnType<typeof watcherMemory>[] = [];
  const [withIt = [], without = []] = await takeTurns(
    [
      () => timeToFrame(watched(NOBODY), (pid) => memory.push(watcherMemory(pid))),
      () => timeToFrame(unwatched(NOBODY)),
    ],
    effort.pick(101, 1),
  );
  return [
    {
      id: "S7",
      what: "added to that by the watcher, median of pairs",
      unit: "ms",
      ours: median(withIt.map((each, i) => each - (without[i] ?? Number.NaN))),
      goal: atMost("ours", 5),
    },
    {
      id: "S7",
      what: "memory of the watcher",
      unit: "MB",
      ours: median(memory.map(({ share }) => share)) / MEGABYTE,
      goal: atMost("ours", 5),
    },
    {
      id: "",
      what: "of that, nobody else's",
      unit: "MB",
      ours: median(memory.map(({ own }) => own)) / MEGABYTE,
    },
  ];
}

await runBench(async (effort) => [...(await overBareNode(effort)), ...(await ofWatcher(effort))]);
