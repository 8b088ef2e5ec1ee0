// Services that follow the document and whose frames still do not say everything: what a second subscription shows.
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { selectLinkNotes, selectLinkRows } from "../../src/screen/views/link.tsx";
import { createRandom } from "../../src/units/random.ts";
import type { LinkFault } from "../../src/wire/stream-event.ts";
import { startPlayed } from "../support/played-session.ts";
import type { Script } from "../support/scripted-service.ts";

type Row = Record<string, unknown>;

/** A list of markets that a test changes by hand. */
function startMarkets(options: Partial<Script> = {}, count = 5) {
  const rows = new Map<number, Row>();
  for (let id = 1; id <= count; id++) {
    rows.set(id, { market_type: "perp", market_id: id, symbol: `M${id}`, fee: "0.1" });
  }
  const rig = startPlayed({
    ...options,
    channels: { markets: () => ({ markets: [...rows.values()] }) },
  });
  const slice = () => rig.store.slice("markets", "markets");
  return {
    ...rig,
    rows,
    change(id: number, fee: string) {
      const row = { ...rows.get(id), fee };
      rows.set(id, row);
      rig.service.publish("markets", { markets: [row] });
    },
    ids: () => slice().data.records.map(({ market_id }) => market_id),
    audits: () => rig.store.audits.of("markets"),
    slice,
  };
}

type Answer = (...of: Parameters<NonNullable<Script["onCommand"]>>) => void;

/** Connections but the first get another answer. */
const answerAudits = (answer: Answer): Partial<Script> => ({
  onCommand: (peer, command, service) => {
    if (peer.number === 1) return false;
    answer(peer, command, service);
    return true;
  },
});

const refuseAudits = (fault: LinkFault): Partial<Script> => ({
  refuse: (number) => (number > 1 ? fault : undefined),
});
const REFUSED: LinkFault = { code: "refused", detail: "no" };

const AGREED_TWICE = { count: 2, changes: 0, failure: undefined };
const ALL_COMPARED = { last: { compared: 5, differences: [] } };

