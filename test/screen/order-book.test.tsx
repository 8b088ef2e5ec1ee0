// The order book as its user sees it: steps, tints, what has changed, and that it stands still.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DashboardOptions } from "../../src/screen/dashboard.ts";
import {
  type BookChoices,
  DEFAULT_BOOK,
  groupBook,
  readBookChoices,
  writeBookChoices,
} from "../../src/screen/views/market/choices.ts";
import type { ColorDepth } from "../../src/terminal/cells/color.ts";
import { CHANNELS, type MarketFeed, traded } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";
import { words } from "../support/words.ts";

const BASE = 9_702_000;
type Sizes = Readonly<Record<number, number>>;

function open({
  theme = "dark",
  depth = "truecolor" as ColorDepth,
  rows = 30,
  columns = 120,
  ...options
}: Partial<DashboardOptions> & {
  theme?: string;
  depth?: ColorDepth;
  rows?: number;
  columns?: number;
} = {}) {
  const { feed, dashboard, model } = openMarket(options);
  let sequence = 0;
  const book = (levels: Sizes, isFirst = false) => {
    const of = (isBid: boolean) =>
      Object.entries(levels).flatMap(([apart, size]): [number, number][] =>
        Number(apart) < 0 === isBid ? [[BASE + Number(apart), size]] : [],
      );
    feed.book(of(true), of(false), ++sequence, isFirst);
  };
  const first: Record<number, number> = {};
  for (let i = 1; i <= 60; i++) Object.assign(first, { [i]: 100, [-i]: 100 });
  // Deep enough for steps of a basis point.
  book({ ...first, 30000: 100, [-30_000]: 100 }, true);
  feed.bbo(BASE - 1, BASE + 1, 100);
  const app = mountDashboard(dashboard, { columns, rows, look: { theme }, depth });
  dashboard.press("z");
  /** Styles of the row of a price: of each cell `character|foreground|background|flags`. */
  const cellsOf = async (price: number) => {
    const terminal = await app.shown();
    const y = terminal.text().findIndex((line) => new RegExp(`│.. ?${price} `).test(line));
    return terminal.cells()[y] ?? [];
  };
  return { ...app, feed, model, book, cellsOf };
}

const groundOf = (cell = "") => cell.split("|").slice(-4)[2] ?? cell;
/** Columns of the cells that do not have the background of the others. */
const tinted = (cells: readonly string[]) =>
  cells.flatMap((cell, x) => (groundOf(cell) === groundOf(cells[1]) || cell === "" ? [] : [x]));

