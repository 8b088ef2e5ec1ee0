// Order flow on the chart, against trades that are known: delta, cumulative delta, VWAP, lots by price, and what is said of them.
import { describe, expect, test } from "vitest";
import { ReplayedSession } from "../../src/commands/replay/session.ts";
import type { DashboardOptions } from "../../src/screen/dashboard.ts";
import { type ChartChoices, readChartChoices } from "../../src/screen/views/market/choices.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Entry } from "../../src/timeline/entry.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { pastOf } from "../../src/timeline/timeline-cursor.ts";
import { CHANNELS, MarketFeed, traded } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openDashboard, openMarket } from "../support/open-dashboard.ts";
import { entryOf } from "../support/recorded-entry.ts";
import { SETTINGS } from "../support/recording-settings.ts";

const MINUTE_MS = 60_000;
/** 08:00 UTC. */
const BASE_MS = 1_800_000_000_000;

interface Traded {
  readonly minute: number;
  readonly ticks: number;
  readonly lots: number;
  readonly isBought: boolean;
}

/** Of four minutes: deltas 5, -3, 0, 4; prices from 100 to 130. */
const TRADES: readonly Traded[] = [
  { minute: 0, ticks: 100, lots: 7, isBought: true },
  { minute: 0, ticks: 110, lots: 2, isBought: false },
  { minute: 1, ticks: 110, lots: 3, isBought: false },
  { minute: 2, ticks: 130, lots: 1, isBought: true },
  { minute: 2, ticks: 120, lots: 1, isBought: false },
  { minute: 3, ticks: 110, lots: 4, isBought: true },
];

interface Opened {
  readonly columns?: number;
  readonly rows?: number;
  readonly trades?: readonly Traded[];
  readonly scale?: boolean;
  readonly options?: Partial<DashboardOptions>;
}

function open({ columns = 160, rows = 40, trades = TRADES, scale = true, options }: Opened = {}) {
  const feed = new MarketFeed();
  feed.advance(BASE_MS);
  const scales = openScales(feed.store, {});
  const clock = { now: () => feed.nowMs, wall: () => feed.nowMs };
  const history = new HistoryBuffer({ live: feed.store, clock });
  const recorded: Entry[] = [];
  feed.historyBuffer = {
    event(event) {
      history.event(event);
      recorded.push(entryOf(event));
    },
  };
  const { dashboard } = openMarket({ scales, ...clock, past: pastOf(history), ...options }, feed);
  const worth = scale ? { tick_size: "1", lot_size: "1" } : {};
  const record = { market_id: 1, market_type: "perp", ...worth };
  feed.first(CHANNELS.markets, { markets: [record] });
  const trade = ({ minute, ticks, lots, isBought }: Traded, i = 0) => {
    const ms = BASE_MS + minute * MINUTE_MS + i * 1000;
    if (ms > feed.nowMs) feed.advance(ms - feed.nowMs);
    feed.trade(ticks, lots, isBought, `${ms}000000`);
  };
  for (const [i, each] of trades.entries()) trade(each, i);
  for (let minute = 0; minute < 4; minute++) feed.candle(minute, "100", "130", "100", "120");
  return { ...mountDashboard(dashboard, { columns, rows }), feed, trade, recorded };
}

describe("delta and cumulative delta", () => {
  test("stand below the candles in the place of the volume, each period's exactly in the line of values", async () => {
    const { press } = open();
    expect(await press("3", "z", "d")).toMatch(/ delta since 08:00 /);
    const values: string[] = [];
    for (let i = 0; i < 4; i++) {
      const shown = await press(i === 0 ? "r" : "left");
      values.push(/Δ (\S+)/.exec(shown)?.[1] ?? "");
    }
    expect(values).toEqual(["+4", "0", "-3", "+5"]);
  });

  test("the sum's axis goes from its lowest to its highest, since the UTC day or since trades are known", async () => {
    const { press } = open();
    const shown = await press("3", "z", "d", "d");
    expect(shown).toMatch(/ CVD since 08:00 /);
    // 5, 2, 2, 6
    expect(shown).toMatch(/ \+6 *│/);
    expect(shown).toMatch(/ \+2 *│/);
    expect(await press("d")).not.toContain("CVD");
  });

  test("a period in which trades are missing has no bar, and its figure a sign", async () => {
    const { press, feed } = open();
    const first = await press("3", "z", "d");
    feed.advance(2 * MINUTE_MS);
    feed.say({ type: "resync", channel: CHANNELS.trades, reason: "gap" });
    const later = BASE_MS + 4 * MINUTE_MS;
    const of = (ms: number) => traded(110, 9, true, `${later + ms}000000`);
    feed.first(CHANNELS.trades, { trades: [1, 9000].map(of) }, null);
    feed.advance(1000);
    feed.candle(4, "100", "130", "100", "120");
    const shown = await press();
    expect(first).not.toContain("open");
    expect(shown).toMatch(/delta since 08:00, 1 hole 55 s/);
    expect(shown).toMatch(/Δ ±\+9 /);
    const bars = (text: string) => text.split("\n").filter((line) => line.includes("█")).length;
    expect(bars(shown)).toBeLessThanOrEqual(bars(first));
  });

  test("says that it has no room rather than nothing", async () => {
    const { press } = open({ columns: 80, rows: 14 });
    expect(await press("3", "z", "d")).toContain("delta: no room");
  });
});