describe("the list of markets", () => {
  test("is compared 20 s, 1, 5 and 15 minutes after it became live, then every 15", () => {
    const rig = startMarkets();
    const at: number[] = [];
    rig.pass(60 * 60_000, 1000, (nowMs) => {
      if (rig.service.peers.length > at.length + 1) at.push(Math.round(nowMs / 1000));
    });
    for (const [i, from] of [20, 60, 300, 900, 1800, 2700].entries()) {
      expect(at[i]).toBeGreaterThanOrEqual(from);
      expect(at[i]).toBeLessThanOrEqual(Math.round(from * 1.1) + 4);
    }
    expect(rig.audits()).toMatchObject({ ...AGREED_TWICE, ...ALL_COMPARED, count: at.length });
  });

  test("loses a market that the service dropped without a frame, when two audits agree", () => {
    const rig = startMarkets();
    rig.pass(10_000, 1000, () => rig.change(2, `${rig.clock.now()}`));
    rig.rows.delete(3);
    rig.pass(20_000, 1000);
    expect(rig.ids()).toContain(3);
    expect(rig.audits().last?.differences).toEqual([
      { part: "markets", row: "perp/3", how: "extra" },
    ]);
    rig.pass(15_000, 1000);
    expect(rig.ids()).toEqual([1, 2, 4, 5]);
    expect(rig.audits()).toMatchObject({ count: 2, changes: 1 });
    expect(rig.slice().data.interpretation).toBe("changes");
    const [row] = selectLinkRows(rig.store, rig.clock.now());
    expect(row?.audit).toContain("changed once: 1 markets replaced by those of a snapshot");
  });

  test("loses it as soon where two snapshots before those could not be compared", () => {
    const rig = startMarkets({
      onCommand(peer, { channel, type }, service) {
        if (type !== "subscribe" || peer.number < 2 || peer.number > 3) return false;
        const frame = service.first(channel);
        peer.send({ ...(frame as object), sequence: null });
        return true;
      },
    });
    rig.pass(10_000, 500, () => rig.change(2, `${rig.clock.now()}`));
    rig.rows.delete(3);
    rig.pass(58_000, 500, () => rig.change(2, `${rig.clock.now()}`));
    expect(rig.audits()).toMatchObject({ count: 2, changes: 1 });
    expect(rig.ids()).toEqual([1, 2, 4, 5]);
  });

  test("is taken as a whole list with each frame, when that explains two audits", () => {
    const rig = startMarkets();
    const publish = () => rig.service.publish("markets", { markets: [...rig.rows.values()] });
    rig.pass(10_000, 1000, publish);
    rig.rows.delete(1);
    rig.pass(20_000, 1000, publish);
    rig.rows.delete(2);
    rig.pass(50_000, 1000, publish);
    expect(rig.slice().data.interpretation).toBe("whole");
    rig.rows.delete(3);
    rig.pass(2000, 1000, publish);
    expect(rig.ids()).toEqual([4, 5]);
  });

  test("keeps the fields that later records leave out, when that explains two audits", () => {
    const rig = startMarkets();
    const change = (id: number) => {
      const fee = `0.${rig.clock.now()}`;
      rig.rows.set(id, { ...rig.rows.get(id), fee });
      rig.service.publish("markets", { markets: [{ market_type: "perp", market_id: id, fee }] });
    };
    rig.pass(80_000, 1000, () => change(1));
    expect(rig.slice().data.interpretation).toBe("fields");
    rig.pass(10_000, 1000, () => change(2));
    expect(rig.slice().data.records).toEqual([...rig.rows.values()]);
  });

  test("is compared at the sequence of the snapshot, however busy it is and whichever connection is slower", () => {
    for (const slow of [1, 2]) {
      const rig = startMarkets({ latencyMs: (number) => (number === slow ? 400 : 20) });
      let n = 0;
      rig.pass(90_000, 10, () => rig.change(1 + (n++ % 5), `${n}`));
      expect(rig.audits()).toMatchObject({ ...AGREED_TWICE, last: { differences: [] } });
      expect(rig.slice().data.records).toHaveLength(5);
    }
  });

  test("is compared at the sequence of the snapshot after a silent drop, too, and what came since is kept", () => {
    const rig = startMarkets({ latencyMs: (number) => (number === 1 ? 20 : 400) });
    let n = 0;
    rig.rows.delete(5);
    rig.pass(90_000, 10, () => rig.change(1 + (n++ % 4), `${n}`));
    rig.pass(1000);
    expect(rig.audits()).toMatchObject({ changes: 0 });
    rig.rows.delete(4);
    rig.pass(15 * 60_000, 50, () => rig.change(1 + (n++ % 3), `${n}`));
    rig.pass(1000);
    expect(rig.audits()).toMatchObject({ changes: 1 });
    expect(rig.slice().data.records).toEqual([...rig.rows.values()]);
  });

  test("without sequences is compared only where nothing comes meanwhile", () => {
    const quiet = startMarkets({ sequences: "null" });
    quiet.rows.delete(3);
    quiet.pass(10_000);
    quiet.rows.delete(4);
    quiet.pass(70_000, 1000);
    expect(quiet.ids()).toEqual([1, 2, 5]);
    const busy = startMarkets({ sequences: "null" });
    busy.pass(10_000);
    busy.rows.delete(4);
    let n = 0;
    busy.pass(120_000, 500, () => busy.change(1, `${n++}`));
    expect(busy.audits()).toMatchObject({ count: 0 });
    expect(busy.audits().failure).toContain("without a sequence");
    expect(busy.ids()).toContain(4);
  });

  test("is compared when nothing comes, although a first frame has the number of another channel's transaction", () => {
    const rig = startMarkets({ firstSequence: "service" });
    rig.pass(5000);
    rig.service.pass();
    rig.rows.delete(2);
    rig.pass(80_000, 1000, () => rig.service.pass());
    expect(rig.ids()).toEqual([1, 3, 4, 5]);
  });

  test("is not compared with what a connection held that gives no sign of life any more", () => {
    for (const sequences of ["numbered", "null"] as const) {
      const rig = startMarkets({ sequences });
      rig.pass(15_000, 1000);
      const [watched] = rig.service.peers;
      if (watched === undefined) throw new Error("nobody has connected");
      watched.answersPings = false;
      watched.channels.clear();
      for (const id of [1, 2, 3]) rig.change(id, "7");
      rig.pass(14_000, 1000);
      expect(rig.service.peers).toHaveLength(2);
      expect(rig.audits().count).toBe(0);
      rig.pass(90_000, 1000);
      expect(rig.audits()).toMatchObject({ count: 2, changes: 0, last: { differences: [] } });
    }
  });

  test("is not compared with a frame of another transaction", () => {
    // The second connection is served by a machine that lags behind.
    const rig = startMarkets(
      answerAudits((peer, { channel }, service) => {
        peer.send(service.frame(channel, { markets: [{ market_id: 9 }] }, null, 900));
      }),
    );
    rig.pass(120_000, 1000, () => rig.change(1, `${rig.clock.now()}`));
    expect(rig.audits().count).toBe(0);
    expect(rig.ids()).toEqual([1, 2, 3, 4, 5]);
  });

  test("is compared on a connection that answers 503 at first, with or without the channel's name", () => {
    for (const isNamed of [true, false]) {
      const asked = new Map<string, number>();
      const rig = startMarkets({
        onCommand: (peer, { type, channel }) => {
          const key = `${peer.number} ${channel}`;
          asked.set(key, (asked.get(key) ?? 0) + 1);
          if (type !== "subscribe" || peer.number === 1 || (asked.get(key) ?? 0) > 2) return false;
          peer.error(503, isNamed ? channel : undefined);
          return true;
        },
      });
      rig.pass(90_000, 1000);
      expect(rig.audits()).toMatchObject({ count: 2, failure: undefined });
    }
  });

  test("is compared with the snapshot, also where changes come before it, and where none begins anew", () => {
    const row = { market_type: "perp", market_id: 1 };
    const before = startMarkets(
      answerAudits((peer, { channel }, service) => {
        peer.send(service.frame(channel, { markets: [row] }, 900, 1000));
        service.clock.after(300, () => peer.send(service.first(channel) ?? {}));
      }),
    );
    before.pass(90_000, 1000);
    expect(before.audits()).toMatchObject({ ...AGREED_TWICE, ...ALL_COMPARED });
    // Only the first subscription of all began anew.
    const never = startMarkets(
      answerAudits((peer, { channel }, service) => {
        peer.send(service.frame(channel, { markets: [...never.rows.values()] }, 900, 1000));
      }),
    );
    never.pass(90_000, 1000);
    expect(never.audits()).toMatchObject(AGREED_TWICE);
  });

  test("is not taken from the parts of a change that name their own transaction, where it follows another", () => {
    let sequence = 1000;
    const rig = startMarkets(
      answerAudits((peer, { channel }, service) => {
        const markets = [...rig.rows.values()];
        peer.send(service.frame(channel, { markets }, sequence - 100, sequence));
        service.clock.after(100, () => {
          const before = sequence++;
          for (const [id, previous] of [
            [1, before],
            [2, sequence],
          ] as const) {
            const row = { ...rig.rows.get(id), fee: `${sequence}` };
            rig.rows.set(id, row);
            for (const each of [service.peers[0], peer])
              each?.send(service.frame(channel, { markets: [row] }, previous, sequence));
          }
        });
      }),
    );
    rig.pass(10_000, 1000);
    rig.pass(90_000, 1000);
    expect(rig.ids()).toEqual([1, 2, 3, 4, 5]);
    expect(rig.audits()).toMatchObject({ changes: 0, failure: undefined, ...ALL_COMPARED });
  });

  test("is compared with a snapshot that comes in several frames of one transaction", () => {
    const rig = startMarkets(
      answerAudits((peer, { channel }, service) => {
        for (const [i, row] of [...rig.rows.values()].entries()) {
          service.clock.after(i * 100, () =>
            peer.send(service.frame(channel, { markets: [row] }, i === 0 ? null : 1000, 1000)),
          );
        }
      }),
    );
    rig.pass(90_000, 1000);
    expect(rig.audits()).toMatchObject({ ...AGREED_TWICE, ...ALL_COMPARED });
  });
});

