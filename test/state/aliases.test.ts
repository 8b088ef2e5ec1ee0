import { describe, expect, test } from "vitest";
import { Aliases } from "../../src/state/aliases.ts";
import { ExactNumber } from "../../src/wire/exact-numbers.ts";

const aliases = new Aliases();

describe("aliases", () => {
  test("find a meaning under any of its usual names, the likeliest first, also in camel case", () => {
    expect(aliases.text({ qty: "2" }, "size")).toBe("2");
    expect(aliases.text({ unrealizedPnl: "-1" }, "unrealizedPnl")).toBe("-1");
    expect(aliases.text({ id: "3", order_id: 7 }, "orderId")).toBe("7");
    expect(aliases.text({ is_bid: false }, "side")).toBe("false");
  });

  test("keep the exact text of numbers", () => {
    expect(aliases.text({ price: new ExactNumber("1.10") }, "price")).toBe("1.10");
    expect(aliases.text({ price: 1.5 }, "price")).toBe("1.5");
  });

  test("pass over names without a value: null, empty text, objects", () => {
    expect(aliases.text({ size: null, qty: "", sz: { a: 1 }, amount: "4" }, "size")).toBe("4");
    expect(aliases.text({ size: null }, "size")).toBeUndefined();
    expect(aliases.value({ size: null, qty: 0 }, "size")).toBe(0);
  });

  test("never find what the record only inherits, whatever it is made of", () => {
    for (const record of [{}, { a: 1 }, Object.create({ equity: "1" })]) {
      expect(aliases.text(record, "equity")).toBeUndefined();
    }
  });
});
