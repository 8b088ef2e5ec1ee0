// The dashboard as its user sees it, on a terminal without a window.
import { describe, expect, test } from "vitest";
import { marketView } from "../../src/screen/views/market/market.tsx";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openDashboard } from "../support/open-dashboard.ts";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const base = 9_702_000;

/** A market with 30 levels on each side, some trades, candles and figures. */
function feedMarket(feed: MarketFeed, offset = BigInt(base)): void {
  const side = (sign: bigint): [bigint, bigint][] =>
    Array.from({ length: 30 }, (_, i) => [offset + sign * BigInt(i + 1), 100n + BigInt(i)]);
  feed.link("open", { roundTripMs: 4.2 });
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  feed.update(
    CHANNELS.markets,
    {
      previous_sequence: null,
      sequence: "1",
      markets: [{ market_id: 1, market_type: "perp", symbol: "BTC-PERP" }],
    },
    true,
  );
  feed.update(
    CHANNELS.stats,
    {
      previous_sequence: null,
      sequence: "1",
      market_stats: [
        { market_id: 1, market_type: "perp", mark_price: "97020.55", volume_24h_base: "123.4567" },
      ],
    },
    true,
  );
  feed.book(side(-1n), side(1n), 1, true);
  feed.bbo(offset - 1n, offset + 1n, 100n);
  feed.candle(0, "97020.10", "97025.80", "97014.00", "97022.52");
  feed.candle(1, "97022.52", "97030.00", "97020.00", "97029.99");
  for (let i = 0; i < 40; i++) {
    feed.advance(50);
    feed.trade(offset + BigInt(i % 3), 10 + i, i % 2 === 0);
  }
}

function openMarket({ columns, rows }: Size, offset?: bigint) {
  const feed = new MarketFeed();
  const { dashboard, told } = openDashboard(feed, { isSimulated: true });
  dashboard.open({ type: "perp", id: "1" });
  feedMarket(feed, offset);
  const app = mountDashboard(dashboard, { columns, rows });
  const screen = async () => (await app.shown()).text();
  return { ...app, feed, dashboard, told, screen };
}

test("the last line and the panes agree on what is live at every moment, not only once a second", async () => {
  const feed = new MarketFeed();
  const { dashboard } = openDashboard(feed, { isSimulated: true });
  dashboard.open({ type: "perp", id: "1" });
  const app = mountDashboard(dashboard, { columns: 120, rows: 40 });
  const last = async () => (await app.shown()).text().at(-1);
  feed.link("open", {});
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  expect(await last()).toContain("4 of 4 not live");
  feed.candle(0, "1", "1", "1", "1");
  feed.trade(100n, 1, true);
  feed.book([[99n, 1n]], [[101n, 1n]], 1, true);
  expect(await last()).toContain("1 of 4 not live");
  feed.bbo(99n, 101n);
  expect(await last()).toContain("all live");
});

const sizes = [
  { columns: 160, rows: 50 },
  { columns: 120, rows: 40 },
  { columns: 100, rows: 30 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 12 },
];