type Sides = { bids: Map<number, number>; asks: Map<number, number> };
const BOOK = "orderbook/perp/1";

function levels(side: Map<number, number>, isBid: boolean, depth = Number.POSITIVE_INFINITY) {
  return [...side]
    .sort(([a], [b]) => (isBid ? b - a : a - b))
    .slice(0, depth)
    .map(([price, size]) => ({ price_ticks: `${price}`, size_base_lots: `${size}` }));
}

/** A book without a best bid and offer, whose frames are whole, changes, or changes with snapshots in between. */
function startBook(sends: "whole" | "changes" | "snapshots", depth?: number) {
  const truth: Sides = { bids: new Map(), asks: new Map() };
  for (let i = 1; i <= 20; i++) {
    truth.bids.set(1000 - i, i);
    truth.asks.set(1000 + i, i);
  }
  const whole = () => ({
    orderbook: { bids: levels(truth.bids, true, depth), asks: levels(truth.asks, false, depth) },
  });
  const rig = startPlayed({ channels: { [BOOK]: whole } });
  const random = createRandom(3);
  const pick = (n: number) => Math.floor(random() * n);
  let n = 0;
  const change = (isBid: boolean) => {
    const side = isBid ? truth.bids : truth.asks;
    const price = 1000 + (isBid ? -1 : 1) * (1 + pick(20));
    const size = side.has(price) && side.size > 5 && pick(2) === 0 ? 0 : 1 + pick(50);
    const before = levels(side, isBid, depth).map((level) => JSON.stringify(level));
    if (size === 0) side.delete(price);
    else side.set(price, size);
    // What comes up from deeper than a snapshot goes is sent; what goes down there stays with whoever has it.
    const came = levels(side, isBid, depth).filter((at) => !before.includes(JSON.stringify(at)));
    return [...came, { price_ticks: `${price}`, size_base_lots: `${size}` }];
  };
  const step = () => {
    const isBid = pick(2) === 0;
    const changed = change(isBid);
    const changes = { orderbook: { bids: isBid ? changed : [], asks: isBid ? [] : changed } };
    const isReset = sends === "snapshots" && ++n % 10 === 0;
    rig.service.publish(BOOK, sends === "whole" || isReset ? whole() : changes, 3, isReset);
  };
  const slice = () => rig.store.slice("orderbook", BOOK);
  return {
    ...rig,
    truth,
    step,
    slice,
    isRight(count = Number.POSITIVE_INFINITY) {
      const { bids, asks } = whole().orderbook;
      const there = { bids: bids.slice(0, count), asks: asks.slice(0, count) };
      return isDeepStrictEqual(slice().data.depth(count), there);
    },
  };
}