describe("the order book", () => {
  test("begins with steps near a basis point of the price, and names them and their neighbours", async () => {
    const { model, screen } = open({ book: DEFAULT_BOOK });
    expect(await screen()).toContain("500 ▸1000 2000 5000");
    expect(model.grouping).toBe(1000n);
  });

  test("keeps its steps while the price moves, and remembers what was chosen in each market", async () => {
    const kept: BookChoices[] = [];
    const { feed, dashboard, model, lines } = open({
      book: DEFAULT_BOOK,
      onBook: (book) => void kept.push(book),
    });
    await lines();
    feed.bbo(BASE * 3, BASE * 3 + 2, 1);
    expect(model.grouping).toBe(1000n);
    dashboard.press("[");
    dashboard.open({ type: "perp", id: "2" });
    expect(model.grouping).toBe(1n);
    dashboard.open({ type: "perp", id: "1" });
    expect(model.grouping).toBe(500n);
    expect(kept.map(({ groupings }) => groupings)).toEqual([{ "perp/1": 500n }]);
  });

  test("with --depth no more rows stand on each side, and the cursor goes through those alone", async () => {
    const { dashboard, lines, model } = open({ bookRows: 2 });
    const prices = async () =>
      (await lines()).flatMap((line) => /│.. ?(97[0-9]{5}) /.exec(line)?.[1] ?? []);
    const shown = [BASE + 2, BASE + 1, BASE - 1, BASE - 2].map(String);
    expect(await prices()).toEqual(shown);
    dashboard.press("c");
    for (let i = 0; i < 9; i++) dashboard.press("down");
    expect(await prices()).toEqual(shown);
    expect(model.choices.level?.priceTicks).toBe(BigInt(BASE - 2));
  });

  test("gives the size of both sides by exactly the rows that are shown", async () => {
    const { book, lines, screen } = open({ rows: 12 });
    // Out of sight.
    book({ 60: 1_000_000 });
    expect(await screen()).toContain("██████50▒▒▒▒▒50");
    book({ [-1]: 300 });
    const rows = (await lines()).filter((line) => /│ {2}97/.test(line));
    const sum = (isBid: boolean) =>
      rows.reduce((total, line) => {
        const [price = 0, size = 0] = [...line.matchAll(/[0-9]+/g)].map(([text]) => Number(text));
        return price < BASE === isBid ? total + size : total;
      }, 0);
    const percent = Math.round((100 * sum(true)) / (sum(true) + sum(false)));
    expect(await screen()).toMatch(new RegExp(`█${percent}▒+${100 - percent} `));
  });

  test("shows what has changed in bold for 300 ms, and asks for one frame to take that away", async () => {
    const { book, feed, cellsOf, clock, settle, writer } = open();
    const isBold = async () =>
      (await cellsOf(BASE + 2)).filter((cell) => cell.includes("bold")).length > 5;
    expect(await isBold()).toBe(false);
    book({ 2: 700 });
    expect(await isBold()).toBe(true);
    feed.advance(400);
    clock.advance(400);
    expect(await isBold()).toBe(false);
    await settle();
    const before = writer.chunks.length;
    clock.advance(900);
    await settle();
    expect(writer.chunks.length).toBe(before);
  });

  test("nothing flashes that only comes into sight, and nothing while the clock stands still", async () => {
    const { feed, book, cellsOf, lines, clock, settle, writer, press } = open({
      rows: 12,
    });
    await lines();
    await press("down", "down", "down");
    const bold = (await cellsOf(BASE - 5)).filter((cell) => cell.includes("bold"));
    expect(bold).toEqual([]);
    book({ [-3]: 5 });
    await settle();
    clock.advance(2000);
    await settle();
    const before = writer.chunks.length;
    clock.advance(5000);
    await settle();
    expect(writer.chunks.length).toBe(before);
    expect(feed.nowMs).toBe(0);
  });

  test("has a tint behind its digits, as long as all sizes up to the level, or with t as its own", async () => {
    const { book, dashboard, cellsOf } = open();
    book({ 1: 400, 2: 100, 3: 100 });
    const widths = async () => {
      const all: number[] = [];
      for (const apart of [1, 2, 3]) all.push(tinted(await cellsOf(BASE + apart)).length);
      return all;
    };
    const [one = 0, two = 0, three = 0] = await widths();
    expect(one).toBeGreaterThan(0);
    expect(one < two && two < three).toBe(true);
    dashboard.press("t");
    const [large = 0, small = 0, same = 0] = await widths();
    expect(small).toBe(same);
    expect(large).toBeGreaterThan(3 * small);
    // From the right edge, without a hole.
    const columns = tinted(await cellsOf(BASE + 1));
    expect(columns.at(-1)).toBe(118);
    expect((columns.at(-1) ?? 0) - (columns[0] ?? 0)).toBe(columns.length - 1);
  });

  test("has grey tints where it is not of now", async () => {
    const { feed, dashboard, cellsOf } = open();
    const groundsOf = async () =>
      new Set((await cellsOf(BASE + 10)).slice(-6, -2).map((cell) => groundOf(cell)));
    const live = await groundsOf();
    feed.link("waiting");
    dashboard.tick();
    expect(await groundsOf()).not.toEqual(live);
  });

  test.each([{ theme: "terminal" }, { depth: "ansi16" }, { depth: "none" }] as const)(
    "has bars where there are no tints: %o",
    async (look) => {
      const lines = await open(look).lines();
      const barred = lines.filter((line) => /970[0-9]{4} +[0-9]+ +[0-9]+ +█/.test(line));
      expect(barred.length).toBeGreaterThan(5);
    },
  );

  test("keeps its rows where they are when the best price moves", async () => {
    const { feed, lines } = open();
    const places = async () => {
      const shown = await lines();
      return [`${BASE + 8} `, "│ ── "].map((text) =>
        shown.findIndex((line) => line.includes(text)),
      );
    };
    const before = await places();
    // Two asks are bought up, and bid for.
    const both = (size: number): [number, number][] => [
      [BASE + 1, size],
      [BASE + 2, size],
    ];
    feed.book(both(50), both(0), 2);
    feed.bbo(BASE + 2, BASE + 3, 1);
    expect((await places()).map((place, i) => place - (before[i] ?? 0))).toEqual([0, -2]);
  });

  test("is scrolled to the cursor, wherever that goes", async () => {
    const { dashboard, model, lines, screen, press } = open({ rows: 12 });
    await lines();
    dashboard.press("c");
    for (let i = 0; i < 30; i++) dashboard.press("down");
    expect(model.choices.level?.priceTicks).toBe(BigInt(BASE - 31));
    const text = await screen();
    expect(text).toContain(`▸ ${BASE - 31}`);
    expect(text).toContain("Order book  scrolled");
    expect(await press(...Array<string>(30).fill("up"))).toContain(`▸ ${BASE - 1}`);
  });
});