describe("market view", () => {
  test.each(sizes)("shows the best prices at $columns×$rows", async (size) => {
    const { screen } = openMarket(size);
    const text = (await screen()).join("\n");
    expect(text).toContain(`${base - 1}`);
    expect(text).toContain(`${base + 1}`);
    expect(text).toContain("Order book");
    expect(text).toMatch(/live|quiet/);
  });

  test("shows header, ladder, tape, chart and status in one screen", async () => {
    const { screen } = openMarket({ columns: 140, rows: 40 });
    const lines = await screen();
    expect(lines[1]).toContain("BTC-PERP perp/1");
    expect(lines[1]).toContain(`▼ ${base}  ${base - 1} × 100 │ ${base + 1} × 100`);
    expect(lines[1]).toContain("spread 2 (0.0021 bp)");
    expect(lines[1]).toMatch(/○ quiet 2\.0s {3}SIM$/);
    expect(lines[2]).toContain("mark 97020.55");
    expect(lines[2]).toContain("24h vol 123.5");
    const text = lines.join("\n");
    expect(text).toContain("Candles 1m last");
    expect(text).toContain("C 97029.99");
    expect(text).toContain(" ── 2  0.0021 bp ──────── ██████50▒▒▒▒▒50 ──");
    expect(text).toMatch(/00:00:02\.000 ▼ 9702000 {2}-49/);
    expect(lines.at(-1)).toMatch(/^ ● live, [0-9] quiet {2}4.2 ms {2}gaps 0 .* q quit$/);
  });

  test("the tape names a time zone only where it has a time", async () => {
    const { feed, screen } = openMarket({ columns: 140, rows: 40 });
    expect((await screen()).join("\n")).toMatch(/ time UTC +price/);
    feed.store.clear();
    feed.link("open");
    feed.say({ type: "subscribing", channel: CHANNELS.trades });
    expect((await screen()).join("\n")).toMatch(/ time +price/);
  });

  test("shows in the tape where trades may be missing, at its place", async () => {
    const { feed, screen } = openMarket({ columns: 140, rows: 40 });
    feed.advance(9400);
    const chain = { previous_sequence: null, sequence: null };
    const trade = { price_ticks: "9702007", size_base_lots: "3", taker_is_bid: true };
    const trades = [{ ...trade, timestamp_ns: `${feed.nowMs}000000` }];
    feed.say({ type: "subscribing", channel: CHANNELS.trades });
    feed.update(CHANNELS.trades, { ...chain, trades }, true);
    const lines = await screen();
    const at = lines.findIndex((line) => line.includes("┄┄ 9.4 s not seen (new snapshot) ┄┄"));
    expect(lines[at - 1]).toMatch(/00:00:11\.400 ▲ 9702007/);
    expect(lines[at + 1]).toMatch(/00:00:02\.000 ▼ 9702000/);
  });

  test.each(["asks", "bids"] as const)(
    "fills the ladder from the other side where there are few %s",
    async (thin) => {
      const { feed, screen } = openMarket({ columns: 120, rows: 24 });
      const levels = (sign: number, side: string): [number, number][] =>
        Array.from({ length: side === thin ? 2 : 60 }, (_, i) => [base + sign * (i + 1), 100]);
      const rowsOf = (lines: readonly string[]) =>
        lines.filter((line) => /│ {2}970[0-9]{4} +[0-9]+ +[0-9]+ /.test(line)).length;
      const whole = rowsOf(await screen());
      expect(whole).toBeGreaterThan(10);
      feed.book(levels(-1, "bids"), levels(1, "asks"), 2, true);
      expect(rowsOf(await screen())).toBe(whole);
    },
  );

  test("shows the newest rate of the funding channel in the header, in percent, also where no figure names one", async () => {
    const { feed, screen } = openMarket({ columns: 140, rows: 40 });
    expect((await screen())[2]).not.toContain("funding");
    const rates = [
      { timestamp_ms: 1_800_000_000_000, funding_rate: "0.0001" },
      { timestamp_ms: 1_800_003_600_000, funding_rate: "-0.0000125" },
    ];
    const chain = { previous_sequence: null, sequence: "1" };
    feed.update(CHANNELS.fundingRates, { ...chain, funding_rates: rates }, true);
    expect((await screen())[2]).toContain("funding -0.00125%");
  });

  test("never cuts a number, however narrow the terminal and however long the number", async () => {
    const offset = 2n ** 64n - 100n;
    for (let columns = 20; columns <= 130; columns += 5) {
      const { screen, mounted } = openMarket({ columns, rows: 30 }, offset);
      const text = (await screen()).join(" ");
      for (const [digits] of text.matchAll(/(?<![\d.])1844[\d]*/g)) {
        expect(`${columns}: ${digits.length}`).toBe(`${columns}: 20`);
      }
      mounted.unmount();
    }
  });

  test("keeps the last values when the connection goes, and says that they are old", async () => {
    const { feed, dashboard, screen } = openMarket({ columns: 120, rows: 40 });
    feed.link("waiting", {
      retryAtMs: feed.nowMs + 3000,
      fault: { code: "refused", detail: "connect ECONNREFUSED" },
    });
    feed.advance(1500);
    dashboard.tick();
    const lines = await screen();
    expect(lines[1]).toContain(`${base - 1} × 100 │`);
    expect(lines[1]).toContain("× offline 3.5s old");
    expect(lines.join("\n")).toMatch(/Order book .* × offline 3\.5s/);
    expect(lines.at(-1)).toContain("× offline, next try in 2s: connect ECONNREFUSED");
  });

  test("lets ages grow while nothing comes, and calls the market quiet", async () => {
    const { feed, dashboard, screen } = openMarket({ columns: 120, rows: 40 });
    feed.advance(7000);
    feed.link("open");
    dashboard.tick();
    expect((await screen()).join("\n")).toMatch(/Order book .* ○ quiet 9\.0s/);
  });

  test("shows what the service says as text, never as control sequences", async () => {
    const { feed, dashboard, screen } = openMarket({ columns: 120, rows: 40 });
    feed.say({ type: "refused", channel: CHANNELS.orderbook, code: 404, message: "\u001b[2Jgone" });
    dashboard.tick();
    expect((await screen()).join("\n")).toContain("⊘ refused 2.0s 404: \\x1b[2Jgone");
  });
});

