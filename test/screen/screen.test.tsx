// What a user can do with views, panes, tables, text fields, notices and the palette, whatever the views show.
import { expect, test } from "vitest";
import type { Layout, Pane, View } from "../../src/screen/pane.ts";
import { tablePane } from "../../src/screen/table/pane.ts";
import type { Table } from "../../src/screen/table/table.ts";
import { openRig } from "./rig.tsx";

interface Coin {
  readonly symbol: string;
  price: string;
  readonly held?: string;
}

const COINS: Table<Coin> = {
  name: "coins",
  title: "Coins",
  columns: [
    { title: "symbol", align: "left", value: ({ symbol }) => symbol },
    { title: "price", value: ({ price }) => price, show: (exact) => `$${exact}` },
    {
      title: "held",
      secret: true,
      value: ({ held }) => held,
      tone: ({ held = "" }) => (held.startsWith("-") ? "loss" : "gain"),
    },
  ],
  rows: ({ store }) => (store as unknown as { coins: Coin[] }).coins,
  id: ({ symbol }) => symbol,
  foot: (rows) => `${rows.length} rows loaded`,
  empty: "no coins",
};

function view(name: string, key: string): View {
  const table = tablePane({ ...COINS, name: `${name}-coins` });
  const side: Pane = {
    name: "side",
    title: () => ["Side"],
    draw: (surface) => surface.text(0, 0, "side"),
  };
  const layout: Layout = {
    row: [
      { pane: table, grow: 1, min: [20, 5] },
      { pane: side, grow: 0, min: [12, 3], goes: 1 },
    ],
  };
  return { name, key, title: name, layout: () => layout };
}

const coins = (): Coin[] => [
  { symbol: "BTC", price: "97000", held: "-1.5" },
  { symbol: "ETH", price: "3400.10", held: "2" },
  { symbol: "SOL", price: "210.5" },
];
const open = (more: object = {}) => {
  const store = { coins: coins(), link: {} };
  return { store, ...openRig({ views: [view("One", "A"), view("Two", "B")], store, ...more }) };
};

test("rows, cursor, sort and filter: keys act on the table in focus", async () => {
  const { screen, type, ui } = open();
  expect(await screen()).toMatch(/symbol.*BTC.*ETH.*SOL.*3 rows loaded/s);
  type("s", "s");
  expect(await screen()).toMatch(/price▼.*BTC.*ETH.*SOL/s);
  type("s", "j", "j");
  expect(ui.table("One-coins").id).toBe("SOL");
  type("/", ..."et", "\r");
  const filtered = await screen();
  expect(filtered).toContain("1 of 3 with et");
  expect(filtered).not.toContain("BTC");
});

test("the cursor stays on its row when rows move", async () => {
  const { screen, type, ui, store } = open();
  await screen();
  type("j");
  store.coins.unshift({ symbol: "AAA", price: "1" });
  await screen();
  expect(ui.table("One-coins")).toMatchObject({ id: "ETH", at: 2 });
});

test("the mask hides sign, colour and length, and names no width", async () => {
  const { screen, type, cells } = open();
  await screen();
  type("p");
  const text = await screen();
  expect(text).toContain("MASKED");
  expect(text).toContain("•••");
  expect(text).not.toMatch(/-1\.5|\+•|−•/);
  const tones = new Set(
    (await cells())
      .flat()
      .filter((cell) => cell.startsWith("•"))
      .map((cell) => cell.split("|")[1]),
  );
  expect(tones.size).toBe(1);
});

test("copies are exact, and masked under the mask", async () => {
  const { screen, type, copied } = open();
  await screen();
  type("j", "y", "p", "y");
  expect(copied).toEqual(["ETH\t3400.10\t2", "ETH\t3400.10\t•••"]);
});

test("Enter shows all that is known of a row over the view, and goes on with it", async () => {
  const { screen, type, store } = open();
  await screen();
  type("\r");
  expect(await screen()).toContain("$97000");
  const [first] = store.coins;
  if (first !== undefined) first.price = "97001";
  expect(await screen()).toContain("$97001");
  type("\u001b");
  expect(await screen()).toContain("3 rows loaded");
});

