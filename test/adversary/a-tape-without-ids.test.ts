// Services whose trades resemble each other, as section 2.2 allows: no ids, any number of equal trades, any order within
// a frame, a backlog of any length or none. The ledger of the service is the oracle: a trade of it is on the tape
// exactly once, or in a hole that the tape shows.
import fc from "fast-check";
import { expect, test } from "vitest";
import { copyState } from "../../src/state/copy-state.ts";
import { Store } from "../../src/state/store.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { runs } from "../support/soak.ts";

const trade = (ns: number, price = 1): Trade => ({
  timestamp_ns: `${ns}`,
  price_ticks: `${price}`,
  size_base_lots: "1",
  taker_is_bid: true,
});

function openTape() {
  const feed = new MarketFeed();
  feed.link("open");
  return {
    feed,
    tape: () => feed.store.slice("trades", CHANNELS.trades).data,
    send(trades: readonly Trade[], isFirst: boolean, stampNs = trades.at(-1)?.timestamp_ns ?? "1") {
      if (isFirst) feed.say({ type: "subscribing", channel: CHANNELS.trades });
      const chain = { previous_sequence: null, sequence: null };
      feed.update(CHANNELS.trades, { ...chain, trades, timestamp_ns: stampNs }, isFirst);
    },
  };
}

const times = (tape: { recent(): readonly Trade[] }) =>
  tape.recent().map(({ timestamp_ns }) => Number(timestamp_ns));

test("a frame that begins before the newest held trade, and has one equal to it, loses nothing", () => {
  const { send, tape } = openTape();
  send([trade(1), trade(5)], true);
  send([trade(3), trade(4), trade(5), trade(6)], false);
  expect(times(tape())).toEqual([6, 5, 4, 3, 5, 1]);
  expect(tape().holes).toEqual([]);
});

test("a frame that names none, and lists the trades of several moments again, has only those that are new", () => {
  const { send, tape } = openTape();
  send([trade(1), trade(3), trade(5)], true);
  send([trade(3), trade(5), trade(6)], false);
  expect(times(tape())).toEqual([6, 5, 3, 1]);
  expect(tape().holes).toEqual([]);
  // A twin of the newest one is a trade.
  send([trade(6), trade(7)], false);
  expect(times(tape())).toEqual([7, 6, 6, 5, 3, 1]);
});

test("a market in which every trade is like the last one keeps them all", () => {
  const { send, tape } = openTape();
  send([trade(5)], true);
  for (let i = 0; i < 50; i++) send([trade(5), trade(5)], false);
  expect(tape().total).toBe(101);
});

test("equal trades of one moment of which a backlog may hold new ones are doubted, not counted in silence", () => {
  const { send, tape } = openTape();
  send([trade(1), trade(5), trade(5)], true);
  send([trade(5), trade(5), trade(5)], true);
  // Between three and five of them were made.
  expect(tape().holes).toMatchObject([{ afterNs: "5", untilNs: "5" }]);
});

test("a backlog that lists the trades of a moment in another order is the same backlog", () => {
  const { send, tape } = openTape();
  send([trade(1), trade(5, 1), trade(5, 2), trade(5, 3)], true);
  send([trade(1), trade(5, 3), trade(5, 1), trade(5, 2), trade(8)], true);
  expect(times(tape())).toEqual([8, 5, 5, 5, 1]);
  expect(tape().holes).toEqual([]);
});

test("a message that no one can read leaves a hole in a tape whose frames have no sequence", () => {
  const { feed, send, tape } = openTape();
  send([trade(1)], true);
  const rejection = { reason: "not-json", path: "", detail: "", channel: undefined };
  feed.say({ type: "rejected", channel: undefined, rejection });
  send([trade(9)], false);
  expect(tape().holes).toMatchObject([{ afterNs: "1", untilNs: "9" }]);
});

interface Step {
  readonly wait: number;
  readonly prices: readonly number[];
  /** The connection is lost before these trades; the next subscription begins with so many. */
  readonly backlog: number | undefined;
  readonly isNewestFirst: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.constantFrom(0, 0, 1, 3),
  prices: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 4 }),
  backlog: fc.option(fc.nat(12), { nil: undefined }),
  isNewestFirst: fc.boolean(),
});

/** A service makes trades as the steps say, and a client receives them, or not. Answers all that were made. */
function play({ send }: ReturnType<typeof openTape>, steps: readonly Step[]): readonly Trade[] {
  const ledger: Trade[] = [];
  let ns = 10;
  send([], true, "10");
  for (const { wait, prices, backlog, isNewestFirst } of steps) {
    // No connection is lost and made again within a moment.
    ns += backlog === undefined ? wait : wait + 1;
    const made = prices.map((price) => trade(ns, price));
    ledger.push(...made);
    if (backlog !== undefined) ns++;
    const told = backlog === undefined ? made : ledger.slice(ledger.length - backlog);
    send(isNewestFirst ? told.toReversed() : told, backlog !== undefined, `${ns}`);
    if (backlog !== undefined) ns++;
  }
  return ledger;
}

test("every trade of the service is on the tape once, or in a hole", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const opened = openTape();
      const ledger = countOf(play(opened, steps));
      const { holes } = opened.tape();
      const held = countOf(opened.tape().recent(Number.POSITIVE_INFINITY));
      for (const [text, count] of ledger) {
        const at = BigInt((JSON.parse(text) as Trade).timestamp_ns);
        const isDoubted = holes.some(
          ({ afterNs, untilNs }) => BigInt(afterNs) <= at && at <= BigInt(untilNs),
        );
        if (!isDoubted) expect(held.get(text)).toBe(count);
      }
      for (const text of held.keys()) expect(ledger.has(text)).toBe(true);
    }),
    { numRuns: runs(100, 5_000) },
  );
});

function countOf(trades: readonly Trade[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of trades) {
    const text = JSON.stringify(each);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

test("a tape and its copy show the same holes", () => {
  const { send, tape } = openTape();
  send([trade(1)], true);
  send([trade(9)], true);
  expect(copyState(tape()).holes).toEqual(tape().holes);
  expect(new Store().slice("trades", CHANNELS.trades).data.holes).toEqual([]);
});
