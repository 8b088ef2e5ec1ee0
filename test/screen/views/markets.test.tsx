// The list of all markets on a terminal without a window.
import { describe, expect, test } from "vitest";
import { Watchlist } from "../../../src/screen/watchlist.ts";
import type { Market } from "../../../src/select/market.ts";
import { traded } from "../../support/market-feed.ts";
import { command, openView } from "../../support/mount-dashboard.tsx";
import { words } from "../../support/words.ts";

function openMarkets(columns = 100, rows = 20) {
  const app = openView("M", { columns, rows });
  const { feed } = app;
  const list = (count: number) => {
    const records = Array.from({ length: count }, (_, i) => ({
      market_type: "perp",
      market_id: i + 1,
      symbol: `COIN${i + 1}-PERP`,
    }));
    feed.first("markets", { markets: records });
    const stats = records.map(({ market_id }) => ({ market_id, last_price: `${market_id}.50` }));
    feed.first("market-stats/perp", { market_stats: stats });
  };
  return { ...app, list };
}

describe("markets view", () => {
  test("holds only the channels of the list, and those of a market again when one is opened", async () => {
    const { dashboard, list, screen } = openMarkets();
    expect(dashboard.channels).toEqual(["markets", "market-stats/perp", "market-stats/spot"]);
    expect(await screen()).toContain("no data yet");
    list(3);
    expect(await screen()).toMatch(/COIN2-PERP +2\.50/);
    dashboard.press("down");
    dashboard.press("return");
    expect(dashboard.market).toEqual({ type: "perp", id: "2" });
    expect(dashboard.channels).toEqual(
      words(`
      bbo/perp/2 orderbook/perp/2 trades/perp/2 candles/perp/2/1m market-stats/perp/2
      funding-rates/2 markets
    `),
    );
    dashboard.press("escape");
    expect(dashboard.view.name).toBe("market");
  });

  test("finds and sorts among a thousand markets", async () => {
    const { list, press } = openMarkets();
    list(1000);
    const found = await press("/", "c", "o", "i", "n", "9", "9", "9", "return");
    expect(found).toContain("1 of 1000 for /coin999");
    expect(found).toMatch(/▸. {3}COIN999-PERP/);
    expect(await press("escape", "right", "s", "s", "home")).toMatch(/▸. {3}COIN1000-PERP/);
  });

  test("shows all fields of a row, exactly", async () => {
    const { dashboard, list, press } = openMarkets();
    list(3);
    const text = await press(...command("fields of the row"));
    expect(text).toMatch(/last_price +1\.50/);
    dashboard.press("escape");
    expect(dashboard.view.name).toBe("markets");
  });

  test("keeps what it shows while it is frozen", async () => {
    const { dashboard, list, feed, screen, press } = openMarkets();
    list(2);
    dashboard.press("f");
    const stats = [{ market_id: 1, last_price: "99.75" }];
    feed.first("market-stats/perp", { market_stats: stats });
    expect(await screen()).not.toContain("99.75");
    expect(await press("f")).toContain("99.75");
  });
});

describe("starred markets", () => {
  test("stand first, alone where the user asks for it, and * takes the star away again", async () => {
    const { dashboard, list, press, screen } = openMarkets();
    list(4);
    expect(await press("down", "down", "*")).toMatch(/▸. ★ COIN3-PERP.*\n.* COIN1-PERP/);
    dashboard.press(":");
    dashboard.paste("starred on");
    expect(await press("return")).toMatch(/Markets 1 {2}starred only/);
    expect(await screen()).not.toContain("COIN1-PERP");
    expect(await press("*")).toContain("no market is starred");
    dashboard.press(":");
    dashboard.paste("starred off");
    expect(await press("return")).toMatch(/Markets 4 /);
  });

  test("keep the last hour of their prices, which moves on while nothing trades", async () => {
    const { dashboard, feed, list, press, lines } = openMarkets();
    list(2);
    await press("*");
    const channel = "trades/perp/1";
    expect(dashboard.channels).toContain(channel);
    feed.say({ type: "subscribing", channel });
    const trade = traded(100, 1, true, `${BigInt(feed.nowMs) * 1_000_000n}`);
    feed.update(channel, { previous_sequence: null, sequence: "1", trades: [trade] });
    feed.advance(1000);
    const at = async () =>
      (await lines()).find((line) => line.includes("COIN1"))?.indexOf("▄") ?? -1;
    dashboard.tick();
    const before = await at();
    expect(before).toBeGreaterThan(0);
    feed.advance(8 * 60_000);
    dashboard.tick();
    expect(await at()).toBe(before - 2);
  });

  test("are 32 at most, and who keeps them is told of each change, and only then", () => {
    const told: number[] = [];
    const all = Array.from({ length: 40 }, (_, i): Market => ({ type: "perp", id: `${i}` }));
    const list = new Watchlist(all, (markets) => told.push(markets.length));
    const spot: Market = { type: "spot", id: "1" };
    list.toggle(spot);
    list.toggle({ type: "perp", id: "1" });
    list.toggle(spot);
    expect(told).toEqual([31, 32]);
  });
});

test("own positions stand in their market: the side only where it is known, a count where there are several", async () => {
  const { feed, list, lines, dashboard } = openMarkets(160);
  list(2);
  const address = "1".repeat(32);
  dashboard.watch({ address, subaccountId: "0" });
  feed.say({ type: "subscribing", channel: `account/${address}/0` });
  const held = async (...positions: readonly Record<string, unknown>[]) => {
    const rows = positions.map((each) => ({ market_id: 1, market_type: "perp", ...each }));
    feed.first(`account/${address}/0`, { positions: rows });
    dashboard.tick();
    return (await lines()).find((line) => line.includes("COIN1-PERP")) ?? "";
  };
  expect(await held({ side: "long", size: "1500" })).toMatch(/ long 1500 /);
  expect(await held({ side: "short", size: "2" })).toMatch(/ short 2 /);
  const cross = { side: "long", size: "5", margin_mode: "cross" };
  const isolated = { side: "short", size: "2", margin_mode: "isolated" };
  expect(await held(cross, isolated)).toMatch(/ 2 positions /);
});
