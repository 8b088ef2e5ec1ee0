// The last line: one word for all of it, what is not well, and what can be done, at any width.
import { describe, expect, test } from "vitest";
import type { DashboardOptions } from "../../src/screen/dashboard.ts";
import { paintStatus } from "../../src/screen/status.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { alertRule, openAlerts } from "../support/alert-rule.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { painted } from "../support/painted.ts";

function open(options: (feed: MarketFeed) => Partial<DashboardOptions> = () => ({})) {
  const feed = new MarketFeed();
  const { dashboard, told } = openDashboard(feed, options(feed));
  dashboard.open({ type: "perp", id: "1" });
  const line = (columns = 160, isTopShown = false): string => {
    const [text = ""] = painted(new StyleTable(), { columns, rows: 1 }, ({ surface, theme }) =>
      paintStatus(surface, dashboard, theme, isTopShown),
    );
    return text;
  };
  return { feed, dashboard, told, line };
}

describe("the summary", () => {
  test("is one word while all is well; every feed that is not has a word of its own", () => {
    const { feed, line } = open();
    feed.link("open", { roundTripMs: 0.4 });
    expect(line()).toMatch(/^ ◌ [0-9] of [0-9] not live {2}0.4 ms .* … book waiting/);
    feed.bbo(99, 101);
    feed.book([[99, 1]], [[101, 1]], 1, true);
    feed.trade(100, 1);
    feed.candle(0, "1", "1", "1", "1");
    expect(line()).toMatch(/^ ● all live {2}0.4 ms {2}gaps 0 /);
    feed.nowMs += 3000;
    expect(line()).toMatch(/^ ○ quiet {2}0.4 ms {2}gaps 0 /);
    feed.bbo(99, 101);
    expect(line()).toMatch(/^ ● live, [0-9] quiet {2}0.4 ms {2}gaps 0 /);
    feed.nowMs += 30_000;
    expect(line()).toMatch(/ ◌ book stale 33s/);
  });
});

describe("a screen that does not follow the session", () => {
  test("says so however narrow it is", () => {
    const { dashboard, line } = open();
    dashboard.press("f");
    const shown = [5, 7, 8, 10, 13].map((columns) => line(columns).trimEnd());
    expect(shown).toEqual(["  F", "  F", " FROZEN", "  FROZEN", "  FROZEN"]);
  });

  test.each([200, 80, 40, 24])(
    "says so in %i columns, says nothing is live, and names an outage behind it",
    (columns) => {
      const { feed, dashboard, line } = open();
      feed.link("open", { roundTripMs: 0.4 });
      feed.bbo(99, 101);
      dashboard.press("f");
      feed.nowMs += 3000;
      expect(line(columns)).toMatch(/^ {2}FROZEN 3.0s/);
      expect(line(columns)).not.toMatch(/live|quiet/);
      feed.link("waiting", { retryAtMs: 9000 });
      if (columns >= 40) expect(line(columns)).toMatch(/^ {2}FROZEN 3.0s +× offline/);
      // The line at the top says since when.
      expect(line(columns, true)).toMatch(/^ {2}FROZEN {2}/);
      dashboard.press("f");
      expect(line(columns)).not.toContain("FROZEN");
    },
  );
});

test.each([200, 120, 80, 40, 30, 20])(
  "an outage says in %i columns when it is tried again, however long its fault is",
  (columns) => {
    const { feed, line } = open();
    const detail = "connect ECONNREFUSED exchange.example.of.a.long.name:443";
    feed.link("waiting", { retryAtMs: 5000, fault: { code: "refused", detail } });
    expect(line(columns)).toMatch(columns < 30 ? /^ × offline/ : /^ × offline, next try in 5s/);
    expect(line(columns).length).toBeLessThanOrEqual(columns);
  },
);

