// 1: CPU of a warm frame of 120x40 with ready text in six panes, and stock Ink with the same text over it; and of a frame of the market,
// made from its data, all of which are new.
import { EventEmitter } from "node:events";
import { Box, render, Text } from "ink";
import type { Layout, Slot, View } from "../src/screen/pane.ts";
import { createFilledStore } from "../test/views/filled-store.ts";
import { COLUMNS, drawFrame, openScreen, type Rig, ROWS, receiveMarket } from "./market.ts";
import { compare, cpuMs, inTurns, median, type Row } from "./measure.ts";

/** Screens that are repeated; so many frames are measured in a turn. */
const SCREENS = 16;
const [FRAMES, STOCK_FRAMES] = [300, 5];
const [WIDTH, HEIGHT] = [COLUMNS / 3, ROWS / 2];
const BOXES = [0, 1, 2, 3, 4, 5].map((box) => [(box % 3) * WIDTH, box < 3 ? 0 : HEIGHT] as const);

/** Rows of text, a part of a box. */
type Screens = readonly (readonly string[])[];

const rowsOf = (screens: Screens, n: number, [x, y]: (typeof BOXES)[number]) =>
  screens[n % SCREENS]?.slice(y, y + HEIGHT).map((row) => row.slice(x, x + WIDTH)) ?? [];

const cpuOf = (rig: Rig) => {
  const before = cpuMs();
  drawFrame(rig);
  return cpuMs() - before;
};

/** @returns what draws the next frame of the market, and answers what that alone has cost */
export function openFrames(levels?: number) {
  const store = createFilledStore();
  const rig = openScreen(store);
  let n = 0;
  const frame = () => {
    receiveMarket(store, ++n, levels);
    return cpuOf(rig);
  };
  return { ...rig, frame };
}

function openReady(screens: Screens): () => number {
  let n = 0;
  const ready = BOXES.map((box) => screens.map((_, i) => rowsOf(screens, i, box)));
  const slots = ready.map((rows, box): Slot => {
    const draw: Slot["pane"]["draw"] = (surface, _moment, { theme: { tones } }) => {
      for (const [y, row] of rows[n % SCREENS]?.entries() ?? [])
        surface.text(0, y, row, y % 2 === 0 ? tones.gain : tones.plain);
    };
    return { pane: { name: `${box}`, draw }, grow: 1, min: [1, 1] };
  });
  const layout: Layout = { column: [{ row: slots.slice(0, 3) }, { row: slots.slice(3) }] };
  const view: View = { name: "ready", title: "Ready", key: "R", layout: () => layout };
  const rig = openScreen(createFilledStore(), { views: [view] });
  return () => {
    n++;
    return cpuOf(rig);
  };
}

/** As a user of Ink would write it: six boxes, a text for each row. */
function openStock(screens: Screens): () => Promise<number> {
  let writes = 0;
  const write = () => {
    writes++;
    return true;
  };
  // One row more: at full height Ink would erase the whole terminal for each frame.
  const size = { isTTY: true, columns: COLUMNS, rows: ROWS + 1 };
  const stdout = Object.assign(new EventEmitter(), { ...size, write });
  const app = (n: number) => (
    <Box flexWrap="wrap" width={COLUMNS} height={ROWS}>
      {BOXES.map((box) => (
        <Box key={`${box}`} flexDirection="column" width={WIDTH} height={HEIGHT}>
          {rowsOf(screens, n, box).map((row, y) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their places
            <Text key={y} wrap="truncate" color={y % 2 === 0 ? "green" : "white"}>
              {row}
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
  const many = (draw: () => number) => () => median(Array.from({ length: FRAMES }, draw));
  const stock = openStock(screens);
  const [ready = [], stocks = [], market = []] = await inTurns(11, [
    many(openReady(screens)),
    async () => {
      const costs: number[] = [];
      for (let i = 0; i < STOCK_FRAMES; i++) costs.push(await stock());
      return median(costs);
    },
    many(frame),
  ]);
  const what = "CPU of a warm frame of ready text, 120x40, six panes";
  return [
    { what, unit: "ms", ours: median(ready), goal: ["ours", "≤", 0.1] },
    compare("the same in stock Ink over it", "ms", [ready, stocks], ["stock Ink", "≥", 250]),
    { what: "the same of the market, from its data", unit: "ms", ours: median(market) },
  ];
}