test.each([
  [
    60,
    [
      "sell 7660321 at 9701939.02  0.0618 bp  61 levels",
      "only buy 129556 at 9702082.70  0.0842 bp  62 levels",
      "only sell 7660421 at 9701938.63  0.0622 bp  62 levels",
    ],
  ],
  [
    40,
    [
      "sell 7660321 at 9701939  0.0618 bp",
      "only buy 129556  0.0842 bp",
      "only sell 7660421  0.0622 bp",
    ],
  ],
  [36, ["sell 7660321  0.0618 bp", "only buy 129556  0.0842 bp", "only sell 7660421  0.0622 bp"]],
  [24, ["sell  0.0618 bp", "only buy  0.0842 bp", "only sell  0.0622 bp"]],
])(
  "what it costs to fill names the slippage on %i columns: other figures give way",
  async (...row) => {
    const [columns, costs] = row;
    const { book, lines, press } = open({ columns, rows: 24 });
    book({ 61: 123_456, [-61]: 7_654_321 });
    await lines();
    await press("c", ...Array<string>(60).fill("down"), "C", ..."20000000", "return");
    const found = (await lines()).flatMap(
      (line) => /│ +((?:only )?(?:buy|sell).*?) *│/.exec(line)?.[1] ?? [],
    );
    expect(found).toEqual(costs);
  },
);

const headOf = (lines: readonly string[]) =>
  lines.find((line) => line.includes("price"))?.match(/price|size|total|sold|bought|profile|±5s/g);

describe("the column of what was stacked and pulled", () => {
  test("is shown where the user asks for it, filled only while it is decided how frames are taken", async () => {
    const kept: BookChoices[] = [];
    const { dashboard, feed, book, lines, screen } = open({
      onBook: (each) => void kept.push(each),
    });
    feed.trade(BASE, 1);
    expect(headOf(await lines())).not.toContain("±5s");
    dashboard.press("b");
    expect(headOf(await lines())).toContain("±5s");
    expect(kept.at(-1)?.extras).toEqual(["change"]);
    const rowOf = async (price: number) =>
      (await lines()).find((line) => line.includes(`${price} `)) ?? "";
    expect(await rowOf(BASE - 2)).toMatch(/100 +200 +│/);
    for (let i = 0; i < 60 && !model(feed).isDecided; i++) book({ [-3]: 100 + i });
    // The book of five seconds ago is kept from when somebody looks.
    expect(await screen()).toContain("±5s in 5 s");
    for (let second = 0; second < 6; second++) {
      feed.advance(1000);
      feed.link("open");
    }
    book({ [-2]: 160, 2: 60 });
    expect(await rowOf(BASE - 2)).toMatch(/160 .*\+60 /);
    expect(await rowOf(BASE + 2)).toMatch(/ 60 .*-40 /);
    dashboard.press("b");
    expect(headOf(await lines())).not.toContain("±5s");
  });

  test.each([
    [60, "price size total ±5s"],
    [36, "price size total ±5s"],
    [28, "price size ±5s"],
    [20, "price size ±5s"],
  ])(
    "takes the room of the total where there is less: on %i columns %s",
    async (columns, titles) => {
      const { dashboard, lines } = open({ columns });
      dashboard.press("b");
      expect(headOf(await lines())).toEqual(words(titles));
    },
  );
});