describe("hints", () => {
  test("fit the pane that has the focus; how to leave stands last, at the right", () => {
    const { feed, dashboard, line } = open();
    feed.link("open", {});
    dashboard.modelOf(dashboard.view).perform("zoom");
    expect(line(200)).toMatch(/\[ finer .*: palette {2}\? help {2}q quit$/);
    expect(line(200)).not.toContain("+ min size");
  });
});

describe("what has happened", () => {
  test.each([
    [160, /^ ◌ .* {2}40 ms {2}recording not written: .*: theme: unknown .*\? help {2}q quit$/],
    [80, /^ ◌ .* not live {2}recording not written: .*… {2}\? help {2}q quit$/],
    [40, /^ ◌ .* not live {2}recording/],
  ])("a warning is there on %i columns, and the way out too", (columns, expected) => {
    const { feed, dashboard, line } = open();
    feed.link("open", { roundTripMs: 40 });
    const file = "/home/me/.config/monitor/config.toml";
    dashboard.warn(`recording not written: ${file}:1:1: theme: unknown`);
    expect(line(columns)).toMatch(expected);
  });

  test("no connection is said to be lost because a recording goes back to before it was there", () => {
    let atMs = 60_000;
    const none = { step() {}, togglePause() {}, changeSpeed() {} };
    const place = { words: "▶ ×1", isPaused: false, startMs: 0, endMs: 90_000, wallMs: 0 };
    const { feed, dashboard, line } = open(({ store }) => ({
      replay: {
        ...none,
        ...place,
        store,
        get atMs() {
          return atMs;
        },
        goTo: (ms) => {
          atMs = ms;
        },
      },
    }));
    const pass = (state: "open" | "waiting" | "connecting", reconnects: number) => {
      feed.link(state, { reconnects });
      dashboard.tick();
      return line();
    };
    expect(pass("open", 1)).not.toContain("connection");
    expect(pass("waiting", 1)).toContain("connection lost");
    dashboard.travel((timeline) => timeline.goTo(1000));
    expect(line()).not.toContain("connection");
    for (const state of ["connecting", "open"] as const) {
      expect(pass(state, 0)).not.toContain("connection");
    }
    expect(pass("waiting", 0)).toContain("connection lost");
    expect(pass("open", 1)).toContain("connection back");
  });

  test("a lost connection is said once, and that it is back, with the time it took; the bell rings", () => {
    const rung: number[] = [];
    const { feed, dashboard, line } = open((of) => ({ bell: () => rung.push(of.nowMs) }));
    feed.link("open", {});
    dashboard.tick();
    expect(rung).toEqual([]);
    feed.link("waiting", { retryAtMs: 400 });
    dashboard.tick();
    expect(line()).toContain("connection lost");
    feed.nowMs += 9400;
    feed.link("open", { reconnects: 1 });
    dashboard.tick();
    expect(line()).toContain("connection back after 9.4 s");
    expect(rung.length).toBe(2);
    feed.nowMs += 11_000;
    dashboard.tick();
    expect(line()).not.toContain("connection back");
  });

  test("firings of one alert are one row, with how often, value and time, until it is acknowledged", () => {
    const { feed, dashboard, line } = open((of) => ({ alerts: openAlerts(of) }));
    for (const rule of ["perp/1 last > 105 ticks every 1s", "perp/1 last > 103 ticks"]) {
      dashboard.alerts?.add(alertRule(rule), "screen");
    }
    feed.link("open", {});
    for (const price of [100, 104, 107, 100, 108, 100, 109]) {
      feed.nowMs += 2000;
      feed.trade(price, 1);
      dashboard.tick();
    }
    const { firings = [] } = dashboard.alerts ?? {};
    expect(firings.map(({ times }) => times)).toEqual([3, 1]);
    expect(firings[0]?.allAtWallMs).toEqual([6000, 10_000, 14_000]);
    expect(line()).toContain(
      "2 alerts, the newest: perp/1 last > 105 ticks every 1s: 109 (×3) at 00:00:14",
    );
    feed.nowMs += 3_600_000;
    dashboard.press("n");
    expect(line()).toContain(" alert: perp/1 last > 103 ticks: 104 at 00:00:04 (n)");
    dashboard.press("n");
    expect(line()).not.toContain("alert: ");
  });

  test("q asks once while something runs, ctrl+c never", () => {
    const { told, dashboard, line } = open(() => ({ running: () => "recording to a.jsonl" }));
    dashboard.press("q");
    expect([told, line()]).toEqual([
      [],
      expect.stringContaining("the same key again leaves: recording to a.jsonl"),
    ]);
    dashboard.press("q");
    expect(told).toEqual(["quit"]);
    const later = open(() => ({ running: () => "recording to a.jsonl" }));
    later.dashboard.press("q");
    later.dashboard.press("?");
    later.dashboard.press("escape");
    later.dashboard.press("q");
    expect(later.told).toEqual([]);
    const other = open(() => ({ running: () => "recording to a.jsonl" }));
    other.dashboard.press("ctrl+c");
    expect(other.told).toEqual(["quit"]);
  });
});
