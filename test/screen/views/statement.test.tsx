// The statement of own fills on a terminal without a window.
import { describe, expect, test } from "vitest";
import { listedTrade } from "../../support/listed-trade.ts";
import { MarketFeed } from "../../support/market-feed.ts";
import { mountDashboard } from "../../support/mount-dashboard.tsx";
import { openDashboard } from "../../support/open-dashboard.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const OWNER = `0x${"ab".repeat(20)}`;

/** Bought for 10 and sold again on the same day. */
function roundTrip(day: string, sold: string, fee: string, market_id = 1) {
  const ms = Date.parse(`${day}T12:00Z`);
  const own = { taker_address: OWNER, market_id };
  return [
    listedTrade({ ...own, trade_id: "1", timestamp_ms: ms, price: "10", quote_notional: "10" }),
    listedTrade({
      ...own,
      trade_id: "2",
      timestamp_ms: ms + 1,
      taker_is_bid: false,
      price: sold,
      quote_notional: sold,
      taker_fee_quote: fee,
    }),
  ];
}

const TRIPS = [
  ...roundTrip("2026-02-03", "12.5", "0.25"),
  ...roundTrip("2026-02-03", "9", "-0.1", 7),
  ...roundTrip("2026-02-04", "11", "0"),
];

function open({ isComplete = true } = {}) {
  const { dashboard } = openDashboard(new MarketFeed(), {
    account: { address: "1".repeat(32), subaccountId: "0" },
  });
  dashboard.listings.feed = {
    clock: createVirtualClock(),
    owner: { owner: OWNER, subaccountId: 0 },
    sourceOf: () => ({ page: () => new Promise(() => {}) }) as never,
    readFills: async () => ({
      isComplete,
      proof: "the oldest page was cut",
      notes: [],
      async *pages() {
        yield TRIPS;
      },
    }),
    running: "",
    fileName: (name) => name,
    export: () => {},
  };
  return mountDashboard(dashboard, { columns: 120, rows: 20 });
}

describe("the statement", () => {
  test("has the sums of each day and market, newest first: what is received is positive", async () => {
    const { press, screen } = open();
    await press("O", "K");
    const text = await screen();
    expect(text).toContain("proven");
    const rows = text.split("\n").filter((line) => line.includes("2026-02-0"));
    expect(rows[0]).toMatch(/2026-02-04 +perp\/1 +2 .* \+1 +0 +\+1 /);
    expect(rows[1]).toMatch(/2026-02-03 +perp\/7 +2 .* -1 +\+0\.1 +-0\.9 /);
    expect(rows[2]).toMatch(/2026-02-03 +perp\/1 +2 .* \+2\.5 +-0\.25 +\+2\.25/);
    expect(text).toContain("net +2.35  realised +2.5  fees -0.15  volume 62.5  6 fills");
  });

  test("says why it is not proven, hides amounts under the mask, and goes back to the fills", async () => {
    const { press } = open({ isComplete: false });
    await press("O");
    expect(await press("K")).toContain("NOT PROVEN: the oldest page was cut");
    const masked = await press("p");
    expect(masked).toContain("2026-02-04");
    expect(masked).not.toMatch(/2\.25|2\.35|62\.50/);
    expect(await press("escape")).toContain("Fills");
  });
});
