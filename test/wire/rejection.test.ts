import { describe, expect, test } from "vitest";
import * as z from "zod";
import { firstIssue, formatPath, reject } from "../../src/wire/rejection.ts";

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

  test("is that of the first fault, with words for it", () => {
    const pair = z.strictObject({ a: z.array(z.string()), b: z.string() });
    const { error } = pair.safeParse({ a: ["x", 1] });
    const issue = firstIssue(error as z.ZodError);
    expect(issue.path).toBe("a[1]");
    expect(issue.detail).toMatch(/expected string/);
  });

  test("is the whole message where no fault is named", () => {
    expect(firstIssue(new z.ZodError([]))).toEqual({ path: "", detail: "does not fit" });
  });
});

describe("a rejection", () => {
  test("keeps the first 200 characters of the message as received", () => {
    expect(reject("x".repeat(201), "not-json", "d").sample).toBe("x".repeat(200));
    expect(reject("\u001b[2J", "not-json", "d").sample).toBe("\u001b[2J");
  });

  test("concerns the whole message and no channel unless told otherwise", () => {
    expect(reject("m", "not-json", "why")).toEqual({
      reason: "not-json",
      path: "",
      detail: "why",
      channel: undefined,
      sample: "m",
    });
    expect(reject("m", "wrong-shape", "why", { path: "a.b", channel: "markets" })).toMatchObject({
      path: "a.b",
      channel: "markets",
    });
  });
});