const levelAt = (price: string) => ({ price_ticks: price, size_base_lots: "1" });

describe("a book that no best bid and offer watches", () => {
  test.each(["whole", "changes", "snapshots"] as const)(
    "is taken as the service means it after two audits: %s",
    (sends) => {
      const rig = startBook(sends);
      rig.pass(90_000, 250, rig.step);
      rig.pass(1000);
      expect(rig.store.audits.of(BOOK).count).toBe(2);
      expect(rig.isRight()).toBe(true);
      expect(rig.slice().data.interpretation).toBe(sends === "whole" ? "whole" : "changes");
      let wrong = 0;
      rig.pass(60_000, 250, () => {
        rig.step();
        rig.clock.advance(100);
        if (!rig.isRight()) wrong++;
      });
      expect(wrong).toBe(0);
    },
  );

  test("is compared only as deep as the snapshot goes", () => {
    const rig = startBook("changes", 8);
    rig.pass(400_000, 250, rig.step);
    expect(rig.store.audits.of(BOOK)).toMatchObject({
      count: 3,
      changes: 0,
      last: { differences: [] },
    });
    expect(rig.isRight(5)).toBe(true);
  });

  test("is fetched anew when two audits refute it and no interpretation explains them", () => {
    const rig = startBook("changes");
    rig.pass(15_000, 250, rig.step);
    // A level goes without a frame.
    for (const price of [995, 996, 997]) rig.truth.bids.delete(price);
    const isStill = () => rig.service.publish(BOOK, { orderbook: { bids: [], asks: [] } });
    rig.pass(16_000, 1000, isStill);
    expect(rig.slice().feed.resyncs).toBe(0);
    rig.pass(50_000, 1000, isStill);
    expect(rig.slice().feed.resyncs).toBe(1);
    expect(rig.isRight()).toBe(true);
  });

  test("is not audited while a best bid and offer watches it", () => {
    const [bid, ask] = [levelAt("999"), levelAt("1001")];
    const rig = startPlayed({
      channels: {
        [BOOK]: () => ({ orderbook: { bids: [bid], asks: [ask] } }),
        "bbo/perp/1": () => ({ bbo: { bid, ask } }),
      },
    });
    rig.pass(3_600_000, 1000);
    expect(rig.service.peers).toHaveLength(1);
  });

  test("is audited beside one as long as that has not decided how its frames are taken", () => {
    const [bid, ask] = [levelAt("999"), levelAt("1001")];
    const book = { orderbook: { bids: [bid], asks: [ask] } };
    const rig = startPlayed({
      channels: { [BOOK]: () => book, "bbo/perp/1": () => ({ bbo: { bid, ask } }) },
    });
    rig.pass(100_000, 1000, () => rig.service.publish(BOOK, book));
    expect(rig.store.audits.of(BOOK)).toMatchObject({ count: 2, changes: 0 });
  });
});

