// The watchlist on a terminal without a window.
import { describe, expect, test } from "vitest";
import { Watchlist } from "../../../src/screen/watchlist.ts";
import type { Market } from "../../../src/select/market.ts";
import { level, traded } from "../../support/market-feed.ts";
import { openView } from "../../support/mount-dashboard.tsx";
import { words } from "../../support/words.ts";

const CHAIN = { previous_sequence: null, sequence: "1" };
const BTC: Market = { type: "perp", id: "1" };
const SPOT: Market = { type: "spot", id: "1" };

function openWatchlist(watchlist: readonly Market[], columns = 110, rows = 20) {
  const app = openView("w", { columns, rows }, { watchlist }, "9");
  const { feed } = app;
  const quote = (name: string, bid: number, ask: number) =>
    feed.update(`bbo/${name}`, { bbo: { bid: level(bid), ask: level(ask) } });
  const trade = (name: string, prices: readonly number[]) =>
    feed.update(`trades/${name}`, {
      ...CHAIN,
      trades: prices.map((price, i) =>
        traded(price, 1, true, `${BigInt(feed.nowMs) * 1_000_000n + BigInt(i)}`),
      ),
    });
  const line = async (name: string) =>
    (await app.lines()).find((each) => each.includes(name)) ?? "";
  return { ...app, quote, trade, line };
}

