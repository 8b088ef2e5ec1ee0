import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAmount, selectAmountCost, selectBookCost } from "../../src/select/orderbook.ts";

const level = (price: number, size: number) => ({
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
});

test("what it costs to fill up to a price is exact", () => {
  const asks = [level(100, 10), level(101, 30), level(105, 60)];
  expect(selectBookCost({ levels: asks, side: "ask", worstTicks: 101n }, undefined)).toEqual({
    size: "40",
    average: "100.75",
    shortAverage: "101",
    slippage: "75.0000",
    levels: 2,
    value: "4030",
  });
  const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
  expect(selectBookCost({ levels: asks, side: "ask", worstTicks: 105n }, scale)).toMatchObject({
    size: "0.0100",
    average: "1.0330",
    shortAverage: "1.03",
    value: "0.010330",
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

const SCALE = { tickSize: { mantissa: 5n, places: 1 }, lotSize: { mantissa: 1n, places: 3 } };

test("an amount is read in lots exactly, and in quote as what whole ticks times lots it pays for", () => {
  const base = (units: bigint) => ({ amount: { kind: "base", units } });
  const quote = (units: bigint) => ({ amount: { kind: "quote", units } });
  expect(parseAmount("2.5", SCALE)).toEqual(base(2500n));
  expect(parseAmount(" 0.0010 base ", SCALE)).toEqual(base(1n));
  expect(parseAmount("7", undefined)).toEqual(base(7n));
  expect(parseAmount("1 quote", SCALE)).toEqual(quote(2000n));
  expect(parseAmount("0.00099q", SCALE)).toEqual(quote(1n));
  for (const words of ["", "0", "-1", "1e3", "2.5 lots", "2.0005", "1 2", ".5", "9".repeat(31)]) {
    expect(parseAmount(words, SCALE), words).toHaveProperty("fault");
  }
  expect(parseAmount("1 quote", undefined)).toHaveProperty("fault");
});

/** Fills lot by lot: slow, and plainly right. */
function fillByLots(
  levels: readonly { price: number; size: number }[],
  kind: "base" | "quote",
  units: number,
) {
  const lots = levels.flatMap(({ price, size }) => Array.from({ length: size }, () => price));
  const taken: number[] = [];
  let rest = units;
  for (const price of lots) {
    const each = kind === "base" ? 1 : price;
    if (rest < each) break;
    rest -= each;
    taken.push(price);
  }
  return {
    lots: taken.length,
    value: taken.reduce((sum, price) => sum + price, 0),
    touched: new Set(taken).size,
    isEnough: taken.length < lots.length || rest === 0,
  };
}

test("an amount takes as many whole lots as one after the other would, level by level", () => {
  const sizes = fc.array(fc.record({ size: fc.integer({ min: 1, max: 9 }), up: fc.nat(7) }), {
    minLength: 0,
    maxLength: 12,
  });
  const kinds = fc.constantFrom("base" as const, "quote" as const);
  fc.assert(
    fc.property(sizes, kinds, fc.nat(120), (all, kind, wanted) => {
      const units = Math.max(1, kind === "base" ? wanted : wanted * 50);
      let price = 100;
      const plain = all.map(({ size, up }) => {
        price += up + 1;
        return { price, size };
      });
      const levels = plain.map((each) => level(each.price, each.size));
      const { cost, isEnough } = selectAmountCost(
        levels,
        { kind, units: BigInt(units) },
        undefined,
      );
      const expected = fillByLots(plain, kind, units);
      expect(isEnough).toBe(expected.isEnough);
      expect(cost?.size ?? "0").toBe(`${expected.lots}`);
      expect(cost?.value ?? "0").toBe(`${expected.value}`);
      expect(cost?.levels ?? 0).toBe(expected.touched);
    }),
  );
});
