// Drawing on a part of the grid: what falls outside is cut, and wide characters leave no halves.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countEighths, drawBar, drawCandle, drawColumn } from "../../../src/terminal/cells/bars.ts";
import { FrameEncoder } from "../../../src/terminal/cells/frame-encoder.ts";
import { encodeCell, Grid } from "../../../src/terminal/cells/grid.ts";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { Surface } from "../../../src/terminal/cells/surface.ts";
import { gridText, surfaceOf } from "../../support/painted.ts";
import { runs } from "../../support/soak.ts";

const styles = new StyleTable();

test("a tint lies behind what is drawn: text and attributes stay, its foreground counts where it has one", () => {
  const table = new StyleTable();
  const grid = new Grid(6, 2);
  const surface = new Surface(grid, table);
  surface.place({ left: 1, top: 0, right: 5, bottom: 1 });
  surface.text(0, 0, "12.5", table.id({ color: "red", bold: true }));
  surface.tint(2, -3, 90, 90, table.id({ backgroundColor: "blue" }));
  surface.tint(3, 0, 1, 1, table.id({ color: "white", backgroundColor: "green" }));
  const styleAt = (x: number) => table.getStyle((grid.back[x] ?? 0) >>> 21);
  expect(gridText(grid)[0]).toBe(" 12.5 ");
  expect(styleAt(2)).toEqual({ foreground: 1, background: -1, attributes: 1 });
  expect(styleAt(3)).toEqual({ foreground: 1, background: 4, attributes: 1 });
  expect(styleAt(4)).toEqual({ foreground: 7, background: 2, attributes: 1 });
  expect([styleAt(5), styleAt(6)].map(({ background }) => background)).toEqual([-1, -1]);
});

const any = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5, 1e9),
);