describe("keys of the market view", () => {
  const press = async (keys: string, size = { columns: 120, rows: 40 }) => {
    const market = openMarket(size);
    await market.settle();
    for (const key of keys) market.stdin.type(key);
    const text = (await market.screen()).join("\n");
    market.mounted.unmount();
    return { ...market, text };
  };

  test("? shows every key and Escape closes it", async () => {
    const { text } = await press("?");
    expect(text).toContain("what it does");
    expect(text).toContain("next interval");
    expect(text).toContain("q quit");
    const closed = await press("?\u001b");
    expect(closed.text).not.toContain("what it does");
  });

  test("? on a small screen scrolls to the last key", async () => {
    const { text } = await press(`?${"j".repeat(199)}`, { columns: 60, rows: 12 });
    // What needs an account stands behind the rest.
    expect(text).toMatch(/│ 8 +the subaccount/);
  });

  test("] groups the book and says so", async () => {
    const { text } = await press("]]]");
    expect(text).toContain("Order book  ticks  ▸10 ");
    expect(text).toContain("9701990");
  });

  test("i changes the interval, m the candles", async () => {
    expect((await press("i")).text).toContain("Candles 5m last");
    expect((await press("m")).text).toContain("Candles 1m mark");
  });

  test("a pane says what it is of, however narrow it is", async () => {
    const { text } = await press("mm", { columns: 80, rows: 24 });
    expect(text).toMatch(/─ Candles 1m ─/);
  });

  test("+ hides small trades", async () => {
    const { text } = await press("+".repeat(6));
    expect(text).toContain("≥ 50");
    expect(text).toContain("no trade is as large as the smallest size");
  });

  test("f freezes the screen, visibly", async () => {
    const { text } = await press("f");
    expect(text).toContain("FROZEN");
  });

  test("2, 3 and 4 show one pane alone, 1 all of them", async () => {
    const { text: book } = await press("2");
    expect(book).toContain("Order book");
    expect(book).not.toContain("Trades");
    expect((await press("3")).text).not.toContain("Order book");
    expect((await press("4")).text).toContain("Candles");
    expect((await press("21")).text).toContain("Trades");
  });

  test("pasted text acts as no keys at all", async () => {
    const market = openMarket({ columns: 120, rows: 40 });
    await market.settle();
    for (const part of ["\u001b[200~", "q?2f", "\u001b[201~"]) market.stdin.type(part);
    const text = (await market.screen()).join("\n");
    expect(text).toContain("Trades");
    expect(text).not.toContain("FROZEN");
    expect(market.told).toEqual([]);
    market.mounted.unmount();
  });

  test("a pane is not scrolled further than there is something to see, so that one key brings it back", async () => {
    const { screen, dashboard } = openMarket({ columns: 140, rows: 40 });
    const first = (await screen()).join("\n");
    const ends: Record<string, string> = {};
    for (const pane of ["trades", "candles", "orderbook"] as const) {
      dashboard.press("1");
      while (dashboard.modelOf(marketView).choices.focus !== pane) dashboard.press("tab");
      for (let i = 0; i < 30; i++) dashboard.press("pagedown");
      ends[pane] = (await screen()).join("\n");
      expect(ends[pane]).not.toBe(first);
      dashboard.press("down");
      expect((await screen()).join("\n")).toBe(ends[pane]);
      dashboard.press("up");
      expect((await screen()).join("\n")).not.toBe(ends[pane]);
      dashboard.press("home");
    }
    expect(ends.trades).toMatch(/Trades {2}ticks, lots {2}scrolled \d{1,2} /);
    expect(ends.candles).toMatch(/scrolled 1 /);
    expect(ends.orderbook).toMatch(/Order book {2}scrolled /);
  });

  test("q asks to leave", async () => {
    expect((await press("q")).told).toEqual(["quit"]);
  });
});
