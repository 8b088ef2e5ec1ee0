// How cost grows, for the picture: CPU over updates a second, frame time over levels of the book and rows of a table, export over rows.
import { createFilledStore, fold } from "../test/views/filled-store.ts";
import { secondsOf } from "./export.ts";
import { openFrames } from "./frame.tsx";
import { drawFrame, openScreen } from "./market.ts";
import { cpuMs, median } from "./measure.ts";
import type { Panel, Point } from "./picture.ts";
import { activityOf, measureShares } from "./processes.ts";

const ACTIVITIES = [0.1, 5, 60, 720];
const SIZES = [100, 1000, 10_000];
const ROWS = [10_000, 100_000, 1_000_000];
/** The first half warms up. */
const FRAMES = 600;

function levelsFrame(levels: number): number {
  const { frame } = openFrames(levels);
  return median(Array.from({ length: FRAMES }, frame).slice(FRAMES / 2));
}

/** Of the list of markets, while the prices of one change. */
function rowsFrame(rows: number): number {
  const store = createFilledStore();
  const scale = { type: "perp", tick_size: "0.01", lot_size: "0.0001" };
  const markets = Array.from({ length: rows }, (_, i) => ({
    ...{ market_id: i + 1, symbol: `M${i}-PERP`, ...scale },
  }));
  const stats = (i: number) => ({ market_id: i + 1, last_price: `${1000 + i}.5`, change_24h: "1" });
  fold(store, "markets", { markets });
  fold(store, "market-stats/perp", { market_stats: markets.map((_, i) => stats(i)) });
  const screen = openScreen(store);
  screen.type("M");
  const frames = Array.from({ length: FRAMES }, (_, n) => {
    fold(store, "market-stats/perp", { market_stats: [stats(n % rows)] });
    const before = cpuMs();
    drawFrame(screen);
    return cpuMs() - before;
  });
  return median(frames.slice(FRAMES / 2));
}

export async function measure(): Promise<readonly Panel[]> {
  const [ours, bare]: [Point[], Point[]] = [[], []];
  for (const activity of ACTIVITIES) {
    const shares = await measureShares({ service: activityOf(activity) });
    const rate = median(shares.updates);
    ours.push([rate, median(shares.ours)]);
    bare.push([rate, median(shares.bare)]);
  }
  const exported: Point[] = [];
  for (const rows of ROWS) exported.push([rows, await secondsOf(rows)]);
  const levels = SIZES.map((size): Point => [size, levelsFrame(size)]);
  const rows = SIZES.map((size): Point => [size, rowsFrame(size)]);
  return [
    { x: "updates/s", y: "% of a core", lines: { program: ours, "bare client": bare } },
    { x: "levels, rows", y: "ms a frame", lines: { "levels of the book": levels, markets: rows } },
    { x: "rows", y: "s of an export", lines: { program: exported } },
  ];
}
