// 1: CPU of a warm frame of the market, 120x40, six panes, all of which have new data; stock Ink draws the same text over it.
import { EventEmitter } from "node:events";
import { Box, render, Text } from "ink";
import { createFilledStore } from "../test/views/filled-store.ts";
import { COLUMNS, drawFrame, openScreen, ROWS, receiveMarket } from "./market.ts";
import { compare, cpuMs, inTurns, median, type Row } from "./measure.ts";

/** Screens that stock Ink repeats; so many frames are measured in a turn. */
const SCREENS = 16;
const [FRAMES, STOCK_FRAMES] = [300, 5];

/** @returns what draws the next frame, and answers what that alone has cost */
export function openFrames(levels?: number) {
  const store = createFilledStore();
  const rig = openScreen(store);
  let n = 0;
  const frame = () => {
    receiveMarket(store, ++n, levels);
    const before = cpuMs();
    drawFrame(rig);
    return cpuMs() - before;
  };
  return { ...rig, frame };
}

/** As a user of Ink would write it, without colours: six boxes, a text for each row. */
function openStock(screens: readonly (readonly string[])[]) {
  let writes = 0;
  const write = () => {
    writes++;
    return true;
  };
  // One row more: at full height Ink would erase the whole terminal for each frame.
  const size = { isTTY: true, columns: COLUMNS, rows: ROWS + 1 };
  const stdout = Object.assign(new EventEmitter(), { ...size, write });
  const width = COLUMNS / 3;
  const boxes = [0, 1, 2, 3, 4, 5].map(
    (box) => [(box % 3) * width, box < 3 ? 0 : ROWS / 2] as const,
  );
  const app = (n: number) => (
    <Box flexWrap="wrap" width={COLUMNS} height={ROWS}>
      {boxes.map(([x, y]) => (
        <Box key={`${x}/${y}`} flexDirection="column" width={width} height={ROWS / 2}>
          {Array.from({ length: ROWS / 2 }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their places
            <Text key={row} wrap="truncate">
              {screens[n % SCREENS]?.[y + row]?.slice(x, x + width)}
            </Text>
          ))}
        </Box>
      ))}
    </Box>
  );
  const stdin = Object.assign(new EventEmitter(), { isTTY: false });
  const { rerender } = render(app(0), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: stdin as unknown as NodeJS.ReadStream,
    ...{ patchConsole: false, maxFps: 1000 },
  });
  let n = 0;
  return async () => {
    const [before, written] = [cpuMs(), writes];
    rerender(app(++n));
    for (let tries = 0; tries < 100 && writes === written; tries++)
      await new Promise((resolve) => setTimeout(resolve, 1));
    return cpuMs() - before;
  };
}

export async function measure(): Promise<readonly Row[]> {
  const { frame, screen } = openFrames();
  const screens: string[][] = [];
  for (let n = 0; n < SCREENS; n++) {
    frame();
    screens.push((await screen()).split("\n"));
  }
  const stock = openStock(screens);
  const sides = [
    () => median(Array.from({ length: FRAMES }, frame)),
    async () => {
      const costs: number[] = [];
      for (let i = 0; i < STOCK_FRAMES; i++) costs.push(await stock());
      return median(costs);
    },
  ];
  const costs = await inTurns(11, sides);
  const what = "CPU of a warm frame of the market, 120x40";
  const ours = median(costs[0] ?? []);
  return [
    { what, unit: "ms", ours, goal: ["ours", "≤", 0.1] },
    compare("stock Ink over it", "ms", costs, ["stock Ink", "≥", 250]),
  ];
}
