// The last line: what the user must know is there at any width, cut where it is long.
import { expect, test } from "vitest";
import { paintStatus } from "../../src/screen/status.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { painted } from "../support/painted.ts";

const WARNING =
  "config file not taken up: /home/me/.config/monitor/config.toml:1:1: theme: unknown";

/** The status line of a dashboard on a terminal of this width. */
function lineOf(columns: number, warning: string, fault?: string): string {
  const feed = new MarketFeed();
  const detail =
    fault === undefined
      ? {}
      : { retryAtMs: 400, fault: { code: "refused" as const, detail: fault } };
  feed.link(fault === undefined ? "open" : "waiting", { roundTripMs: 40, ...detail });
  const { dashboard } = openDashboard(feed);
  dashboard.open({ type: "perp", id: "1" });
  dashboard.warn(warning);
  const [line = ""] = painted(new StyleTable(), { columns, rows: 1 }, ({ surface, theme }) =>
    paintStatus(surface, dashboard, theme),
  );
  return line;
}

test.each([
  [160, /^ ● open 40 ms {2}config file not taken up: .*: theme: unknown .*q quit {2}\? help/],
  [80, /^ ● open 40 ms {2}config file not taken up: .*… {2}q quit {2}\? help$/],
  [40, /^ ● open 40 ms {2}config file not…/],
])("a warning is there on %i columns, and the way out too", (columns, line) => {
  expect(lineOf(columns, WARNING)).toMatch(line);
});

test.each([120, 80, 40, 20])("a long fault of the link hides no link: %i columns", (columns) => {
  const line = lineOf(columns, "", "connect ECONNREFUSED exchange.example.of.a.long.name:443");
  expect(line).toMatch(/^ × offline/);
  expect(line.length).toBeLessThanOrEqual(columns);
});
