// The figures of --stats and perf: measured between two readings, on a clock of the test's own.
import { expect, onTestFinished, test } from "vitest";
import { PerformanceMeter } from "../../src/live/performance-meter.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

function start(screen?: ConstructorParameters<typeof PerformanceMeter>[2]) {
  const feed = new MarketFeed();
  feed.link("open");
  feed.say({ type: "subscribing", channel: CHANNELS.bbo });
  const meter = new PerformanceMeter({ now: () => feed.nowMs }, feed.store, screen);
  onTestFinished(() => meter.stop());
  return { feed, meter };
}

test("updates are counted since the last reading", () => {
  const { feed, meter } = start();
  for (let i = 0; i < 30; i++) feed.bbo(1, 2);
  feed.advance(2000);
  expect(meter.json()).toMatchObject({ seconds: 2, updates_per_second: 15 });
  feed.advance(1000);
  expect(meter.json()).toMatchObject({ seconds: 1, updates_per_second: 0 });
});

test("a channel that is forgotten takes none of its updates back", () => {
  const { feed, meter } = start();
  for (let i = 0; i < 30; i++) feed.bbo(1, 2);
  meter.json();
  feed.store.forget(CHANNELS.bbo);
  feed.advance(1000);
  expect(meter.json()).toMatchObject({ updates_per_second: 0 });
});

test("without a screen there are no frames, which is not the same as none drawn", () => {
  const { feed, meter } = start();
  feed.advance(1000);
  expect(meter.json()).toMatchObject({ frames_per_second: null, coalesced: null });
});

test("the line says what the screen has drawn, and stands for a second", () => {
  let statistics = { frames: 0, bytes: 0, coalesced: 0, lastPaintMs: 0.25, isSlowLine: false };
  const { feed, meter } = start(() => statistics);
  meter.line();
  statistics = { frames: 60, bytes: 60_000, coalesced: 3, lastPaintMs: 0.5, isSlowLine: false };
  feed.advance(500);
  expect(meter.line()).toContain("0 frames/s");
  feed.advance(500);
  expect(meter.line()).toMatch(/60 frames\/s {2}1000 B each {2}last 0\.50 ms {2}coalesced 3/);
});

test("two readings at one moment give finite figures", () => {
  const { meter } = start();
  for (const value of Object.values(meter.json())) {
    expect(value === null || Number.isFinite(value)).toBe(true);
  }
});
