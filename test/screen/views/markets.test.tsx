// The list of all markets on a terminal without a window.
import { describe, expect, test } from "vitest";
import { openView } from "../../support/mount-dashboard.tsx";
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
    expect(found).toMatch(/▸. COIN999-PERP/);
    expect(await press("escape", "right", "s", "s", "g")).toMatch(/▸. COIN1000-PERP/);
  });

  test("shows all fields of a row, exactly", async () => {
    const { dashboard, list, press } = openMarkets();
    list(3);
    const text = await press("e");
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