describe("a surface", () => {
  test("leaves what is there under cells of 0", () => {
    const { grid, surface } = surfaceOf(6, 1);
    surface.text(0, 0, "abcdef");
    surface.cells(1, 0, Uint32Array.of(encodeCell(0x2580, 0), 0, encodeCell(0x2584, 0)));
    expect(gridText(grid)[0]).toBe("a▀c▄ef");
  });

  test("draws nothing outside of its rectangle, whatever it is asked to draw", () => {
    fc.assert(
      fc.property(any, any, any, any, fc.string({ unit: "grapheme" }), (x, y, w, h, text) => {
        const grid = new Grid(12, 6);
        const mark = styles.id({ bold: true });
        grid.back.fill(((mark << 21) | 0x23) >>> 0);
        const surface = new Surface(grid, new StyleTable());
        surface.place(
          { left: 3, top: 2, right: 9, bottom: 5 },
          { left: 4, top: 0, right: 8, bottom: 9 },
        );
        surface.text(x, y, text);
        surface.textRight(x, y, text);
        surface.fill(x, y, w, h);
        surface.put(x, y, w);
        surface.cells(x, y, new Uint32Array(20).fill(encodeCell(0x2580, 0)));
        drawBar(surface, x, y, w, 0);
        drawColumn(surface, x, y, h, 0);
        for (const [row, line] of gridText(grid).entries()) {
          expect(line).toMatch(row >= 2 && row < 5 ? /^####.{2,4}####$/u : /^#{12}$/);
        }
      }),
      { numRuns: runs(400, 20_000) },
    );
  });

  test("draws a text as its characters one by one, whatever stands there, also wide ones", () => {
    const line = fc.string({
      unit: fc.constantFrom("a", "7", " ", "█", "⣿", "é", "の", "界", "😀"),
      maxLength: 14,
    });
    fc.assert(
      fc.property(line, line, fc.integer({ min: -6, max: 12 }), (before, text, x) => {
        const cellsOf = (draw: (surface: Surface) => void) => {
          const { grid, surface } = surfaceOf(12, 2);
          surface.text(0, 0, before, 1);
          surface.text(0, 1, before, 1);
          surface.place({ left: 1, top: 0, right: 10, bottom: 1 });
          draw(surface);
          return [...grid.back];
        };
        const atOnce = cellsOf((surface) => surface.text(x, 0, text, 2));
        const oneByOne = cellsOf((surface) => {
          let at = x;
          for (const character of text) {
            surface.put(at, 0, character.codePointAt(0) ?? 0, 2);
            at += surface.text(at, 5, character);
          }
        });
        expect(atOnce).toEqual(oneByOne);
      }),
      { numRuns: runs(300, 20_000) },
    );
  });

  test("returns the columns that a text takes, cut or not", () => {
    const { surface } = surfaceOf(4, 1);
    expect(surface.text(0, 0, "abcdefgh")).toBe(8);
    expect(surface.text(2, 0, "価格")).toBe(4);
    expect(surface.text(0, 9, "abc")).toBe(3);
    expect(surface.textRight(4, 0, "12.50")).toBe(5);
  });

  test("ends a right-aligned text before its column", () => {
    const { grid, surface } = surfaceOf(8, 2);
    surface.textRight(8, 0, "1.5");
    surface.textRight(6, 1, "価1");
    expect(gridText(grid)).toEqual(["     1.5", "   価1  "]);
  });

  test.each([
    ["its first half", 2, "xxa yy"],
    ["its second half", 3, "xx ayy"],
  ])("a wide character that loses %s loses the other as well", (_, x, row) => {
    const { grid, surface } = surfaceOf(6, 1);
    surface.text(0, 0, "xx価yy");
    surface.put(x, 0, 0x61);
    expect(gridText(grid)[0]).toBe(row);
  });

  test("halves of wide characters at the edges of what can be seen are spaces", () => {
    const { grid, surface } = surfaceOf(8, 1);
    const place = { left: 0, top: 0, right: 8, bottom: 1 };
    surface.place(place, { left: 1, top: 0, right: 4, bottom: 1 });
    surface.text(0, 0, "価格上昇");
    expect(gridText(grid)[0]).toBe("  格     ".slice(0, 7));
  });
});

test("what is drawn is read back cell by cell; half of a wide character at an edge is a space", () => {
  const { surface } = surfaceOf(10, 2);
  surface.text(0, 0, "a価b価c");
  expect(surface.textAt(0, 0, 10)).toBe("a価b価c   ");
  expect(surface.textAt(2, 0, 3)).toBe(" b ");
  expect(surface.textAt(1, 0, 2)).toBe("価");
  expect(surface.textAt(-5, 1, 99)).toBe(" ".repeat(10));
  expect([surface.textAt(0, 2, 5), surface.textAt(20, 0, 5)]).toEqual(["", ""]);
});

describe("bars", () => {
  test.each([
    [0, "        "],
    [1, "▏       "],
    [7, "▉       "],
    [8, "█       "],
    [20, "██▌     "],
    [64, "████████"],
    [99, "████████"],
  ])("of %d eighths grow to the right", (eighths, row) => {
    const { grid, surface } = surfaceOf(8, 1);
    drawBar(surface, 0, 0, eighths, 0);
    expect(gridText(grid)[0]).toBe(row);
  });

  test("that grow upwards stand on their foot", () => {
    const { grid, surface } = surfaceOf(3, 3);
    drawColumn(surface, 0, 2, 4, 0);
    drawColumn(surface, 1, 2, 17, 0);
    drawColumn(surface, 2, 2, 8, 0);
    expect(gridText(grid)).toEqual([" ▁ ", " █ ", "▄██"]);
  });

  test("show more than nothing for more than nothing, and never more than all", () => {
    expect(countEighths(0, 100, 10)).toBe(0);
    expect(countEighths(1e-9, 100, 10)).toBe(1);
    expect(countEighths(50, 100, 10)).toBe(40);
    expect(countEighths(500, 100, 10)).toBe(80);
    expect(countEighths(1, 0, 10)).toBe(0);
    expect(countEighths(Number.NaN, 1, 10)).toBe(0);
  });
});

describe("a candle", () => {
  test.each([
    ["a body with two wicks", { high: 0, bodyTop: 2, bodyBottom: 5, low: 7 }, ["│", "┃", "┃", "│"]],
    ["half cells", { high: 1, bodyTop: 3, bodyBottom: 4, low: 6 }, ["╷", "╽", "╿", "╵"]],
    ["a body alone", { high: 1, bodyTop: 1, bodyBottom: 2, low: 2 }, ["╻", "╹", " ", " "]],
    ["no movement", { high: 3, bodyTop: 3, bodyBottom: 3, low: 3 }, [" ", "╻", " ", " "]],
    [
      "more than can be seen",
      { high: -9, bodyTop: -4, bodyBottom: 1, low: 99 },
      ["┃", "│", "│", "│"],
    ],
  ])("is drawn in halves of cells: %s", (_, shape, rows) => {
    const { grid, surface } = surfaceOf(1, 4);
    drawCandle(surface, 0, shape, { style: 0, isHollow: false, body: "line" });
    expect(gridText(grid)).toEqual(rows);
  });

  const shape = { high: 0, bodyTop: 3, bodyBottom: 6, low: 8 };

  test.each([
    ["block", false, [" │ ", " ▄ ", " █ ", " ▀ ", " ╵ "]],
    ["block", true, [" │ ", " ▄ ", " ║ ", " ▀ ", " ╵ "]],
    ["wide", false, [" │ ", "▗▄▖", "▐█▌", "▝▀▘", " ╵ "]],
    ["wide", true, [" │ ", "▗▄▖", "▕ ▏", "▝▀▘", " ╵ "]],
  ] as const)("has a body that is seen from afar: %s, hollow %s", (body, isHollow, rows) => {
    const { grid, surface } = surfaceOf(3, 5);
    drawCandle(surface, 1, shape, { style: 0, isHollow, body });
    expect(gridText(grid)).toEqual(rows);
  });
});

describe("the bytes of a frame", () => {
  const encode = (draw: (surface: Surface) => void, before?: (surface: Surface) => void) => {
    const { grid, surface } = surfaceOf(20, 4);
    const encoder = new FrameEncoder(styles);
    before?.(surface);
    encoder.encode(grid);
    draw(surface);
    return Buffer.from(encoder.encode(grid)).toString().replaceAll("\u001b", "^");
  };

  test("are none when nothing has changed", () => {
    expect(encode((surface) => surface.clear())).toBe("");
  });

  test("are one synchronised update with the shortest moves", () => {
    expect(encode((surface) => surface.text(0, 0, "a"))).toBe("^[?2026h^[1Ha^[?2026l");
    expect(encode((surface) => surface.text(5, 2, "a"))).toBe("^[?2026h^[3;6Ha^[?2026l");
    expect(
      encode((surface) => {
        surface.text(0, 0, "a");
        surface.text(3, 0, "b");
        surface.text(9, 0, "c");
        surface.text(0, 1, "d");
        surface.text(2, 2, "e");
      }),
    ).toBe("^[?2026h^[1Ha  b^[5Cc\r\nd\r\n^[2Ce^[?2026l");
  });

  test("set a style once and leave the terminal's own", () => {
    const red = styles.id({ color: "red" });
    const bold = styles.id({ color: "red", bold: true });
    expect(
      encode((surface) => {
        surface.text(0, 0, "ab", red);
        surface.text(2, 0, "c", bold);
      }),
    ).toBe("^[?2026h^[1H^[31mab^[1mc^[m^[?2026l");
  });

  test("do not write an unchanged cell of another style again to get past it", () => {
    const red = styles.id({ color: "red" });
    const before = (surface: Surface) => surface.text(1, 0, "x", red);
    const draw = (surface: Surface) => {
      surface.text(0, 0, "a");
      surface.text(2, 0, "b");
    };
    expect(encode(draw, before)).toBe("^[?2026h^[1Ha^[Cb^[?2026l");
  });

  test.each([
    ["a", 19, "b", "^[1;20Ha^[2Hb"],
    ["価", 18, "b", "^[1;19H価^[2Hb"],
    ["a", 18, "b", "^[1;19Ha\r\nb"],
  ])(
    "do not rely on where the cursor is after the last column: %s at %d",
    (last, x, next, sent) => {
      const draw = (surface: Surface) => {
        surface.text(x, 0, last);
        surface.text(0, 1, next);
      };
      expect(encode(draw)).toBe(`^[?2026h${sent}^[?2026l`);
    },
  );

  test("place the cursor anew after a character of unsettled width, on cells blanked before", () => {
    expect(encode((surface) => surface.text(0, 0, "😀a"))).toBe(
      "^[?2026h^[1H  ^[1H😀^[1;3Ha^[?2026l",
    );
  });

  test("erase only when the screen was resized or is to be drawn again", () => {
    const { grid, surface } = surfaceOf(20, 4);
    const encoder = new FrameEncoder(styles);
    surface.text(0, 0, "hello");
    expect(Buffer.from(encoder.encode(grid)).toString()).not.toContain("J");
    grid.mustErase = true;
    expect(Buffer.from(encoder.encode(grid)).toString().replaceAll("\u001b", "^")).toBe(
      "^[?2026h^[m^[2J^[1Hhello^[?2026l",
    );
    grid.mustErase = true;
    surface.clear();
    expect(Buffer.from(encoder.encode(grid)).toString()).toContain("[2J");
  });

  test("grow with the screen", () => {
    const { grid, surface } = surfaceOf(900, 700);
    const encoder = new FrameEncoder(styles);
    for (let y = 0; y < 700; y++) {
      for (let x = 0; x < 900; x++) surface.put(x, y, 0x1f600, styles.intern(x & 15, y & 15, 63));
    }
    const bytes = encoder.encode(grid);
    expect(bytes.length).toBeGreaterThan(900 * 700);
    expect(Buffer.from(bytes.subarray(-8)).toString()).toBe("\u001b[?2026l");
  });
});
