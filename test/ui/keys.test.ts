import { describe, expect, test } from "vitest";
import { actionOf, KEYS, keyNames } from "../../src/ui/keys.ts";

describe("keys", () => {
  test("are each bound to one action only", () => {
    const all = KEYS.flatMap(({ keys }) => keys);
    expect(new Set(all).size).toBe(all.length);
  });

  test("do what the table says", () => {
    for (const { action, keys } of KEYS) for (const key of keys) expect(actionOf(key)).toBe(action);
    expect(actionOf("x")).toBeUndefined();
  });

  test("are told apart when several arrive together", () => {
    expect(keyNames("]]+ ", {})).toEqual(["]", "]", "+", "space"]);
  });

  test("have names for what is no character, with and without Shift and Ctrl", () => {
    expect(keyNames("", { upArrow: true })).toEqual(["up"]);
    expect(keyNames("", { tab: true })).toEqual(["tab"]);
    expect(keyNames("", { tab: true, shift: true })).toEqual(["shift+tab"]);
    expect(keyNames("c", { ctrl: true })).toEqual(["ctrl+c"]);
    expect(keyNames("", { escape: true })).toEqual(["escape"]);
  });
});
