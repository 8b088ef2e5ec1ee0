// The mouse as the user sees it on a terminal without a window.
import { describe, expect, test } from "vitest";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";

const BASE = 2000;

function open({
  theme = "terminal",
  depth = "truecolor" as "truecolor" | "none",
  columns = 120,
} = {}) {
  const { feed, dashboard, told, model } = openMarket();
  const side = (sign: number): [number, number][] =>
    Array.from({ length: 30 }, (_, i) => [BASE + sign * (i + 1), 10]);
  feed.book(side(-1), side(1), 1, true);
  feed.bbo(BASE - 1, BASE + 1);
  for (let i = 0; i < 60; i++) feed.trade(BASE + i, 1, true, `${i + 1}000000000`);
  const app = mountDashboard(dashboard, { columns, rows: 40, look: { theme }, depth });
  const { lines, mouse } = app;
  /** Presses and lets go, at the first cell of a text on the screen. */
  const click = async (text: string) => {
    const shown = await lines();
    const y = shown.findIndex((line) => line.includes(text));
    const x = shown[y]?.indexOf(text) ?? -1;
    mouse(0, x, y);
    mouse(0, x, y, "m");
    return lines();
  };
  return { ...app, feed, model, told, click };
}

describe("the mouse", () => {
  test("chooses a level of the book by a click, and says what it costs to fill up to it", async () => {
    const { click, model } = open();
    const shown = await click(`${BASE + 3} `);
    expect(model.choices.level).toEqual({ side: "ask", priceTicks: BigInt(BASE + 3) });
    expect(model.focus).toBe("orderbook");
    expect(shown.join("\n")).toContain(`▸  ${BASE + 3}`);
    expect(shown.join("\n")).toContain("buy 30 at 2002.00");
  });

  test("focuses a pane by a click, and scrolls it by the wheel", async () => {
    const { click, model, mouse, lines } = open();
    await click("Trades");
    expect(model.focus).toBe("trades");
    mouse(65, 4, 29);
    await lines();
    expect(model.scrolledBy("trades")).toBe(3);
    mouse(64, 4, 29);
    await lines();
    expect(model.scrolledBy("trades")).toBe(0);
  });

  test("a scrolled tape stays where it is while trades come in, until it is scrolled again", async () => {
    const { click, dashboard, model, mouse, lines, feed } = open();
    await click("Trades");
    const tape = async () =>
      (await lines()).flatMap((line) => line.match(/\d\d:\d\d:\d\d\.\d{3} [▲▼] .*$/)?.[0] ?? []);
    mouse(65, 4, 29);
    const before = await tape();
    expect(before[0]).toContain(`${BASE + 56}`);
    for (let i = 0; i < 7; i++) feed.trade(BASE - 9, 1, false, `${100 + i}000000000`);
    expect(await tape()).toEqual(before);
    expect(model.scrolledBy("trades")).toBe(10);
    // Trades of the newest moment are one line.
    feed.trade(BASE - 9, 1, false, "106000000000");
    expect(await tape()).toEqual(before);
    mouse(64, 4, 29);
    await lines();
    expect(model.scrolledBy("trades")).toBe(7);
    feed.trade(BASE - 9, 1, false, "107000000000");
    expect((await tape())[0]).toContain(`${BASE + 59}`);
    dashboard.press("home");
    expect((await tape())[0]).toContain(`${BASE - 9}`);
  });

  test.each([160, 80, 40])(
    "shows a view by its tab while the connection is lost, too: the banner stands beside the tabs on %i columns",
    async (columns) => {
      const { click, dashboard, feed, lines } = open({ columns });
      const fault = { code: "refused" as const, detail: "connect ECONNREFUSED 127.0.0.1:7801" };
      feed.link("waiting", { retryAtMs: 5000, fault });
      const [top = ""] = await lines();
      expect(top).toMatch(/^ D Market .* × offline, next try in 5s(?:: connect ECONNREFUSED .*)?$/);
      expect(top.includes("ECONNREFUSED")).toBe(columns === 160);
      if (columns < 80) return;
      await click(" M Markets ");
      expect(dashboard.view.name).toBe("markets");
    },
  );

  test("shows a view by its tab, and does what a hint says", async () => {
    const { click, dashboard, told } = open();
    await click("Markets");
    expect(dashboard.view.name).toBe("markets");
    await click("? help");
    expect(dashboard.help.isOpen).toBe(true);
    await click("quit");
    expect(dashboard.help.isOpen).toBe(false);
    await click("q quit");
    expect(told).toEqual(["quit"]);
  });
});

