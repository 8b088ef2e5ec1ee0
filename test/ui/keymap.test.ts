import { describe, expect, test } from "vitest";
import { actionOf, bindingsIn } from "../../src/ui/key-lookup.ts";
import { keyFaults, remapKeys } from "../../src/ui/keymap.ts";
import { KEYS } from "../../src/ui/keys.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";

const messages = (overrides: Record<string, string[]>) =>
  keyFaults(overrides).map(({ action, message }) => `${action}: ${message}`);

describe("keys of the user's own", () => {
  test("take the place of the usual ones, for the handler, the hints and the help", () => {
    const keymap = remapKeys({ interval: ["I", "ctrl+i"], candleSource: [] });
    expect(actionOf("I", ["market"], keymap)).toBe("interval");
    expect(actionOf("i", ["market"], keymap)).toBeUndefined();
    const actions = bindingsIn(["market"], keymap).map(({ action }) => action);
    expect(actions).toContain("interval");
    expect(actions).not.toContain("candleSource");
  });

  test("work in the dashboard, also when they change while it is shown", () => {
    const { dashboard, told } = openDashboard(new MarketFeed(), {
      keymap: remapKeys({ quit: ["K"] }),
    });
    dashboard.press("q");
    expect(told).toEqual([]);
    dashboard.press("K");
    dashboard.setKeymap(KEYS);
    dashboard.press("q");
    expect(told).toEqual(["quit", "quit"]);
  });

  test("are refused when one would mean two things at once; both are named", () => {
    expect(messages({ interval: ["m"] })).toEqual([
      "interval: m means interval and candleSource (candles of last prices, of mark prices, or both) at once; give one of them another key",
    ]);
    expect(messages({ interval: ["q"] })[0]).toContain("interval and quit");
    expect(messages({ quit: ["j"] })[0]).toContain("quit and scrollDown");
    expect(messages({ interval: ["m"], candleSource: ["n"] })).toEqual([]);
  });

  test("are refused when they are no keys, or of no action", () => {
    expect(messages({ intervall: ["y"] })).toEqual([
      "intervall: unknown action; did you mean interval?",
    ]);
    for (const key of ["foo", "alt+x", "shift+a", " ", "ctrl+", "\u0001", "価"]) {
      expect(messages({ interval: [key] })[0]).toContain("is no key");
    }
    for (const key of ["y", "Y", "ctrl+y", "end", "shift+up", "é", "+", "Z"]) {
      expect(messages({ interval: [key] }).filter((each) => each.includes("is no key"))).toEqual(
        [],
      );
    }
  });

  test("leave a way to leave", () => {
    expect(messages({ quit: [] })).toEqual(["quit: there must be a key to leave"]);
  });

  test("the usual ones are without fault", () => {
    const usual = Object.fromEntries(
      ["quit", "interval", "focusNext", "scrollUp", "help"].map((action) => [
        action,
        KEYS.filter((binding) => binding.action === action).flatMap(({ keys }) => [...keys]),
      ]),
    );
    expect(keyFaults(usual)).toEqual([]);
  });
});
