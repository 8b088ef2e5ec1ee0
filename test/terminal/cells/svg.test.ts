import { describe, expect, test } from "vitest";
import { rgb } from "../../../src/terminal/cells/color.ts";
import { cellsToSvg, gridToSvg } from "../../../src/terminal/cells/picture.ts";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { surfaceOf } from "../../support/painted.ts";

const look = { color: "#fff", background: "#000" };
const drawn = (...rows: string[]) =>
  cellsToSvg(
    rows.map((row) => [...row].map((text) => ({ text, ...look }))),
    { background: "#000", title: "A & B" },
  );

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxes(svg: string): Box[] {
  const rects = [
    ...svg.matchAll(/<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)" height="([\d.]+)" fill/g),
  ];
  return rects.map(([, ...sides]) => {
    const [x = 0, y = 0, width = 0, height = 0] = sides.map(Number);
    return { x, y, width, height };
  });
}

describe("a picture of cells", () => {
  test("has cells of one look as one text, bars as shapes, and text escaped", () => {
    const svg = drawn("a<b ██▌▂ c");
    expect(svg).toContain("<title>A &amp; B</title>");
    expect(svg).toContain('<text x="0" y="12" textLength="80" fill="#fff">a&lt;b      c</text>');
    expect(svg).toContain('<rect x="32" y="0" width="20" height="16" fill="#fff"/>');
    expect(svg).toContain('<rect x="56" y="12" width="8" height="4" fill="#fff"/>');
  });

  test("has no glyph for frames, blocks, shades and candles", () => {
    const shapes = "─│┌┐└┘├┤┬┴┼╭╮╰╯╌┄┈╎┆┊╴╵╶╷╸╹╺╻╽╿━┃║▏▎▍▌▋▊▉█▁▂▃▄▅▆▇▀▐▕▖▗▘▝░▒▓";
    expect(drawn(shapes)).not.toContain("<text");
  });

  test("closes a frame: its sides are whole lines that meet", () => {
    const svg = drawn("┌──┐", "│ a│", "│  │", "└──┘");
    const sides = boxes(svg);
    const touches = (a: Box, b: Box) =>
      a.x <= b.x + b.width &&
      b.x <= a.x + a.width &&
      a.y <= b.y + b.height &&
      b.y <= a.y + a.height;
    for (const side of sides)
      expect(
        sides.filter((other) => other !== side && touches(side, other)).length,
      ).toBeGreaterThan(0);
    // One line down the left side, from the middle of its first cell to that of its last.
    expect(sides.some(({ x, height }) => x < 8 && height >= 47)).toBe(true);
    expect(sides.some(({ y, width }) => y < 16 && width >= 16)).toBe(true);
  });

  test("has a candle of several rows as one shape", () => {
    expect(boxes(drawn("┃", "┃", "┃"))).toEqual([{ x: 2.5, y: 0, width: 3, height: 48 }]);
  });
});

test("a grid is a picture in its own colours, of reverse too, without a control character", () => {
  const styles = new StyleTable();
  styles.setBase({ foreground: 0x1d8dce4, background: 0x115181e });
  const { grid, surface } = surfaceOf(12, 1, styles);
  surface.text(0, 0, "a\u001b[31m", styles.id({ color: "#ff8585" }));
  surface.text(8, 0, "価", styles.id({ inverse: true, bold: true }));
  const svg = gridToSvg(grid, styles, "t");
  expect(svg).toContain('fill="#15181e"/>');
  expect(svg).toContain('fill="#ff8585">a�[31m</text>');
  expect(svg).toContain('textLength="16" fill="#15181e" font-weight="bold">価</text>');
  expect(svg).not.toMatch(/[^\n\x20-\u{10ffff}]/u);
});

test.each([
  [0xffffff, "#ffffff", "#24282f"],
  [0xfdf6e3, "#fdf6e3", "#24282f"],
  [0x000000, "#000000", "#d0d4dc"],
  [undefined, "#1a1d23", "#d0d4dc"],
])("stands on the terminal's own background where that is known: %s", (own, background, text) => {
  const styles = new StyleTable();
  styles.terminalBackground =
    own === undefined ? undefined : rgb(own >> 16, (own >> 8) & 255, own & 255);
  const { grid, surface } = surfaceOf(12, 1, styles);
  surface.text(0, 0, "own", styles.id({}));
  const svg = gridToSvg(grid, styles, "t");
  expect(svg).toContain(`fill="${background}"/>`);
  expect(svg).toContain(`fill="${text}">own</text>`);
});
