import { describe, expect, test } from "vitest";
import { cellsToSvg } from "../../scripts/pictures/svg.ts";

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
