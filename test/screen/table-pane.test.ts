import { describe, expect, test } from "vitest";
import { getAction } from "../../src/screen/keymap.ts";
import { TablePane, type TablePaneOptions } from "../../src/screen/table/pane.ts";
import { Display, EXACT } from "../../src/select/display.ts";
import { Aliases } from "../../src/state/aliases.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { ExactNumber } from "../../src/wire/exact-numbers.ts";
import type { OpenRecord } from "../../src/wire/update.ts";
import { painted } from "../support/painted.ts";

const styles = new StyleTable();
const aliases = new Aliases();

function open(records: readonly OpenRecord[] | undefined, options: Partial<TablePaneOptions> = {}) {
  const format = { aliases, scaleOf: () => undefined, isMasked: false, display: EXACT };
  const now = { records, format };
  const shown = { store: { aliases }, isMasked: false, display: new Display() };
  const pane = new TablePane(
    { shown, clipboard: undefined, changes: { notify() {} } },
    {
      title: "Orders",
      records: () => now.records,
      format: () => now.format,
      keyOf: (row) => aliases.text(row, "orderId"),
      ...options,
    },
  );
  return {
    pane,
    now,
    screen: (columns = 60, rows = 8) =>
      painted(styles, { columns, rows }, ({ surface, inner, theme }) => {
        pane.painted = pane.paint(surface, inner, theme, pane.painted);
      }),
    press(...keys: string[]) {
      for (const key of keys) {
        if (pane.typing?.key(key) === true) continue;
        const action = getAction(key, pane.contexts);
        if (action !== undefined) pane.perform(action);
      }
    },
    title: () => pane.title().filter((part) => part !== ""),
  };
}

const orders: readonly OpenRecord[] = [
  { oid: "11", mkt: "BTC-PERP", dir: { side: "buy" }, px: "9681.50", qty: 3 },
  { oid: "12", mkt: "ETH-PERP", dir: { side: "sell" }, px: "339.80", qty: 20 },
  { oid: "13", mkt: "BTC-PERP", dir: { side: "sell" }, px: "9700", qty: 100 },
];

