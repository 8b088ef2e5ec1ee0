// Alerts on a terminal without a window.
import { expect, test } from "vitest";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { App } from "../../../src/ui/App.tsx";
import { createTheme } from "../../../src/ui/theme.ts";
import { AlertDesk } from "../../../src/view/alerts/alert-desk.ts";
import { parseAlert } from "../../../src/view/alerts/alert-rule.ts";
import { openScales } from "../../../src/view/scale.ts";
import { MarketFeed } from "../../support/market-feed.ts";
import { openDashboard } from "../../support/open-dashboard.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

test("a program of an alert that has failed is named in the list and in the status line, until one runs", async () => {
  const feed = new MarketFeed();
  const alerts = new AlertDesk({
    ...{ store: feed.store, scales: openScales(feed.store, {}) },
    now: () => feed.nowMs,
    wall: () => feed.nowMs,
  });
  const styles = new StyleTable();
  const { dashboard } = openDashboard(feed, { alerts });
  alerts.onChange = () => dashboard.tell();
  const parsed = parseAlert("perp/1 last > 65000");
  if ("rule" in parsed) alerts.add(parsed.rule, "config");
  const app = mountApp(<App dashboard={dashboard} theme={createTheme(styles)} />, {
    ...{ columns: 140, rows: 12, styles },
  });
  dashboard.press("N");
  const screen = async () => (await app.shown()).text();
  expect((await screen()).join("\n")).not.toContain("program");
  alerts.noteFault("/no/such\u001b[2J: not found");
  const lines = await screen();
  expect(lines.join("\n")).toContain("program failed: /no/such\\x1b[2J: not found");
  expect(lines.at(-1)).toContain("alert program: /no/such\\x1b[2J: not found");
  alerts.noteFault(undefined);
  expect((await screen()).join("\n")).not.toContain("program");
  app.mounted.unmount();
});
