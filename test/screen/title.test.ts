import { expect, test } from "vitest";
import { formatTitle } from "../../src/commands/screen/screen.tsx";
import { Display } from "../../src/select/display.ts";
import { openScales } from "../../src/select/scale.ts";
import { parseDecimal } from "../../src/units/decimal.ts";
import { openKeyScene } from "../support/key-scene.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { openMarket } from "../support/open-dashboard.ts";

function open() {
  const feed = new MarketFeed();
  const size = (text: string) => parseDecimal(text) ?? { mantissa: 0n, places: 0 };
  const scales = openScales(feed.store, {
    "perp/1": { tickSize: size("0.01"), lotSize: size("0.0001") },
  });
  return openMarket({ scales, display: new Display() }, feed);
}

function list(feed: MarketFeed, symbol: string) {
  const markets = [{ market_type: "perp", market_id: "1", symbol }];
  feed.first(CHANNELS.markets, { markets });
}

test("the title of the window is the last price of the market and its name", () => {
  const { feed, dashboard } = open();
  feed.trade(9_711_400, 1);
  expect(formatTitle(dashboard)).toBe("▲97,114.00 perp/1");
  list(feed, "BTC-PERP");
  feed.trade(9_711_399, 1, false);
  expect(formatTitle(dashboard)).toBe("▼97,113.99 BTC-PERP");
});

test("a price that is not of now is not in the title: the state is", () => {
  const { feed, dashboard } = open();
  expect(formatTitle(dashboard)).toBe("waiting perp/1");
  feed.trade(9_711_400, 1);
  feed.link("closed");
  expect(formatTitle(dashboard)).toBe("offline perp/1");
});

test("the title has nothing of the session while the mask is on, and before there is a market", () => {
  const { feed, dashboard } = open();
  feed.trade(9_711_400, 1);
  dashboard.toggleMask();
  expect(formatTitle(dashboard)).toBeUndefined();
  dashboard.toggleMask();
  dashboard.close({ type: "perp", id: "1" }, "perp/1 is now X");
  expect(formatTitle(dashboard)).toBeUndefined();
});

test("the title stays with the session while the screen is frozen, and has no price of a replay", () => {
  const { feed, dashboard } = open();
  dashboard.toggleFrozen();
  feed.trade(9_711_500, 1);
  expect(formatTitle(dashboard)).toBe("▲97,115.00 perp/1");
  expect(formatTitle(openKeyScene(true).dashboard)).toMatch(/^replay /);
});

test("a name from the service is letters, digits and signs of names only", () => {
  const { feed, dashboard } = open();
  feed.trade(100, 1);
  const symbol = "X\u001b]52;c;eA==\u0007\u202eY".padEnd(60, "z");
  list(feed, symbol);
  expect(formatTitle(dashboard)).toMatch(/^▲1\.00 [A-Za-z0-9\-/._]{1,24}$/);
});
