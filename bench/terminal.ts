// What a frame of the dashboard costs, against cells that are written and compared with nothing around them.
// Build it with production React and run it:
//   npx esbuild bench/terminal.ts --bundle --platform=node --format=esm --target=node20 --jsx=automatic \
//     '--define:process.env.NODE_ENV="production"' --alias:react-devtools-core=node:util \
//     "--banner:js=import{createRequire}from'node:module';const require=createRequire(import.meta.url);" \
//     --outfile=dist/bench-terminal.mjs && node --expose-gc dist/bench-terminal.mjs
import { EventEmitter } from "node:events";
import { Box } from "ink";
import { createElement } from "react";
import { cellOf, SPACE } from "../src/terminal/cells/grid.ts";
import { StyleTable } from "../src/terminal/cells/style-table.ts";
import type { Surface } from "../src/terminal/cells/surface.ts";
import { Canvas } from "../src/terminal/screen/Canvas.tsx";
import { mount } from "../src/terminal/screen/mount.tsx";

/** Rows in a hundred that change from one frame to the next; chosen to give about 1.7 KB a frame on 120 × 40. */
const USUAL_SHARE = 38;
const FRAME_COUNT = 64;
const SLICES = 31;
const WARM_FRAMES = 600;
const PACED_SLICES = 7;
const PACED_FRAMES = 60;
const HEAP_FRAMES = 20_000;

const styles = new StyleTable();
const [plain = 0, green = 0, red = 0, gray = 0] = ["", "green", "red", "gray"].map((color) =>
  styles.id({ color }),
);

/** A piece of text in a pane, in cells from the pane's corner. */
interface Piece {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly style: number;
}

/** A pane of the dashboard: where its inside is, and what it shows in each of the frames. */
interface Pane {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly frames: readonly (readonly Piece[])[];
}

/** Draws a frame and tells how many bytes it took. */
interface Way {
  readonly frame: (index: number) => number;
  readonly firstPaint: number;
}

/** Pseudo random numbers of 0 to `below` - 1, the same in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Six panes that fill the screen with rows of numbers and bars, as books and tapes do. */
function createPanes(columns: number, rows: number, share: number): Pane[] {
  const random = createRandom(7);
  const width = Math.floor(columns / 3) - 2;
  const height = Math.floor(rows / 2) - 2;
  const createRow = (y: number): Piece[] => [
    { x: 0, y, text: `10${random(9)}.${1000 + random(1000)}`, style: y & 1 ? green : red },
    { x: 9, y, text: String(random(100_000)).padStart(8), style: plain },
    { x: 19, y, text: "█".repeat(random(width - 24)).padEnd(width - 20), style: gray },
  ];
  return Array.from({ length: 6 }, (_, index) => {
    let content = Array.from({ length: height }, (_, y) => createRow(y));
    const frames = Array.from({ length: FRAME_COUNT }, () => {
      content = content.map((row, y) => (random(100) < share ? createRow(y) : row));
      return content.flat();
    });
    const left = (index % 3) * (width + 2) + 1;
    return { left, top: Math.floor(index / 3) * (height + 2) + 1, width, height, frames };
  });
}

/** The limit: the pieces written straight into cells, the cells compared, the differences made bytes. */
class Limit implements Way {
  readonly firstPaint: number;
  readonly #columns: number;
  readonly #panes: readonly Pane[];
  readonly #back: Uint32Array;
  readonly #front: Uint32Array;
  readonly #bytes: Buffer;
  /** The move to each cell. */
  readonly #places: readonly Buffer[];
  #length = 0;
  #style = 0;

  constructor(columns: number, rows: number, panes: readonly Pane[]) {
    this.#columns = columns;
    this.#panes = panes;
    this.#back = new Uint32Array(columns * rows).fill(SPACE);
    this.#front = new Uint32Array(columns * rows);
    this.#bytes = Buffer.allocUnsafe(columns * rows * 64);
    this.#places = Array.from(this.#back, (_, at) =>
      Buffer.from(`\x1b[${Math.floor(at / columns) + 1};${(at % columns) + 1}H`),
    );
    this.firstPaint = this.frame(0);
  }

  readonly frame = (index: number): number => {
    for (const pane of this.#panes) {
      for (const piece of pane.frames[index % FRAME_COUNT] ?? []) this.#draw(pane, piece);
    }
    this.#length = 0;
    let next = -1;
    for (let at = 0; at < this.#back.length; at++) {
      const cell = this.#back[at] ?? 0;
      if (cell === this.#front[at]) continue;
      this.#encode(cell, at, at === next);
      this.#front[at] = cell;
      next = at + 1;
    }
    return this.#length;
  };

  #draw({ top, left }: Pane, { x, y, text, style }: Piece): void {
    const from = (top + y) * this.#columns + left + x;
    for (let unit = 0; unit < text.length; unit++) {
      this.#back[from + unit] = cellOf(text.charCodeAt(unit), style);
    }
  }

  #encode(cell: number, at: number, isNext: boolean): void {
    if (!isNext) this.#appendAll(this.#places[at] ?? this.#bytes);
    if (cell >>> 21 !== this.#style) this.#appendAll(styles.transition(this.#style, cell >>> 21));
    this.#style = cell >>> 21;
    const codePoint = cell & 0x1fffff;
    if (codePoint >= 0x80) {
      this.#bytes[this.#length++] = 0xe0 | (codePoint >> 12);
      this.#bytes[this.#length++] = 0x80 | ((codePoint >> 6) & 63);
    }
    this.#bytes[this.#length++] = codePoint < 0x80 ? codePoint : 0x80 | (codePoint & 63);
  }

  #appendAll(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) {
      this.#bytes[this.#length++] = bytes[index] ?? 0;
    }
  }
}

