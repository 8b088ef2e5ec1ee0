import { describe, expect, test } from "vitest";
import { selectMarkGap, selectSpread } from "../../src/select/bbo.ts";
import { level } from "../support/market-feed.ts";

const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 0 } };
const spread = (bid: bigint | string, ask: bigint | string) =>
  selectSpread({ bid: level(bid), ask: level(ask) });

describe("spread", () => {
  test("is exact in ticks, whatever the size of the prices", () => {
    const bid = 2n ** 64n - 3n;
    expect(spread(bid, bid + 2n)?.width).toBe("2");
  });

  test("is given in basis points of the middle price, rounded half away from zero", () => {
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

  test("and the price in the middle are in currency where the scale is known, to the last digit", () => {
    const five = { ...scale, tickSize: { mantissa: 5n, places: 2 } };
    const bbo = { bid: level("101"), ask: level("104") };
    expect(selectSpread(bbo, five)).toMatchObject({ width: "0.15", mid: "5.125" });
    expect(selectSpread(bbo)).toMatchObject({ width: "3", mid: "102.5" });
    expect(selectSpread({ ...bbo, ask: level("103") }, five)).toMatchObject({ mid: "5.10" });
  });

  test("of a crossed market is negative", () => {
    expect(spread("101", "100")?.width).toBe("-1");
    expect(spread("101", "100")?.basisPoints).toBe("-99.50");
  });
});

const trade = (ticks: string) => ({
  ...level(ticks),
  timestamp_ns: "1",
  taker_is_bid: true,
});

describe("the mark price against the last one", () => {
  test("is their exact difference and its basis points of the last price, each with its sign", () => {
    const known = { last: undefined, scale };
    expect(selectMarkGap({ ...known, mark: "100.055", trade: trade("10000") })).toEqual({
      width: "+0.055",
      basisPoints: "+5.50",
    });
    expect(selectMarkGap({ ...known, mark: "99.9", trade: trade("10000") })).toEqual({
      width: "-0.10",
      basisPoints: "-10.00",
    });
  });

  test("is of the service's own last price while the scale is not known", () => {
    const gap = selectMarkGap({ mark: "10", last: "8", trade: trade("5"), scale: undefined });
    expect(gap).toEqual({ width: "+2", basisPoints: "+2500.00" });
  });

  test("is not shown where one of them is missing, or nothing", () => {
    const none = { trade: undefined, last: undefined, scale };
    expect(selectMarkGap({ ...none, mark: "1" })).toBeUndefined();
    expect(selectMarkGap({ ...none, mark: undefined, last: "1" })).toBeUndefined();
    expect(selectMarkGap({ ...none, mark: "1", last: "0" })).toBeUndefined();
  });
});
