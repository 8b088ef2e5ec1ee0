// The heatmap as its user sees it: filled from the past, read with a cursor, the same frozen, in the past and later.
import { describe, expect, test } from "vitest";
import type { ThemeChoice } from "../../src/screen/theme/theme.ts";
import { heatmap } from "../../src/screen/views/market/heatmap.ts";
import type { ColorDepth } from "../../src/terminal/cells/color.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { pastOf } from "../../src/timeline/timeline-cursor.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";

const START_MS = 1_800_000_000_000;
interface Options {
  readonly columns?: number;
  readonly rows?: number;
  readonly look?: Partial<ThemeChoice>;
  readonly depth?: ColorDepth;
  /** Of the past that is kept. */
  readonly maxBytes?: number;
}

function open({
  columns = 100,
  rows = 30,
  look = { theme: "dark" },
  depth = "truecolor",
  maxBytes,
}: Options = {}) {
  const feed = new MarketFeed();
  feed.nowMs = START_MS;
  const clock = { now: () => feed.nowMs, wall: () => feed.nowMs };
  const history = new HistoryBuffer({
    live: feed.store,
    clock,
    ...(maxBytes !== undefined && { maxBytes }),
  });
  feed.historyBuffer = history;
  const { dashboard, model } = openMarket({ ...clock, past: pastOf(history) }, feed);
  let sequence = 0;
  /** A whole book of 20 levels of each side around a price. */
  const book = (price = 1000, size = 8) => {
    const levels = (direction: number): [number, number][] =>
      Array.from({ length: 20 }, (_, i) => [
        price + direction * (i + 1),
        i === 9 ? size * 100 : size,
      ]);
    feed.book(levels(-1), levels(1), ++sequence, true);
    feed.bbo(price - 1, price + 1);
  };
  /** Each second a book, and a trade. */
  const pass = (seconds: number, change: (second: number) => void = () => {}) => {
    for (let i = 0; i < seconds; i++) {
      change(i);
      feed.advance(1000);
      feed.link("open");
    }
  };
  /** The connection is away for two seconds. */
  const lose = () => {
    feed.link("waiting");
    feed.advance(2000);
    feed.connect();
  };
  book();
  const app = mountDashboard(dashboard, { columns, rows, look, depth });
  const text = async (...keys: string[]) => {
    for (const key of keys) {
      dashboard.press(key);
      await app.settle();
    }
    dashboard.notify();
    return app.screen();
  };
  return { ...app, feed, model, text, book, pass, lose };
}

/** The plot, without frame, prices and times: what stands between them. */
function plotOf(screen: string): readonly string[] {
  const lines = screen.split("\n");
  const top = lines.findIndex((line) => line.includes("╭─ Heatmap"));
  return lines.slice(top + 2).map((line) => (/^│(.{60})/.exec(line)?.[1] ?? "").trimEnd());
}

const words = (second: number) => new Date(START_MS + second * 1000).toISOString().slice(11, 19);

