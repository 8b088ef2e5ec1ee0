import { describe, expect, test } from "vitest";
import { createContinuity } from "../../src/stream/continuity.ts";

describe("continuity", () => {
  test("acts on each gap of a channel kind whose frames have ever followed each other", () => {
    const continuity = createContinuity();
    continuity.judge("orderbook", "next");
    expect([1, 2, 3, 4, 5].map(() => continuity.judge("orderbook", "gap"))).toEqual(
      Array(5).fill(true),
    );
    expect(continuity.evidence("orderbook")).toEqual({ matches: 1, breaks: 5 });
  });

  test("stops acting on gaps where previous has never once named the frame before", () => {
    const continuity = createContinuity();
    expect([1, 2, 3, 4].map(() => continuity.judge("trades", "gap"))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(continuity.judge("orderbook", "gap")).toBe(true);
  });
});
