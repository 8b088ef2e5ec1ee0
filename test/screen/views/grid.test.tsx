// The grid of watched markets on a terminal without a window.
import { describe, expect, test } from "vitest";
import { gridView } from "../../../src/screen/views/grid/grid.tsx";
import type { Market } from "../../../src/select/market.ts";
import { traded } from "../../support/market-feed.ts";
import { openView } from "../../support/mount-dashboard.tsx";

const CHAIN = { previous_sequence: null, sequence: "1" };
const perps = (count: number) =>
  Array.from({ length: count }, (_, i): Market => ({ type: "perp", id: `${i + 1}` }));

function openGrid(watchlist: readonly Market[], columns = 120, rows = 40) {
  const app = openView("B", { columns, rows }, { watchlist }, "9");
  const { feed } = app;
  const trade = (id: number, price: number, isBuy = true) =>
    feed.update(`trades/perp/${id}`, {
      ...CHAIN,
      trades: [traded(price, 1, isBuy, "1")],
    });
  const candle = (id: number, close: string) => {
    const prices = { open: "10", high: "30", low: "5", close };
    const volumes = { volume_base: "1", volume_quote: "1", trades: 1 };
    feed.update(`candles/perp/${id}/1m`, {
      candles: [{ open_time_ms: 60_000, ...prices, ...volumes }],
    });
  };
  return { ...app, trade, candle };
}

describe("the grid of watched markets", () => {
  test("shows last price, change, chart and state of each market", async () => {
    const { feed, trade, candle, screen } = openGrid(perps(2));
    const stats = [{ market_id: 1, price_change_ratio_24h: "-0.0125" }];
    feed.first("market-stats/perp/1", { market_stats: stats });
    trade(1, 500);
    candle(1, "20");
    const text = await screen();
    expect(text).toMatch(/╭─ perp\/1 {2}1m ─+ ● live 0\.0s ─╮╭─ perp\/2 {2}1m ─+ … waiting ─╮/);
    expect(text).toMatch(/▲ 500 {2}-1\.25%/);
    expect(text).toContain("no candles received yet");
    trade(1, 400, false);
    expect(await screen()).toContain("▼ 400");
  });

  test("shows what was bought less what was sold in the candle that is under way, also frozen; with ± where trades are missing", async () => {
    const { feed, dashboard, screen, press } = openGrid(perps(1));
    const send = (trades: readonly [ms: number, lots: number, isBuy: boolean][], isFirst = false) =>
      feed.update(
        "trades/perp/1",
        {
          ...CHAIN,
          trades: trades.map(([ms, lots, isBuy]) => traded(20, lots, isBuy, `${ms}000000`)),
        },
        isFirst,
      );
    const prices = { open: "10", high: "30", low: "5", close: "20" };
    const candles = [
      { open_time_ms: 60_000, ...prices, volume_base: "1", volume_quote: "1", trades: 1 },
    ];
    send([[50_000, 90, true]], true);
    feed.update("candles/perp/1/1m", { candles }, true);
    expect(await screen()).toContain("Δ 0 ");
    send([
      [61_000, 1, true],
      [62_000, 4, false],
    ]);
    expect(await screen()).toContain("Δ -3 ");
    dashboard.press("f");
    send([[63_000, 9, true]]);
    expect(await screen()).toContain("Δ -3 ");
    expect(await press("f")).toContain("CVD +96  since 00:00:50  Δ +6 ");
    send([[70_000, 2, true]], true);
    const text = await screen();
    expect(text).toContain("since 00:00:50, 1 hole  Δ ±-3 ");
    expect(text).not.toContain("CVD");
  });

  test("a market whose trades are lost says so, and the others go on", async () => {
    const { feed, trade, candle, screen } = openGrid(perps(2));
    for (const id of [1, 2]) {
      trade(id, 500);
      candle(id, "20");
    }
    feed.say({ type: "unavailable", channel: "trades/perp/1", retryAtMs: feed.nowMs + 5000 });
    expect(await screen()).toMatch(
      /perp\/1 {2}1m {2}× offline 0\.0s unavailable, next try in 5s .*perp\/2 {2}1m ─+ ● live/,
    );
  });

  test.each([
    [1, 1, 120, 40],
    [2, 2, 120, 40],
    [4, 4, 120, 40],
    [9, 9, 120, 40],
    [20, 9, 160, 50],
    [9, 9, 80, 24],
    [9, 1, 40, 12],
    [9, 1, 10, 3],
  ])(
    "of %i markets holds %i at once on %i×%i, three channels each",
    async (watched, cells, ...size) => {
      const { dashboard, screen } = openGrid(perps(watched), ...size);
      expect((await screen()).length).toBeGreaterThan(0);
      const own = dashboard.channels.filter((channel) => channel.includes("/perp/"));
      expect(own).toHaveLength(cells * 3);
    },
  );

  test("Tab and arrows move, past the last cell to the next markets; Enter opens the market", async () => {
    const { dashboard, screen } = openGrid(perps(11));
    await screen();
    const walk = (...keys: string[]) => {
      for (const key of keys) dashboard.press(key);
      return dashboard.modelOf(gridView).position;
    };
    expect(walk("tab", "right")).toBe(2);
    expect(walk("down")).toBe(5);
    expect(walk("left", "up")).toBe(1);
    expect(walk("shift+tab", "shift+tab")).toBe(10);
    expect(await screen()).toMatch(/perp\/10 .*perp\/11/);
    expect(await screen()).not.toContain("perp/3 ");
    expect(walk("tab")).toBe(0);
    dashboard.press("tab");
    dashboard.press("return");
    expect(dashboard.view.name).toBe("market");
    expect(dashboard.market).toEqual({ type: "perp", id: "2" });
  });

  test("without a watchlist it has the market that is shown", async () => {
    const { screen } = openGrid([]);
    expect(await screen()).toContain("╭─ perp/9  1m");
  });

  test("keeps what it shows while it is frozen", async () => {
    const { dashboard, trade, screen, press } = openGrid(perps(2));
    trade(1, 500);
    dashboard.press("f");
    trade(1, 700);
    expect(await screen()).toContain("▲ 500");
    expect(await press("f")).toContain("▲ 700");
  });

  test("shows in no cell another market than keys are for, also where it was frozen with others", async () => {
    const { dashboard, trade, screen, press } = openGrid(perps(11));
    for (let id = 1; id <= 11; id++) trade(id, id * 100);
    expect(await screen()).toContain("▲ 100 ");
    const other = await press("f", "shift+tab");
    expect(other).toMatch(/perp\/10 .*perp\/11/);
    expect(other).not.toContain("▲");
    expect(other).toContain("not shown when the screen was frozen");
    expect(await press("tab")).toMatch(/perp\/1 .*perp\/2 /);
    expect(await screen()).toContain("▲ 100 ");
    dashboard.press("shift+tab");
    dashboard.press("return");
    expect(dashboard.market).toEqual({ type: "perp", id: "11" });
  });
});
