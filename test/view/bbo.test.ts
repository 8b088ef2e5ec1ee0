import { describe, expect, test } from "vitest";
import { selectSpread } from "../../src/view/bbo.ts";

const level = (price: bigint | string) => ({ price_ticks: `${price}`, size_base_lots: "1" });
const spread = (bid: bigint | string, ask: bigint | string) =>
  selectSpread({ bid: level(bid), ask: level(ask) });

describe("spread", () => {
  test("is exact in ticks, whatever the size of the prices", () => {
    const bid = 2n ** 64n - 3n;
    expect(spread(bid, bid + 2n)?.ticks).toBe(2n);
  });

  test("is told in basis points of the middle price, rounded half away from zero", () => {
    expect(spread("9999", "10001")?.basisPoints).toBe("2.00");
    expect(spread("100", "101")?.basisPoints).toBe("99.50");
  });

  test("is not shown as nothing when it is only small", () => {
    expect(spread("9702252", "9702253")?.basisPoints).toBe("0.0010");
    expect(spread("970225200", "970225201")?.basisPoints).toBe("0.000010");
    expect(spread("5", "5")?.basisPoints).toBe("0.00");
  });

  test("is missing when a side is missing, and never a guess", () => {
    expect(selectSpread({ bid: null, ask: level("1") })).toBeUndefined();
    expect(selectSpread({ bid: level("1"), ask: null })).toBeUndefined();
    expect(spread("0", "0")).toBeUndefined();
  });

  test("of a crossed market is negative", () => {
    expect(spread("101", "100")?.ticks).toBe(-1n);
    expect(spread("101", "100")?.basisPoints).toBe("-99.50");
  });
});
