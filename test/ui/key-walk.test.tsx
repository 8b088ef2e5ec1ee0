// Walks the table of keys on a terminal without a window: the bytes of each key lead to the action that the table names.
import { describe, expect, test } from "vitest";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { App } from "../../src/ui/App.tsx";
import type { KeyContext } from "../../src/ui/key-contexts.ts";
import { actionOf } from "../../src/ui/key-lookup.ts";
import { type Action, KEYS } from "../../src/ui/keys.ts";
import { createTheme } from "../../src/ui/theme.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { mountApp } from "../support/terminal/mounted-app.ts";

/** What a terminal sends for keys that are no character. */
const BYTES: Readonly<Record<string, string>> = {
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  pageup: "\u001b[5~",
  pagedown: "\u001b[6~",
  home: "\u001b[H",
  end: "\u001b[F",
  return: "\r",
  escape: "\u001b",
  tab: "\t",
  "shift+tab": "\u001b[Z",
  backspace: "\u007f",
  space: " ",
};

function bytesOf(key: string): string {
  const letter = /^ctrl\+([a-z])$/.exec(key)?.[1];
  if (letter !== undefined) return String.fromCharCode(letter.charCodeAt(0) - 96);
  return BYTES[key] ?? key;
}

function open() {
  const feed = new MarketFeed();
  const { dashboard } = openDashboard(feed);
  dashboard.open({ type: "perp", id: "1" });
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  const styles = new StyleTable();
  const app = mountApp(<App dashboard={dashboard} theme={createTheme(styles)} />, {
    columns: 100,
    rows: 30,
    styles,
  });
  const performed: Action[] = [];
  dashboard.perform = (action) => void performed.push(action);
  /** Actions that the bytes of a key lead to. */
  const type = async (key: string) => {
    app.stdin.type(bytesOf(key));
    await app.settle();
    return performed.splice(0);
  };
  return { ...app, dashboard, type };
}

describe("every key of the table", () => {
  const contexts: readonly KeyContext[] = ["market", "panes", "scroll"];

  test("does on the terminal what the table says, where its context is in force", async () => {
    const { type, dashboard, mounted } = open();
    expect(dashboard.contexts).toEqual(contexts);
    for (const { keys, context, action } of KEYS) {
      if (context !== "global" && !contexts.includes(context)) continue;
      for (const key of keys) {
        const meant = actionOf(key, contexts);
        expect([key, await type(key)], action).toEqual([key, [meant]]);
      }
    }
    mounted.unmount();
  });

  test("has bytes that a terminal can send, whatever its context", async () => {
    const { mounted } = open();
    for (const { keys } of KEYS) {
      for (const key of keys) {
        expect(bytesOf(key) === key && [...key].length > 1, key).toBe(false);
      }
    }
    mounted.unmount();
  });
});
