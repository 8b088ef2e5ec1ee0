import { describe, expect, test } from "vitest";
import {
  bindingsIn,
  formatKey,
  formatKeyOf,
  getAction,
  keyFaults,
  keyNames,
  remapKeys,
} from "../../src/screen/keymap.ts";
import { canOverlap, KEYS, type KeyContext } from "../../src/screen/keys.ts";
import { VIEWS } from "../../src/screen/views/views.ts";
import { openKeyScene } from "../support/key-scene.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { words } from "../support/words.ts";

const messages = (overrides: Record<string, string[]>) =>
  keyFaults(overrides).map(({ action, message }) => `${action}: ${message}`);

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
  )("%s is shown as %s, and may be written so in the config file", (name, word) => {
    expect(formatKey(name)).toBe(word);
    for (const written of [name, word]) {
      const keymap = remapKeys({ redraw: [written] });
      expect(keymap.find(({ action }) => action === "redraw")?.keys).toEqual([name]);
    }
  });
});

describe("keys of the user's own", () => {
  test("take the place of the usual ones, for the handler, the hints and the help", () => {
    const keymap = remapKeys({ interval: ["I", "ctrl+i"], candleSource: [] });
    expect(getAction("I", ["market"], keymap)).toBe("interval");
    expect(getAction("i", ["market"], keymap)).toBeUndefined();
    const actions = bindingsIn(["market"], keymap).map(({ action }) => action);
    expect(actions).toContain("interval");
    expect(actions).not.toContain("candleSource");
  });

  test("may have Enter among them, which is called so wherever it is shown", () => {
    const keymap = remapKeys({ quit: ["Enter"], help: ["alt+enter"], sort: ["return"] });
    expect(getAction("return", [], keymap)).toBe("quit");
    expect(getAction("alt+return", [], keymap)).toBe("help");
    expect(formatKeyOf(keymap, "quit")).toBe("Enter");
    expect(messages({ openDay: ["Entr"] })[0]).toMatch(/Entr is no key; .* Enter,/);
    expect(messages({ help: ["Enter"] })[0]).toMatch(/^help: Enter means help and /);
  });

  test("may be with Alt, which without one means nothing", () => {
    const { dashboard, told } = openDashboard(new MarketFeed());
    for (const { keys } of KEYS) for (const key of keys) dashboard.press(`alt+${key}`);
    expect(told).toEqual([]);
    expect(dashboard.isMasked).toBe(false);
    expect(messages({ quit: ["alt+q", "alt+ctrl+x", "alt+up", "alt+shift+up"] })).toEqual([]);
    expect(messages({ quit: ["alt+shift+q"] })[0]).toContain("is no key");
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
    expect(messages({ interval: ["m"], candleSource: ["J"] })).toEqual([]);
  });

  test.each([
    ["refresh", "s", "sort"],
    ["jump", "y", "copyValue"],
    ["removeAlert", "s", "sort"],
    ["accountAll", "s", "sort"],
    ["accountAll", "r", "resetColumns"],
    ["watch", "e", "showRecord"],
    ["stepOn", "i", "interval"],
    ["slower", "m", "candleSource"],
    ["sort", "d", "removeAlert"],
    ["copyRow", "y", "copyValue"],
  ])(
    "are refused where a view runs over a table, or a recording over a view: %s = %s",
    (...row) => {
      const [action, key, other] = row;
      expect(messages({ [action]: [key] }).join("\n")).toContain(`${action} and ${other} (`);
    },
  );

  test("may be the same where their meanings are never in force together", () => {
    expect(messages({ interval: ["s"], refresh: ["i"] })).toEqual([]);
  });

  test("are compared wherever a view or a face of its table has them in force", () => {
    const missed = new Set<string>();
    const places = placesOfAllViews();
    const seen = new Set(places.flat());
    expect(KEYS.filter(({ context }) => !seen.has(context))).toEqual([]);
    for (const contexts of places) {
      for (const [a, b] of contexts.flatMap((one) => contexts.map((two) => [one, two] as const))) {
        if (!canOverlap(a, b)) missed.add(`${a} ${b}`);
      }
    }
    expect([...missed]).toEqual([]);
  });

  test("are refused when they are no keys, or of no action", () => {
    expect(messages({ intervall: ["y"] })).toEqual([
      "intervall: unknown action; did you mean interval?",
    ]);
    for (const key of ["foo", "meta+x", "alt+shift+a", "shift+a", " ", "ctrl+", "\u0001", "価"]) {
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

  test("the usual ones are without fault, each of them", () => {
    for (const { action, keys } of KEYS) {
      const bindings = KEYS.filter((each) => each.action === action);
      // An action with other keys elsewhere cannot be written down as one list.
      const isOneList = bindings.every((each) => each.keys.join(" ") === keys.join(" "));
      if (isOneList) expect(messages({ [action]: [...keys] })).toEqual([]);
    }
    for (const { action, context, keys } of KEYS) {
      const inContext = KEYS.filter(
        (other) => other.context === context && other.action !== action,
      );
      expect(inContext.filter((other) => other.keys.some((key) => keys.includes(key)))).toEqual([]);
    }
  });
});

/** The contexts in force in every view, in every face of its table, live, in the past and in a recording. */
function placesOfAllViews(): (readonly KeyContext[])[] {
  return [true, false].flatMap((isReplay) => {
    const { dashboard } = openKeyScene(isReplay);
    return VIEWS.flatMap((view) => {
      const faces = () =>
        ["", "?", "return", "e", "c", "r"].map((face) => {
          dashboard.show(view);
          const rows = dashboard.contexts;
          if (face !== "") dashboard.press(face);
          const { contexts } = dashboard;
          if (contexts !== rows) dashboard.press("escape");
          return [...contexts, "global"] as const;
        });
      const live = faces();
      dashboard.press("f");
      const frozen = faces();
      dashboard.press("f");
      const selected: KeyContext[] = ["selection", ...(live[0] ?? []), "timeline"];
      return [...live, ...frozen, selected];
    });
  });
}