test("what the best bid and offer says while a snapshot is on its way is not forgotten with it", () => {
  let quote = { bid: levelAt("999"), ask: levelAt("1001") };
  const book = () => ({ orderbook: { bids: [quote.bid], asks: [quote.ask] } });
  const rig = startPlayed({
    channels: { [BOOK]: book, "bbo/perp/1": () => ({ bbo: quote }) },
    latencyMs: (connection) => (connection === 1 ? 20 : 1000),
  });
  let isMoved = false;
  rig.pass(40_000, 250, () => {
    const isAsked = (rig.service.peers[1]?.commands.length ?? 0) > 0;
    if (isAsked && !isMoved) {
      isMoved = true;
      quote = { ...quote, bid: levelAt("1000") };
      rig.service.publish("bbo/perp/1", { bbo: quote });
    }
    rig.service.publish(BOOK, book());
  });
  expect(isMoved).toBe(true);
  expect(rig.store.audits.of(BOOK)).toMatchObject({ count: 1, changes: 0 });
  expect(rig.store.slice("orderbook", BOOK).data.isOpen).toBe(true);
  expect(rig.store.slice("orderbook", BOOK).feed.resyncs).toBe(0);
});

test("an audit changes no state of a pane, no count, no event and no frame, and its connection is closed at once", () => {
  const rig = startMarkets();
  const before = () => {
    const { feed } = rig.slice();
    return JSON.stringify([feed, rig.store.counts, rig.store.faults, rig.store.link?.reconnects]);
  };
  rig.pass(15_000);
  const facts = before();
  const events = rig.events.filter(({ type }) => type !== "link").length;
  const states = new Set<string>();
  let most = 0;
  rig.pass(400_000, 100, () => {
    states.add(rig.store.paneState(rig.slice(), rig.clock.now()));
    most = Math.max(most, rig.service.open.length);
  });
  expect(rig.audits().count).toBe(3);
  expect(states).toEqual(new Set(["quiet"]));
  expect(most).toBe(2);
  expect(rig.service.open).toHaveLength(1);
  expect(rig.service.peers.slice(1).map(({ commands }) => commands.length)).toEqual([1, 1, 1]);
  const isProbe = ({ type }: { type: string }) => type === "probing" || type === "confirmed";
  const came = rig.events.filter((event) => event.type !== "link" && !isProbe(event));
  expect(came).toHaveLength(events);
  const { confirmedAtMs: _, ...feed } = rig.slice().feed;
  const { confirmedAtMs: __, ...feedBefore } = JSON.parse(facts)[0];
  expect(JSON.parse(JSON.stringify(feed))).toEqual(feedBefore);
  expect(rig.store.log.lines.some(({ what }) => what === "audit")).toBe(false);
});

