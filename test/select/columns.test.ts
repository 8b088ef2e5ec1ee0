import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitColumns, fitPieces, fitTexts } from "../../src/select/columns.ts";

describe("columns that fit", () => {
  test("are whole, inside the room, in their order and without overlap", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }),
        fc.integer({ min: 0, max: 120 }),
        fc.integer({ min: 0, max: 3 }),
        (widths, available, gap) => {
          const columns = fitColumns(widths, widths.map((_, i) => i).reverse(), available, gap);
          let next = 0;
          for (const { index, x, width } of columns) {
            expect(width).toBe(widths[index]);
            expect(x).toBe(next);
            next = x + width + gap;
            expect(x + width).toBeLessThanOrEqual(available);
          }
        },
      ),
    );
  });

  test("give way from the least important on", () => {
    const kept = (available: number) =>
      fitColumns([10, 5, 5], [0, 2, 1], available, 1).map(({ index }) => index);
    expect(kept(22)).toEqual([0, 1, 2]);
    expect(kept(21)).toEqual([0, 2]);
    expect(kept(15)).toEqual([0]);
    expect(kept(9)).toEqual([2]);
    expect(kept(4)).toEqual([]);
  });

  test("serve pieces of a line as well: the most important ones stay, in the order of the line", () => {
    const pieces = [
      { text: "status", width: 6, priority: 2 },
      { text: "name", width: 4, priority: 0 },
      { text: "hint", width: 4, priority: 1 },
    ];
    expect(fitPieces(pieces, 10, 1).map(({ text }) => text)).toEqual(["name", "hint"]);
    expect(fitPieces(pieces, 16, 1).map(({ text }) => text)).toEqual(["status", "name", "hint"]);
  });
});

test("words are there whole or not at all, the first ones first", () => {
  const words = ["fees 0.669612", "volume 488468.457293", "bought 1"];
  expect(fitTexts(words, 80)).toBe("fees 0.669612  volume 488468.457293  bought 1");
  expect(fitTexts(words, 34)).toBe("fees 0.669612  bought 1");
  expect(fitTexts(words, 35)).toBe("fees 0.669612  volume 488468.457293");
  expect(fitTexts(words, 12)).toBe("bought 1");
});