describe("watchlist", () => {
  test("shows best prices, last trade, change and received prices, each line with its own state", async () => {
    const { feed, quote, trade, line, dashboard } = openWatchlist([BTC, SPOT]);
    const markets = [
      { market_type: "perp", market_id: 1, symbol: "BTC-PERP", tick_size: "0.01", lot_size: "1" },
      { market_type: "spot", market_id: 1, symbol: "BTC/USDC" },
    ];
    feed.first("markets", { markets });
    const stats = [{ market_id: 1, price_change_ratio_24h: "-0.0125" }];
    feed.first("market-stats/perp", { market_stats: stats });
    quote("perp/1", 9_698_673, 9_698_724);
    trade("perp/1", [100, 200, 300, 9_698_700]);
    feed.advance(60_000);
    feed.link("open");
    quote("spot/1", 55, 57);
    dashboard.tick();
    expect(await line("BTC-PERP")).toMatch(
      /BTC-PERP +96987\.00 +-1\.25% +▄ +○ quiet 1m00s +96986\.73 +96987\.24 +0\.51/,
    );
    // Nothing is shown that was not received: no last trade, no change, no sparkline; and prices are ticks.
    expect(await line("BTC/USDC")).toMatch(/BTC\/USDC \(ticks\) +– +– +– +● live 0\.0s +55 +57 +2/);
  });

  test("shows what is held: which side only where it is known, and how many where there are several", async () => {
    const { feed, line, dashboard } = openWatchlist([BTC], 160);
    const address = "1".repeat(32);
    dashboard.watch({ address, subaccountId: "0" });
    feed.say({ type: "subscribing", channel: `account/${address}/0` });
    const held = async (...positions: readonly Record<string, unknown>[]) => {
      const rows = positions.map((each) => ({ market_id: 1, market_type: "perp", ...each }));
      feed.first(`account/${address}/0`, { positions: rows });
      dashboard.tick();
      return line("perp/1");
    };
    expect(await held({ side: "long", size: "1500" })).toMatch(/ long 1500 /);
    expect(await held({ side: "short", size: "2" })).toMatch(/ short 2 /);
    expect(await held({ side: "both", size: "2" })).toMatch(/perp\/1 +2 /);
    const cross = { side: "long", size: "5", margin_mode: "cross" };
    const isolated = { side: "short", size: "2", margin_mode: "isolated" };
    expect(await held(cross, isolated)).toMatch(/ 2 positions /);
    await held({ side: "short", size: "1500" });
    // Is the first one gone, or only not repeated?
    const other = { market_id: 2, market_type: "perp", side: "long", size: "1" };
    feed.next(`account/${address}/0`, 2, { positions: [other] });
    dashboard.tick();
    expect(await line("perp/1")).toMatch(/ short 1500\? /);
  });

  test("an hour of prices moves on while nothing trades", async () => {
    const { feed, quote, trade, line, dashboard } = openWatchlist([BTC]);
    quote("perp/1", 99, 101);
    trade("perp/1", [100]);
    dashboard.tick();
    const at = (await line("perp/1")).indexOf("▄");
    expect(at).toBeGreaterThan(0);
    feed.advance(8 * 60_000);
    dashboard.tick();
    expect((await line("perp/1")).indexOf("▄")).toBe(at - 2);
    feed.advance(60 * 60_000);
    dashboard.tick();
    expect(await line("perp/1")).not.toContain("▄");
  });

  test("without a connection, what was left before is as offline as the list", async () => {
    const { feed, quote, trade, line, screen, dashboard } = openWatchlist([BTC]);
    feed.first("markets", { markets: [{ market_id: 1 }] });
    quote("perp/1", 99, 101);
    trade("perp/1", [100]);
    for (const channel of ["bbo/perp/1", "trades/perp/1"])
      feed.say({ type: "unsubscribed", channel });
    feed.link("waiting");
    dashboard.tick();
    expect(await screen()).toMatch(/Watchlist 1 .* × offline/);
    expect(await line(" perp/1")).toMatch(/× offline/);
    dashboard.press("L");
    expect(await line("bbo/perp/1")).toMatch(/bbo\/perp\/1 +off /);
  });

  test("holds the channels of what is watched, and only those", () => {
    const { dashboard } = openWatchlist([BTC, SPOT]);
    expect(dashboard.channels).toEqual(
      words(`
      markets market-stats/perp market-stats/spot bbo/perp/1 trades/perp/1 bbo/spot/1 trades/spot/1
    `),
    );
    dashboard.press("a");
    expect(dashboard.channels).toEqual([
      "markets",
      "market-stats/spot",
      "bbo/spot/1",
      "trades/spot/1",
    ]);
  });

  test("opens the market of the selected line, as the last line says", async () => {
    const { dashboard, screen } = openWatchlist([BTC, SPOT]);
    expect(await screen()).toContain("Enter open");
    dashboard.press("down");
    dashboard.press("return");
    expect(dashboard.view.name).toBe("market");
    expect(dashboard.market).toEqual(SPOT);
  });

  test("takes markets from the dashboard and from the list of markets", async () => {
    const { dashboard, feed, screen, press } = openWatchlist([]);
    expect(await screen()).toContain(
      "Watchlist is empty. Press a on a market to add it (M lists all markets).",
    );
    expect(await press("D", "a")).toContain("★ perp/9");
    dashboard.press("M");
    const markets = [{ market_id: 1 }, { market_id: 2 }];
    feed.first("markets", { markets });
    expect(await press("down", "a")).toContain("2 watched");
    expect(dashboard.watchlist.markets.map(({ id }) => id)).toEqual(["9", "2"]);
    dashboard.press("a");
    expect(dashboard.watchlist.markets.map(({ id }) => id)).toEqual(["9"]);
  });

  test("what is taken away while the screen is frozen goes, and keys act on the line that is marked", async () => {
    const { dashboard, quote, line } = openWatchlist([BTC, SPOT]);
    quote("perp/1", 10, 11);
    quote("spot/1", 55, 57);
    dashboard.press("f");
    expect(await line("perp/1")).toMatch(/▸. perp\/1 .* 10 +11/);
    dashboard.press("a");
    quote("spot/1", 65, 67);
    expect(await line("spot/1")).toMatch(/▸. spot\/1 .* 55 +57/);
    expect(await line("perp/1")).toBe("");
  });

  test("a line is marked, also when the last one was taken away in another view", async () => {
    const { dashboard, line } = openWatchlist([BTC, SPOT]);
    dashboard.press("end");
    dashboard.press("down");
    expect(await line("spot/1")).toMatch(/▸. spot\/1/);
    dashboard.watchlist.toggle(SPOT);
    dashboard.notify();
    expect(await line("perp/1")).toMatch(/▸. perp\/1/);
    dashboard.press("return");
    expect(dashboard.market).toEqual(BTC);
  });

  test("notifies of what is watched after a change, and only then", () => {
    const told: number[] = [];
    const all = Array.from({ length: 32 }, (_, i): Market => ({ type: "perp", id: `${i}` }));
    const list = new Watchlist(all, (markets) => told.push(markets.length));
    list.toggle(SPOT);
    list.toggle(BTC);
    list.toggle(SPOT);
    expect(told).toEqual([31, 32]);
  });

  test("watches 32 markets at most, and all of them can be reached by scrolling", async () => {
    const many = Array.from({ length: 40 }, (_, i): Market => ({ type: "perp", id: `${100 + i}` }));
    const { dashboard, press } = openWatchlist(many, 80, 12);
    expect(dashboard.watchlist.markets).toHaveLength(32);
    expect(await press(...Array<string>(40).fill("down"))).toMatch(/▸. perp\/131/);
  });

  test("shows names of the service harmlessly, and cuts none of the prices", async () => {
    const { feed, quote, screen } = openWatchlist([BTC], 40, 12);
    const markets = [{ market_id: 1, symbol: `\u001b[31m\u202e${"界".repeat(300)}` }];
    feed.first("markets", { markets });
    quote("perp/1", 1, 2 ** 50);
    const text = await screen();
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("\u202e");
    const digits = text.match(/\d{5,}/g) ?? [];
    for (const each of digits) expect(each).toBe(`${2 ** 50}`);
  });
});