describe("what the user asks for and has no room", () => {
  const titleOf = (lines: readonly string[]) =>
    lines.find((line) => / (?:Order b|B)ook /.test(line)) ?? "";

  test("is named in the title: columns, and bars of another depth than the usual", async () => {
    const { feed, lines, press } = open({ columns: 34, rows: 24, theme: "terminal" });
    feed.trade(BASE + 1, 10, true, "1000000000");
    await lines();
    await press(..."Sb");
    expect(titleOf(await lines())).toBe("╭─ Book  no ±5s ─── ● live 0.0s ─╮");
    await press(..."tS");
    expect(titleOf(await lines())).toBe("╭─ Book  no room ── ● live 0.0s ─╮");
    await press(..."SSb");
    expect(titleOf(await lines())).toBe("╭─ Order book  ▸1 ─ ● live 0.0s ─╮");
  });

  test("is nothing in the title where all of it has room", async () => {
    const { lines, screen, press } = open({ columns: 80, theme: "terminal" });
    await press(..."SSbt");
    expect(titleOf(await lines())).toContain(" Order book ");
    expect(await screen()).not.toMatch(/no room|no ±5s/);
  });

  test("is said of bars by the key that changes them", async () => {
    const { dashboard, lines, press } = open({ columns: 34, rows: 24, theme: "terminal" });
    await press(..."St");
    await lines();
    dashboard.press("t");
    expect((await lines()).at(-1)).toContain("bars: no room");
  });
});

test("columns of the book stand still while numbers get a digit more or less", async () => {
  const { book, lines } = open({ columns: 24 });
  const heads = [];
  for (const size of [100, 10_000, 100, 10_000, 100, 10_000]) {
    book({ [-1]: size });
    heads.push((await lines()).find((line) => line.includes("price")));
  }
  expect([...new Set(heads)]).toEqual(["│    price  size  total│", "│    price   size      │"]);
  expect(heads.lastIndexOf(heads[0])).toBe(0);
});

const model = ({ store }: MarketFeed) => store.slice("orderbook", CHANNELS.orderbook).data;

describe("what is remembered of the book", () => {
  const markets = fc
    .tuple(fc.constantFrom("perp", "spot"), fc.nat(999))
    .map(([type, id]) => `${type}/${id}`);

  test("is read back as it was", () => {
    fc.assert(
      fc.property(
        fc.dictionary(markets, fc.constantFrom(1n, 20n, 5000n)),
        fc.constantFrom("total" as const, "size" as const),
        (groupings, depth) => {
          const written = JSON.parse(JSON.stringify(writeBookChoices({ groupings, depth })));
          expect(readBookChoices(written)).toEqual({ groupings: { ...groupings }, depth });
        },
      ),
    );
  });

  test("is never taken from what is none", () => {
    fc.assert(fc.property(fc.anything(), (value) => void readBookChoices(value)));
    expect(
      readBookChoices({ groupings: { "perp/1": "3", x: "1", "spot/2": "20" }, depth: 4 }),
    ).toEqual({
      groupings: { "spot/2": 20n },
      depth: "total",
    });
  });

  test("is of 200 markets at the most, the last ones that were chosen", () => {
    let book = DEFAULT_BOOK;
    for (let id = 0; id < 300; id++) book = groupBook(book, `perp/${id}`, 10n);
    expect(Object.keys(book.groupings)).toHaveLength(200);
    expect(book.groupings["perp/299"]).toBe(10n);
  });
});

