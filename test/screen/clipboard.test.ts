import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Clipboard, MAX_COPIED_BYTES } from "../../src/screen/clipboard.ts";
import { getAction } from "../../src/screen/keymap.ts";
import type { Action } from "../../src/screen/keys.ts";
import { TablePane } from "../../src/screen/table/pane.ts";
import { Display } from "../../src/select/display.ts";
import { Aliases } from "../../src/state/aliases.ts";
import { oscSequence } from "../../src/terminal/session/osc.ts";
import { terminalTraits } from "../../src/terminal/session/terminal-traits.ts";
import { visible } from "../../src/terminal/visible.ts";
import { anyCharacter } from "../support/any-character.ts";
import { openMarket } from "../support/open-dashboard.ts";

const ADDRESS = "gtSF5bv5c39VkTMSQ9dKC7nyWDFcEuWH3zccp76nJNeD";

function open(env: Readonly<Record<string, string>> = {}) {
  const sent: string[] = [];
  const clock = { nowMs: 0 };
  const clipboard = new Clipboard({
    send: (text) => sent.push(text),
    now: () => clock.nowMs,
    isTaken: terminalTraits(env).takesClipboard,
  });
  return { sent, clock, clipboard };
}

describe("clipboard", () => {
  test("gets text as base64 that gives back every letter, and no other sequence", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const sequence = oscSequence({ kind: "clipboard", text }, terminalTraits({}));
        expect([sequence.slice(0, 7), sequence.slice(-1)]).toEqual(["\x1b]52;c;", "\x07"]);
        const base64 = sequence.slice(7, -1);
        expect(base64).toMatch(/^[A-Za-z0-9+/=]*$/);
        expect(Buffer.from(base64, "base64").toString("utf8")).toBe(text);
      }),
    );
  });

  test("takes only text without anything that a terminal would obey, a line for each row, within the cap", () => {
    const cell = fc.string({ unit: anyCharacter, maxLength: 30 });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 })), (rows) => {
        const { sent, clipboard } = open();
        clipboard.copyRows({ rows, hasTitles: false });
        const lines = sent.join("").split("\n");
        expect(sent.length).toBe(rows.length === 0 ? 0 : 1);
        if (rows.length === 0) return;
        expect(lines.map((line) => line.split("\t").length)).toEqual(rows.map((r) => r.length));
        for (const part of lines.flatMap((line) => line.split("\t"))) {
          expect(visible(part)).toBe(part);
        }
      }),
    );
  });

  test("takes whole rows up to the cap and says how many; a value that is too long is not cut", () => {
    const { sent, clipboard } = open();
    const rows = Array.from({ length: 1001 }, (_, i) => [String(i).padStart(99, "é")]);
    clipboard.copyRows({ rows, hasTitles: true });
    const [text = ""] = sent;
    const copied = text.split("\n");
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_COPIED_BYTES);
    expect(copied).toEqual(rows.slice(0, copied.length).map(([cell]) => cell));
    expect(Buffer.byteLength([text, ...(rows[copied.length] ?? [])].join("\n"))).toBeGreaterThan(
      MAX_COPIED_BYTES,
    );
    expect(clipboard.notice).toBe(
      `first ${copied.length - 1} of 1000 rows sent to the terminal's clipboard`,
    );
    clipboard.copyValue("é".repeat(MAX_COPIED_BYTES / 2 + 1));
    expect(clipboard.notice).toBe("not sent: too long for the clipboard");
    expect(sent).toHaveLength(1);
  });

  test.each([
    ["terminals of GNOME's kind", { TERM: "xterm-256color", VTE_VERSION: "7006" }, false],
    ["GNU screen", { TERM: "screen.xterm-256color", STY: "1.pts-0" }, false],
    ["Terminal of macOS", { TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, false],
    [
      "tmux in one of them",
      { TERM: "tmux-256color", TMUX: "/tmp/t,1,0", VTE_VERSION: "7006" },
      true,
    ],
    [
      "xterm from a shell of one",
      { TERM: "xterm", XTERM_VERSION: "379", VTE_VERSION: "7006" },
      true,
    ],
    ["alacritty from a shell of one", { TERM: "alacritty", VTE_VERSION: "7006" }, true],
  ])("says of %s whether it takes what is copied", (_, env, isTaken) => {
    const { clipboard } = open(env);
    clipboard.copyRows({ rows: [["a"], ["b"]], hasTitles: false });
    expect(clipboard.notice).toBe(
      isTaken
        ? "2 rows sent to the terminal's clipboard"
        : "2 rows sent, but this terminal takes none: Shift selects",
    );
  });

  test("says for five seconds what it has done; formulas are harmless in rows, numbers stay numbers", () => {
    const { sent, clock, clipboard } = open();
    clipboard.copyRows({ rows: [["=1+1", "-5.2", "+x", "@a"]], hasTitles: false });
    expect(sent).toEqual(["'=1+1\t-5.2\t'+x\t'@a"]);
    expect(clipboard.notice).toBe("1 row sent to the terminal's clipboard");
    clock.nowMs = 5000;
    expect(clipboard.notice).toBe("");
  });
});

