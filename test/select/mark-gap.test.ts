import { describe, expect, test } from "vitest";
import { selectMarkGap } from "../../src/select/bbo.ts";

const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 0 } };
const trade = (ticks: string) => ({
  timestamp_ns: "1",
  price_ticks: ticks,
  size_base_lots: "1",
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
