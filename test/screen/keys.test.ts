import { describe, expect, test } from "vitest";
import { bindingsIn, formatKey, getAction, keyNames, remapKeys } from "../../src/screen/keymap.ts";
import { KEYS } from "../../src/screen/keys.ts";
import { words } from "../support/words.ts";

describe("keys", () => {
  test("are each bound to one action only in a context, and no context takes away a way to leave", () => {
    const all = KEYS.flatMap(({ keys, context }) => keys.map((key) => `${context} ${key}`));
    expect(new Set(all).size).toBe(all.length);
    for (const { context } of KEYS) expect(getAction("ctrl+c", [context])).toBe("quitNow");
  });

  test("do what the table says where their context is in force, and nothing elsewhere", () => {
    for (const { action, keys, context } of KEYS) {
      for (const key of keys) expect(getAction(key, [context])).toBe(action);
    }
    expect(getAction("i", ["market"])).toBe("interval");
    expect(getAction("i", ["scroll"])).toBeUndefined();
    expect(getAction("J", ["market", "scroll"])).toBeUndefined();
  });

  test("in force are those of the view and those that always are", () => {
    const actions = bindingsIn(["scroll"]).map(({ action }) => action);
    expect(actions).toContain("scrollUp");
    expect(actions).toContain("quit");
    expect(actions).not.toContain("interval");
  });

  test("are kept apart when several arrive together", () => {
    expect(keyNames("]]+ ", {})).toEqual(["]", "]", "+", "space"]);
    expect(keyNames("3\r\t/a\u007f\u001b", {})).toEqual(words("3 return tab / a backspace escape"));
  });

  test("are shown by the words that stand on them, and may be written so in the config file", () => {
    const shown = {
      "ctrl+c": "Ctrl+C",
      "shift+tab": "Shift+Tab",
      pageup: "PgUp",
      pagedown: "PgDn",
      escape: "Esc",
      return: "Enter",
      up: "Up",
      "alt+q": "Alt+q",
      "+": "+",
      a: "a",
      A: "A",
    };
    for (const [name, word] of Object.entries(shown)) {
      expect(formatKey(name)).toBe(word);
      for (const written of [name, word]) {
        const keymap = remapKeys({ redraw: [written] });
        expect(keymap.find(({ action }) => action === "redraw")?.keys).toEqual([name]);
      }
    }
  });

  test("have names for what is no character, with and without Shift and Ctrl", () => {
    expect(keyNames("", { upArrow: true })).toEqual(["up"]);
    expect(keyNames("", { tab: true })).toEqual(["tab"]);
    expect(keyNames("", { tab: true, shift: true })).toEqual(["shift+tab"]);
    expect(keyNames("c", { ctrl: true })).toEqual(["ctrl+c"]);
    expect(keyNames("", { escape: true })).toEqual(["escape"]);
  });
});
