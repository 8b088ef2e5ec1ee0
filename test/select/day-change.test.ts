import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { selectHeights } from "../../src/select/blocks.ts";
import { selectChange, selectChangePercent } from "../../src/select/stats.ts";
import { Aliases } from "../../src/state/aliases.ts";

test("a sparkline has a height for each of the newest prices, in their order, and none that was not received", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n })), fc.nat(40), (prices, width) => {
      const heights = selectHeights(prices, width);
      const shown = width === 0 ? [] : prices.slice(-width);
      expect(heights).toHaveLength(shown.length);
      expect(heights.every((height) => height >= 0 && height <= 7)).toBe(true);
      const pairs = heights.slice(1).map((height, i) => ({
        rise: height - (heights[i] ?? 0),
        price: (shown[i + 1] ?? 0n) - (shown[i] ?? 0n),
      }));
      for (const { rise, price } of pairs)
        expect(Math.sign(rise) * Number(price)).toBeGreaterThanOrEqual(0);
    }),
  );
});

describe("the change of a day", () => {
  const aliases = new Aliases();
  test.each([
    [{ price_change_percent_24h: "1.5" }, "+1.5%"],
    [{ changePercent24h: "-0.2" }, "-0.2%"],
    [{ price_change_ratio_24h: "0.000024" }, "+0.0024%"],
    [{ price_change_24h: "-12.50" }, "-12.50"],
    [{ price_change_percent_24h: "n/a", price_change_24h: "3" }, "+3"],
    [{ price_change_ratio_24h: 1.5e-7 }, "+0.000015%"],
    [{ other: "1" }, undefined],
  ])("%j is shown as %s", (stats, text) => {
    expect(selectChange(stats, aliases)).toBe(text);
  });

  test.each([
    [{ price_change_percent_24h: "1.5" }, "1.5"],
    [{ price_change_ratio_24h: "-0.0125" }, "-1.25"],
    [{ price_change_24h: "3", last_price: "103" }, "3.00"],
    [{ price_change_24h: "-25", last_price: "75.0" }, "-25.00"],
    [{ price_change_24h: "3" }, undefined],
    [{ price_change_24h: "3", last_price: "3" }, undefined],
  ])("%j is %s percent", (stats, text) => {
    expect(selectChangePercent(stats, aliases)).toBe(text);
  });
});
