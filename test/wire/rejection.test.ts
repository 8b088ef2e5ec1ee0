import { describe, expect, test } from "vitest";
import * as z from "zod";
import { firstIssue, formatPath } from "../../src/wire/rejection.ts";

describe("the place of a fault", () => {
  test.each([
    [[], ""],
    [["channel"], "channel"],
    [["orderbook", "bids", 3, "price_ticks"], "orderbook.bids[3].price_ticks"],
    [[0, "positions", 12], "[0].positions[12]"],
    [[0, 1], "[0][1]"],
  ])("%j is written %j", (path, written) => {
    expect(formatPath(path)).toBe(written);
  });

  test("is the whole message where no fault is named", () => {
    expect(firstIssue(new z.ZodError([]))).toEqual({ path: "", detail: "does not fit" });
  });
});
