// 1: CPU of a warm frame of the market, 120x40, six panes, all of which have new data; over it, stock Ink that draws the same cells.
import { EventEmitter } from "node:events";
import { Box, render, Text } from "ink";
import { VIEWS } from "../src/views/views.ts";
import { openRig } from "../test/screen/rig.tsx";
import { createFilledStore } from "../test/views/filled-store.ts";
import { FRAME_MS, receiveMarket } from "./market.ts";
import { cpuMs, inTurns, median, medianRatio, type Row } from "./measure.ts";

const [COLUMNS, ROWS] = [120, 40];
/** Screens that stock Ink repeats. */
const SCREENS = 16;

function openOurs() {
  const store = createFilledStore();
  const rig = openRig({ views: VIEWS, store, columns: COLUMNS, rows: ROWS });
  let n = 0;
  return {
    ...rig,
    /** @returns CPU milliseconds of the frame alone */
    frame(): number {
      receiveMarket(store, ++n);
      rig.clock.advance(FRAME_MS);
      const before = cpuMs();
      rig.terminal.screen.frameNow(true);
      return cpuMs() - before;
    },
  };
}

/** Screens as rows of text with colours, each cut into six parts. */
async function takeScreens(): Promise<readonly string[][][]> {
  const { frame, screen, cells, terminal } = openOurs();
  const screens: string[][][] = [];
  for (let n = 0; n < SCREENS; n++) {
    frame();
    await screen();
    const all = cells();
    const row = (x: number, y: number) =>
      coloured(all.slice(y * COLUMNS + x, y * COLUMNS + x + COLUMNS / 3));
    screens.push(
      Array.from({ length: 6 }, (_, part) =>
        Array.from({ length: ROWS / 2 }, (_, y) =>
          row((part % 3) * (COLUMNS / 3), Math.floor(part / 3) * (ROWS / 2) + y),
        ),
      ),
    );
  }
  terminal.close();
  return screens;
}

/** @param cells as `CHARACTER|#FOREGROUND|…` */
function coloured(cells: readonly string[]): string {
  let [text, before] = ["", "-"];
  for (const cell of cells) {
    const [character = " ", colour = "-"] = cell.split("|");
    if (colour !== before) text += colour.startsWith("#") ? foreground(colour) : "\u001b[39m";
    text += character;
    before = colour;
  }
  return `${text}\u001b[39m`;
}

function foreground(colour: string): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return `\u001b[38;2;${parts.join(";")}m`;
}

/** As a user of Ink would write it: a box for each part, a text for each row. */
function openStock(screens: readonly string[][][]) {
  let bytes = 0;
  // One row more: at full height Ink would erase the whole terminal for each frame.
  const stdout = Object.assign(new EventEmitter(), {
    ...{ isTTY: true, columns: COLUMNS, rows: ROWS + 1 },
    write(text: string) {
      bytes += text.length;
      return true;
    },
  });
  const app = (n: number) => (
    <Box flexWrap="wrap" width={COLUMNS} height={ROWS}>
      {screens[n % SCREENS]?.map((rows, part) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts and rows keep their places
        <Box key={part} flexDirection="column" width={COLUMNS / 3} height={ROWS / 2}>
          {rows.map((row, y) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <Text key={y} wrap="truncate">
              {row}
            </Text>
          ))}
        </Box>
      ))}
    </Box>
  );
  const { rerender, unmount } = render(app(0), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    stdin: Object.assign(new EventEmitter(), { isTTY: false }) as unknown as NodeJS.ReadStream,
    ...{ patchConsole: false, maxFps: 1000 },
  });
  let n = 0;
  return {
    unmount,
    async frame(): Promise<number> {
      const [before, written] = [cpuMs(), bytes];
      rerender(app(++n));
      for (let tries = 0; tries < 100 && bytes === written; tries++)
        await new Promise((resolve) => setTimeout(resolve, 1));
      return cpuMs() - before;
    },
  };
}

export async function measure(): Promise<readonly Row[]> {
  const ours = openOurs();
  const stock = openStock(await takeScreens());
  const [frames = [], stocks = []] = await inTurns(11, [
    () => median(Array.from({ length: 300 }, ours.frame)),
    async () => {
      const costs: number[] = [];
      for (let i = 0; i < 5; i++) costs.push(await stock.frame());
      return median(costs);
    },
  ]);
  stock.unmount();
  ours.terminal.close();
  const what = "CPU of a warm frame of the market, 120x40; times that of stock Ink";
  return [
    {
      ...{ what, unit: "ms", ours: median(frames), goal: ["ours", "≤", 0.1] },
      other: { name: "stock Ink", value: median(stocks) },
    },
    {
      ...{ what: "stock Ink over it", unit: "×", ours: medianRatio(stocks, frames) },
      goal: ["ours", "≥", 250],
    },
  ];
}
