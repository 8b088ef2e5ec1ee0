// Markets, figures and funding of a service whose records have names and shapes of their own, on a real terminal.
import { expect, onTestFinished, test } from "vitest";
import { startForeignService } from "../support/foreign-service.ts";
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
    { id: 2, mark_px: 7.25, oi: "12345678901234567890.5" },
  ],
  "market-stats/perp/1": [{ id: 1, mark_px: "50.125", changePercent24h: "-1.5" }],
  "funding-rates/1": Array.from({ length: 5 }, (_, i) => ({
    settledAt: START_MS + i * HOUR_MS,
    rate: i === 4 ? -0.000125 : "0.0001",
  })),
};

test("every field of markets and funding can be reached on the screen, whatever its name", async () => {
  const service = await startForeignService({
    backlog: 1000,
    scale: { tickPlaces: 2, lotPlaces: 4 },
    records,
  });
  onTestFinished(service.close);
  const addresses = ["--ws-url", service.wsUrl, "--base-url", service.baseUrl];
  const screen = new MonitorScreen(["perp/1", ...addresses], { columns: 140, rows: 30 });
  await screen.until((text) => text.includes("BTCUSD perp/1") && /✓ market, \d/.test(text));
  await screen.until((text) => text.includes("mark 50.125") && text.includes("-1.50%"));
  screen.type("M");
  await screen.until((text) => /SOLUSD .* 7\.25 .* 2 +PERPETUAL/.test(text));
  // The market that was shown stays subscribed beside what is shown now.
  await screen.until(() => service.held.includes("market-stats/perp"));
  expect(service.held).toEqual(expect.arrayContaining(["bbo/perp/1", "trades/perp/1"]));
  screen.type("j");
  await screen.until((text) => /▸. +SOLUSD/.test(text));
  screen.type(":fields of the row\r");
  await screen.until(
    (text) => /limits\.maxLeverage +20/.test(text) && text.includes("12345678901234567890.5"),
  );
  screen.type("D");
  await screen.until((text) => text.includes("BTCUSD perp/1"));
  // What is of no market in particular, and not shown any more, is not subscribed any more.
  await screen.until(() => !service.held.includes("market-stats/perp"));
  expect(service.held).toEqual(expect.arrayContaining(["bbo/perp/1", "trades/perp/1"]));
  screen.type("F");
  await screen.until((text) => text.includes("rate -0.0125%") && text.includes("every 1h "));
  await screen.until((text) => text.includes("APR -109.50%"));
  await screen.leave();
});
