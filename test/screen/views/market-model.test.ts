import { describe, expect, test } from "vitest";
import type { DashboardOptions } from "../../../src/screen/dashboard.ts";
import { HistoryBuffer } from "../../../src/timeline/history-buffer.ts";
import { pastOf } from "../../../src/timeline/timeline-cursor.ts";
import { createDecoder } from "../../../src/wire/decode.ts";
import { CHANNELS, MarketFeed, traded } from "../../support/market-feed.ts";
import { openMarket } from "../../support/open-dashboard.ts";

const WALL_MS = Date.parse("2026-01-02T00:00:00Z");

function open(options: Partial<DashboardOptions> = {}, feed = new MarketFeed()) {
  const opened = openMarket(options, feed);
  opened.model.layoutFor(120, 38);
  return opened;
}

describe("model of the market view", () => {
  test("walks through all six intervals and comes back to the first", () => {
    const { model } = open();
    const intervals = ["5m", "15m", "1h", "4h", "1d", "1m"];
    const seen = intervals.map(() => {
      model.perform("interval");
      return model.channels.filter((channel) => channel.startsWith("candles"));
    });
    expect(seen).toEqual(intervals.map((interval) => [`candles/perp/1/${interval}`]));
  });

  test("shows trades that a recording puts in the place of those that were there", () => {
    const { feed, model } = open();
    expect(model.data?.trades(9)).toEqual([]);
    const sequences = { previous_sequence: null, sequence: "1" };
    const frame = { type: "update", channel: CHANNELS.trades, timestamp_ns: "1", ...sequences };
    const trades = [traded(7, 2, true, "1")];
    const decoded = createDecoder().decode(JSON.stringify({ ...frame, trades }));
    if (!decoded.ok || decoded.received.type !== "update") throw new Error("not read");
    const held = { channel: CHANNELS.trades, updates: [decoded.received] };
    feed.store.restore({ ...held, feed: { phase: "receiving" } }, 0);
    expect(model.data?.trades(9)).toMatchObject([{ price_ticks: "7" }]);
    expect(model.data?.tape.recent(9)).toHaveLength(1);
  });

  test("switches between candles of last and of mark prices, where there is a mark price", () => {
    const { model, dashboard } = open();
    model.perform("candleSource");
    expect(model.feedOf("candles")?.channel).toBe("mark-candles/1/1m");
    model.perform("candleSource");
    expect(model.choices.source).toBe("both");
    expect(model.feedsOf("candles").map(({ channel }) => channel)).toEqual([
      "candles/perp/1/1m",
      "mark-candles/1/1m",
    ]);
    model.perform("candleSource");
    expect(model.channels).not.toContain("mark-candles/1/1m");
    expect(model.feedOf("candles")?.channel).toBe("candles/perp/1/1m");
    dashboard.open({ type: "spot", id: "2" });
    expect(model.channels.filter((channel) => channel.includes("perp"))).toEqual([]);
    model.perform("candleSource");
    expect(model.feedOf("candles")?.channel).toBe("candles/spot/2/1m");
  });

  test("groups the book by 1, 2, 5, 10 … ticks from the first price on, and never by less than one", () => {
    const { model, feed } = open();
    model.perform("groupingUp");
    expect(model.grouping).toBe(1n);
    // A basis point is less than a tick.
    feed.bbo(100, 101);
    model.perform("groupingDown");
    expect(model.grouping).toBe(1n);
    const steps = [1, 2, 3, 4].map(() => {
      model.perform("groupingUp");
      return model.grouping;
    });
    expect(steps).toEqual([2n, 5n, 10n, 20n]);
  });

  test("hides small trades in the same steps, from none", () => {
    const { model } = open();
    expect(model.minimumLots).toBe(0n);
    model.perform("minimumUp");
    model.perform("minimumUp");
    expect(model.minimumLots).toBe(2n);
    for (let i = 0; i < 5; i++) model.perform("minimumDown");
    expect(model.minimumLots).toBe(0n);
  });

  test("scrolls the focused pane: the book both ways, the others into the past", () => {
    const { model } = open();
    model.perform("scrollUp");
    model.perform("scrollPageUp");
    expect(model.scrolledBy("orderbook")).toBe(-11);
    model.perform("scrollHome");
    expect(model.scrolledBy("orderbook")).toBe(0);
    model.perform("focusPrevious");
    model.perform("scrollUp");
    model.perform("scrollDown");
    expect(model.scrolledBy("trades")).toBe(1);
  });

  test("another market begins where it begins, without the cursor of the one before", () => {
    const { dashboard, feed, model } = open();
    feed.book([[100, 1]], [[101, 1]], 1, true);
    const lines = [{ side: "bid", priceTicks: 100n }] as const;
    model.panes.orderbook.painted = { wanted: 0, scrolled: 0, lines };
    model.perform("cursor");
    model.perform("focusPrevious");
    model.perform("scrollPageDown");
    expect([model.choices.level?.priceTicks, model.scrolledBy("trades")]).toEqual([100n, 10]);
    dashboard.setNotice("looked up");
    expect(model.scrolledBy("trades")).toBe(10);
    dashboard.open({ type: "perp", id: "2" });
    expect([model.choices.level, model.scrolledBy("trades")]).toEqual([undefined, 0]);
  });

  test("the focused pane stays on the screen, whatever its size", () => {
    const { model } = open();
    model.perform("focusNext");
    expect(model.focus).toBe("candles");
    expect(model.layoutFor(40, 12).shown).toEqual(["candles"]);
  });

  test("goes back from where it was frozen, and from there to what is live", () => {
    const feed = new MarketFeed();
    const historyBuffer = new HistoryBuffer({
      live: feed.store,
      clock: { now: () => feed.nowMs, wall: () => WALL_MS + feed.nowMs },
    });
    feed.historyBuffer = historyBuffer;
    const wall = () => WALL_MS + feed.nowMs;
    const { dashboard, model } = open({ past: pastOf(historyBuffer), wall }, feed);
    const bid = () => model.data?.bbo?.bid?.price_ticks;
    for (let second = 0; second < 30; second++) {
      feed.bbo(100 + second, 200);
      feed.advance(1000);
    }
    dashboard.press("(");
    expect(bid()).toBe("129");
    dashboard.press("f");
    feed.bbo(500, 600);
    feed.advance(1000);
    expect(bid()).toBe("129");
    dashboard.press("(");
    expect([bid(), dashboard.shown.frozenText]).toEqual(["120", "PAST -11s"]);
    expect(dashboard.shown.pastText).toBe("PAST 00:00:20.000 UTC, kept to -31s");
    expect(model.statusOf("bbo").age).toBe("0.0s");
    dashboard.press(",");
    expect(bid()).toBe("119");
    dashboard.press("}");
    expect(bid()).toBe("500");
    dashboard.press("{");
    expect([bid(), dashboard.shown.now()]).toEqual(["100", 0]);
    dashboard.press(".");
    expect([bid(), dashboard.shown.wall()]).toEqual(["101", WALL_MS + 1000]);
    dashboard.press("f");
    expect([bid(), dashboard.shown.frozenText, dashboard.shown.now()]).toEqual([
      "500",
      undefined,
      31_000,
    ]);
  });

  test("keeps showing the moment at which it was frozen, and says since when", () => {
    const { dashboard, model, feed } = open();
    feed.bbo(99, 101);
    feed.book([[99, 5]], [[101, 6]], 1, true);
    feed.trade(99, 1);
    feed.advance(500);
    dashboard.perform("freeze");
    feed.bbo(90, 91);
    feed.book([[90, 1]], [[91, 1]], 2, true);
    feed.trade(90, 1);
    expect(dashboard.shown.isFrozen).toBe(true);
    expect(model.data?.bbo?.bid?.price_ticks).toBe("99");
    expect(model.data?.depth(9).bids.map(({ price_ticks }) => price_ticks)).toEqual(["99"]);
    expect(model.data?.trades(9).length).toBe(1);
    dashboard.perform("freeze");
    expect(model.data?.bbo?.bid?.price_ticks).toBe("90");
    expect(model.data?.trades(9).length).toBe(2);
  });
});
