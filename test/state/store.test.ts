import { describe, expect, test } from "vitest";
import { CHANNELS, level, MarketFeed } from "../support/market-feed.ts";

const { bbo, orderbook: book } = CHANNELS;

/** A store that has been subscribed to the best bid and offer. */
function start() {
  const feed = new MarketFeed();
  feed.say({ type: "subscribing", channel: bbo });
  return { feed, store: feed.store };
}

describe("store", () => {
  test("gives an empty slice before anything came, and the last data afterwards", () => {
    const feed = new MarketFeed();
    const { store } = feed;
    expect(store.slice("bbo", bbo)).toMatchObject({
      data: { bbo: undefined },
      feed: { phase: "waiting" },
    });
    feed.say({ type: "subscribing", channel: bbo });
    feed.bbo(99, 101);
    expect(store.slice("bbo", bbo)).toMatchObject({
      data: { bbo: { bid: level(99), ask: level(101) } },
      feed: { phase: "receiving", frames: 1, lastFrameAtMs: 0 },
    });
  });

  test("refuses to give a channel as another kind", () => {
    const { store } = new MarketFeed();
    expect(() => store.slice("bbo", book)).toThrow(RangeError);
    expect(() => store.slice("bbo", "nonsense")).toThrow(RangeError);
  });

  test("notifies a reader at most once until it has settled", () => {
    const feed = new MarketFeed();
    const { store } = feed;
    let told = 0;
    const undo = store.subscribe(bbo, () => told++);
    feed.say({ type: "subscribing", channel: bbo });
    for (let i = 0; i < 100; i++) feed.bbo(99, 101);
    expect(told).toBe(1);
    store.settle();
    feed.bbo(98, 101);
    expect(told).toBe(2);
    undo();
    store.settle();
    feed.bbo(97, 101);
    expect(told).toBe(2);
  });

  test.each(["nothing", "transaction"])(
    "a message that nobody can read makes a hole of the tape where previous names %s: no later number shows what it was",
    (previous) => {
      const feed = new MarketFeed();
      const { trades } = CHANNELS;
      const send = (second: number) => {
        feed.advance(1000);
        const trade = { ...level(1), timestamp_ns: `${second}000000000`, taker_is_bid: true };
        const numbers = { previous_sequence: null, sequence: `${second}` };
        feed.update(trades, { ...numbers, trades: [trade] }, second === 1);
      };
      const holes = () =>
        feed.store
          .slice("trades", trades)
          .data.holes.map(({ afterNs, untilNs }) => [afterNs, untilNs]);
      feed.say({ type: "subscribing", channel: trades });
      send(1);
      feed.say({ type: "numbering", kind: "trades", previous, frames: 3, unseen: 0 });
      send(2);
      expect(holes()).toEqual([]);
      const rejection = { reason: "not-json", path: "", detail: "", sample: "" };
      feed.say({ type: "rejected", channel: undefined, rejection });
      send(3);
      expect(holes()).toEqual([["2000000000", "3000000000"]]);
    },
  );

  test("counts what went wrong in channels that it has forgotten, too", () => {
    const { feed, store } = start();
    feed.bbo(99, 101);
    feed.say({ type: "gap", channel: bbo, held: "1", previous: "3" });
    feed.say({ type: "resync", channel: bbo, reason: "a gap" });
    const { version } = store.slice("bbo", bbo);
    expect(store.faults).toMatchObject({ gaps: 1, resyncs: 1, rejected: 0, drifts: 0 });
    store.forget(bbo);
    expect(store.slices).toEqual([]);
    expect(store.copy().faults).toMatchObject({ gaps: 1, resyncs: 1 });
    feed.say({ type: "subscribing", channel: bbo });
    feed.say({ type: "gap", channel: bbo, held: "1", previous: "3" });
    expect(store.faults).toMatchObject({ gaps: 2, resyncs: 1 });
    // Whoever holds the old slice must see that this is another one.
    expect(store.slice("bbo", bbo).version).toBeGreaterThan(version);
  });

  test("keeps the last data when the connection goes, and says that it is offline", () => {
    const { feed, store } = start();
    feed.link("open");
    feed.bbo(99, 101);
    const slice = store.slice("bbo", bbo);
    expect(store.paneState(slice, feed.nowMs)).toBe("live");
    feed.link("waiting");
    expect(store.paneState(slice, feed.nowMs)).toBe("offline");
    expect(slice.data.bbo?.bid).toEqual(level(99));
    feed.link("open");
    feed.say({ type: "subscribing", channel: bbo });
    expect(store.paneState(slice, feed.nowMs)).toBe("resync");
    feed.bbo(98, 101);
    expect(store.paneState(slice, feed.nowMs)).toBe("live");
  });

  test("keeps nothing of channels that nobody asked for", () => {
    const feed = new MarketFeed();
    const { store } = feed;
    const rejection = { reason: "wrong-shape", path: "", detail: "", channel: bbo, sample: "" };
    feed.say({ type: "rejected", channel: bbo, rejection });
    feed.say({ type: "rejected", channel: undefined, rejection } as never);
    expect(store.slices).toEqual([]);
    expect(store.counts.rejected).toBe(2);
  });

  test("counts gaps, resyncs, rejections, late frames and drift, each with its first example", () => {
    const { feed, store } = start();
    feed.bbo(99, 101);
    const rejection = { reason: "wrong-shape", path: "bbo.bid", detail: "", sample: "" };
    feed.say({ type: "gap", channel: bbo, held: "1", previous: "2" });
    feed.say({ type: "resync", channel: bbo, reason: "why" });
    feed.say({ type: "late", channel: bbo });
    feed.say({ type: "rejected", channel: bbo, rejection });
    feed.say({ type: "rejected", channel: bbo, rejection: { ...rejection, path: "other" } });
    feed.say({ type: "drift", channel: bbo, drifts: [{ path: "x", detail: "new" }] });
    expect(store.slice("bbo", bbo).feed).toMatchObject({
      gaps: 1,
      resyncs: 1,
      late: 1,
      rejected: 2,
      drifts: 1,
      rejection: { path: "bbo.bid" },
      drift: { path: "x" },
    });
  });
});

