// S7: from the start of the process to its first frame on the terminal, over a bare Node that writes one word.
import { runBench } from "./harness/bench.ts";
import { atMost, type Figure } from "./harness/figure.ts";
import { PROGRAM } from "./harness/places.ts";
import { median, medianRatio, takeTurns } from "./harness/statistics.ts";
import { FRAME_END, TerminalProcess } from "./harness/terminal-process.ts";

const BARE = ["-e", `process.stdout.write(${JSON.stringify(FRAME_END)})`];
const COMMANDS: readonly (readonly string[])[] = [
  ["demo"],
  ["perp/1", "--ws-url", "ws://127.0.0.1:9"],
];

async function timeToFrame(args: readonly string[]): Promise<number> {
  const start = performance.now();
  const terminal = new TerminalProcess(args);
  await terminal.shows(FRAME_END);
  const taken = performance.now() - start;
  await terminal.end();
  return taken;
}

await runBench(async (effort) => {
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
});