describe("VWAP", () => {
  const average = (until: number) => {
    const all = TRADES.filter(({ minute }) => minute <= until);
    const lots = all.reduce((sum, each) => sum + each.lots, 0);
    return Math.round(all.reduce((sum, { ticks, lots }) => sum + ticks * lots, 0) / lots);
  };

  test("is the average of all trades since the UTC day, or since they are known, at the end of each period", async () => {
    const { press } = open();
    expect(await press("3", "z", "o")).toContain("VWAP since 08:00");
    expect(await press("r")).toContain(`VWAP ${average(3)}`);
    expect(await press("left", "left")).toContain(`VWAP ${average(1)}`);
  });

  test("has no price without a scale", async () => {
    expect(await open({ scale: false }).press("3", "z", "o", "P")).toMatch(
      /VWAP: no scale +profile: no scale/,
    );
  });
});

describe("the footprint", () => {
  test("says of each group of prices in each candle what was bought and what was sold", async () => {
    const { press } = open({ columns: 120 });
    const shown = await press("3", "z", "u");
    expect(shown).toContain("footprint since 08:00");
    const rows = shown
      .split("\n")
      .map((line) => [...line.matchAll(/(\d+)×(\d+)/g)].map(([text]) => text));
    expect(rows.filter(({ length }) => length > 0)).toEqual([
      ["1×0"],
      ["0×1"],
      ["0×2", "0×3", "4×0"],
      ["7×0"],
    ]);
  });

  test("stands in the rows of its prices, as the axis names them", async () => {
    const { press } = open({ columns: 120 });
    const lines = (await press("3", "z", "u")).split("\n");
    const at = (text: string) => lines.findIndex((line) => line.includes(text));
    const label = (price: number) =>
      lines.findIndex((line) => new RegExp(` ${price} │$`).test(line));
    expect([at("1×0"), at("0×1"), at("7×0")]).toEqual([label(130), label(120), label(100)]);
  });

  test("says why it is not there", async () => {
    expect(await open({ scale: false }).press("3", "z", "u")).toContain("footprint: no scale");
    const narrow = open({ columns: 50, rows: 20 });
    expect(await narrow.press("3", "z", "u", "P")).toContain("4×0");
  });

  test("leaves out candles in which trades are missing, and the title says so", async () => {
    const { press, feed } = open({ columns: 120 });
    expect(await press("3", "z", "u")).toContain("4×0");
    feed.advance(20_000);
    feed.say({ type: "resync", channel: CHANNELS.trades, reason: "gap" });
    const late = traded(110, 9, true, `${feed.nowMs}000000`);
    feed.first(CHANNELS.trades, { trades: [late] }, null);
    feed.advance(1000);
    feed.candle(3, "100", "130", "100", "120");
    const shown = await press();
    expect(shown).toMatch(/footprint since 08:00, 1 hole/);
    expect(shown).toContain("7×0");
    expect(shown).not.toContain("4×0");
  });
});

test("the header counts trades a second, against those of the last quarter of an hour, and shifts nothing", async () => {
  const { press, trade, feed } = open({ columns: 200, trades: [] });
  trade({ minute: 0, ticks: 110, lots: 1, isBought: true });
  const before = await press();
  expect(before).not.toContain("trades/s");
  for (let second = 50; second < 60; second += 0.4) {
    trade({ minute: 15 + second / 60, ticks: 110, lots: 1, isBought: true });
  }
  feed.advance(16 * MINUTE_MS - (feed.nowMs - BASE_MS));
  const after = await press();
  expect(after).toContain("2.5 trades/s (15m 0.0)");
  const [first, second] = [before, after].map((text) => text.split("\n")[2]?.trimEnd() ?? "");
  expect(second?.startsWith(first ?? "-")).toBe(true);
});

describe("lots by price", () => {
  test("stand at the right edge, the price with most lots named", async () => {
    const { press } = open();
    const shown = await press("3", "z", "P");
    expect(shown).toContain("profile since 08:00");
    // 7 at 100, 9 at 110, 1 at 120, 1 at 130
    expect(shown).toContain("POC 110");
    // 9 lots are 16 cells; 7, which the value area needs, 12.4; 1 is outside of it.
    const bars = shown
      .split("\n")
      .flatMap((line) => / ([▐█░]+)(?: +\d+)? +│$/.exec(line)?.[1] ?? []);
    expect(bars).toEqual(expect.arrayContaining(["░░", "█".repeat(16), `▐${"█".repeat(12)}`]));
  });

  test("say on the last line that there is no room, where the title has none either", async () => {
    const { press, dashboard } = open({ columns: 80, rows: 24 });
    await press();
    await press("P");
    expect(dashboard.notice).toBe("profile: no room beside the candles");
    await press("d");
    expect(dashboard.notice).toBe("delta: no room below the candles");
  });

  test("take nothing from the candles where there is no room", async () => {
    const { press } = open({ columns: 40, rows: 20 });
    expect(await press("3", "z", "P")).not.toContain("POC");
  });
});

