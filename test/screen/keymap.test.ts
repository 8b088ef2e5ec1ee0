import { describe, expect, test } from "vitest";
import { bindingsIn, formatKey, getAction, keyNames } from "../../src/screen/keymap.ts";
import { KEYS } from "../../src/screen/keys.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { words } from "../support/words.ts";

describe("keys", () => {
  test("in force are those of the view and those that always are", () => {
    expect(getAction("i", ["scroll"])).toBeUndefined();
    expect(getAction("J", ["market", "scroll"])).toBeUndefined();
    const actions = bindingsIn(["scroll"]).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["scrollUp", "quit"]));
    expect(actions).not.toContain("interval");
    for (const { context } of KEYS) expect(getAction("ctrl+c", [context])).toBe("quitNow");
  });

  test.each([
    ["]]+ ", {}, "] ] + space"],
    ["3\r\t/a\u007f\u001b", {}, "3 return tab / a backspace escape"],
    ["", { upArrow: true }, "up"],
    ["", { tab: true }, "tab"],
    ["", { tab: true, shift: true }, "shift+tab"],
    ["c", { ctrl: true }, "ctrl+c"],
    ["", { escape: true }, "escape"],
  ])("that arrive as %j with %o are kept apart and named: %s", (text, modifiers, names) => {
    expect(keyNames(text, modifiers)).toEqual(words(names));
  });

  test.each(
    Object.entries({
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
    }),
  )("%s is shown as %s", (name, word) => {
    expect(formatKey(name)).toBe(word);
  });

  test("with Alt mean nothing", () => {
    const { dashboard, told } = openDashboard(new MarketFeed());
    for (const { keys } of KEYS) for (const key of keys) dashboard.press(`alt+${key}`);
    expect(told).toEqual([]);
    expect(dashboard.isMasked).toBe(false);
  });

  test("mean one thing each in a context", () => {
    for (const { action, context, keys } of KEYS) {
      const others = KEYS.filter((each) => each.context === context && each.action !== action);
      expect(others.filter((other) => other.keys.some((key) => keys.includes(key)))).toEqual([]);
    }
  });
});
