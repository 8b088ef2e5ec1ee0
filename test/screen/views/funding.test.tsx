// Funding rates on a terminal without a window.
import { describe, expect, test } from "vitest";
import { openView } from "../../support/mount-dashboard.tsx";

const CHAIN = { previous_sequence: null, sequence: "1" };
const ADDRESS = "gtSF5bv5c39VkTMSQ9dKC7nyWDFcEuWH3zccp76nJNeD";
const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function openFunding(columns = 110, rows = 30) {
  const account = { address: ADDRESS, subaccountId: "0" };
  const app = openView("F", { columns, rows }, { account });
  const rates = (records: readonly object[], isFirst = true) =>
    app.feed.update("funding-rates/1", { ...CHAIN, funding_rates: records }, isFirst);
  return { ...app, rates };
}

const hourly = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    effectiveAt: START_MS + i * HOUR_MS,
    rate: `${i % 2 === 0 ? "" : "-"}0.0000${i % 9}5`,
  }));

describe("funding view", () => {
  test("shows chart, table, newest rate and its year, under names of the service's own", async () => {
    const { rates, screen, dashboard } = openFunding();
    expect(dashboard.channels.slice(0, 2)).toEqual(["funding-rates/1", "market-stats/perp/1"]);
    expect(await screen()).toContain("no data yet");
    rates(hourly(200));
    const text = await screen();
    expect(text).toContain("rate -0.0015%");
    expect(text).toContain("every 1h");
    expect(text).toContain("APR -13.14%");
    expect(text).toContain("Funding rates 200");
    expect(text).toMatch(/▸ .*-0\.0015%/);
  });

  test("says that the schedule is unknown where the points do not tell it", async () => {
    const { rates, screen } = openFunding();
    rates([{ effectiveAt: START_MS, rate: "0.01" }]);
    const text = await screen();
    expect(text).toContain("rate +1%");
    expect(text).toContain("schedule unknown");
    expect(text).not.toContain("APR");
  });

  test("says what the watched position gets or pays, and hides it behind the mask", async () => {
    const { rates, feed, screen, press } = openFunding();
    rates(hourly(10));
    feed.first("market-stats/perp/1", { market_stats: [{ id: 1, mark: "20000" }] });
    const positions = [{ market_id: 1, side: "long", qty: "0.5" }];
    feed.first(`account/${ADDRESS}/0`, { positions });
    // -0.000005 × 0.5 × 20000: a negative rate is paid to longs.
    expect(await screen()).toContain("rate -0.0005%");
    expect(await screen()).toContain("you receive 0.0500 next (long)");
    expect(await press("p")).not.toContain("you receive");
  });

  test("keeps a newer word on a point, and what is frozen", async () => {
    const { rates, screen, dashboard, press } = openFunding();
    rates(hourly(3));
    dashboard.press("f");
    rates([{ effectiveAt: START_MS + 2 * HOUR_MS, rate: "0.07" }], false);
    expect(await screen()).not.toContain("rate +7%");
    expect(await press("f")).toContain("rate +7%");
    expect(await screen()).toContain("Funding rates 3");
  });

  test("is not there for a spot market", () => {
    const { dashboard } = openFunding();
    dashboard.press("D");
    dashboard.open({ type: "spot", id: "1" });
    dashboard.press("F");
    expect(dashboard.view.name).toBe("market");
  });
});
