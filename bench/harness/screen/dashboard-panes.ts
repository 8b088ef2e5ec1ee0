// A dashboard that changes every frame: six panes of prices, sizes and bars, the same in every run.
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { createRandom } from "../../../src/units/random.ts";

/** Frames after which the panes repeat. */
export const FRAME_COUNT = 64;

/** Shared by all implementations that draw cells. */
export const styles = new StyleTable();
const [plain = 0, green = 0, red = 0, gray = 0] = ["", "green", "red", "gray"].map((color) =>
  styles.id({ color }),
);

/** A piece of text, positioned in cells from the pane's corner. */
export interface Piece {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly style: number;
}

/** A pane of the dashboard: its inner area, and its content in each frame. */
export interface Pane {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly frames: readonly (readonly Piece[])[];
}

/** An implementation; `frame` draws and returns the number of bytes. */
export interface Way {
  readonly frame: (index: number) => number;
  readonly firstPaint: number;
}

/**
 * Fills the screen with rows of numbers and bars, like books and tapes.
 * @param share percentage of rows that change between frames
 */
export function createPanes(columns: number, rows: number, share: number): Pane[] {
  const next = createRandom(7);
  const random = (below: number) => Math.floor(next() * below);
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
