// Looks as numbers, and the bytes between two of them.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ColorDepth,
  parseColor,
  reduceColor,
  rgb,
} from "../../../src/terminal/cells/color.ts";
import { Restyle } from "../../../src/terminal/cells/restyle.ts";
import { STYLE_LIMIT, type Style, StyleTable } from "../../../src/terminal/cells/style-table.ts";
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
  test("gives the same look the same number, and 0 to the terminal's own", () => {
    const table = new StyleTable();
    expect(table.id({})).toBe(0);
    expect(table.id({ color: "red", bold: false })).toBe(table.id({ color: "red" }));
    expect(table.id({ color: "red" })).not.toBe(table.id({ backgroundColor: "red" }));
    expect(table.id({ color: "#ff0000" })).toBe(table.id({ color: rgb(255, 0, 0) }));
    expect(table.size).toBe(4);
  });

  test("derives a look that keeps what the change does not name", () => {
    const table = new StyleTable();
    const base = table.id({ color: "red", bold: true });
    expect(table.derive(base, { backgroundColor: "blue", bold: false })).toBe(
      table.id({ color: "red", backgroundColor: "blue" }),
    );
    const restyle = new Restyle(table, { inverse: true });
    expect(restyle.of(base)).toBe(table.id({ color: "red", bold: true, inverse: true }));
    expect(restyle.of(base)).toBe(restyle.of(base));
  });

  test("leads from any look to any other in the terminal", async () => {
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
      { numRuns: 200 },
    );
  });

  test("uses the nearest look that it has when all numbers are given away", () => {
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
  const shown = (depth: ColorDepth, look: Style) => {
    const table = new StyleTable(depth);
    return table.sequence(table.id(look)).replaceAll("\u001b", "");
  };

  test("are told to the terminal in the words that it knows", () => {
    const look = { color: "#ff8000", backgroundColor: "ansi256(200)", bold: true };
    expect(depths.map((depth) => shown(depth, look))).toEqual([
      "[0m[1m",
      "[0m[1;33;105m",
      "[0m[1;38;5;208;48;5;200m",
      "[0m[1;38;2;255;128;0;48;5;200m",
    ]);
  });

  test("that a palette has exactly are reduced to themselves", () => {
    for (let index = 16; index < 256; index++) {
      expect(reduceColor(index, "ansi256")).toBe(index);
    }
    expect(reduceColor(rgb(95, 135, 175), "ansi256")).toBe(16 + 36 + 12 + 3);
    expect(reduceColor(rgb(255, 0, 0), "ansi16")).toBe(9);
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
