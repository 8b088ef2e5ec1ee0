// Later rows of an account that leave out a field: it is gone, or it has not changed. The document allows both, so what is
// shown of it is in question from that frame on, until evidence says which.
import { describe, expect, test } from "vitest";
import { startPlayed } from "../support/played-session.ts";

type Row = Record<string, unknown>;
type List = "positions" | "orders" | "balances";
const CHANNEL = "account/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU/1";
/** The first audit is at 20 s, one that follows it seconds later. */
const BEFORE_AUDITS_MS = 3000;
const AUDITS_MS = 45_000;

/** A service with one list; what a frame holds of a row is what a test says. */
function startList(list: List, first: readonly Row[]) {
  let rows = first;
  const rig = startPlayed({ channels: { [CHANNEL]: () => ({ [list]: rows }) } });
  rig.pass(1000);
  const data = () => rig.store.slice("account", CHANNEL).data.lists[list];
  return {
    ...rig,
    /** @param now what there is from now on @param sent what is sent of it */
    publish(now: readonly Row[], sent: readonly Row[]) {
      rows = now;
      rig.service.publish(CHANNEL, { [list]: sent });
      rig.pass(500);
    },
    rows: () => data().rows,
    /** Rows in question, but for those that the newest list has left out. */
    marked: () => [...data().inQuestion].filter((row) => !data().unnamed.has(row)),
  };
}

const position = (upnl: string, more: Row = {}): Row => ({
  market_type: "perp",
  market_id: 1,
  size: "2",
  entry_price: "100",
  unrealized_pnl: upnl,
  ...more,
});
const other = { ...position("0"), market_id: 2, entry_price: "50" };

describe("a position that leaves out its liquidation price", () => {
  const held = position("1", { liquidation_price: "55" });

  test.each([
    ["that every position has had", [held, { ...other, liquidation_price: "20" }]],
    ["that some have had", [held, other]],
    ["that has been null", [held, { ...other, liquidation_price: null }]],
  ])("%s is in question before any audit", (_, first) => {
    const rig = startList("positions", first);
    rig.publish([position("2"), ...first.slice(1)], [position("2")]);
    rig.pass(BEFORE_AUDITS_MS);
    expect(rig.marked()).toEqual([expect.objectContaining(position("2"))]);
    // And stays so when it comes once more without it.
    rig.publish([position("3"), ...first.slice(1)], [position("3")]);
    expect(rig.marked()).toEqual([expect.objectContaining(position("3"))]);
  });

  test("has it no more once audits lack it, and then nothing is in question where it goes again", () => {
    const rig = startList("positions", [held]);
    rig.publish([position("2")], [position("2")]);
    rig.pass(AUDITS_MS, 1000);
    expect([rig.rows(), rig.marked()]).toEqual([[position("2")], []]);
    rig.publish([held], [held]);
    rig.publish([position("4")], [position("4")]);
    expect([rig.rows(), rig.marked()]).toEqual([[position("4")], []]);
  });

  test("has it still where an audit has it, and then nothing is in question where that comes again", () => {
    const rig = startList("positions", [held]);
    const now = (upnl: string) => ({ ...held, unrealized_pnl: upnl });
    rig.publish([now("2")], [position("2")]);
    rig.pass(AUDITS_MS, 1000);
    expect([rig.rows(), rig.marked()]).toEqual([[now("2")], []]);
    rig.publish([now("3")], [position("3")]);
    expect([rig.rows(), rig.marked()]).toEqual([[now("3")], []]);
  });

  test("has it no more where rows have repeated it unchanged, and nothing is in question", () => {
    const rig = startList("positions", [held, other]);
    const again = { ...held, unrealized_pnl: "2" };
    rig.publish([again, other], [again]);
    rig.publish([position("3"), other], [position("3")]);
    expect([rig.rows(), rig.marked()]).toEqual([[position("3"), other], []]);
  });

  test("is in question where only rows with more fields have repeated it", () => {
    const rig = startList("positions", [held, other]);
    const again = { ...held, unrealized_pnl: "2" };
    const mark = { market_type: "perp", market_id: 1, unrealized_pnl: "3" };
    rig.publish([again, other], [again]);
    rig.publish([{ ...again, ...mark }, other], [mark]);
    expect(rig.rows()).toContainEqual({ ...again, ...mark });
    expect(rig.marked()).toEqual([{ ...again, ...mark }]);
  });
});

describe("a service whose rows hold all there is after a trade, and what changed after a price", () => {
  const held = position("1", { liquidation_price: "55" });
  const mark = (upnl: string) => ({ market_type: "perp", market_id: 1, unrealized_pnl: upnl });

  test("has each decided by its own rows", () => {
    const rig = startList("positions", [held, other]);
    rig.publish([{ ...held, ...mark("2") }, other], [mark("2")]);
    rig.pass(AUDITS_MS, 1000);
    rig.publish([{ ...held, ...mark("3") }, other], [mark("3")]);
    expect([rig.rows(), rig.marked()]).toEqual([[{ ...held, ...mark("3") }, other], []]);
    rig.publish([position("4", { size: "1" }), other], [position("4", { size: "1" })]);
    expect(rig.marked()).toEqual([expect.objectContaining({ size: "1" })]);
    rig.pass(600_000, 1000);
    expect([rig.rows(), rig.marked()]).toEqual([[position("4", { size: "1" }), other], []]);
  });
});

describe("an order under the id of another that lists have left out", () => {
  const stop = (id: number, more: Row = {}): Row => ({
    order_id: id,
    market_type: "perp",
    market_id: 1,
    side: "buy",
    price: `10.${980 + id}`,
    size: "0.000",
    filled_size: "0.000",
    status: "resting",
    type: "stop",
    trigger_price: "11.030",
    ...more,
  });
  const limit = {
    order_id: 1,
    market_type: "perp",
    market_id: 1,
    side: "buy",
    price: "11.320",
    size: "2.000",
    filled_size: "0.000",
    status: "resting",
  };

  test("is in question where it lacks what only that one had, until audits have it", () => {
    const rig = startList("orders", [stop(1), stop(2)]);
    rig.publish([stop(2)], [stop(2)]);
    rig.publish([stop(2), limit], [limit]);
    expect(rig.marked()).toContainEqual(expect.objectContaining(limit));
    // Whatever comes of it next.
    const amended = { ...limit, price: "11.325" };
    rig.publish([stop(2), amended], [amended]);
    expect(rig.marked()).toContainEqual(expect.objectContaining(amended));
    rig.pass(AUDITS_MS, 1000);
    expect(rig.rows()).toContainEqual(amended);
    expect(rig.marked()).toEqual([]);
  });
});

test("an order with an unknown word, in a part of its row, ends as audits say, and costs no other one its place", () => {
  const order = (id: number, more: Row = {}): Row => ({
    order_id: `o${id}`,
    market_id: 1,
    side: "buy",
    price: `${100 + id}`,
    size: "5",
    status: "open",
    ...more,
  });
  const rig = startList("orders", [order(1), order(2), order(3)]);
  const deactivated = { order_id: "o1", market_id: 1, side: "buy", status: "Deactivated" };
  rig.publish([order(2), order(3)], [deactivated]);
  expect(rig.marked()).toContainEqual(expect.objectContaining(deactivated));
  const change = { order_id: "o2", market_id: 1, side: "buy", price: "90" };
  rig.publish([order(2, { price: "90" }), order(3)], [change]);
  rig.pass(AUDITS_MS, 1000);
  expect(rig.rows()).toEqual([order(2, { price: "90" }), order(3)]);
  expect(rig.marked()).toEqual([]);
});
