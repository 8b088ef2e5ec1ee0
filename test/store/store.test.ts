import { describe, expect, test } from "vitest";
import { createDecoder } from "../../src/protocol/decode.ts";
import type { Link, StreamEvent } from "../../src/protocol/stream-event.ts";
import { Store } from "../../src/store/store.ts";

const bbo = "bbo/perp/1";
const book = "orderbook/perp/1";

function createRig() {
  const doubts: string[] = [];
  const store = new Store();
  store.onDoubt = (channel, reason) => doubts.push(`${channel}: ${reason}`);
  const decoder = createDecoder(false);
  let nowMs = 0;

  const link = (state: Link["state"]) =>
    store.dispatch({
      atMs: nowMs,
      type: "link",
      link: {
        state,
        reconnects: 0,
        aliveAtMs: nowMs,
        roundTripMs: undefined,
        retryAtMs: undefined,
        protocolVersion: 1,
        fault: undefined,
      },
    });
  const say = (event: { type: StreamEvent["type"]; channel?: string; [key: string]: unknown }) =>
    store.dispatch({ atMs: nowMs, ...event } as unknown as StreamEvent);
  const update = (frame: { channel: string }, isFirst = false) => {
    const decoded = decoder.decode(
      JSON.stringify({ type: "update", timestamp_ns: `${nowMs}000000`, ...frame }),
    );
    if (!decoded.ok || decoded.received.type !== "update") throw new Error(JSON.stringify(decoded));
    say({ type: "update", channel: frame.channel, update: decoded.received, isFirst });
  };
  return {
    store,
    doubts,
    say,
    link,
    update,
    advance: (ms: number) => {
      nowMs += ms;
    },
    now: () => nowMs,
    sayBbo: (bid: number, ask: number) =>
      update({ channel: bbo, bbo: { bid: level(bid), ask: level(ask) } } as never),
    sayBook: (bid: number, ask: number, sequence: number, isFirst = false) =>
      update(
        {
          channel: book,
          previous_sequence: isFirst ? null : String(sequence - 1),
          sequence: String(sequence),
          orderbook: { bids: [level(bid)], asks: [level(ask)] },
        } as never,
        isFirst,
      ),
  };
}

const level = (price: number) => ({ price_ticks: String(price), size_base_lots: "1" });

