// What a dashboard was supplied with ends with it, also where it could not be supplied with all.
import { expect, test } from "vitest";
import { feedMarket } from "../../src/commands/screen/live-market.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { createContext } from "../support/create-context.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

test("a part that cannot be opened leaves nothing open of what was opened before it", async () => {
  const clock = createVirtualClock();
  const { dashboard } = openDashboard(new MarketFeed());
  const { store } = dashboard.options;
  const context = createContext({ clock });
  const closes: (() => void)[] = [];
  const supply = () =>
    feedMarket({
      context,
      dashboard,
      historyBuffer: new HistoryBuffer({ live: store, clock }),
      service: { url: "ws://127.0.0.1:9/v1/ws", baseUrl: "no address", headers: {} },
      market: { type: "perp", id: "1" },
      onFailure: () => expect.unreachable(),
      onOpen: (close) => closes.unshift(close),
    });
  expect(supply).toThrow("Invalid URL");
  expect(clock.pending).toBeGreaterThan(0);
  for (const close of closes) close();
  // The socket tells its end a moment later.
  await expect.poll(() => clock.pending).toBe(0);
});
