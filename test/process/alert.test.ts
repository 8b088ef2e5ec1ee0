// An alert of the command line as its user meets it: the built program on a real terminal, a service that a test moves.
import { expect, onTestFinished, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

const FIRING = "\u001b]9;monitor: perp/1 last > 6000 ticks: ";

test("--alert fires at a crossing that is seen, once, and not for what was so at the start", async () => {
  const service = await startMarketService({ quietAfterMs: 0 });
  onTestFinished(service.close);
  const args = ["perp/1", "--ws-url", service.wsUrl, "--alert", "perp/1 last > 6000 ticks"];
  const trade = async (...prices: readonly bigint[]) => {
    for (const price of prices) {
      service.trade(price);
      await screen.until((text) => text.includes(price.toLocaleString("en-US")));
    }
  };
  service.trade(7000n);
  const screen = new MonitorScreen(args);
  await screen.until((text) => text.includes("7,000"));
  await trade(7001n, 5901n);
  expect(screen.output).not.toContain("\u001b]9;");
  service.trade(6001n);
  await screen.until(() => screen.output.includes(FIRING));
  expect(screen.output).toContain(`${FIRING}6,001`);
  await trade(6002n, 5902n, 6003n);
  await screen.leave();
  expect(screen.output.split("\u001b]9;")).toHaveLength(2);
});