describe("keys that copy in a table", () => {
  const rows = [
    { oid: "11", owner: ADDRESS, created_at_ns: "1767225692255689000", px: "9681.50", note: null },
    { oid: "12", owner: ADDRESS, created_at_ns: "1767225692255689001", px: "=x", note: "a\tb" },
  ];

  function openTable(isMasked = false) {
    const { sent, clipboard } = open();
    const shown = { store: { aliases: new Aliases() }, isMasked, display: new Display() };
    const pane = new TablePane(
      { shown, clipboard, changes: { notify() {} } },
      { title: "Orders", records: () => rows },
    );
    const press = (...keys: string[]) => {
      for (const key of keys) {
        if (pane.typing?.key(key) === true) continue;
        const action = getAction(key, pane.contexts);
        if (action !== undefined) pane.perform(action);
      }
      return sent.splice(0);
    };
    const perform = (action: Action) => {
      pane.perform(action);
      return sent.splice(0);
    };
    return { press, perform };
  }

  test("give the value, the row or the table whole, where the screen shortens it", () => {
    const { press, perform } = openTable();
    expect(press("y")).toEqual(["11"]);
    expect(press("right", "y", "right", "y")).toEqual([ADDRESS, "1767225692255689000"]);
    expect(press("Y")).toEqual([`11\t${ADDRESS}\t1767225692255689000\t9681.50\t`]);
    expect(perform("copyTable")[0]?.split("\n")).toEqual([
      "oid\towner\tcreated_at_ns\tpx\tnote",
      `11\t${ADDRESS}\t1767225692255689000\t9681.50\t`,
      `12\t${ADDRESS}\t1767225692255689001\t'=x\ta\\tb`,
    ]);
    expect(press("return", "y")).toEqual([
      `oid\t11\nowner\t${ADDRESS}\ncreated_at_ns\t1767225692255689000\npx\t9681.50\nnote\tnull`,
    ]);
  });

  test("copy what is found, and nothing where no row is", () => {
    const { press, perform } = openTable();
    press("/", "1", "2", "return");
    expect(perform("copyTable")[0]?.split("\n")[1]).toBe(
      `12\t${ADDRESS}\t1767225692255689001\t'=x\ta\\tb`,
    );
    expect(press("/", "z", "return", "y", "Y")).toEqual([]);
    expect(perform("copyTable")).toEqual([]);
  });

  test("copy nothing that is hidden on the screen", () => {
    const { press, perform } = openTable(true);
    const copied = [...press("Y"), ...perform("copyTable"), ...press("return", "y")].join("\n");
    expect(copied).not.toContain(ADDRESS);
    expect(copied).toContain("•••");
  });
});

describe("keys that copy on the dashboard of a market", () => {
  test("give the level at the cursor, and the focused pane with titles, exactly", () => {
    const { sent, clipboard } = open();
    const { feed, dashboard, model } = openMarket({ clipboard });
    feed.book("99:5 98:7", "101:3", 1, true);
    feed.trade(101n, 2, true);
    dashboard.press("y");
    expect([sent, clipboard.notice]).toEqual([[], "nothing to copy: the book has no cursor"]);
    dashboard.perform("copyTable");
    expect(sent.splice(0)).toEqual([
      "side\tprice_ticks\tsize_lots\ttotal_lots\nask\t101\t3\t3\nbid\t99\t5\t5\nbid\t98\t7\t12",
    ]);
    const lines = [{ side: "bid", priceTicks: 98n }] as const;
    model.panes.orderbook.painted = { wanted: 0, scrolled: 0, lines };
    for (const key of ["c", "y", "Y"]) dashboard.press(key);
    expect(sent.splice(0)).toEqual(["98", "bid\t98\t7\t12"]);
    dashboard.press("shift+tab");
    dashboard.perform("copyTable");
    expect(sent[0]?.split("\n")[0]).toBe("timestamp_ns\ttaker\tprice_ticks\tsize_lots\ttrades");
    expect(sent[0]).toMatch(/\tbuy\t101\t2\t1$/);
  });
});
