// Styles as numbers, and the bytes between two of them.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ColorDepth,
  parseColor,
  reduceColors,
  rgb,
  toRgb,
} from "../../../src/terminal/cells/color.ts";
import { STYLE_LIMIT, type Style, StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { contrast } from "../../support/color/contrast.ts";
import { runs } from "../../support/soak.ts";
import { HeadlessTerminal } from "../../support/terminal/headless-terminal.ts";

const color = fc.option(
  fc.constantFrom("red", "gray", "whiteBright", "#0a0b0c", "ansi256(77)", "rgb(9, 8, 7)"),
  { nil: undefined },
);
const flag = fc.option(fc.boolean(), { nil: undefined });
const style: fc.Arbitrary<Style> = fc.record({
  color,
  backgroundColor: color,
  bold: flag,
  dim: flag,
  italic: flag,
  underline: flag,
  inverse: flag,
  strikethrough: flag,
});

describe("a style table", () => {
  test("gives the same style the same number, and 0 to the terminal's own", () => {
    const table = new StyleTable();
    expect(table.id({})).toBe(0);
    expect(table.id({ color: "red", bold: false })).toBe(table.id({ color: "red" }));
    expect(table.id({ color: "red" })).not.toBe(table.id({ backgroundColor: "red" }));
    expect(table.id({ color: "#ff0000" })).toBe(table.id({ color: rgb(255, 0, 0) }));
    expect(table.size).toBe(4);
  });

  test("leads from any style to any other in the terminal", async () => {
    const table = new StyleTable();
    await fc.assert(
      fc.asyncProperty(fc.array(style, { minLength: 1, maxLength: 8 }), async (styles) => {
        const ids = styles.map((each) => table.id(each));
        const steps = ids.map((id, index) => table.transition(ids[index - 1] ?? 0, id));
        const stepwise = new HeadlessTerminal(20, 1);
        await stepwise.write(steps.map((bytes) => `${Buffer.from(bytes)}x`).join(""));
        const direct = new HeadlessTerminal(20, 1);
        await direct.write(ids.map((id) => `${table.sequence(id)}x`).join(""));
        expect(stepwise.cells()).toEqual(direct.cells());
      }),
      { numRuns: runs(50, 200) },
    );
  });

  test("uses the nearest style that it has when all numbers are given away", () => {
    const table = new StyleTable();
    const bold = table.id({ bold: true, color: rgb(10, 20, 30) });
    for (let red = 0; table.size < STYLE_LIMIT; red++)
      table.intern(rgb(red & 255, red >> 8, 200), -1, 0);
    expect(table.size).toBe(STYLE_LIMIT);
    expect(table.id({ bold: true, color: rgb(12, 20, 30) })).toBe(bold);
    const near = table.id({ color: rgb(3, 1, 201) });
    expect(near).toBe(table.intern(rgb(3, 1, 200), -1, 0));
    expect(table.size).toBe(STYLE_LIMIT);
  });

  test("keeps a bounded memory of transitions, all of them right", () => {
    const table = new StyleTable();
    const ids = Array.from({ length: 200 }, (_, index) => table.intern(rgb(index, 0, 0), -1, 0));
    const first = Buffer.from(table.transition(ids[1] ?? 0, ids[2] ?? 0)).toString();
    for (const from of ids) for (const to of ids) table.transition(from, to);
    expect(Buffer.from(table.transition(ids[1] ?? 0, ids[2] ?? 0)).toString()).toBe(first);
  });
});

describe("colours", () => {
  const depths: ColorDepth[] = ["none", "ansi16", "ansi256", "truecolor"];
  const shown = (depth: ColorDepth, style: Style) => {
    const table = new StyleTable(depth);
    return table.sequence(table.id(style)).replaceAll("\u001b", "");
  };

  test("are sent in the form that the terminal knows", () => {
    const look = { color: "#ff8000", backgroundColor: "ansi256(200)", bold: true };
    expect(depths.map((depth) => shown(depth, look))).toEqual([
      "[0m[1m",
      "[0m[1;31;105m",
      "[0m[1;38;5;208;48;5;200m",
      "[0m[1;38;2;255;128;0;48;5;200m",
    ]);
  });

  test("that a palette has exactly are reduced to themselves", () => {
    for (let index = 16; index < 256; index++) {
      expect(reduceColors(index, index, "ansi256")).toEqual([index, index]);
    }
    const [blue, red] = [rgb(95, 135, 175), rgb(255, 0, 0)];
    expect(reduceColors(blue, blue, "ansi256")).toEqual([67, 67]);
    expect(reduceColors(red, red, "ansi16")).toEqual([9, 9]);
    expect(reduceColors(red, -1, "ansi16")).toEqual([9, -1]);
  });

  test("keep their hue where there are sixteen", () => {
    const named = (front: string, back: string) => {
      const names = [front, back].map(parseColor);
      return reduceColors(names[0] ?? -1, names[1] ?? -1, "ansi16");
    };
    const dark = "#15181e";
    expect(named("#62d78b", dark)).toEqual([2, 0]);
    expect(named("#ff8585", dark)).toEqual([9, 0]);
    expect(named("#e8b65a", dark)).toEqual([3, 0]);
    expect(named("#7cc4ff", dark)).toEqual([6, 0]);
    expect(named("#949ba8", dark)).toEqual([8, 0]);
    expect(named("#b3122a", "#ffffff")).toEqual([1, 15]);
    expect(named("#62d78b", "nothing")).toEqual([2, -1]);
  });

  test("that could not be read on their background make way for others where there are sixteen", () => {
    // The only green of the sixteen is pale on white.
    expect(reduceColors(rgb(8, 107, 49), rgb(255, 255, 255), "ansi16")).toEqual([0, 15]);
    const color = fc.nat({ max: 0xffffff }).map((value) => 0x1000000 + value);
    fc.assert(
      fc.property(color, color, (front, back) => {
        const [shownFront, shownBack] = reduceColors(front, back, "ansi16").map(toRgb);
        const wanted = Math.min(contrast(toRgb(front), toRgb(back)), 4.5);
        expect(contrast(shownFront ?? 0, shownBack ?? 0)).toBeGreaterThanOrEqual(wanted);
      }),
    );
  });

  test.each([
    ["red", 1],
    ["blackBright", 8],
    ["grey", 8],
    ["#0f0", rgb(0, 255, 0)],
    ["#00FF01", rgb(0, 255, 1)],
    ["ansi256(7)", 7],
    ["rgb(1,2, 3)", rgb(1, 2, 3)],
    ["rgb(1,2)", -1],
    ["nonsense", -1],
    ["", -1],
  ])("%j is read as %d", (notation, expected) => {
    expect(parseColor(notation)).toBe(expected);
  });
});
