// Whatever was painted before, the terminal shows the last painting: differences are never wrong.
import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameEncoder } from "../../../src/terminal/cells/frame-encoder.ts";
import {
  CODE_POINT_MASK,
  CONTINUATION,
  Grid,
  STYLE_SHIFT,
} from "../../../src/terminal/cells/grid.ts";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { Surface } from "../../../src/terminal/cells/surface.ts";
import { runs } from "../../support/soak.ts";
import { HeadlessTerminal } from "../../support/terminal/headless-terminal.ts";

const styles = new StyleTable();
const styleIds = [
  styles.id({}),
  styles.id({ color: "red" }),
  styles.id({ bold: true, backgroundColor: "#102030" }),
  styles.id({ dim: true, inverse: true }),
  styles.id({ underline: true, color: "ansi256(200)" }),
];
const FLAGS = ["bold", "dim", "italic", "underline", "inverse", "strikethrough"];

const position = fc.integer({ min: -6, max: 30 });
const extent = fc.integer({ min: -2, max: 30 });
const styleId = fc.constantFrom(...styleIds);
/** Narrow, wide, unsettled, composed, hidden and broken pieces. */
const pieces = ["a", "Z", " ", "9", "│", "⣿", "▲", "é", "価", "格", "한", "😀", "★", "☎", "é"];
const piece = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...pieces) },
  { weight: 1, arbitrary: fc.constantFrom("\u001b[31m", "\u0007", "\u202e", "\ud800", "\u200b") },
);
const words = fc.array(piece, { maxLength: 24 }).map((parts) => parts.join(""));

type Step = (surface: Surface, grid: Grid) => void;

const paintStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(position, position, words, styleId).map(
    ([x, y, text, style]): Step =>
      (surface) =>
        surface.text(x, y, text, style),
  ),
  fc.tuple(position, position, words, styleId).map(
    ([x, y, text, style]): Step =>
      (surface) =>
        surface.textRight(x, y, text, style),
  ),
  fc.tuple(position, position, extent, extent, styleId).map(
    ([x, y, width, height, style]): Step =>
      (surface) =>
        surface.fill(x, y, width, height, style),
  ),
  fc.tuple(position, position, piece, styleId).map(
    ([x, y, character, style]): Step =>
      (surface) =>
        surface.put(x, y, character.codePointAt(0) ?? 0, style),
  ),
);

const size = fc.record({
  width: fc.integer({ min: 2, max: 26 }),
  height: fc.integer({ min: 1, max: 6 }),
});
const frame = fc.record({
  steps: fc.array(paintStep, { maxLength: 6 }),
  clip: fc.option(fc.tuple(position, position, extent, extent), { freq: 3 }),
  resize: fc.option(size, { freq: 6 }),
  isRedrawn: fc.boolean(),
});

test("a terminal that got every difference shows what a fresh one shows that got the last painting", async () => {
  await fc.assert(
    fc.asyncProperty(
      size,
      fc.array(frame, { minLength: 1, maxLength: 8 }),
      async (start, frames) => {
        const grid = new Grid(start.width, start.height);
        const encoder = new FrameEncoder(styles);
        const surface = new Surface(grid, new StyleTable());
        const terminal = new HeadlessTerminal(start.width, start.height);
        for (const { steps, clip, resize, isRedrawn } of frames) {
          if (resize !== null) {
            grid.resize(resize.width, resize.height);
            terminal.resize(resize.width, resize.height);
          }
          if (isRedrawn) grid.mustErase = true;
          placeSurface(surface, grid, clip);
          for (const step of steps) step(surface, grid);
          await terminal.write(encoder.encode(grid));
        }
        expect(terminal.cells()).toEqual((await freshlyPainted(grid)).cells());
        expect(withoutSecondHalves(terminal.cells(), grid)).toEqual(described(grid));
        expect(encoder.encode(grid).length).toBe(0);
      },
    ),
    { numRuns: runs(60, 4000) },
  );
});

function placeSurface(surface: Surface, grid: Grid, clip: [number, number, number, number] | null) {
  const whole = { left: 0, top: 0, right: grid.width, bottom: grid.height };
  if (clip === null) return surface.place(whole);
  const [left, top, width, height] = clip;
  return surface.place(whole, { left, top, right: left + width, bottom: top + height });
}

async function freshlyPainted(painted: Grid): Promise<HeadlessTerminal> {
  const grid = new Grid(painted.width, painted.height);
  grid.back.set(painted.back);
  const terminal = new HeadlessTerminal(grid.width, grid.height);
  await terminal.write(new FrameEncoder(styles).encode(grid));
  return terminal;
}

/** What the cells of the grid mean, without the encoder. The second half of a wide character shows nothing. */
function described(grid: Grid): string[] {
  return Array.from(grid.back, (cell) => {
    const codePoint = cell & CODE_POINT_MASK;
    const { foreground, background, attributes } = styles.getStyle(cell >>> STYLE_SHIFT);
    const flags = FLAGS.filter((_, index) => attributes & (1 << index));
    const style = [describeColor(foreground), describeColor(background), ...flags];
    return codePoint === CONTINUATION ? "" : [String.fromCodePoint(codePoint), ...style].join("|");
  });
}

function withoutSecondHalves(cells: string[][], grid: Grid): string[] {
  return cells.flat().map((cell, at) => {
    return ((grid.back[at] ?? 0) & CODE_POINT_MASK) === CONTINUATION ? "" : cell;
  });
}

function describeColor(color: number): string {
  if (color < 0) return "-";
  return color < 256 ? String(color) : `#${(color & 0xffffff).toString(16).padStart(6, "0")}`;
}
