// S7: from process start to the first frame on the terminal, compared with a bare Node that writes one word; and the time and memory
// that the watcher of the terminal adds.
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure, figure } from "./harness/figure.ts";
import { PROGRAM } from "./harness/places.ts";
import { measureInTurns, median, medianRatio } from "./harness/statistics.ts";
import { FRAME_END, TerminalProcess } from "./harness/terminal-process.ts";
import { unwatched, watched, watcherMemory, workOf } from "./harness/unwatched.ts";

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
  const [bare = [], ...ours] = await measureInTurns(slices, effort.pick(31, 1));
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
  const work: number[][] = [[], []];
  const [withIt = [], without = []] = await measureInTurns(
    [
      () =>
        timeToFrame(watched(NOBODY), (pid) => {
          work[0]?.push(workOf(pid));
          memory.push(watcherMemory(pid));
        }),
      () => timeToFrame(unwatched(NOBODY), (pid) => work[1]?.push(workOf(pid))),
    ],
    effort.pick(101, 1),
  );
  const added = (above: readonly number[] = [], below: readonly number[] = []) =>
    median(above.map((each, i) => each - (below[i] ?? Number.NaN)));
  const own = median(memory.map((each) => each.own)) / MEGABYTE;
  return [
    figure(
      "S7",
      "added to that by the watcher, median of pairs",
      "ms",
      added(withIt, without),
      atMost("ours", 5),
    ),
    figure("", "added to the work of the main thread", "ms", added(work[0], work[1])),
    figure(
      "S7",
      "memory of the watcher",
      "MB",
      median(memory.map(({ share }) => share)) / MEGABYTE,
      atMost("ours", 5),
    ),
    figure("", "of that, nobody else's", "MB", own),
  ];
}

await runBench(async (effort) => [...(await overBareNode(effort)), ...(await ofWatcher(effort))]);
