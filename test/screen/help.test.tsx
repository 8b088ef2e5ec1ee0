import { Box } from "ink";
import { render } from "ink-testing-library";
import { describe, expect, test } from "vitest";
import { HelpPanel, selectHelp } from "../../src/screen/Help.tsx";
import { bindingsIn, formatKey } from "../../src/screen/keymap.ts";
import type { KeyContext } from "../../src/screen/keys.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openDashboard } from "../support/open-dashboard.ts";

const contexts: readonly KeyContext[] = ["market", "panes", "scroll"];

const show = (rows: number, { scroll = 0, columns = 100, shown = contexts } = {}) => {
  const lines = selectHelp(shown, "");
  const { lastFrame, unmount } = render(
    <Box width={columns} height={rows}>
      <HelpPanel {...{ columns, rows, scroll, lines }} search="" isTyping={false} />
    </Box>,
  );
  const frame = lastFrame() ?? "";
  unmount();
  return frame;
};

describe("help", () => {
  test.each<[columns: number, shown: KeyContext[]]>([
    [80, ["account", "table", "scroll"]],
    [80, ["history", "table", "scroll"]],
    [80, ["timeline", "market", "panes", "scroll"]],
    [100, ["market", "panes", "scroll"]],
    [120, ["market", "panes", "scroll"]],
    [160, ["market", "panes", "scroll"]],
    [200, ["market", "panes", "scroll"]],
  ])("has on %i columns every key of %j and each word of what it does", (columns, shown) => {
    const frame = show(150, { columns, shown });
    for (const { keys, description } of bindingsIn(shown)) {
      for (const key of keys) expect(frame).toContain(formatKey(key));
      for (const word of description.split(" ")) expect(frame).toContain(word);
    }
    expect(frame).toContain("── Everywhere");
    expect(frame).not.toContain("…");
    expect(frame).not.toMatch(/ of [0-9]+: PgUp PgDn/);
  });

  test("stands in as many columns as fit", () => {
    const heads = (columns: number) => show(30, { columns }).split("what it does").length - 1;
    expect([80, 120, 200].map(heads)).toEqual([1, 2, 3]);
  });

  test("shows what fits, and the rest when it is scrolled; never past the last key", () => {
    const first = bindingsIn(contexts)[0]?.description ?? "";
    const last = selectHelp(contexts, "").at(-1)?.description ?? "";
    const [top, end] = [0, 999].map((scroll) => show(12, { columns: 80, scroll }));
    expect(top).toContain("── Dashboard of a market");
    expect(top).toMatch(/1 to 8 of [0-9]+: PgUp PgDn/);
    expect(top).not.toContain(last);
    expect(end).toContain(last);
    expect(end).not.toContain(first);
  });

  test.each([60, 200])(
    "ends with its last key, and goes back with the first, on %i columns",
    async (columns) => {
      const { dashboard } = openDashboard(new MarketFeed());
      const { press } = mountDashboard(dashboard, { columns, rows: 14 });
      const end = await press("?", ...Array<string>(40).fill("pagedown"));
      // What needs an account stands behind the rest.
      expect(end).toMatch(/ A +all subaccounts/);
      expect(await press("up")).not.toBe(end);
      expect(await press("down")).toBe(end);
      expect(await press("home")).toMatch(/ 1 to [0-9]+ of /);
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
    expect(found()).toEqual(["quit at once: whatever is running"]);
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
    expect(lines.slice(at).map(({ key }) => key)).toEqual(expect.arrayContaining(["A", "O"]));
    expect(lines.some(({ description }) => description === "play a recording faster")).toBe(false);
    dashboard.press("escape");
    dashboard.press("M");
    dashboard.press("?");
    const descriptions = dashboard.helpLines.map((line) => line.description);
    expect(descriptions).toContain("open the market");
    expect(descriptions).not.toContain("all fields of the row, exactly as received");
  });
});
