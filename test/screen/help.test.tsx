import { Box } from "ink";
import { render } from "ink-testing-library";
import { describe, expect, test } from "vitest";
import { HelpPanel, selectHelp } from "../../src/screen/Help.tsx";
import { bindingsIn, formatKey } from "../../src/screen/keymap.ts";
import { KEYS, type KeyContext } from "../../src/screen/keys.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openDashboard } from "../support/open-dashboard.ts";

const contexts: readonly KeyContext[] = ["market", "panes", "scroll"];
const keys = bindingsIn(contexts);

const show = (rows: number, { scroll = 0, columns = 100, shown = contexts, search = "" } = {}) => {
  const lines = selectHelp(shown, KEYS, search);
  const { lastFrame, unmount } = render(
    <Box width={columns} height={rows}>
      <HelpPanel
        columns={columns}
        rows={rows}
        scroll={scroll}
        lines={lines}
        search={search}
        isTyping={false}
      />
    </Box>,
  );
  const frame = lastFrame() ?? "";
  unmount();
  return frame;
};

describe("help", () => {
  test("names every key of the view and what it does, in groups", () => {
    const frame = show(120, { columns: 90 });
    for (const { keys: names, description } of keys) {
      for (const key of names) expect(frame).toContain(formatKey(key));
      expect(frame).toContain(description);
    }
    expect(frame).toContain("── Dashboard of a market");
    expect(frame).toContain("── Everywhere");
  });

  test("stands in as many columns as fit", () => {
    const heads = (columns: number) => show(30, { columns }).split("what it does").length - 1;
    expect([heads(80), heads(120), heads(200)]).toEqual([1, 2, 3]);
  });

  test("shows what fits, and the rest when it is scrolled; never past the last key", () => {
    const first = keys[0]?.description ?? "";
    const last = selectHelp(contexts, KEYS, "").at(-1)?.description ?? "";
    expect(show(12, { columns: 80 })).not.toContain(last);
    expect(show(12, { columns: 80, scroll: 999 })).toContain(last);
    expect(show(12, { columns: 80, scroll: 999 })).not.toContain(first);
    expect(show(12, { columns: 80 })).toMatch(/1 to 8 of [0-9]+: PgUp PgDn/);
    expect(show(120, { columns: 80 })).not.toMatch(/ of [0-9]+: PgUp PgDn/);
  });

  test.each<KeyContext[]>([
    ["market", "panes", "scroll"],
    ["account", "table", "scroll"],
    ["history", "table", "scroll"],
    ["timeline", "market", "panes", "scroll"],
  ])("is whole on 80 columns: %s, %s …", (...shown) => {
    const frame = show(150, { columns: 80, shown });
    const text = frame.replace(/[│\s]+/g, " ");
    for (const { description } of bindingsIn(shown)) {
      for (const word of description.split(" ")) expect(text).toContain(word);
    }
    expect(frame).not.toContain("…");
  });

  test.each([80, 100, 120, 160, 200])("breaks no word on %i columns", (columns) => {
    const frame = show(150, { columns, shown: ["grid", "panes", "scroll"] });
    for (const { description } of bindingsIn(["grid", "panes", "scroll"])) {
      for (const word of description.split(" ")) expect(frame).toContain(word);
    }
  });

  test.each([80, 200])(
    "goes back from its end with the first key, on %i columns",
    async (columns) => {
      const { dashboard } = openDashboard(new MarketFeed());
      const { screen } = mountDashboard(dashboard, { columns, rows: 14 });
      dashboard.press("?");
      for (let i = 0; i < 40; i++) dashboard.press("pagedown");
      const end = await screen();
      dashboard.press("up");
      const before = await screen();
      expect(before).not.toBe(end);
      dashboard.press("down");
      expect(await screen()).toBe(end);
    },
  );

  test("is found by a few letters, until Escape shows all of it again and closes it", () => {
    const { dashboard } = openDashboard(new MarketFeed());
    const press = (...names: string[]) => {
      for (const name of names) dashboard.press(name);
    };
    const found = () =>
      dashboard.helpLines.flatMap(({ kind, description }) => (kind === "key" ? description : []));
    press("?");
    const all = found().length;
    press("/", ..."whatever", "return");
    expect(found()).toEqual(["quit at once, whatever is running"]);
    press("/", "escape");
    expect(found().length).toBe(all);
    expect(dashboard.help.isOpen).toBe(true);
    press("escape");
    expect(dashboard.help.isOpen).toBe(false);
  });

  test("has what cannot be done here last, under what it lacks, and nothing that no key does here", () => {
    const { dashboard } = openDashboard(new MarketFeed());
    dashboard.press("?");
    const lines = dashboard.helpLines;
    const headings = lines
      .filter(({ kind }) => kind === "heading")
      .map(({ description }) => description);
    const first = headings.findIndex((description) => description.startsWith("Not now: "));
    expect(first).toBeGreaterThan(0);
    expect(headings.slice(first).every((description) => description.startsWith("Not now: "))).toBe(
      true,
    );
    const at = lines.findIndex(
      ({ description }) => description === "Not now: no account is shown: :account ADDRESS",
    );
    expect(lines.slice(at).map(({ key }) => key)).toEqual(expect.arrayContaining(["A", "U"]));
    expect(lines.some(({ description }) => description === "play a recording faster")).toBe(false);
    dashboard.press("escape");
    dashboard.press("M");
    dashboard.press("?");
    const descriptions = dashboard.helpLines.map((line) => line.description);
    expect(descriptions).toContain("open the market");
    expect(descriptions).not.toContain("the whole row, exactly as received");
  });
});
