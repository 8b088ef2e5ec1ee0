// The chart as its user reads it and walks through it, on a terminal without a window.
import { describe, expect, test } from "vitest";
import { CHANNELS } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";
import { restTrade } from "../support/two-tapes.ts";

const MINUTE_MS = 60_000;
/** 08:00 UTC. */
const BASE_MS = 1_800_000_000_000;
const SIZES = { tick: 1n, tickPlaces: 0, lot: 1n, lotPlaces: 0 };

/** One trade in each minute before the first of the feed, listed back to the given one; newest first. */
function listed(fromMinute: number, untilMinute: number) {
  return Array.from({ length: untilMinute - fromMinute }, (_, i) => untilMinute - 1 - i).map(
    (minute) => {
      const timeNs = BigInt(BASE_MS + minute * MINUTE_MS + 28_000) * 1_000_000n;
      return restTrade({ timeNs, ticks: 10n, lots: 1n, takerIsBid: true }, SIZES);
    },
  );
}

/** @param minutes of the candles of the feed; each closes one higher than the one before */
function openChart({ columns = 160, rows = 50, minutes = 100 } = {}) {
  const { feed, dashboard, model } = openMarket();
  const say = (minute: number) => feed.candle(minute, "100", "300", "50", `${100 + minute}`);
  for (let minute = 0; minute < minutes; minute++) say(minute);
  const app = mountDashboard(dashboard, { columns, rows });
  return { ...app, feed, model, say };
}

const timeOf = (minute: number) =>
  new Date(BASE_MS + minute * MINUTE_MS).toISOString().slice(11, 16);

test("a last price with more digits than any high or low does not stand on the last candle", async () => {
  const plotOf = async (high: string) => {
    const { feed, press } = openChart({ minutes: 0 });
    feed.candle(0, "100", high, "50", "100.125");
    return (await press("3", "z")).split("\n").filter((line) => !line.includes("H 300"));
  };
  expect(await plotOf("300")).toEqual(await plotOf("300.000"));
});

describe("the crosshair", () => {
  test("reads candles that do not begin at whole minutes", async () => {
    const { feed, press } = openChart({ minutes: 0 });
    for (let minute = 0; minute < 5; minute++) {
      feed.candle(minute + 0.5, "100", "300", "50", `${100 + minute}`);
    }
    await press("3", "z");
    expect(await press("r")).toContain("O 100 H 300 L 50 C 104");
    expect(await press("left")).toContain("O 100 H 300 L 50 C 103");
  });

  test("reads the newest candle, walks to the one before, and goes with Escape before anything else does", async () => {
    const { press, model } = openChart();
    expect(await press("3", "z")).toContain("C 199");
    const shown = await press("r");
    expect(shown).toContain(`${timeOf(99)} O 100 H 300 L 50 C 199`);
    expect(await press("left", "left")).toContain(`${timeOf(97)} O 100 H 300 L 50 C 197`);
    expect(await press("right")).toContain(`${timeOf(98)} O 100`);
    expect(await press("right", "right", "right")).toContain(`${timeOf(99)} O 100`);
    const closed = await press("escape");
    expect(closed).not.toContain(`${timeOf(99)} O 100`);
    expect(model.focus).toBe("candles");
    expect(model.choices.crosshair).toBeUndefined();
  });

  test("takes the chart with it at the edge, as far as there are candles", async () => {
    const [columns, minutes] = [60, 40];
    const { press, model } = openChart({ columns, rows: 16, minutes });
    await press("3", "z", "r");
    for (let i = 0; i < minutes + 10; i++) await press("left");
    expect(await press()).toContain(`${timeOf(0)} O 100 H 300 L 50 C 100`);
    expect(model.scrolledBy("candles")).toBeGreaterThan(10);
    for (let i = 0; i < minutes; i++) await press("right");
    expect(await press()).toContain(`${timeOf(minutes - 1)} O 100`);
    expect(model.scrolledBy("candles")).toBe(0);
  });

  test("is put where the mouse is pressed, and names the price of that row", async () => {
    const { press, lines, mouse, model } = openChart();
    await press("3", "z");
    const { chart } = model.panes.candles.painted ?? {};
    if (chart === undefined) throw new Error("no chart");
    const top = (await lines()).findIndex((line) => line.includes("╭─ Candles"));
    // The column of the candle of minute 90, and some row.
    const column = chart.columns - chart.pitch * 9 - 1;
    mouse(0, chart.left + column, top + chart.top + 10);
    const shown = (await lines()).join("\n");
    expect(shown).toContain(`${timeOf(90)} O 100`);
    expect(model.choices.crosshair?.row).toBe(10);
    expect(model.focus).toBe("candles");
    const up = await press("up");
    expect(up).not.toBe(shown);
  });

  test("is taken away by its key, and by another market", async () => {
    const { press, model, dashboard } = openChart();
    await press("r", "r");
    expect(model.choices.crosshair).toBeUndefined();
    await press("r");
    dashboard.open({ type: "perp", id: "2" });
    expect(model.choices.crosshair).toBeUndefined();
  });

  test("stays on its period when the interval is another", async () => {
    const { press, feed } = openChart();
    await press("r", "left");
    feed.subscribe("candles/perp/1/5m");
    const open_time_ms = BASE_MS + 95 * MINUTE_MS;
    const prices = { open: "1", high: "9", low: "1", close: "5" };
    const rest = { volume_base: "1", volume_quote: "1", trades: 1 };
    await press("i");
    feed.update("candles/perp/1/5m", { candles: [{ open_time_ms, ...prices, ...rest }] }, true);
    expect(await press()).toContain(`${timeOf(95)} O 1 H 9 L 1 C 5`);
  });
});