describe("table pane", () => {
  test("text takes the room that is left in the last column, then in the others, and no more than there is", () => {
    const detail = "connect ECONNREFUSED 127.0.0.1:7801 after a while";
    const channel = "account/TZPVufw9kodsCtzFQcJN3PXJ2oFSmRhrMo7CVj8y6sL3/0";
    const { screen } = open([{ channel, detail }]);
    const row = (columns: number) => screen(columns)[1] ?? "";
    expect(row(160)).toBe(`▸ ${channel}  ${detail}`);
    expect(row(100)).toBe(`▸ ${channel.slice(0, 46)}…  ${detail}`);
    expect(row(70)).toBe(`▸ ${channel.slice(0, 27)}…  ${detail.slice(0, 37)}…`);
    expect(row(46)).toBe(`▸ ${channel.slice(0, 27)}…  ${detail.slice(0, 13)}…`);
    expect(row(40)).toBe(`▸ ${channel.slice(0, 37)}…`);
  });

  test("shows rows with headers in words, numbers on the right, the selected row marked", () => {
    const { screen, title } = open(orders);
    expect(screen()).toEqual([
      "  Oid  Mkt       Dir side       Px  Qty",
      "▸  11  BTC-PERP  buy       9681.50    3",
      "   12  ETH-PERP  sell       339.80   20",
      "   13  BTC-PERP  sell         9700  100",
      "",
      "",
      "",
      "",
    ]);
    expect(title()).toEqual(["Orders 3"]);
  });

  test("/ filters while it is typed, Enter keeps the filter, Escape takes it away", () => {
    const { screen, press, title } = open(orders);
    press("/", "b", "t", "c", "space", "s", "e");
    expect(screen()[1]).toContain("13");
    expect(screen().at(-1)).toBe("/btc se▏");
    press("return");
    expect(title()).toEqual(["Orders", "1 of 3 for /btc se"]);
    expect(screen().at(-1)).toBe("");
    press("escape");
    expect(title()).toEqual(["Orders 3"]);
    press("/", "x", "q");
    expect(screen()[1]).toBe("no row has all of these words");
    press("backspace", "backspace", "1", "2");
    expect(screen()[1]).toContain("ETH-PERP");
    press("escape");
    expect(screen()[3]).toContain("13");
  });

  test("a filter that is longer than the pane shows its end, however wide its letters are", () => {
    const { screen, press } = open(orders);
    press("/", ..."界".repeat(20), "x");
    expect(screen(20).at(-1)).toBe(`…${"界".repeat(8)}x▏`);
  });

  test("s sorts by the column that was chosen with the arrows", () => {
    const { screen, press, title } = open(orders);
    press("right", "right", "right", "s");
    expect(
      screen()
        .slice(1, 4)
        .map((line) => line.slice(2, 5).trim()),
    ).toEqual(["12", "11", "13"]);
    expect(title()).toContain("by Px▲");
    press("s");
    expect(
      screen()
        .slice(1, 4)
        .map((line) => line.slice(2, 5).trim()),
    ).toEqual(["13", "11", "12"]);
  });

  test("Enter shows all of a row with its exact text, every letter of it by scrolling", () => {
    const long = "漢字".repeat(250);
    const row = {
      oid: "7",
      size: new ExactNumber("12345678901234567890.10"),
      created_at_ns: "1767225692255689000",
      legs: [{ px: "1" }, { px: "2" }],
      nothing: null,
      name: long,
      end: "END",
    };
    const { screen, press } = open([row]);
    press("return");
    const seen = new Set<string>();
    for (let i = 0; i < 60; i++) {
      for (const line of screen(40, 8)) seen.add(line);
      press("down");
    }
    const lines = [...seen];
    const text = lines.join("\n");
    expect(text).toMatch(/size +12345678901234567890\.10/);
    expect(text).toMatch(/created_at_ns +1767225692255689000/);
    expect(text).toMatch(/legs\.0\.px +1\n/);
    expect(text).toMatch(/nothing +null/);
    expect(screen(40, 8).at(-1)).toMatch(/^end +END$/);
    press("home");
    let letters = "";
    for (let i = 0; i < 60; i++) {
      const line = screen(40, 1)[0] ?? "";
      letters += line.replace(/[^漢字]/gu, "");
      press("down");
    }
    expect(letters.startsWith(long)).toBe(true);
    press("return");
    expect(screen()[1]).toContain("12345678901234567890.10");
  });

  test("the row that is open changes with its record, and stays when the record is gone", () => {
    const { screen, press, now } = open(orders);
    press("return");
    now.records = [{ ...orders[0], px: "1.23" }];
    expect(screen().join("\n")).toContain("1.23");
    now.records = [];
    expect(screen().join("\n")).toContain("1.23");
  });

  test("hides what must not be seen while the mask is on, also in the row's own view", () => {
    const { screen, press, now } = open(orders);
    screen();
    now.format = { ...now.format, isMasked: true };
    expect(screen()[1]).toMatch(/••• +BTC-PERP +buy +9681\.50 +•••/);
    press("return");
    expect(screen().join("\n")).toMatch(/qty +•••/);
  });

  test("stays calm with no room, no columns, no rows, and rows that never came", () => {
    expect(open(undefined).screen()[1]).toBe("no data yet");
    expect(open([]).screen()[1]).toBe("none");
    expect(open([{}]).screen()[1]).toBe("▸");
    const { pane, press } = open([{ ["wide".repeat(200)]: "漢".repeat(500) }]);
    for (const key of ["", "return"]) {
      press(key);
      for (const [columns, rows] of [
        [0, 0],
        [1, 1],
        [2, 9],
        [3, 2],
        [300, 1],
      ] as const) {
        painted(styles, { columns, rows }, ({ surface, inner, theme }) => {
          pane.painted = pane.paint(surface, inner, theme, pane.painted);
        });
      }
    }
    press("s", "end", "home", "pagedown", "right", "escape");
  });
});