test("frozen is frozen in every view, until Esc", async () => {
  const { screen, type, store } = open();
  await screen();
  type("f");
  const [first] = store.coins;
  if (first !== undefined) first.price = "1";
  for (const key of ["B", "A"]) {
    type(key);
    const text = await screen();
    expect(text).toContain("FROZEN");
    expect(text).toContain("$97000");
  }
  type("\u001b");
  expect(await screen()).toContain("$1");
});

test("a text field takes every key, with a caret", async () => {
  const { screen, type, ui } = open();
  await screen();
  const done: string[] = [];
  const onDone = (text: string) => {
    done.push(text);
    return undefined;
  };
  ui.ask({ label: "name", onDone });
  type(..."Cq25", "\u001b[D", "\u001b[D", "x", "\u001b[H", "-", "\r");
  expect(done).toEqual(["-Cqx25"]);
  expect(ui.view.name).toBe("One");
  ui.ask({ label: "name", text: "two words", onDone });
  type("\u0017", "👨‍👩‍👧", "é", "\u007f", "\u007f", "\r");
  expect(done.at(-1)).toBe("two ");
});

test("what cannot be taken is said beside the text, which stays", async () => {
  const { screen, type, ui } = open();
  ui.ask({ label: "rule", text: "bad", onDone: () => "no such subject" });
  type("\r");
  expect(await screen()).toContain("bad");
  expect(await screen()).toContain("no such subject");
  expect(ui.field).toBeDefined();
});

test("of several notices the heaviest is shown, and none outlives its view or time", async () => {
  const { screen, type, ui, clock } = open();
  ui.notify("connection lost", "alarm");
  ui.notify("row copied");
  expect(await screen()).toContain("connection lost");
  clock.advance(16_000);
  ui.notify("something happened", "news");
  ui.notify("row copied");
  expect(await screen()).toContain("row copied");
  type("B");
  expect(await screen()).not.toContain("row copied");
});

test("the palette finds markets first and every action by its words", async () => {
  const chosen: string[] = [];
  const menuItems = ["BTC-PERP", "ETH-PERP"].map((text) => ({
    ...{ text, note: "market" },
    run: () => chosen.push(text),
  }));
  const { screen, type, ui } = open({ menuItems });
  await screen();
  type(":", ..."eth");
  expect(await screen()).toContain("ETH-PERP");
  type("\r");
  type(":", ..."mask", "\r");
  expect([chosen, ui.isMasked, ui.field]).toEqual([["ETH-PERP"], true, undefined]);
});

test("a letter in the palette costs little with five thousand markets", () => {
  const menuItems = Array.from({ length: 5000 }, (_, i) => ({
    ...{ text: `COIN${i}-PERP`, note: "market" },
    run: () => {},
  }));
  const { type, ui } = open({ menuItems });
  type(":", ..."499");
  expect(ui.menu?.items(ui.field?.text ?? "").length).toBeGreaterThan(1);
});

test("panes go whole where there is too little room, and nothing throws at any size", async () => {
  for (const [columns, rows] of [
    [160, 50],
    [80, 24],
    [40, 12],
    [20, 5],
    [1, 1],
    [3, 2],
    [400, 200],
  ] as const) {
    const { screen, terminal } = open({ columns, rows });
    const text = await screen();
    if (columns === 80) expect(text).toContain("Side");
    if (columns === 20) expect(text).not.toContain("Side");
    terminal.close();
  }
});

test("help shows first the keys that matter here, then all others", async () => {
  const { screen, type } = open({ rows: 80 });
  await screen();
  type("?");
  expect(await screen()).toMatch(/filter by words.*all others.*previous pane/s);
});

test("the mouse chooses panes and rows, and opens views", async () => {
  const { screen, type, ui } = open();
  await screen();
  type("\u001b[<0;5;5M");
  expect(ui.table("One-coins").id).toBe("ETH");
  type("\u001b[<0;75;5M");
  expect(ui.focus?.name).toBe("side");
  type("\u001b[<0;10;1M");
  expect(ui.view.name).toBe("Two");
});

test("where the names of views have no room, a click goes by what is shown", async () => {
  const views = ["First", "Second", "Third"].map((name, i) => view(name, "ABC".charAt(i)));
  const { screen, type, ui } = openRig({ views, store: { coins: coins(), link: {} }, columns: 24 });
  expect(await screen()).toMatch(/^ A First {3}B C/);
  type("\u001b[<0;14;1M");
  expect(ui.view.name).toBe("Third");
});