test("the time axis names the zone of its times, days are of UTC", async () => {
  const { press, dashboard } = openChart();
  const foot = async () => (await press()).split("\n").find((line) => line.includes("09:30")) ?? "";
  await press("3", "z");
  expect(await foot()).toMatch(/09:30 .* UTC │$/);
  expect(dashboard.shown.display.choice.timeZone).toBe("UTC");
});

test("left and right pan the chart where it is alone, and go from pane to pane where it is not", async () => {
  const { press, model } = openChart();
  await press("3", "z");
  expect(await press("left")).toMatch(/scrolled \d+ /);
  await press("right");
  expect(model.scrolledBy("candles")).toBe(0);
  await press("1");
  const before = model.focus;
  await press("left");
  expect(model.focus).not.toBe(before);
});

test.each([
  [200, 50, "▐█▌"],
  [80, 24, " █ "],
  [44, 20, "┃"],
])("bodies are as wide as %i columns have room for", async (columns, rows, body) => {
  const { press } = openChart({ columns, rows });
  expect(await press("3", "z")).toContain(body);
});

describe("the title of the chart", () => {
  test("counts what is filled of what fits, then says from when on all is known, then that there is no more", async () => {
    const { dashboard, press, feed } = openChart({ minutes: 1 });
    const past = dashboard.pastCandles.of("perp/1");
    const run = past.begin(BASE_MS);
    run.take(listed(-10, 0));
    past.isFilling = true;
    expect(await press("3", "z")).toMatch(/Candles 1m last {2}filling 10\/\d+ {2}9 from trades/);
    run.take(listed(-200, -10));
    expect(await press("k")).toContain("from 04:41");
    run.end(Number.NEGATIVE_INFINITY);
    past.isFilling = false;
    feed.candle(0, "1", "1", "1", "1");
    expect(await press("j", "k")).toContain("complete back to 04:40:28 ✓");
  });
});

test("what was not received is a gap of its width on the time axis, with how long it was", async () => {
  const { press, say, feed } = openChart({ minutes: 10 });
  feed.advance(MINUTE_MS * 12);
  say(21);
  say(22);
  const shown = await press("3", "z");
  expect(shown).toContain("11m00s not received");
  const foot = shown.split("\n").find((line) => line.includes("not received")) ?? "";
  expect(/┄+ 11m00s not received ┄+/.exec(foot)?.[0]).toHaveLength(33);
});

test("ten seconds in another view and an outage meanwhile, then back: no frame shows fewer candles than before", async () => {
  const { press, say, feed, model } = openChart({ minutes: 60 });
  const candles = () => model.data?.candles.candles.length ?? 0;
  /** Columns with a body: the rows are fewer while the outage has a line of its own. */
  const shapes = (screen: string) => {
    const columns = new Set<number>();
    for (const line of screen.split("\n")) {
      for (const { index } of line.matchAll(/█/g)) columns.add(index);
    }
    return columns.size;
  };
  const before = shapes(await press("3"));
  await press("M");
  const steps: readonly (() => void)[] = [
    () => feed.advance(5000),
    () => feed.link("waiting"),
    () => feed.advance(5000),
    () => feed.link("connecting"),
    () => feed.link("open"),
    () => feed.subscribe(CHANNELS.candles),
  ];
  for (const step of steps) {
    step();
    expect(candles()).toBe(60);
  }
  // The very first frame of the view, while nothing has come yet, and every one after.
  expect(shapes(await press("D"))).toBe(before);
  feed.first(CHANNELS.markets, { markets: [] }, "9");
  expect(shapes(await press())).toBe(before);
  say(60);
  expect(candles()).toBe(61);
  expect(shapes(await press())).toBeGreaterThanOrEqual(before);
});