/** Our screen: a canvas in each pane, mounted in React, drawn by the frame clock, sent by the writer. */
async function createOurs(columns: number, rows: number, panes: readonly Pane[]): Promise<Way> {
  let index = 0;
  let written = 0;
  let due: (() => void) | undefined;
  const changed = new Set<() => void>();
  const source = (onChange: () => void) => {
    changed.add(onChange);
    return () => changed.delete(onChange);
  };
  const canvases = panes.map((pane, key) => {
    const paint = (surface: Surface) => {
      for (const { x, y, text, style } of pane.frames[index % FRAME_COUNT] ?? []) {
        surface.text(x, y, text, style);
      }
    };
    const look = { borderStyle: "round", borderColor: "gray", flexShrink: 0 } as const;
    const size = { width: pane.width + 2, height: pane.height + 2 };
    return createElement(Canvas, { key, paint, source, ...look, ...size });
  });
  const schedule = (callback: () => void) => {
    due = callback;
    return () => {};
  };
  mount(createElement(Box, { flexWrap: "wrap", width: columns, height: rows }, canvases), {
    stdin: Object.assign(new EventEmitter(), { isTTY: false }) as unknown as NodeJS.ReadStream,
    size: Object.assign(new EventEmitter(), { columns, rows }),
    write(bytes, done) {
      written += bytes.length;
      done(null, bytes.length);
    },
    // Every frame is due at once: the pace is the bench's own.
    timer: {
      now: () => performance.now(),
      after: (_, callback) => schedule(callback),
      soon: schedule,
    },
    styles,
    onFailure: console.error,
    onLost: console.error,
    onExit: console.error,
  });
  const flush = () => {
    const run = due;
    due = undefined;
    written = 0;
    run?.();
    return written;
  };
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  const firstPaint = flush();
  const frame = (next: number) => {
    index = next;
    for (const onChange of changed) onChange();
    return flush();
  };
  return { frame, firstPaint };
}

/** The value below which this part of them lies. */
function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}

const median = (values: readonly number[]) => quantile(values, 0.5);

/** CPU milliseconds of this process so far, user and system. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** CPU milliseconds a frame, of each way in slices that take turns, as fast as they go. */
function measureWarm(ways: readonly Way[]): number[][] {
  const slices: number[][] = ways.map(() => []);
  for (let slice = -3; slice < SLICES; slice++) {
    for (const [way, { frame }] of ways.entries()) {
      const start = cpuMs();
      for (let index = 0; index < WARM_FRAMES; index++) frame(index);
      if (slice >= 0) slices[way]?.push((cpuMs() - start) / WARM_FRAMES);
    }
  }
  return slices;
}

/** The same at 60 frames a second, where nothing stays warm, with the time that each frame took. */
async function measurePaced(ways: readonly Way[]) {
  const cpu: number[][] = ways.map(() => []);
  const times: number[][] = ways.map(() => []);
  for (let slice = 0; slice < PACED_SLICES; slice++) {
    for (const [way, { frame }] of ways.entries()) {
      const start = cpuMs();
      for (let index = 0; index < PACED_FRAMES; index++) {
        await new Promise((resolve) => setTimeout(resolve, 1000 / 60));
        const from = performance.now();
        frame(index);
        times[way]?.push(performance.now() - from);
      }
      cpu[way]?.push((cpuMs() - start) / PACED_FRAMES);
    }
  }
  return { cpu, times };
}

function heapGrowth({ frame }: Way): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < HEAP_FRAMES; index++) frame(index);
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / HEAP_FRAMES;
}

function bytesAFrame({ frame }: Way): number {
  return median(Array.from({ length: FRAME_COUNT }, (_, index) => frame(index)));
}

function print(name: string, values: readonly number[], digits: number): void {
  const columns = values.map((value) => value.toFixed(digits).padStart(10));
  console.log(name.padEnd(44) + columns.join(""));
}

async function measureSize(columns: number, rows: number): Promise<void> {
  const panes = createPanes(columns, rows, USUAL_SHARE);
  const ways = [await createOurs(columns, rows, panes), new Limit(columns, rows, panes)];
  const [ours = [], limit = []] = measureWarm(ways);
  const paced = await measurePaced(ways);
  const saturated = await createOurs(columns, rows, createPanes(columns, rows, 100));
  console.log(`\n${`${columns} × ${rows}`.padEnd(44)}      ours     limit`);
  print("CPU ms a frame, warm", [median(ours), median(limit)], 4);
  print("  ours over the limit", [median(ours.map((ms, slice) => ms / (limit[slice] ?? 0)))], 2);
  print("CPU ms a frame at 60 Hz, timers included", paced.cpu.map(median), 4);
  print("ms that a frame takes at 60 Hz", paced.times.map(median), 4);
  print(
    "  p99",
    paced.times.map((times) => quantile(times, 0.99)),
    4,
  );
  print("bytes a frame", ways.map(bytesAFrame), 0);
  print("  when every row changes", [bytesAFrame(saturated)], 0);
  print(
    "  of the first paint",
    ways.map((way) => way.firstPaint),
    0,
  );
  print("heap growth a frame, bytes", ways.map(heapGrowth), 1);
}

await measureSize(120, 40);
await measureSize(200, 60);
process.exit(0);
