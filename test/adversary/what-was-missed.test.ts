// Services that lose a client for a while. What it has missed comes from the listing where that is proven, whatever the
// cursor means; else it stays a hole, and the tape says so.
import { expect, onTestFinished, test } from "vitest";
import { TapeHealer } from "../../src/live/tape-healer.ts";
import { openScales } from "../../src/select/scale.ts";
import { copyState } from "../../src/state/copy-state.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { TimelineCursor } from "../../src/timeline/timeline-cursor.ts";
import { HistoryError } from "../../src/units/monitor-error.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import {
  budgetedListing,
  createRuledMarket,
  inNoField,
  NOW_MS,
  type RuledMarketOptions,
} from "./ruled-market.ts";

const SCALE = {
  tickSize: { mantissa: 1n, places: 2 },
  lotSize: { mantissa: 1n, places: 4 },
};
/** The connection is lost for so long. */
const LOST_MS = 9400;

interface Services extends RuledMarketOptions {
  /** Milliseconds until a trade is listed. */
  readonly lagMs?: number;
  /** No request is answered before, in milliseconds. */
  readonly silentMs?: number;
  /** Changes what is listed. */
  readonly change?: (records: readonly TradeRecord[]) => readonly TradeRecord[];
  readonly scale?: typeof SCALE;
}

function open({
  lagMs = 0,
  silentMs = 0,
  change = (records) => records,
  scale = SCALE,
  ...options
}: Services) {
  const clock = createVirtualClock(NOW_MS);
  const market = createRuledMarket(options);
  const { everyMs, count } = options;
  const feed = new MarketFeed();
  const historyBuffer = new HistoryBuffer({ live: feed.store, clock });
  feed.historyBuffer = historyBuffer;
  let asked = 0;
  const made = () => count + Math.floor(clock.now() / everyMs);
  const source = budgetedListing(clock, (request) => {
    if (clock.now() < silentMs) throw new HistoryError("http-503", "not yet");
    asked++;
    const listed = count + Math.floor((clock.now() - lagMs) / everyMs);
    return change(market.page(request, listed));
  });
  const healer = new TapeHealer({
    store: feed.store,
    clock,
    market: { type: "perp", id: "1" },
    scales: openScales(feed.store, { "perp/1": scale }),
    listing: source,
    publish: (event) => feed.say({ ...event }),
  });
  onTestFinished(() => healer.stop());
  let seen = count - 100;
  const send = (trades: readonly Trade[], isFirst: boolean) => {
    feed.nowMs = clock.now();
    if (isFirst) feed.say({ type: "subscribing", channel: CHANNELS.trades });
    const chain = { previous_sequence: null, sequence: null };
    const stamp = `${BigInt(NOW_MS + clock.now()) * 1_000_000n}`;
    feed.update(CHANNELS.trades, { ...chain, trades, timestamp_ns: stamp }, isFirst);
  };
  const link = (state: "open" | "waiting") => {
    feed.nowMs = clock.now();
    feed.say({ type: "link", link: { ...LINK, state, aliveAtMs: clock.now() } });
  };
  const rig = {
    historyBuffer,
    clock,
    made,
    get asked() {
      return asked;
    },
    tape: () => feed.store.slice("trades", CHANNELS.trades).data,
    /** What the tape holds is what was made, without one missing. */
    expectWhole() {
      const held = rig.tape().recent(500).toReversed();
      const all = market.trades(seen - held.length, seen);
      expect(held.map(({ price_ticks }) => price_ticks)).toEqual(
        all.map(({ price_ticks }) => price_ticks),
      );
    },
    /** Lets time pass; the stream sends what is made, unless the connection is lost. */
    async pass(ms: number, isLost = false) {
      for (let passed = 0; passed < ms; passed += 200) {
        clock.advance(200);
        if (!isLost) {
          send(market.trades(seen, made()), false);
          seen = made();
        }
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
      }
    },
    /** The connection is lost for a while, and the next one begins without a backlog. */
    async lose() {
      link("waiting");
      await rig.pass(LOST_MS, true);
      link("open");
      seen = made();
      send([], true);
    },
  };
  link("open");
  send(market.trades(seen, count), true);
  seen = count;
  return rig;
}

const LINK = {
  reconnects: 0,
  roundTripMs: 1,
  retryAtMs: undefined,
  protocolVersion: 1,
  skewMs: 0,
  fault: undefined,
};

const usual: Services = { everyMs: 40, count: 50_000, indexOf: inNoField };

test.each([
  ["the cursor is an index in no field", usual],
  ["the cursor is the trade id", { ...usual, indexOf: (n: number) => BigInt(n) }],
  ["pages have 40 rows", { ...usual, cap: 40 }],
  ["the listing is four seconds behind", { ...usual, lagMs: 4000 }],
])(
  "what a lost connection has missed is filled in from the listing, where %s",
  async (_, service) => {
    const { pass, lose, tape, expectWhole } = open(service);
    await pass(2000);
    await lose();
    await pass(1000);
    expect(tape().holes).toMatchObject([{ cause: "connection" }]);
    const [{ afterNs, untilNs } = { afterNs: "0", untilNs: "0" }] = tape().holes;
    expect(Number(BigInt(untilNs) - BigInt(afterNs)) / 1e6).toBeCloseTo(LOST_MS, -3);
    for (let times = 0; tape().holes.length > 0 && times < 15; times++) await pass(10_000);
    expect(tape().holes).toEqual([]);
    expectWhole();
  },
);

test("a hole that is long ago in a busy market is filled in", async () => {
  const busy = { everyMs: 2, count: 50_000, indexOf: inNoField };
  const rig = open({ ...busy, silentMs: 60_000 });
  const { pass, lose, tape } = rig;
  await pass(2000);
  await lose();
  await pass(40_000);
  expect(tape().open).toHaveLength(1);
  await pass(60_000);
  expect(tape().open).toEqual([]);
  expect(tape().flow.minutes.reduce((sum, { trades }) => sum + trades, 0)).toBe(
    rig.made() - busy.count + 100,
  );
});

test.each([
  [
    "lacks trades beside the hole",
    { ...usual, change: (r: readonly TradeRecord[]) => r.filter((_, i) => i % 7 > 0) },
  ],
  ["is of another scale", { ...usual, scale: { ...SCALE, tickSize: { mantissa: 1n, places: 1 } } }],
  ["is ten minutes behind", { ...usual, lagMs: 600_000 }],
  ["answers the newest rows whatever is asked for", { ...usual, cap: 100, indexOf: () => -1n }],
])("a hole stays where the listing %s", async (_, service) => {
  const rig = open(service);
  const { pass, lose, tape } = rig;
  await pass(2000);
  await lose();
  await pass(90_000);
  expect(tape().holes).toHaveLength(1);
  expect(rig.asked).toBeLessThan(250);
});

test("a session that is gone back to, or written down, folds to the same tape at every moment", async () => {
  const { pass, lose, tape, historyBuffer, clock } = open(usual);
  await pass(1000);
  await lose();
  const [early, atMs] = [copyState(tape()), clock.now()];
  await pass(60_000);
  await lose();
  await pass(1000);
  const past = new TimelineCursor(historyBuffer, clock.now());
  const there = () => past.store.slice("trades", CHANNELS.trades).data;
  expect(there().recent(4000)).toEqual(tape().recent(4000));
  expect(there().holes).toEqual(tape().holes);
  expect(there().holes).toHaveLength(1);
  past.goTo(atMs);
  expect(there().recent(4000)).toEqual(early.recent(4000));
  expect(there().holes).toEqual(early.holes);
});