test("a replay of the session shows the same figures and says the same of what they lack", async () => {
  const { press, feed, trade, recorded } = open();
  feed.advance(1000);
  feed.say({ type: "resync", channel: CHANNELS.trades, reason: "gap" });
  feed.first(CHANNELS.trades, { trades: [] }, null);
  trade({ minute: 4.5, ticks: 120, lots: 6, isBought: false });
  trade({ minute: 4.6, ticks: 120, lots: 2, isBought: true });
  for (let minute = 0; minute < 5; minute++) feed.candle(minute, "100", "130", "100", "120");

  const session = new ReplayedSession(SETTINGS, { t: BASE_MS, w: BASE_MS });
  for (const entry of recorded) session.apply(entry);
  const { nowMs, store, scales } = session;
  const clock = { now: () => session.nowMs, wall: () => session.wallMs };
  const replayed = openDashboard({ nowMs, store }, { scales, ...clock }).dashboard;
  replayed.open({ type: "perp", id: "1" });
  const replayedApp = mountDashboard(replayed, { columns: 160, rows: 40 });

  const figures = async (on: typeof press) => {
    const shown: string[] = [];
    for (const keys of [
      ["3", "z", "o", "P", "d"],
      ["r"],
      ...Array(4).fill(["left"]),
      ["escape", "d"],
    ]) {
      shown.push(await on(...keys));
    }
    return shown.map((text) =>
      text.match(
        /((CVD|delta|VWAP|profile) )+since [\w:., ]*\w|(Δ|VWAP|POC) [±+-]?\d\S*|[+-]\d+ *│/g,
      ),
    );
  };
  const live = await figures(press);
  expect(live.flat()).toEqual(expect.arrayContaining(["Δ +5", "Δ ±0", "VWAP 102", "POC 120"]));
  expect(live.flat().join()).toContain("CVD VWAP profile since 08:00, 1 hole");
  expect(await figures(replayedApp.press)).toEqual(live);
});

describe("what is shown of it", () => {
  test("is the same in the next run", async () => {
    const kept: ChartChoices[] = [];
    const first = open({ options: { onChart: (chart) => void kept.push(chart) } });
    const before = await first.press("3", "z", "d", "o", "P", "u");
    const chart = readChartChoices(JSON.parse(JSON.stringify(kept.at(-1))));
    expect(chart).toEqual({
      study: "delta",
      isVwapShown: true,
      isProfileShown: true,
      isFootprint: true,
    });
    const next = await open({ options: { chart } }).press("3", "z");
    for (const words of ["delta", "VWAP", "profile", "POC 110", "4×0"]) {
      expect([before, next].map((shown) => shown.includes(words))).toEqual([true, true]);
    }
  });

  test("is the usual where what an earlier run left is none of it", () => {
    const usual = {
      study: "volume",
      isVwapShown: false,
      isProfileShown: false,
      isFootprint: false,
    };
    for (const persisted of [undefined, null, 7, [], "delta", { study: 1, isFootprint: "true" }]) {
      expect(readChartChoices(persisted)).toEqual(usual);
    }
    expect(readChartChoices({ study: "cvd", isVwapShown: "entry" })).toEqual({
      ...usual,
      study: "cvd",
    });
  });
});

test("in the past all of it is as it was then, and live again after", async () => {
  const { press, feed, trade } = open();
  feed.link("open");
  expect(await press("3", "z", "d", "o", "P", "u")).toContain("Δ +4");
  feed.advance(20_000);
  trade({ minute: 3.9, ticks: 130, lots: 50, isBought: false });
  feed.advance(1000);
  feed.candle(3, "100", "130", "100", "120");
  const now = await press("f");
  expect(now).toContain("Δ -46");
  expect(now).toContain("0×50");
  const past = await press("(", "(");
  expect(past).toContain("PAST");
  expect(past).toContain("Δ +4");
  expect(past).toContain("4×0");
  expect(past).toContain("POC 110");
  expect(past).not.toContain("0×50");
  expect(await press("f")).toContain("Δ -46");
});

test("all of it stands still while the screen is frozen, and goes on after", async () => {
  const { press, trade } = open();
  const before = await press("3", "z", "d", "o", "P", "f");
  trade({ minute: 3.5, ticks: 130, lots: 50, isBought: false });
  expect(/Δ \S+|VWAP \d+|POC \d+/.exec(await press())?.[0]).toBe("Δ +4");
  expect(before).toContain("POC 110");
  const after = await press("f");
  expect(after).toContain("Δ -46");
  expect(after).toContain("POC 130");
});