describe("store", () => {
  test("gives an empty slice before anything came, and the last data afterwards", () => {
    const { store, sayBbo, say } = createRig();
    expect(store.slice("bbo", bbo)).toMatchObject({
      data: { bbo: undefined },
      feed: { phase: "waiting" },
    });
    say({ type: "subscribing", channel: bbo });
    sayBbo(99, 101);
    expect(store.slice("bbo", bbo)).toMatchObject({
      data: { bbo: { bid: level(99), ask: level(101) } },
      feed: { phase: "receiving", frames: 1, lastFrameAtMs: 0 },
    });
  });

  test("refuses to give a channel as another kind", () => {
    const { store } = createRig();
    expect(() => store.slice("bbo", book)).toThrow(RangeError);
    expect(() => store.slice("bbo", "nonsense")).toThrow(RangeError);
  });

  test("tells a reader at most once until it has settled", () => {
    const { store, sayBbo, say } = createRig();
    let told = 0;
    const undo = store.subscribe(bbo, () => told++);
    say({ type: "subscribing", channel: bbo });
    for (let i = 0; i < 100; i++) sayBbo(99, 101);
    expect(told).toBe(1);
    store.settle();
    sayBbo(98, 101);
    expect(told).toBe(2);
    undo();
    store.settle();
    sayBbo(97, 101);
    expect(told).toBe(2);
  });

  test("keeps the last data when the connection goes, and says that it is offline", () => {
    const { store, link, say, sayBbo, now } = createRig();
    say({ type: "subscribing", channel: bbo });
    link("open");
    sayBbo(99, 101);
    const slice = store.slice("bbo", bbo);
    expect(store.paneState(slice, now())).toBe("live");
    link("waiting");
    expect(store.paneState(slice, now())).toBe("offline");
    expect(slice.data.bbo?.bid).toEqual(level(99));
    link("open");
    say({ type: "subscribing", channel: bbo });
    expect(store.paneState(slice, now())).toBe("resync");
    sayBbo(98, 101);
    expect(store.paneState(slice, now())).toBe("live");
  });

  test("keeps nothing of channels that nobody asked for", () => {
    const { store, say } = createRig();
    const rejection = { reason: "wrong-shape", path: "", detail: "", channel: bbo, sample: "" };
    say({ type: "rejected", channel: bbo, rejection });
    say({ type: "rejected", channel: undefined, rejection } as never);
    expect(store.slices).toEqual([]);
    expect(store.counts.rejected).toBe(2);
  });

  test("counts gaps, resyncs, rejections, late frames and drift, each with its first example", () => {
    const { store, say, sayBbo } = createRig();
    say({ type: "subscribing", channel: bbo });
    sayBbo(99, 101);
    const rejection = {
      reason: "wrong-shape",
      path: "bbo.bid",
      detail: "",
      channel: bbo,
      sample: "",
    };
    say({ type: "gap", channel: bbo, held: "1", previous: "2" });
    say({ type: "resync", channel: bbo, reason: "why" });
    say({ type: "late", channel: bbo });
    say({ type: "rejected", channel: bbo, rejection });
    say({ type: "rejected", channel: bbo, rejection: { ...rejection, path: "other" } });
    say({ type: "drift", channel: bbo, drifts: [{ path: "x", detail: "new" }] });
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
    const rig = createRig();
    rig.link("open");
    rig.say({ type: "subscribing", channel: bbo });
    rig.say({ type: "subscribing", channel: book });
    rig.sayBbo(99, 101);
    rig.sayBook(99, 101, 1, true);
    return rig;
  }

  test("is confirmed while both agree", () => {
    const { store, advance, now, doubts } = startBook();
    for (let i = 0; i < 5; i++) {
      advance(1000);
      store.pass(now());
    }
    expect(store.slice("orderbook", book).data.confirmedAtMs).toBe(5000);
    expect(doubts).toEqual([]);
  });

  test("is doubted when they go on disagreeing, though nothing more comes of either", () => {
    const { store, advance, now, doubts, sayBbo } = startBook();
    sayBbo(95, 96);
    for (let i = 0; i < 12; i++) {
      advance(500);
      store.pass(now());
    }
    expect(doubts).toEqual([`${book}: the best bid and offer disagree with the book`]);
    expect(store.paneState(store.slice("orderbook", book), now())).toBe("resync");
  });

  test("is believed again once it has been fetched anew", () => {
    const { store, advance, now, doubts, sayBbo, sayBook, say } = startBook();
    sayBbo(95, 96);
    for (let i = 0; i < 12; i++) {
      advance(500);
      store.pass(now());
    }
    say({ type: "resync", channel: book, reason: "doubt" });
    say({ type: "subscribing", channel: book });
    sayBook(95, 96, 9, true);
    expect(store.paneState(store.slice("orderbook", book), now())).toBe("live");
    expect(doubts.length).toBe(1);
  });

  test("is not doubted for what the other said before it fell silent", () => {
    const { store, advance, now, doubts, say, sayBook } = startBook();
    say({ type: "unavailable", channel: bbo, message: "", retryAtMs: 0 });
    for (let i = 0; i < 30; i++) {
      advance(500);
      sayBook(98, 100, i + 2);
      store.pass(now());
    }
    expect(doubts).toEqual([]);
  });

  test("is never live while it is crossed, and is fetched anew when that lasts", () => {
    const { store, advance, now, doubts, say, sayBook } = startBook();
    say({ type: "unavailable", channel: bbo, message: "", retryAtMs: 0 });
    sayBook(105, 106, 2);
    expect(store.paneState(store.slice("orderbook", book), now())).toBe("resync");
    advance(2500);
    store.pass(now());
    expect(doubts).toEqual([`${book}: the book is crossed`]);
  });
});
