// Markets, figures and funding of a service whose records have names and shapes of their own, on a real terminal.
import { expect, onTestFinished, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

const HOUR_MS = 3_600_000;
const START_MS = 1_790_000_000_000;

const records = {
  markets: [
    { marketId: 1, kind: "PERPETUAL", ticker: "BTCUSD", priceIncrement: 0.01, stepSize: "0.0001" },
    { marketId: 2, kind: "PERPETUAL", ticker: "SOLUSD", limits: { maxLeverage: 20 } },
  ],
  "market-stats/perp": [
    { mkt: "x", id: 1, mark_px: "50.125", lastPx: 50, changePercent24h: "-1.5" },
    { marketIndex: 2, mark_px: 7.25, oi: "12345678901234567890.5" },
  ],
  "market-stats/perp/1": [{ id: 1, mark_px: "50.125", changePercent24h: "-1.5" }],
  "funding-rates/1": Array.from({ length: 5 }, (_, i) => ({
    settledAt: START_MS + i * HOUR_MS,
    rate: i === 4 ? -0.000125 : "0.0001",
  })),
};

test("figures and funding are found, whatever their names; what is no longer shown stays subscribed for a minute", async () => {
  const service = await startMarketService({
    ...{ scale: { tickPlaces: 2, lotPlaces: 4 }, records },
  });
  onTestFinished(service.close);
  const addresses = ["--ws-url", service.wsUrl, "--base-url", service.baseUrl];
  const screen = new MonitorScreen(["perp/1", ...addresses], { columns: 140, rows: 30 });
  await screen.until((text) => text.includes("BTCUSD") && text.includes("mark 50.125"));
  await screen.until((text) => text.includes("−1.5%"));
  screen.type("M");
  await screen.until((text) => /SOLUSD .* 7\.25/.test(text));
  await screen.until(() => service.held.includes("market-stats/perp"));
  expect(service.held).toEqual(expect.arrayContaining(["bbo/perp/1", "trades/perp/1"]));
  screen.type("F");
  await screen.until((text) => text.includes("−0.0125%") && text.includes("109.50%"));
  await screen.leave();
});
