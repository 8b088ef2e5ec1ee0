import fc from "fast-check";
import { expect, test } from "vitest";
import { selectBookCost } from "../../src/view/book-cost.ts";

const level = (price: number, size: number) => ({
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
});

test("what it costs to fill up to a price is exact", () => {
  const asks = [level(100, 10), level(101, 30), level(105, 60)];
  expect(selectBookCost({ levels: asks, side: "ask", worstTicks: 101n }, undefined)).toEqual({
    size: "40",
    average: "100.75",
    slippage: "75.0000",
    levels: 2,
  });
  const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
  expect(selectBookCost({ levels: asks, side: "ask", worstTicks: 105n }, scale)).toMatchObject({
    size: "0.0100",
    average: "1.0330",
  });
  const bids = [level(99, 5), level(90, 5)];
  expect(selectBookCost({ levels: bids, side: "bid", worstTicks: 90n }, undefined)).toMatchObject({
    average: "94.50",
    slippage: "454.5455",
  });
  expect(selectBookCost({ levels: asks, side: "ask", worstTicks: 99n }, undefined)).toBeUndefined();
});

test("the average lies between the best and the worst price, and worse prices cost more", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(sizes, (all) => {
      const levels = all.map((size, i) => level(1000 + i * 3, size));
      let last = 0;
      for (const [i] of all.entries()) {
        const worstTicks = BigInt(1000 + i * 3);
        const cost = selectBookCost({ levels, side: "ask", worstTicks }, undefined);
        const average = Number(cost?.average);
        expect(average).toBeGreaterThanOrEqual(last);
        expect(average).toBeLessThanOrEqual(Number(worstTicks));
        expect(cost?.levels).toBe(i + 1);
        last = average;
      }
    }),
  );
});
