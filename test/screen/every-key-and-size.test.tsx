// Every key in every view at sizes from large to one cell, and sizes that change at any speed: each leads to a frame without a fault,
// and what was drawn cell by cell is what is drawn anew.
import fc from "fast-check";
import { expect, test } from "vitest";
import { KEYS } from "../../src/screen/keys.ts";
import { PANE_NAMES } from "../../src/screen/views/market/panes.ts";
import { VIEWS } from "../../src/screen/views/views.ts";
import { openScales } from "../../src/select/scale.ts";
import { openKeyScene } from "../support/key-scene.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";
import { isSoak, runs, SEED } from "../support/soak.ts";
import type { HeadlessTerminal } from "../support/terminal/headless-terminal.ts";
import type { MountedApp } from "../support/terminal/mounted-app.ts";

const SIZES = [
  [160, 50],
  [120, 40],
  [80, 24],
  [40, 12],
  [12, 5],
  [1, 1],
] as const;
/** Each key in each view and at each size in the long form; in the short one in every fifth, at one of them. */
const SIZES_A_KEY = runs(1, SIZES.length);
const VIEWS_A_KEY = runs(5, 1);
const RESIZES = runs(16, 3_000);
const LARGEST = isSoak ? ([400, 200] as const) : ([200, 80] as const);
const ALL_KEYS = [...new Set(KEYS.flatMap(({ keys }) => keys))];

function resize(app: MountedApp, terminal: HeadlessTerminal, columns: number, rows: number): void {
  app.stdout.resize(columns, rows);
  terminal.resize(columns, rows);
}

/** The cells of what was drawn little by little, and drawn anew. */
async function drawnTwice(app: MountedApp): Promise<readonly unknown[]> {
  const little = (await app.shown()).cells();
  app.mounted.screen.redraw();
  return [little, (await app.shown()).cells()];
}

test.each(VIEWS.map(({ name }) => name))(
  "%s draws a frame after each key of the table, whatever its size",
  async (name) => {
    const view = VIEWS.find((each) => each.name === name);
    if (view === undefined) throw new Error(name);
    const { dashboard } = openKeyScene(false);
    const app = mountDashboard(dashboard, { columns: 160, rows: 50 });
    const terminal = await app.shown();
    for (const [i, key] of ALL_KEYS.entries()) {
      if ((i + VIEWS.indexOf(view)) % VIEWS_A_KEY !== 0) continue;
      for (let size = 0; size < SIZES_A_KEY; size++) {
        const [columns, rows] = SIZES[(i + size + VIEWS.indexOf(view)) % SIZES.length] ?? [80, 24];
        resize(app, terminal, columns, rows);
        dashboard.show(view);
        dashboard.press(key);
        await app.shown();
        expect(app.reports, `${key} at ${columns}×${rows}`).toEqual([]);
        for (let open = 0; open < 3; open++) dashboard.press("escape");
      }
    }
    const [little, anew] = await drawnTwice(app);
    expect(little).toEqual(anew);
  },
);

const START_MS = 1_800_000_000_000;
const SCALE = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };

/** A market with an hour of trades, and all that there is of its order flow on the screen. */
function openFlow(isOneSided: boolean) {
  const feed = new MarketFeed();
  feed.advance(START_MS);
  const clock = { now: () => feed.nowMs, wall: () => feed.nowMs };
  const scales = openScales(feed.store, { "perp/1": SCALE });
  const { dashboard, model } = openMarket({ ...clock, scales }, feed);
  const levels = (sign: number): [bigint, bigint][] =>
    Array.from({ length: 40 }, (_, i) => [BigInt(9_700_000 + sign * (i + 1)), BigInt(i + 1)]);
  const book = (isFirst = false) => feed.book(levels(-1), isOneSided ? [] : levels(1), 1, isFirst);
  const trade = (i: number) => {
    feed.advance(700);
    const size = i % 9 === 0 ? 0 : 1 + ((i * 7919) % 5000);
    feed.trade(
      9_700_000 + ((i * 37) % 61) - 30,
      size,
      i % 3 > 0,
      `${Math.floor(feed.nowMs)}000000`,
    );
  };
  for (let i = 0; i < 500; i++) trade(i);
  feed.link("open");
  book(true);
  feed.bbo(9_699_999n, 9_700_001n, 1n);
  for (let minute = 0; minute < 6; minute++)
    feed.candle(minute, "97000", "97001", "96999", "97000.5");
  model.change({ study: "cvd", isVwapShown: true, isProfileShown: true, isFootprint: true });
  model.change({ book: { ...model.choices.book, extras: ["change", "traded", "profile"] } });
  model.change({ panes: PANE_NAMES });
  return { dashboard, trade, book };
}

test.each([
  ["both sides", false],
  ["bids only", true],
])(
  "with all that there is of the order flow and %s, any size at any speed leads to a whole frame",
  async (_, isOneSided) => {
    const { dashboard, trade, book } = openFlow(isOneSided);
    const app = mountDashboard(dashboard, { columns: 160, rows: 50 });
    const terminal = await app.shown();
    const text = terminal.text().join("\n");
    expect(text).toMatch(/footprint since.*POC/s);
    expect(text).toMatch(/Heatmap/);
    const upTo = (max: number) => fc.integer({ min: 1, max });
    const size = fc.tuple(upTo(LARGEST[0]), upTo(LARGEST[1]), fc.nat(3));
    for (const [columns, rows, settled] of fc.sample(size, { numRuns: RESIZES, seed: SEED })) {
      resize(app, terminal, Math.max(2, columns), rows);
      trade(columns);
      book();
      // Several sizes may come before a frame.
      if (settled > 0) continue;
      await app.shown();
      expect(app.reports, `${columns}×${rows}`).toEqual([]);
    }
    for (const [columns, rows] of [LARGEST, [2, 1], [160, 50]] as const) {
      resize(app, terminal, columns, rows);
      const [little, anew] = await drawnTwice(app);
      expect(little).toEqual(anew);
    }
  },
);