describe("the columns of what was sold and bought", () => {
  /** What stands below a title, beside each price. */
  const columnOf = (lines: readonly string[], title: string) => {
    const head = lines.find((line) => line.includes("price")) ?? "";
    const end = head.indexOf(title) + title.length;
    const before = /\S+ *$/.exec(head.slice(0, end - title.length))?.[0] ?? "";
    const begin = end - before.length;
    return Object.fromEntries(
      lines.flatMap((line) => {
        const [, price] = /│.. ?(97\d+) /.exec(line) ?? [];
        const cell = / (\S*)$/.exec(line.slice(begin - 3, end))?.[1] ?? "";
        return price === undefined ? [] : [[Number(price) - BASE, cell]];
      }),
    );
  };
  test("sum the trades at each level, sold at bids and bought at asks", async () => {
    const { dashboard, feed, lines, screen } = open();
    dashboard.press("S");
    expect(headOf(await lines())).toEqual(["price", "size", "sold", "bought", "total"]);
    const seconds = [1, 2, 3, 61, 62];
    for (const [i, second] of seconds.entries()) {
      feed.trade(BASE + 1, 10 + i, true, `${second}000000000`);
      feed.trade(BASE - 2, 20 + i, false, `${second}500000000`);
      feed.advance(1000);
    }
    const shown = await lines();
    expect(columnOf(shown, "bought")).toMatchObject({
      1: `${10 + 11 + 12 + 13 + 14}`,
      2: "",
      [-2]: "",
    });
    expect(columnOf(shown, "sold")).toMatchObject({ 1: "", [-2]: `${20 + 21 + 22 + 23 + 24}` });
    expect(await screen()).toContain("traded since 00:00:01");
  });

  test("stand at one side of the spread where steps are so coarse that both sides share one", async () => {
    const { dashboard, feed, lines, model } = open();
    model.changeBook({ ...DEFAULT_BOOK, groupings: { "perp/1": 10_000n } });
    dashboard.press("S");
    feed.trade(BASE + 1, 10, true, "1000000000");
    feed.trade(BASE - 2, 20, false, "1500000000");
    feed.advance(1000);
    const figures = (all: readonly string[], title: string) =>
      Object.values(columnOf(all, title)).filter((cell) => cell !== "");
    const shown = await lines();
    expect([figures(shown, "sold"), figures(shown, "bought")]).toEqual([["20"], ["10"]]);
  });

  test("carry a sign while trades are missing in their window, and the title says how much", async () => {
    const { dashboard, feed, lines } = open();
    const trade = (ns: string) => traded(BASE + 1, 10, true, ns);
    feed.first(CHANNELS.trades, { trades: [trade("1000000000")] }, null);
    dashboard.press("S");
    expect(columnOf(await lines(), "bought")[1]).toBe("10");
    feed.advance(9000);
    feed.say({ type: "resync", channel: CHANNELS.trades, reason: "gap" });
    feed.first(CHANNELS.trades, { trades: [trade("9000000000")] }, null);
    feed.advance(1000);
    feed.trade(BASE + 1, 3, true, "9100000000");
    feed.advance(1000);
    const shown = await lines();
    expect(shown.join("\n")).toMatch(/since 00:00:01, 1 hole 8/);
    // Moments at the edges of what is missing may have been cut in two.
    expect(columnOf(shown, "bought")[1]).toBe("≥3");
  });

  test("stand still while the screen is frozen", async () => {
    const { dashboard, feed, lines } = open();
    feed.trade(BASE + 1, 10, true, "1000000000");
    dashboard.press("S");
    await lines();
    dashboard.press("f");
    feed.trade(BASE + 1, 7, true, "2000000000");
    feed.advance(1000);
    expect(columnOf(await lines(), "bought")[1]).toBe("10");
    dashboard.press("f");
    expect(columnOf(await lines(), "bought")[1]).toBe("17");
  });

  test.each([
    [60, "price size sold bought profile total"],
    [36, "price size sold bought"],
    [28, "price size sold"],
    [20, "price size"],
  ])(
    "are dropped from the right where there is no room: on %i columns %s",
    async (columns, titles) => {
      const { feed, lines, press } = open({ columns });
      feed.trade(BASE + 1, 10, true, "1000000000");
      // With the next key, bars of both.
      await press(..."SS");
      expect(headOf(await lines())).toEqual(words(titles));
    },
  );
});
