import { expect, test } from "vitest";
import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { formatFiring } from "../../src/alerts/alert-rows.ts";
import { setConfigAlerts } from "../../src/alerts/alert-run.ts";
import { openScales } from "../../src/select/scale.ts";
import { alertRule } from "../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

/** A manager over a feed that is received, one cent a tick. */
function open() {
  const feed = new MarketFeed();
  const scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
  const manager = new AlertManager({
    store: feed.store,
    scales: openScales(feed.store, { "perp/1": scale }),
    now: () => feed.nowMs,
    wall: () => feed.nowMs,
  });
  const fired: string[] = [];
  manager.onFire = (firing) => fired.push(formatFiring(firing, false));
  feed.link("open");
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  const trades = (...prices: number[]) => {
    for (const price of prices) {
      feed.trade(price, 1);
      manager.observe(CHANNELS.trades);
    }
  };
  return { manager, fired, trades };
}

test("an alert of the config file that has fired once stays so when the file is saved again", () => {
  const { manager, fired, trades } = open();
  const alerts = [{ when: "perp/1 last > 65000" }, { when: "perp/1 last < 64000" }];
  setConfigAlerts(manager, { alerts });
  trades(6_400_000, 6_600_000);
  expect(fired).toEqual(["perp/1 last > 65000: 66000.00"]);
  const ids = manager.alerts.map(({ id }) => id);
  setConfigAlerts(manager, { alerts, theme: "dark" });
  setConfigAlerts(manager, { alerts: alerts.toReversed() });
  expect(manager.alerts.map(({ id }) => id)).toEqual(ids);
  trades(6_400_000, 6_600_000);
  expect(fired).toHaveLength(1);
  trades(6_300_000);
  expect(fired.slice(1)).toEqual(["perp/1 last < 64000: 63000.00"]);
});

test("an alert of the config file with other words or another program begins anew, one that is gone is heard no more", () => {
  const { manager, fired, trades } = open();
  const when = "perp/1 last > 65000";
  setConfigAlerts(manager, { alerts: [{ when }, { when }, { when: "perp/1 last > 70000" }] });
  trades(6_400_000, 6_600_000);
  expect(fired).toHaveLength(2);
  setConfigAlerts(manager, { alerts: [{ when, exec: ["say", "up"] }, { when }] });
  expect(manager.alerts.map(({ exec }) => exec)).toEqual([undefined, ["say", "up"]]);
  trades(6_400_000, 7_100_000);
  expect(fired).toHaveLength(3);
});

test("what a config file says of alerts changes none that were set on the screen", () => {
  const { manager } = open();
  manager.add(alertRule("perp/1 last > 65000"), "screen");
  setConfigAlerts(manager, { alerts: [{ when: "perp/1 last > 65000" }] });
  setConfigAlerts(manager, {});
  expect(manager.alerts.map(({ origin }) => origin)).toEqual(["screen"]);
});