describe("the book cursor", () => {
  test("is set and moved by keys, over the spread, and taken away again", async () => {
    const { dashboard, model, lines, screen } = open();
    await lines();
    dashboard.press("c");
    expect(model.choices.level).toEqual({ side: "bid", priceTicks: BigInt(BASE - 1) });
    await lines();
    dashboard.press("up");
    expect(model.choices.level).toEqual({ side: "ask", priceTicks: BigInt(BASE + 1) });
    dashboard.press("down");
    dashboard.press("down");
    expect(model.choices.level).toEqual({ side: "bid", priceTicks: BigInt(BASE - 2) });
    expect(await screen()).toContain("sell 20 at 1998.50");
    dashboard.press("c");
    expect(model.choices.level).toBeUndefined();
  });
});

describe("Escape", () => {
  test("takes back what was opened last: the amount, the cursor, the pane alone; the view stays", async () => {
    const { dashboard, model, lines, press } = open();
    await lines();
    await press("M", "D", "z", "c", "C", "5", "return");
    await lines();
    const state = () => [
      model.isAmountShown,
      model.choices.level !== undefined,
      model.choices.isZoomed,
      dashboard.view.name,
    ];
    const seen = [state()];
    for (let i = 0; i < 4; i++) {
      dashboard.press("escape");
      seen.push(state());
    }
    expect(seen).toEqual([
      [true, true, true, "market"],
      [false, true, true, "market"],
      [false, false, true, "market"],
      [false, false, false, "market"],
      [false, false, false, "market"],
    ]);
  });
});

describe("an amount", () => {
  test("shows what it costs on both sides while it is typed, until Escape takes it away", async () => {
    const { lines, press } = open();
    await lines();
    expect(await press("C")).toContain("amount ▏");
    const typed = await press(..."15");
    expect(typed).toContain("buy 15 at 2001.33  1.6658 bp  2 levels");
    expect(typed).toContain("sell 15 at 1998.67  1.6675 bp  2 levels");
    expect(await press("return")).toContain("amount 15");
    expect(await press("C", "return")).toContain("amount 15");
    expect(await press("C", ..."15000")).toContain("only buy 300 at");
    expect(await press("escape")).not.toContain("amount");
  });

  test("that is none says why where the book is narrow, too", async () => {
    const { lines, press } = open({ columns: 80 });
    await lines();
    expect(await press(..."Cfoo")).toContain("not an amount: 2.5, or 10000 quote");
  });

  test("can be set in the palette, and a wrong one is refused with the form", async () => {
    const { dashboard, lines, screen } = open();
    await lines();
    const type = (text: string) => {
      for (const key of `:${text}`) dashboard.press(key === " " ? "space" : key);
      dashboard.press("return");
    };
    type("cost twelve");
    expect(await screen()).toContain("not an amount: 2.5, or 10000 quote");
    dashboard.press("escape");
    type("cost 12");
    expect(await screen()).toContain("buy 12 at 2001.17");
  });
});

describe("the selected row", () => {
  test.each([
    { theme: "terminal", depth: "truecolor" },
    { theme: "light", depth: "truecolor" },
    { theme: "dark", depth: "truecolor" },
    { theme: "high-contrast", depth: "truecolor" },
    { theme: "mono", depth: "truecolor" },
    { theme: "dark", depth: "none" },
  ] as const)(
    "is seen in $theme with $depth colours: a sign before it, and inverted",
    async (look) => {
      const { click, shown } = open(look);
      await click(`${BASE - 2} `);
      const terminal = await shown();
      const y = terminal.text().findIndex((line) => line.includes(`▸  ${BASE - 2}`));
      expect(y).toBeGreaterThan(0);
      const x = terminal.text()[y]?.indexOf(`${BASE - 2}`) ?? 0;
      const cells = terminal.cells();
      expect(cells[y]?.[x]).toContain("inverse");
      expect(cells[y + 1]?.[x]).not.toContain("inverse");
    },
  );
});