describe("the heatmap", () => {
  test("is filled from the past when it is opened, and goes on from there", async () => {
    const { text, pass, book, model } = open();
    pass(20, (second) => book(1000, 8 + second));
    const first = await text("4");
    expect(first).toMatch(/Heatmap 1s/);
    const heat = model.panes.heatmap.painted?.heat?.plan.heat;
    expect(heat?.first).toBe(START_MS / 1000);
    expect(heat?.next).toBe(START_MS / 1000 + 20);
    expect(heat?.rowsAt(START_MS / 1000 + 4)?.bids[0]).toEqual({ row: 999n, lots: 12n });
    pass(5, () => book(1000, 50));
    await text();
    expect(heat?.rowsAt(START_MS / 1000 + 22)?.bids[0]?.lots).toBe(50n);
  });

  test.each([80, 120, 160])(
    "taken away on %i columns, it leaves what was there before",
    async (columns) => {
      const { text, model, pass } = open({ columns, rows: 24 });
      await text();
      pass(3);
      const { panes } = model.choices;
      expect(await text("H")).toContain("Heatmap");
      await text("H");
      expect(model.choices.panes).toEqual(panes);
    },
  );

  test("costs nothing once nobody looks at it, and lacks nothing when it is opened again", async () => {
    const { text, pass, book, model, feed } = open();
    pass(5, (second) => book(1000, 8 + second));
    await text("4", "r");
    const heat = model.panes.heatmap.painted?.heat?.plan.heat;
    await text("2");
    pass(30, (second) => book(1000, 20 + second));
    const { length } = Object.keys(feed.store.slices);
    expect(heat?.next).toBeLessThan(START_MS / 1000 + 15);
    await text("4");
    expect(heat?.next).toBe(START_MS / 1000 + 35);
    expect(heat?.rowsAt(START_MS / 1000 + 30)?.asks[0]?.lots).toBe(45n);
    expect(heat?.isBroken(START_MS / 1000 + 20)).toBe(false);
    expect(Object.keys(feed.store.slices)).toHaveLength(length);
  });

  test("keeps its older columns in wider rows, and says from when there are columns in others", async () => {
    const { text, pass, book, model, feed } = open({ maxBytes: 60_000 });
    const heat = () => model.panes.heatmap.painted?.heat?.plan.heat;
    await text("4");
    for (let minute = 0; minute < 5; minute++) {
      pass(60, (second) => {
        book(1000, 8 + second);
        if (second === 5) feed.trade(1001, 3);
        model.heatmapFor(() => {});
      });
      await text();
    }
    const first = heat()?.first ?? 0;
    expect(first).toBe(START_MS / 1000);
    const fine = heat()?.rowsAt(first + 30)?.bids ?? [];
    expect(await text("]")).toContain("Heatmap 1s");
    await text();
    expect([heat()?.rowTicks, heat()?.first]).toEqual([2n, first]);
    const two = (fine[0]?.lots ?? 0n) + (fine[1]?.lots ?? 0n);
    // 999 alone, then 998 and 997.
    expect(
      heat()
        ?.rowsAt(first + 30)
        ?.bids.slice(0, 2),
    ).toEqual([
      { row: 499n, lots: two },
      { row: 498n, lots: two },
    ]);
    expect(heat()?.rowsAt(first + 5)?.trades).toEqual([{ row: 501n, lots: 3n, soldLots: 0n }]);
    await text("]");
    const screen = await text();
    expect(heat()?.rowTicks).toBe(5n);
    expect(heat()?.first).toBeGreaterThan(first + 60);
    expect(screen).toContain(`since ${words((heat()?.first ?? 0) - START_MS / 1000)}`);
  });

  test("reads time, price and size at the cursor, by keys and by the mouse", async () => {
    const { text, pass, book, feed, model, dashboard } = open();
    pass(10, (second) => {
      book(1000, 8 + second);
      feed.trade(999, 7, false);
    });
    await text("4");
    expect(model.focus).toBe("heatmap");
    const read = await text("r", "left", "left");
    expect(read).toContain(`${words(8)}  999  bid 16  sold 7`);
    expect(await text("down")).toContain(`${words(8)}  998  bid 16`);
    expect(await text("up", "up")).toContain(`${words(8)}  1000  between the best prices`);
    for (let i = 0; i < 40; i++) dashboard.press("down");
    expect(await text()).toMatch(new RegExp(`${words(8)} {2}97\\d {2}beyond the book`));
    const { left = 0, top = 0, plan } = model.panes.heatmap.painted?.heat ?? {};
    const layout = model.layoutFor(100, 28);
    model.point({
      kind: "press",
      x: left + (plan?.columns ?? 0) - 3,
      y: layout.headerRows + top + 2,
      steps: 0,
    } as never);
    expect(await text()).toContain(words(8));
    expect(model.choices.heatCursor?.priceTicks).toBe((plan?.top ?? 0n) - 4n);
    expect(await text("escape")).toContain("up to ");
  });

  test("keeps the cursor at its price when the book is grouped otherwise", async () => {
    const { text, pass, book } = open();
    pass(10, (second) => book(1000, 8 + second));
    await text("4");
    expect(await text("r")).toContain("  999  bid 17");
    expect(await text("]")).toContain("  998  bid 34");
    expect(await text("[")).toContain("  999  bid 17");
  });

  test("reads of a wider column what traded in all of it, and what rested at its end", async () => {
    const { text, pass, book, feed } = open();
    pass(46, (second) => {
      book(1000, 8 + second);
      if (second % 2 === 0) feed.trade(999, 7, false);
    });
    await text("4", "i");
    expect(await text("r", "left", "left")).toMatch(/ 999 {2}bid \d+ at its end {2}sold 35 /);
  });

  test("walks back in time with the cursor, as far as something is known", async () => {
    const { text, pass, book, model } = open({ columns: 60 });
    pass(90, () => book());
    await text("4", "z", "r");
    for (let i = 0; i < 80; i++) model.walkBy(-1);
    expect(await text()).toContain(words(10));
    expect(model.scrolledBy("heatmap")).toBeGreaterThan(20);
    for (let i = 0; i < 80; i++) model.walkBy(-1);
    expect(await text()).toContain(`${words(0)}`);
    expect(await text("home")).not.toContain("scrolled");
  });

  test("hatches what was missed, and nothing else", async () => {
    const { text, pass, book, lose } = open();
    pass(10, () => book());
    lose();
    book();
    pass(10, () => book());
    const plot = plotOf(await text("4"));
    const hatched = plot[3]?.match(/╱+/g)?.map(({ length }) => length);
    expect(hatched).toEqual([2]);
  });

  test.each(["terminal", "light", "dark", "high-contrast"])(
    "hatches in %s no brighter than what is there, in sixteen colours",
    async (theme) => {
      const { text, pass, book, shown, lose } = open({ depth: "ansi16", look: { theme } });
      pass(10, () => book());
      lose();
      pass(10, () => book());
      await text("4");
      const terminal = await shown();
      const lines = terminal.text();
      const hatched = terminal
        .cells()
        .flatMap((row, y) => row.filter((_, x) => lines[y]?.[x] === "╱"));
      expect(hatched.length).toBeGreaterThan(0);
      // Neither reverse nor bold nor one of the bright colours, and no ground of its own.
      const wrong = hatched.filter((cell) => /inverse|bold|^.\|(9|1[0-5])\||\|3$/.test(cell));
      expect(wrong).toEqual([]);
    },
  );

  test("shows frozen and in the past what it showed then", async () => {
    const { text, pass, book, feed } = open();
    pass(15, (second) => book(1000 + (second % 3), 8 + second * 5));
    const then = plotOf(await text("4"));
    await text("f");
    pass(12, (second) => book(1000, 300 + second));
    expect(plotOf(await text())).toEqual(then);
    await text("f");
    const later = plotOf(await text());
    expect(later).not.toEqual(then);
    await text("f", "(");
    const { nowMs } = feed;
    const past = plotOf(await text());
    expect(past).not.toEqual(later);
    await text("f");
    expect(feed.nowMs).toBe(nowMs);
    expect(plotOf(await text())).toEqual(later);
  });

  test("copies what rested at the cursor, and nothing of now where that was missed", async () => {
    const { text, pass, book, lose, model } = open();
    pass(10, () => book(1000, 8));
    lose();
    pass(5, () => book(1000, 9));
    await text("4", "r");
    const copied = () => (model.data === undefined ? [] : heatmap.copy(model.data, model));
    expect(copied().length).toBeGreaterThan(1);
    await text(...Array<string>(6).fill("left"));
    expect(await text()).toContain("book missed");
    expect(copied()).toEqual([["until", "side", "price_ticks", "size_lots"]]);
    await text("left", "left");
    expect(copied()[1]?.[0]).toMatch(/Z$/);
  });

  test("has columns of a second and of 10", async () => {
    const { text, pass, book } = open();
    pass(130, () => book());
    expect(await text("4", "i")).toContain("Heatmap 10s");
    expect(await text("i")).toContain("Heatmap 1s");
  });

  test.each([
    ["truecolor", "terminal", false],
    ["truecolor", "dark", true],
    ["truecolor", "light", true],
    ["truecolor", "high-contrast", true],
    ["truecolor", "mono", false],
    ["ansi256", "light", true],
    ["ansi16", "dark", true],
    ["ansi16", "terminal", false],
    ["none", "dark", false],
  ] as const)(
    "in %s and %s has steps of colour, or of dots: %s",
    async (depth, theme, hasSteps) => {
      const look = { theme, colours: "colour-blind" } as const;
      const { text, pass, book, feed, shown } = open({ depth, look });
      pass(6, (second) => {
        book();
        feed.trade(1000, 5, second % 2 === 0);
      });
      const plot = plotOf(await text("4")).join("");
      expect([/[▀▄█]/.test(plot), /[░▒▓]/.test(plot)]).toEqual([true, !hasSteps]);
      expect(new Set((await shown()).cells().flat()).size).toBeGreaterThan(8);
    },
  );

  test("H shows it at any size, in the place of other panes where there is no room for all, and takes it away", async () => {
    for (const [columns, rows, panes] of [
      [160, 50, ["candles", "heatmap", "orderbook", "trades"]],
      [120, 40, ["candles", "heatmap", "orderbook", "trades"]],
      [80, 24, ["heatmap", "orderbook", "trades"]],
      [40, 12, ["heatmap"]],
    ] as const) {
      const { text, model, pass, book } = open({ columns, rows });
      pass(3, () => book());
      await text("H");
      expect([columns, [...(model.shownPanes ?? [])].sort()]).toEqual([columns, panes]);
      expect(model.focus).toBe("heatmap");
      await text("H");
      expect(model.shownPanes).not.toContain("heatmap");
    }
  });
});
