import { describe, expect, test } from "vitest";
import { Dashboard } from "../../src/ui/dashboard.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

function open() {
  const feed = new MarketFeed();
  const told: string[] = [];
  const dashboard = new Dashboard({
    store: feed.store,
    now: () => feed.nowMs,
    interval: "1m",
    isSimulated: false,
    onQuit: () => told.push("quit"),
    onRedraw: () => told.push("redraw"),
    onSuspend: () => told.push("suspend"),
  });
  dashboard.open({ type: "perp", id: "1" });
  dashboard.setOrder(["candles", "trades", "orderbook"]);
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  return { feed, dashboard, told };
}

describe("dashboard", () => {
  test("walks through all six intervals and comes back to the first", () => {
    const { dashboard } = open();
    const seen = ["5m", "15m", "1h", "4h", "1d", "1m"].map(() => {
      dashboard.perform("interval");
      return dashboard.channels?.candles;
    });
    expect(seen).toEqual(
      ["5m", "15m", "1h", "4h", "1d", "1m"].map((interval) => `candles/perp/1/${interval}`),
    );
  });

  test("switches between candles of last and of mark prices, where there is a mark price", () => {
    const { dashboard } = open();
    dashboard.perform("candleSource");
    expect(dashboard.channelOf("candles")).toBe("mark-candles/1/1m");
    dashboard.perform("candleSource");
    expect(dashboard.channelOf("candles")).toBe("candles/perp/1/1m");
    dashboard.open({ type: "spot", id: "2" });
    dashboard.perform("candleSource");
    expect(dashboard.channelOf("candles")).toBe("candles/spot/2/1m");
  });

  test("groups the book by 1, 2, 5, 10 … ticks, and never by less than one", () => {
    const { dashboard } = open();
    dashboard.perform("groupingDown");
    expect(dashboard.grouping).toBe(1n);
    const steps = [1, 2, 3, 4].map(() => {
      dashboard.perform("groupingUp");
      return dashboard.grouping;
    });
    expect(steps).toEqual([2n, 5n, 10n, 20n]);
  });

  test("hides small trades in the same steps, from none", () => {
    const { dashboard } = open();
    expect(dashboard.minimumLots).toBe(0n);
    dashboard.perform("minimumUp");
    dashboard.perform("minimumUp");
    expect(dashboard.minimumLots).toBe(2n);
    for (let i = 0; i < 5; i++) dashboard.perform("minimumDown");
    expect(dashboard.minimumLots).toBe(0n);
  });

  test("moves the focus through the panes that are on the screen", () => {
    const { dashboard } = open();
    const walk = (action: "focusNext" | "focusPrevious") => {
      dashboard.perform(action);
      return dashboard.settings.focus;
    };
    expect(["candles", "trades", "orderbook"].map(() => walk("focusNext"))).toEqual([
      "candles",
      "trades",
      "orderbook",
    ]);
    expect(walk("focusPrevious")).toBe("trades");
  });

  test("scrolls the focused pane: the book both ways, the others into the past", () => {
    const { dashboard } = open();
    dashboard.perform("scrollUp");
    dashboard.perform("scrollPageUp");
    expect(dashboard.settings.scroll.orderbook).toBe(-11);
    dashboard.perform("scrollHome");
    expect(dashboard.settings.scroll.orderbook).toBe(0);
    dashboard.perform("focusPrevious");
    dashboard.perform("scrollUp");
    dashboard.perform("scrollDown");
    expect(dashboard.settings.scroll.trades).toBe(1);
  });

  test("keeps showing the moment at which it was frozen, and says since when", () => {
    const { dashboard, feed } = open();
    feed.bbo(99, 101);
    feed.book([[99, 5]], [[101, 6]], 1, true);
    feed.trade(99, 1);
    feed.advance(500);
    dashboard.perform("freeze");
    feed.bbo(90, 91);
    feed.book([[90, 1]], [[91, 1]], 2, true);
    feed.trade(90, 1);
    expect(dashboard.frozenAtMs).toBe(500);
    expect(dashboard.data?.bbo?.bid?.price_ticks).toBe("99");
    expect(dashboard.data?.depth(9).bids.map(({ price_ticks }) => price_ticks)).toEqual(["99"]);
    expect(dashboard.data?.trades(9).length).toBe(1);
    dashboard.perform("freeze");
    expect(dashboard.data?.bbo?.bid?.price_ticks).toBe("90");
    expect(dashboard.data?.trades(9).length).toBe(2);
  });

  test("tells its panes of feed changes, but not while it is frozen; of settings and seconds always", () => {
    const { dashboard, feed } = open();
    let told = 0;
    const stop = dashboard.source(() => [CHANNELS.bbo])(() => {
      told++;
      feed.store.settle();
    });
    feed.store.settle();
    feed.bbo(99, 101);
    expect(told).toBe(1);
    dashboard.perform("freeze");
    expect(told).toBe(2);
    feed.bbo(98, 101);
    expect(told).toBe(2);
    dashboard.tick();
    expect(told).toBe(3);
    stop();
    dashboard.tick();
    dashboard.perform("freeze");
    feed.bbo(97, 101);
    expect(told).toBe(3);
  });

  test("leaves quitting, redrawing and stopping to whoever owns the screen", () => {
    const { dashboard, told } = open();
    dashboard.perform("quit");
    dashboard.perform("redraw");
    dashboard.perform("suspend");
    expect(told).toEqual(["quit", "redraw", "suspend"]);
  });
});