test("after the end nothing of an audit is left, in whatever moment it ends", () => {
  for (let ms = 19_000; ms < 24_000; ms += 20) {
    const rig = startMarkets({ latencyMs: () => 100 }, 2);
    rig.pass(ms);
    rig.close();
    rig.clock.advance(200);
    expect(rig.clock.pending).toBe(0);
    expect(rig.service.open).toHaveLength(0);
  }
});

const REFUSALS: readonly (readonly [string, LinkFault])[] = [
  ["HTTP 429", { code: "not-websocket", detail: "the service answered HTTP 429", status: 429 }],
  ["HTTP 403", { code: "unauthorized", detail: "the service answered HTTP 403", status: 403 }],
  ["TCP", { code: "refused", detail: "connect ECONNREFUSED" }],
];

describe("where a second connection cannot be had", () => {
  test.each(REFUSALS)("%s: after two tries there are no more, and it is shown", (_, fault) => {
    const rig = startMarkets(refuseAudits(fault));
    rig.pass(3_600_000, 1000);
    expect(rig.service.peers).toHaveLength(3);
    expect(rig.store.audits.off).toBe(fault.detail);
    expect(selectLinkNotes(rig.store, rig.clock.now()).join()).toContain(fault.detail);
    expect(rig.store.paneState(rig.slice(), rig.clock.now())).toBe("quiet");
  });

  test("it is opened and closed with 1008: the same", () => {
    const rig = startMarkets({
      onOpen: (peer) => (peer.number > 1 ? peer.end("closed", "policy violation") : peer.hello()),
    });
    rig.pass(3_600_000, 1000);
    expect(rig.service.peers).toHaveLength(3);
    expect(rig.store.audits.off).toBe("policy violation");
  });

  test("it hangs after hello: it is closed after a bounded time, and twice is enough", () => {
    const rig = startMarkets({ onCommand: (peer) => peer.number > 1 });
    rig.pass(40_000, 1000);
    expect(rig.service.peers).toHaveLength(2);
    expect(rig.service.open).toHaveLength(1);
    rig.pass(3_600_000, 1000);
    expect(rig.service.peers).toHaveLength(3);
    expect(rig.service.open).toHaveLength(1);
    expect(rig.store.audits.off).toBe("no answer on a second connection");
  });

  test("the watched connection is closed when it opens, twice: there are no more", () => {
    const rig = startMarkets({
      onOpen: (peer, service) => {
        for (const other of service.open) if (other !== peer) other.end();
        peer.hello();
      },
    });
    rig.pass(3_600_000, 1000);
    expect(rig.store.audits.off).toBe("the connection ends when a second one is opened");
    expect(rig.store.link?.reconnects).toBe(2);
    expect(rig.store.paneState(rig.slice(), rig.clock.now())).toBe("quiet");
  });

  test("the watched subscription goes over to it: that channel has no more of them", () => {
    const rig = startMarkets({
      onCommand: (peer, { type, channel }, service) => {
        if (type !== "subscribe") return false;
        for (const other of service.open) if (other !== peer) other.channels.delete(channel);
        return false;
      },
    });
    rig.pass(3_600_000, 1000);
    expect(rig.service.peers).toHaveLength(3);
    expect(rig.service.open).toHaveLength(1);
    expect(rig.audits().failure).toBe("the watched subscription was lost");
    expect(rig.store.counts.probingOff).toBeUndefined();
    expect(rig.store.paneState(rig.slice(), rig.clock.now())).toBe("quiet");
    expect(rig.service.peers[0]?.channels).toEqual(new Set(["markets"]));
  });

  test("one resubscribe of a silent channel stands in after a minute, a second only when it differs", () => {
    const same = startMarkets(refuseAudits(REFUSED));
    same.pass(3_600_000, 1000);
    const subscribes = ({ service }: typeof same) =>
      service.peers[0]?.commands.filter(({ type }) => type === "unsubscribe").length;
    expect(subscribes(same)).toBe(1);
    expect(same.audits()).toMatchObject({ count: 1, changes: 0 });
    const differs = startMarkets(refuseAudits(REFUSED));
    differs.pass(30_000);
    differs.rows.delete(1);
    differs.pass(3_600_000, 1000);
    expect(subscribes(differs)).toBe(2);
    expect(differs.ids()).toEqual([2, 3, 4, 5]);
    const busy = startMarkets(refuseAudits(REFUSED));
    busy.pass(600_000, 1000, () => busy.change(1, `${busy.clock.now()}`));
    expect(subscribes(busy)).toBe(0);
  });

  test("what comes behind the frame that stands in, without a sequence, is no part of it: it is not compared", () => {
    const rig = startMarkets({ ...refuseAudits(REFUSED), sequences: "null" });
    const commands = () => rig.service.peers[0]?.commands ?? [];
    while (commands().length < 3) rig.pass(10);
    rig.pass(100);
    rig.change(1, "0.2");
    rig.pass(5000);
    expect(rig.audits()).toMatchObject({ count: 0, changes: 0 });
    expect(rig.audits().failure).toBe("frames without a sequence were received meanwhile");
  });

  const order = (filled: string) => ({
    market_type: "perp",
    market_id: 1,
    order_id: 7020,
    side: "buy",
    price: "11.875",
    size: "4",
    filled,
    status: "open",
  });
  const first = { orders: [order("1")], balances: [{ asset: "USDC", amount: "5" }] };

  test.each([
    ["that it is a change of, is no part of it", [first, { orders: [order("1.5")] }], "1.5", 0],
    [
      "of which it is the rest, is one",
      [{ orders: first.orders }, { balances: first.balances }],
      "1",
      1,
    ],
  ])(
    "without sequences, what has the time of the frame that stands in, %s",
    (_, payloads, filled, count) => {
      const account = `account/${"A".repeat(44)}/1`;
      let subscribes = 0;
      const rig = startPlayed(
        {
          ...refuseAudits(REFUSED),
          answer: () => {
            subscribes++;
            return payloads.map((payload) => ({
              type: "update",
              channel: account,
              timestamp_ns: `${subscribes}000000000`,
              previous_sequence: null,
              sequence: null,
              ...payload,
            }));
          },
        },
        [account],
      );
      rig.pass(600_000, 1000);
      expect(subscribes).toBe(2);
      const { orders } = rig.store.slice("account", account).data.lists;
      expect(orders.rows).toEqual([order(filled)]);
      expect([...orders.inQuestion]).toEqual([]);
      expect(rig.store.audits.of(account)).toMatchObject({ count, changes: 0 });
    },
  );
});

test("no audit begins on a link that is not healthy, and none is due twice after it", () => {
  const rig = startMarkets();
  rig.pass(15_000);
  rig.service.peers[0]?.end();
  rig.pass(16_000, 1000);
  expect(rig.service.peers).toHaveLength(2);
  rig.pass(10_000, 1000);
  expect(rig.service.peers).toHaveLength(3);
  rig.pass(20_000, 1000);
  expect(rig.service.peers).toHaveLength(3);
});
