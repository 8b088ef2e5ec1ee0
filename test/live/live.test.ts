// Stream and store against the simulated exchange and its ledger, while frames are lost, connections end
// and streams are unavailable.
import { describe, expect, test } from "vitest";
import { marketChannels } from "../../src/select/market.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { isSoak } from "../support/soak.ts";

const channels = marketChannels({ type: "perp", id: "1" }, "1m");
/** A pane may be wrong for as long as it takes to find out; it must not call itself live for longer. */
const MAX_UNTRUE_MS = 1000;

type Rig = Awaited<ReturnType<typeof startLiveRig>>;

function watch({ stream }: Rig): void {
  for (const channel of [channels.bbo, channels.orderbook, channels.trades, channels.candles]) {
    stream.subscribe(channel);
  }
}

/** Looks at every step whether the book calls itself live while it differs from the exchange's own. */
function createBookCheck({ store, simulator, clock }: Rig) {
  let wrongSince: number | undefined;
  let longest = 0;
  return {
    step() {
      const slice = store.slice("orderbook", channels.orderbook);
      const { bids, asks } = simulator.ledger.book("perp", 1);
      const shown = slice.data.depth();
      const isRight = JSON.stringify([shown.bids, shown.asks]) === JSON.stringify([bids, asks]);
      const isLie = !isRight && store.paneState(slice, clock.now()) === "live";
      wrongSince = isLie ? (wrongSince ?? clock.now()) : undefined;
      if (wrongSince !== undefined) longest = Math.max(longest, clock.now() - wrongSince);
    },
    get longestLieMs() {
      return longest;
    },
  };
}

function expectTruth({ store, simulator, clock }: Rig): void {
  const book = store.slice("orderbook", channels.orderbook);
  const truth = simulator.ledger.book("perp", 1);
  expect(book.data.depth()).toEqual({ bids: truth.bids, asks: truth.asks });
  expect(store.paneState(book, clock.now())).toMatch(/live|quiet/);
  const { bbo } = store.slice("bbo", channels.bbo).data;
  expect(bbo).toEqual({ bid: truth.bids[0] ?? null, ask: truth.asks[0] ?? null });
}

/** Trades shown are trades of the exchange, none of them twice; without a hole, none is missing either. */
function expectTrades({ store, simulator }: Rig): void {
  const tape = store.slice("trades", channels.trades).data;
  const shown = [...tape.recent()].reverse();
  const all = simulator.ledger.trades("perp", 1).map(({ trade }) => trade);
  if (tape.holes.length === 0) expect(shown).toEqual(all.slice(-shown.length));
  const left = new Map<string, number>();
  const count = (trade: object, by: number) => {
    const text = JSON.stringify(trade);
    left.set(text, (left.get(text) ?? 0) + by);
    return left.get(text);
  };
  for (const trade of all) count(trade, 1);
  for (const trade of shown) expect(count(trade, -1)).toBeGreaterThanOrEqual(0);
}

function expectCandles({ store, simulator }: Rig): void {
  const { candles, unfinished } = store.slice("candles", channels.candles).data;
  const truth = new Map(
    simulator.ledger.candles("perp", 1, "1m").map((candle) => [candle.open_time_ms, candle]),
  );
  for (const candle of candles) {
    if (!unfinished.has(candle.open_time_ms)) {
      expect(candle).toEqual(truth.get(candle.open_time_ms));
    }
  }
}

describe("the live session ends with the exchange's own book, trades and candles", () => {
  test.each<[scenario: string, seed: number, ms: number]>([
    ["steady", 1, 20_000],
    ["gaps", 2, 40_000],
    ["drops", 3, 45_000],
    ["unavailable", 4, 30_000],
    // Its past alone takes seconds to make.
    ...(isSoak ? [["busy", 5, 2000] satisfies [string, number, number]] : []),
  ])("in the scenario %s", async (scenario, seed, ms) => {
    const rig = await startLiveRig({ scenario, seed, history: 100 });
    watch(rig);
    const check = createBookCheck(rig);
    await rig.pass(ms, () => check.step());
    // A quiet while, so that what was lost last has been noticed and repaired.
    for (let i = 0; i < 200 && !isCalm(rig); i++) await rig.pass(500, () => check.step());
    expectTruth(rig);
    expectTrades(rig);
    expectCandles(rig);
    expect(check.longestLieMs).toBeLessThanOrEqual(MAX_UNTRUE_MS);
    expect(rig.store.counts.rejected).toBe(0);
    const { gaps, resyncs } = rig.store.slice("orderbook", channels.orderbook).feed;
    if (scenario === "gaps") expect(gaps).toBeGreaterThan(1);
    if (scenario === "gaps") expect(resyncs).toBe(gaps);
  });

  test.each([
    ["whole books", { book: "whole" }],
    ["whole books in between", { book: "delta-with-resets", book_reset_every: 20 }],
    ["no sequences at all", { sequences: "null" }],
    ["a first frame without sequences", { sequences: "first-null" }],
    ["a first frame that names itself", { first_previous: "same" }],
    ["late hello", { hello: "late" }],
    ["no hello", { hello: "never" }],
    ["no backlog of trades", { trades_backlog: 0 }],
  ])("from a service with %s", async (_, readings) => {
    const rig = await startLiveRig({ scenario: { readings }, seed: 6, history: 100 });
    watch(rig);
    const check = createBookCheck(rig);
    await rig.pass(6000, () => check.step());
    expectTruth(rig);
    expectTrades(rig);
    expect(check.longestLieMs).toBeLessThanOrEqual(MAX_UNTRUE_MS);
  });
});

/** True when every channel is received and the book is believed. */
function isCalm({ store, clock }: Rig): boolean {
  return store.slices.every((slice) => /live|quiet/.test(store.paneState(slice, clock.now())));
}