describe("the order book beside the best bid and offer", () => {
  function startBook() {
    const rig = new MarketFeed();
    rig.link("open");
    rig.say({ type: "subscribing", channel: bbo });
    rig.say({ type: "subscribing", channel: book });
    rig.bbo(99, 101);
    rig.book("99:1", "101:1", 1, true);
    const { store } = rig;
    return {
      feed: rig,
      /** Lets time pass, so many times so much. */
      pass(ms: number, times = 1) {
        for (let i = 0; i < times; i++) {
          rig.advance(ms);
          store.advance(rig.nowMs);
        }
      },
      state: () => store.paneState(store.slice("orderbook", book), rig.nowMs),
    };
  }

  test("is confirmed while both agree", () => {
    const { feed, pass } = startBook();
    pass(1000, 5);
    expect(feed.store.slice("orderbook", book).data.confirmedAtMs).toBe(5000);
    expect(feed.suspects).toEqual([]);
  });

  test("is not called live within a second of disagreement, also while it is too early to fetch it anew", () => {
    const { feed, pass, state } = startBook();
    const stateAfter = (ms: number) => {
      pass(100, ms / 100);
      return state();
    };
    expect(stateAfter(500)).toBe("live");
    feed.bbo(95, 96);
    expect([stateAfter(1000), feed.suspects]).toEqual(["resync", []]);
    feed.bbo(99, 101);
    expect([stateAfter(1000), feed.suspects]).toEqual(["quiet", []]);
  });

  test("that was crossed is fetched anew, also when the market has moved over the wrong level meanwhile", () => {
    const { feed, pass, state } = startBook();
    feed.book("102:7", "", 2);
    pass(500);
    feed.book("104:1", "101:0 105:1", 3);
    feed.bbo(104, 105);
    pass(500);
    expect(state()).toBe("resync");
    pass(1100);
    expect(feed.suspects).toEqual([`${book}: the book is crossed`]);
  });

  describe("that was crossed for no time at all, since its updates came together", () => {
    /** The book crosses at 102, and the market moves over that within the same instant. */
    function cross(isNamedBest: boolean) {
      const { feed, pass } = startBook();
      let sequence = 2;
      // Levels that come and go decide that frames are changes.
      for (let i = 0; i < 20; i++) {
        feed.book(`90:${i % 2}`, "", sequence++);
        pass(100);
      }
      feed.book("102:7", "", sequence++);
      if (isNamedBest) feed.bbo(102, 105);
      feed.book("104:1", "101:0 105:1", sequence++);
      feed.bbo(104, 105);
      pass(100, 10);
      return feed.suspects;
    }

    test("is fetched anew when the level that crossed it was never the best", () => {
      expect(cross(false)).toEqual([`${book}: a level that crossed the book was never the best`]);
    });

    test("is believed when that level was the best in between", () => {
      expect(cross(true)).toEqual([]);
    });
  });

  describe("that lost a level which the market moved over at once", () => {
    /** At one moment the book says that its best bid is gone, which the other channel calls the best; then there is a better one. */
    function lose(moments: number, isSameTime = true) {
      const { feed, pass } = startBook();
      let sequence = 2;
      for (let i = 0; i < moments; i++) {
        feed.bbo(99 + (i % 2), 101);
        feed.book(`100:${i % 2}`, "", sequence++);
        pass(150);
      }
      feed.bbo(99, 101);
      if (!isSameTime) pass(10);
      feed.book("99:0", "", sequence++);
      pass(1);
      feed.bbo(100, 101);
      feed.book("100:4", "", sequence++);
      pass(100, 10);
      return feed.suspects;
    }

    test("is fetched anew where both have always said the same at one server time", () => {
      const reason = "the best bid and offer disagree with the book at one server time";
      expect(lose(50)).toEqual([`${book}: ${reason}`]);
    });

    test("is believed where they have not, or spoke at other times", () => {
      expect(lose(10)).toEqual([]);
      expect(lose(50, false)).toEqual([]);
    });
  });

  test("is suspect when they go on disagreeing, though nothing more comes of either, until it is fetched anew", () => {
    const { feed, pass, state } = startBook();
    feed.bbo(95, 96);
    pass(500, 12);
    expect(feed.suspects).toEqual([`${book}: the best bid and offer disagree with the book`]);
    expect(state()).toBe("resync");
    feed.say({ type: "resync", channel: book, reason: "doubt" });
    feed.say({ type: "subscribing", channel: book });
    feed.book("95:1", "96:1", 9, true);
    expect(state()).toBe("live");
    expect(feed.suspects.length).toBe(1);
  });

  test("is not doubted for what the other said before it fell silent", () => {
    const { feed, pass } = startBook();
    feed.say({ type: "unavailable", channel: bbo, message: "", retryAtMs: 0 });
    for (let i = 0; i < 30; i++) {
      feed.advance(500);
      feed.book("98:1", "100:1", i + 2);
      pass(0);
    }
    expect(feed.suspects).toEqual([]);
  });

  test("is never live while it is crossed, and is fetched anew when that lasts", () => {
    const { feed, pass, state } = startBook();
    feed.say({ type: "unavailable", channel: bbo, message: "", retryAtMs: 0 });
    feed.book("105:1", "106:1", 2);
    expect(state()).toBe("resync");
    pass(2500);
    expect(feed.suspects).toEqual([`${book}: the book is crossed`]);
  });
});
