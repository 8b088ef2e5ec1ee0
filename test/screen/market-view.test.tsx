// The dashboard as its user sees it, on a terminal without a window.
import { describe, expect, test } from "vitest";
import { CHANNELS, type MarketFeed, traded } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";

const base = 9_702_000;

/** A market with 30 levels on each side, some trades, candles and figures. */
function feedMarket(feed: MarketFeed, offset = BigInt(base)): void {
  const side = (sign: bigint): [bigint, bigint][] =>
    Array.from({ length: 30 }, (_, i) => [offset + sign * BigInt(i + 1), 100n + BigInt(i)]);
  feed.link("open", { roundTripMs: 4.2 });
  feed.first(CHANNELS.markets, {
    markets: [{ market_id: 1, market_type: "perp", symbol: "BTC-PERP" }],
  });
  feed.first(CHANNELS.stats, {
    market_stats: [
      { market_id: 1, market_type: "perp", mark_price: "97020.55", volume_24h_base: "123.4567" },
    ],
  });
  feed.book(side(-1n), side(1n), 1, true);
  feed.bbo(offset - 1n, offset + 1n, 100n);
  feed.candle(0, "97020.10", "97025.80", "97014.00", "97022.52");
  feed.candle(1, "97022.52", "97030.00", "97020.00", "97029.99");
  for (let i = 0; i < 40; i++) {
    feed.advance(50);
    feed.trade(offset + BigInt(i % 3), 10 + i, i % 2 === 0);
  }
}

function open({ columns = 120, rows = 40, offset = BigInt(base) } = {}) {
  const market = openMarket({ isSimulated: true });
  feedMarket(market.feed, offset);
  return { ...market, ...mountDashboard(market.dashboard, { columns, rows }) };
}

test("the last line and the panes agree on what is live at every moment, not only once a second", async () => {
  const { feed, dashboard } = openMarket();
  const { lines } = mountDashboard(dashboard, { columns: 120, rows: 40 });
  const last = async () => (await lines()).at(-1);
  expect(await last()).toContain("4 of 4 not live");
  feed.candle(0, "1", "1", "1", "1");
  feed.trade(100n, 1, true);
  feed.book([[99n, 1n]], [[101n, 1n]], 1, true);
  expect(await last()).toContain("1 of 4 not live");
  feed.bbo(99n, 101n);
  expect(await last()).toContain("all live");
});

describe("market view", () => {
  test("the tape names a time zone only where it has a time", async () => {
    const { feed, screen } = open({ columns: 140 });
    expect(await screen()).toMatch(/ time UTC +price/);
    feed.store.clear();
    feed.link("open");
    feed.subscribe(CHANNELS.trades);
    expect(await screen()).toMatch(/ time +price/);
  });

  test("shows in the tape where trades may be missing, at its place", async () => {
    const { feed, lines } = open({ columns: 140 });
    feed.advance(9400);
    const trades = [traded(base + 7, 3, true, `${feed.nowMs}000000`)];
    feed.subscribe(CHANNELS.trades);
    feed.first(CHANNELS.trades, { trades }, null);
    const shown = await lines();
    const at = shown.findIndex((line) => line.includes("┄┄ 9.4 s not seen (new snapshot) ┄┄"));
    expect(shown[at - 1]).toMatch(/00:00:11\.400 ▲ 9702007/);
    expect(shown[at + 1]).toMatch(/00:00:02\.000 ▼ 9702000/);
  });

  test.each(["asks", "bids"] as const)(
    "fills the ladder from the other side where there are few %s",
    async (thin) => {
      const { feed, screen } = open({ columns: 120, rows: 24 });
      const levels = (sign: number, side: string): [number, number][] =>
        Array.from({ length: side === thin ? 2 : 60 }, (_, i) => [base + sign * (i + 1), 100]);
      const rowsOf = (text: string) =>
        text.split("\n").filter((line) => /│ {2}970[0-9]{4} +[0-9]+ +[0-9]+ /.test(line)).length;
      const whole = rowsOf(await screen());
      expect(whole).toBeGreaterThan(10);
      feed.book(levels(-1, "bids"), levels(1, "asks"), 2, true);
      expect(rowsOf(await screen())).toBe(whole);
    },
  );

  test("never cuts a number, however narrow the terminal and however long the number", async () => {
    const offset = 2n ** 64n - 100n;
    const { screen, stdout, shown } = open({ columns: 130, rows: 30, offset });
    const terminal = await shown();
    for (let columns = 130; columns >= 20; columns -= 5) {
      stdout.resize(columns, 30);
      terminal.resize(columns, 30);
      const text = await screen();
      if (columns >= 60) expect(text).toContain(`${offset - 1n}`);
      for (const [digits] of text.matchAll(/(?<![\d.])1844[\d]*/g)) {
        expect(`${columns}: ${digits.length}`).toBe(`${columns}: 20`);
      }
    }
  });

  test("keeps the last values when the connection goes, and says that they are old", async () => {
    const { feed, dashboard, lines } = open();
    feed.link("waiting", {
      retryAtMs: feed.nowMs + 3000,
      fault: { code: "refused", detail: "connect ECONNREFUSED" },
    });
    feed.advance(1500);
    dashboard.tick();
    const shown = await lines();
    expect(shown[1]).toContain(`${base - 1} × 100 │`);
    expect(shown[1]).toContain("× offline 3.5s old");
    expect(shown.join("\n")).toMatch(/Order book .* × offline 3\.5s/);
    expect(shown.at(-1)).toContain("× offline, next try in 2s: connect ECONNREFUSED");
  });

  test("shows what the service says as text, never as control sequences", async () => {
    const { feed, dashboard, screen } = open();
    feed.say({ type: "refused", channel: CHANNELS.orderbook, code: 404, message: "\u001b[2Jgone" });
    dashboard.tick();
    expect(await screen()).toContain("⊘ refused 2.0s 404: \\x1b[2Jgone");
  });
});

describe("keys of the market view", () => {
  test("a pane says what it is of, however narrow it is", async () => {
    const { press } = open({ columns: 80, rows: 24 });
    expect(await press("m", "m")).toMatch(/─ Candles 1m ─/);
  });

  test("+ hides small trades", async () => {
    const text = await open().press(..."++++++");
    expect(text).toContain("≥ 50");
    expect(text).toContain("no trade is as large as the smallest size");
  });

  test("pasted text acts as no keys at all", async () => {
    const { stdin, settle, screen, told } = open();
    await settle();
    for (const part of ["\u001b[200~", "q?2f", "\u001b[201~"]) stdin.type(part);
    const text = await screen();
    expect(text).toContain("Trades");
    expect(text).not.toContain("FROZEN");
    expect(told).toEqual([]);
  });

  test("a pane is not scrolled further than there is something to see, so that one key brings it back", async () => {
    const { screen, press, model } = open({ columns: 140 });
    const first = await screen();
    const ends: Record<string, string> = {};
    for (const pane of ["trades", "candles", "orderbook"] as const) {
      await press("1");
      while (model.choices.focus !== pane) await press("tab");
      const end = await press(...Array<string>(30).fill("pagedown"));
      expect(end).not.toBe(first);
      expect(await press("down")).toBe(end);
      expect(await press("up")).not.toBe(end);
      await press("home");
      ends[pane] = end;
    }
    expect(ends.trades).toMatch(/Trades {2}ticks, lots {2}scrolled \d{1,2} /);
    expect(ends.candles).toMatch(/scrolled 1 /);
    expect(ends.orderbook).toMatch(/Order book {2}scrolled /);
  });
});
