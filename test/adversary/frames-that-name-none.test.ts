// A null previous_sequence may begin everything anew, or say nothing; and a channel may be silent between two connections.
import { expect, test } from "vitest";
import { openChainRig, PERP, trades } from "../support/chain-rig.ts";
import { startPlayed } from "../support/played-session.ts";
import type { Script } from "../support/scripted-service.ts";

type Row = Record<string, unknown>;

function startMarkets(options: Partial<Script> = {}) {
  const rows = new Map<number, Row>();
  for (let id = 1; id <= 4; id++) rows.set(id, { market_type: "perp", market_id: id, fee: "0" });
  const rig = startPlayed({
    ...options,
    channels: { markets: () => ({ markets: [...rows.values()] }) },
  });
  rig.pass(1000);
  return {
    ...rig,
    rows,
    slice: () => rig.store.slice("markets", "markets"),
    change(id: number, isNull: boolean) {
      const row = { ...rows.get(id), fee: `${rig.clock.now()}` };
      rows.set(id, row);
      rig.service.publish("markets", { markets: [row] }, 3, isNull);
      rig.pass(100);
    },
    snapshot() {
      rig.service.publish("markets", { markets: [...rows.values()] }, 3, true);
      rig.pass(100);
    },
    ids: () => rig.store.slice("markets", "markets").data.records.map((row) => row.market_id),
  };
}

test("where no frame names another, one that holds a changed market takes the others from no list", () => {
  const rig = startMarkets();
  for (let i = 0; i < 20; i++) {
    rig.change(1 + (i % 4), true);
    // While it is open what a null says, everything is fetched anew, and the pane says so.
    if (rig.store.paneState(rig.slice(), rig.clock.now()) === "resync") rig.pass(2000);
    expect(rig.store.paneState(rig.slice(), rig.clock.now())).toMatch(/live|quiet/);
    expect(rig.slice().data.records).toEqual([...rig.rows.values()]);
  }
  expect(rig.slice().feed.resyncs).toBe(2);
});

test("where frames name another, one that names none is the whole list", () => {
  const rig = startMarkets();
  rig.change(1, false);
  rig.rows.delete(3);
  rig.snapshot();
  expect(rig.ids()).toEqual([1, 2, 4]);
});

test("a market that a whole list left out is gone as soon as a frame shows that it was one", () => {
  const rig = startMarkets();
  rig.rows.delete(3);
  rig.snapshot();
  rig.change(1, false);
  expect(rig.ids()).toEqual([1, 2, 4]);
});

test("frames that name another while a subscription ends show that one that names none is whole", () => {
  const rig = openChainRig([PERP.trades]);
  const ids: number[] = [];
  let sequence = 1000;
  const trade = () => ids.push(ids.length + 1);
  const say = (previous: number | null, ...of: number[]) => {
    rig.say(PERP.trades, [previous === null ? null : `${previous}`, `${sequence}`], trades(...of));
  };
  for (let subscription = 0; subscription < 5; subscription++) {
    say(sequence - 1, ...ids);
    trade();
    sequence += 50;
    say(null, ...ids);
    if (rig.state(PERP.trades) !== "resync") continue;
    trade();
    sequence += 50;
    say(sequence - 1, ...ids.slice(-1));
    rig.resubscribe(PERP.trades);
  }
  const shown = rig.slice("trades", PERP.trades).data.recent().toReversed();
  expect(shown.map(({ timestamp_ns }) => Number(timestamp_ns))).toEqual(ids);
});

test("a book frame whose null may name a first frame without a number is fetched anew: a change or a whole book", () => {
  const level = (price: number, size: number) => ({
    price_ticks: `${price}`,
    size_base_lots: `${size}`,
  });
  let book = {
    orderbook: { bids: [level(9, 1), level(8, 1)], asks: [level(11, 1), level(12, 1)] },
  };
  const channel = "orderbook/perp/1";
  let sequences: "null" | undefined = "null";
  const rig = startPlayed({
    channels: { [channel]: () => book },
    onCommand: (peer, command, service) => {
      if (command.type !== "subscribe" || sequences === undefined) return false;
      peer.channels.add(channel);
      const first = service.frame(channel, book, null, 1000);
      peer.send({ ...first, sequence: null });
      sequences = undefined;
      return true;
    },
  });
  rig.pass(1000);
  const change = { orderbook: { bids: [level(8, 5)], asks: [] } };
  book = { orderbook: { ...book.orderbook, bids: [level(9, 1), level(8, 5)] } };
  rig.service.publish(channel, change, 3, true);
  rig.pass(1000);
  expect(rig.store.slice("orderbook", channel).feed).toMatchObject({ gaps: 0, resyncs: 1 });
  expect(rig.store.slice("orderbook", channel).data.depth()).toEqual({
    bids: [level(9, 1), level(8, 5)],
    asks: [level(11, 1), level(12, 1)],
  });
});

test("between a new connection and its hello nothing of the old one is live or quiet", () => {
  const rig = startMarkets({ onOpen: (peer) => peer.number === 1 && peer.hello() });
  rig.pass(5000);
  rig.service.peers[0]?.end();
  const states = new Set<string>();
  let wasOpen = false;
  for (let i = 0; i < 60; i++) {
    rig.pass(50);
    const isAsked = rig.service.peers[1]?.commands.length ?? 0;
    wasOpen ||= rig.store.link?.state === "open";
    if (isAsked === 0) states.add(rig.store.paneState(rig.slice(), rig.clock.now()));
  }
  expect(wasOpen).toBe(true);
  expect([...states].filter((state) => state !== "offline" && state !== "resync")).toEqual([]);
  rig.pass(5000);
  expect(rig.store.paneState(rig.slice(), rig.clock.now())).toMatch(/live|quiet/);
});
