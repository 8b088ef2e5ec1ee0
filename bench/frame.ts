// S1, S2, S3, S8: cost of a dashboard frame on our screen, compared with the lower limit of bare cells and with stock Ink.
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure, figure } from "./harness/figure.ts";
import { createPanes, FRAME_COUNT, type Way } from "./harness/screen/dashboard-panes.ts";
import { Limit } from "./harness/screen/limit.ts";
import { createOurs } from "./harness/screen/ours.ts";
import { createStockInk } from "./harness/screen/stock-ink.tsx";
import { cpuMs, measureInTurns, median, medianRatio, quantile } from "./harness/statistics.ts";

/** Percentage of rows that change between frames: about 1.7 KB a frame on 120 × 40. */
const USUAL_SHARE = 38;
const KILOBYTE = 1024;

/** CPU milliseconds a frame of each implementation, without pauses. */
function measureWarm(ways: readonly Way[], effort: Effort): Promise<number[][]> {
  const frames = effort.pick(600, 20);
  const slices = ways.map(({ frame }) => () => {
    const start = cpuMs();
    for (let index = 0; index < frames; index++) frame(index);
    return (cpuMs() - start) / frames;
  });
  return measureInTurns(slices, effort.pick(31, 1));
}

/** Milliseconds of each frame at 60 frames a second, when nothing stays warm. */
async function measurePaced({ frame }: Way, effort: Effort): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < effort.pick(420, 3); index++) {
    await new Promise((resolve) => setTimeout(resolve, 1000 / 60));
    const start = performance.now();
    frame(index);
    times.push(performance.now() - start);
  }
  return times;
}

function heapGrowth({ frame }: Way, effort: Effort): number {
  const frames = effort.pick(20_000, 50);
  for (let index = 0; index < effort.pick(1000, 10); index++) frame(index);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < frames; index++) frame(index);
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / frames;
}

function bytesAFrame({ frame }: Way): number {
  return median(Array.from({ length: FRAME_COUNT }, (_, index) => frame(index)));
}

async function measureStock(columns: number, rows: number, effort: Effort) {
  const stock = createStockInk(columns, rows, createPanes(columns, rows, USUAL_SHARE));
  const cpu: number[] = [];
  const bytes: number[] = [];
  for (let index = 0; index < effort.pick(100, 2); index++) {
    const start = cpuMs();
    bytes.push(await stock.frame(index));
    cpu.push(cpuMs() - start);
  }
  stock.unmount();
  return { cpu: median(cpu), bytes: median(bytes) };
}

async function measureUsual(effort: Effort): Promise<Figure[]> {
  const [columns, rows] = [120, 40];
  const panes = createPanes(columns, rows, USUAL_SHARE);
  const ours = await createOurs(columns, rows, panes);
  const limit = new Limit(columns, rows, panes);
  const saturated = await createOurs(columns, rows, createPanes(columns, rows, 100));
  const [warm = [], least = []] = await measureWarm([ours, limit], effort);
  const paced = await measurePaced(ours, effort);
  const stock = await measureStock(columns, rows, effort);
  const inKilobytes = (bytes: number) => bytes / KILOBYTE;
  return [
    {
      id: "S1",
      what: "CPU of a frame, 120 × 40, warm",
      unit: "ms",
      ours: median(warm),
      other: { name: "stock Ink", value: stock.cpu },
      ratio: stock.cpu / median(warm),
      goal: atMost("ours", 0.1),
    },
    {
      id: "S2",
      what: "CPU of a frame over the limit",
      unit: "ms",
      ours: median(warm),
      other: { name: "cells alone", value: median(least) },
      ratio: medianRatio(warm, least),
      goal: atMost("ratio", 2.5),
    },
    figure("S1", "time of a frame at 60 Hz, 120 × 40", "ms", median(paced), atMost("ours", 0.6)),
    figure("S1", "time of a frame at 60 Hz, p99", "ms", quantile(paced, 0.99), atMost("ours", 4)),
    {
      id: "S3",
      what: "bytes of a frame",
      unit: "KB",
      ours: inKilobytes(bytesAFrame(ours)),
      other: { name: "stock Ink", value: inKilobytes(stock.bytes) },
      goal: atMost("ours", 2),
    },
    figure(
      "S3",
      "bytes of a frame, every row changed",
      "KB",
      inKilobytes(bytesAFrame(saturated)),
      atMost("ours", 6),
    ),
    figure(
      "S3",
      "bytes of the first paint",
      "KB",
      inKilobytes(ours.firstPaint),
      atMost("ours", 12),
    ),
    figure(
      "S8",
      "heap growth of a frame",
      "KB",
      inKilobytes(heapGrowth(ours, effort)),
      atMost("ours", 0.1),
    ),
  ];
}

async function measureLarge(effort: Effort): Promise<Figure> {
  const large = await createOurs(200, 60, createPanes(200, 60, USUAL_SHARE));
  const paced = await measurePaced(large, effort);
  return figure("S1", "time of a frame at 60 Hz, 200 × 60", "ms", median(paced), atMost("ours", 1));
}

await runBench(async (effort) => [...(await measureUsual(effort)), await measureLarge(effort)]);
