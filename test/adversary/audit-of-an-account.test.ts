// An account whose frames do not say all that has happened to it, and a second subscription that does.
import { expect, test } from "vitest";
import { startPlayed } from "../support/played-session.ts";
import type { Script } from "../support/scripted-service.ts";

type Row = Record<string, unknown>;
const CHANNEL = "account/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU/1";

function startAccount() {
  const orders = new Map<string, Row>();
  const fills: Row[] = [];
  for (let i = 1; i <= 6; i++) {
    const market_id = 1 + (i % 2);
    orders.set(`o${i}`, {
      order_id: `o${i}`,
      market_id,
      side: "buy",
      size: `${i}`,
      status: "open",
    });
  }
  const rig = startPlayed({
    channels: {
      [CHANNEL]: () => ({
        orders: [...orders.values()],
        fills: fills.slice(-3),
        balances: [{ asset: "USDC", total: "100" }],
      }),
    },
  });
  const data = () => rig.store.slice("account", CHANNEL).data;
  return {
    ...rig,
    orders,
    /** A frame that holds every order. */
    publishAll() {
      rig.service.publish(CHANNEL, { orders: [...orders.values()] });
    },
    change(id: string, size: string) {
      const row = { ...orders.get(id), size };
      orders.set(id, row);
      rig.service.publish(CHANNEL, { orders: [row] });
    },
    fill(n: number) {
      const row = { fill_id: `f${n}`, market_id: 1, price: "1", size: "1", side: "buy" };
      fills.push(row);
      rig.service.publish(CHANNEL, { fills: [row] });
    },
    data,
    ids: () => data().lists.orders.rows.map(({ order_id }) => order_id),
    audits: () => rig.store.audits.of(CHANNEL),
  };
}

test("an account whose frames say everything is the same after audits, fills that a snapshot no longer has included", () => {
  const rig = startAccount();
  let n = 0;
  rig.pass(90_000, 2500, () => {
    n++;
    rig.fill(n);
    rig.change(`o${1 + (n % 6)}`, `${n}`);
  });
  expect(rig.audits()).toMatchObject({ count: 2, changes: 0, failure: undefined });
  expect(rig.audits().last?.differences).toEqual([]);
  expect(rig.data().logs.fills.total).toBe(n);
  expect(new Set(rig.ids())).toEqual(new Set(rig.orders.keys()));
});

test("what one audit found otherwise is decided seconds later, not at the next date", () => {
  const rig = startAccount();
  rig.pass(15_000, 1000, () => rig.change("o2", `${rig.clock.now()}`));
  rig.orders.delete("o5");
  rig.pass(12_000, 1000, () => rig.change("o2", `${rig.clock.now()}`));
  expect(rig.audits()).toMatchObject({ count: 1, changes: 0 });
  expect(rig.ids()).toContain("o5");
  rig.pass(13_000, 1000, () => rig.change("o2", `${rig.clock.now()}`));
  expect(rig.audits()).toMatchObject({ count: 2, changes: 1 });
  expect(rig.ids()).not.toContain("o5");
});

test("an order that ends without a word is gone when two audits agree, without a resync or a gap", () => {
  const rig = startAccount();
  let n = 0;
  const busy = () => rig.change("o2", `${++n}`);
  rig.pass(30_000, 1000, busy);
  const { gaps, resyncs } = rig.store.slice("account", CHANNEL).feed;
  rig.orders.delete("o5");
  rig.pass(25_000, 1000, busy);
  expect(rig.ids()).toContain("o5");
  rig.pass(300_000, 1000, busy);
  rig.pass(1000);
  expect(rig.ids().sort()).toEqual(["o1", "o2", "o3", "o4", "o6"]);
  expect(rig.audits()).toMatchObject({ count: 5, changes: 1, failure: undefined });
  expect(rig.store.slice("account", CHANNEL).feed).toMatchObject({ gaps, resyncs });
});

/** An account of one position, of which a frame names its markets alone: nothing says that it is another row of one market. */
function startPosition(options: Partial<Script> = {}) {
  let n = 1;
  const position = () => ({ market_id: 1, side: n % 2 === 0 ? "short" : "long", size: `${n}` });
  const rig = startPlayed({
    ...options,
    channels: { [CHANNEL]: () => ({ positions: [position()] }) },
  });
  const list = () => rig.store.slice("account", CHANNEL).data.lists.positions;
  return {
    ...rig,
    /** Long to short, or back: only the row of now comes. */
    turn() {
      n++;
      rig.service.publish(CHANNEL, { positions: [position()] });
    },
    sides: () => list().rows.map(({ side }) => side),
    marked: () => list().inQuestion.size,
    audits: () => rig.store.audits.of(CHANNEL),
  };
}

/** When audits that one follows from the other began, in seconds: a second one that is to agree, and tries again, are of one turn. */
function turnsOf(
  rig: Pick<ReturnType<typeof startPlayed>, "service" | "pass">,
  ms: number,
  onStep: () => void,
) {
  const turns: number[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  let count = rig.service.peers.length;
  rig.pass(ms, 500, (nowMs) => {
    if (rig.service.peers.length > count) {
      if (nowMs - lastAt > 15_000) turns.push(nowMs / 1000);
      lastAt = nowMs;
    }
    count = rig.service.peers.length;
    onStep();
  });
  return turns;
}

test("a position that turns is one row again within seconds, and the schedule stays as it is", () => {
  const nextAt = (isTurned: boolean) => {
    const rig = startPosition();
    rig.pass(120_000, 1000);
    if (isTurned) rig.turn();
    rig.pass(1000);
    expect(rig.marked()).toBe(isTurned ? 2 : 0);
    rig.pass(20_000, 1000);
    expect(rig.marked()).toBe(0);
    expect(rig.sides()).toEqual([isTurned ? "short" : "long"]);
    return turnsOf(rig, 600_000, () => {});
  };
  expect(nextAt(true)).toEqual(nextAt(false));
});

test.each([2, 4, 6, 8, 10, 12])(
  "a position that turns twice within %i s is one row again within half a minute",
  (apartS) => {
    const rig = startPosition();
    rig.pass(120_000, 1000);
    rig.turn();
    rig.pass(apartS * 1000, 1000);
    rig.turn();
    rig.pass(30_000, 1000);
    expect(rig.marked()).toBe(0);
    expect(rig.sides()).toEqual(["long"]);
  },
);

test("what a frame says within seconds is asked of no audit", () => {
  const rig = startAccount();
  rig.pass(30_000, 1000, () => rig.publishAll());
  rig.change("o2", "9");
  rig.pass(1000);
  expect(rig.data().lists.orders.inQuestion.size).toBeGreaterThan(0);
  rig.publishAll();
  rig.pass(15_000, 1000, () => rig.publishAll());
  expect(rig.audits()).toMatchObject({ count: 1 });
});

test("rows that come into question all the time are audited each half a minute at most, and eight times more in ten minutes", () => {
  const rig = startAccount();
  let newest = 6;
  let steps = 0;
  const turns = turnsOf(rig, 900_000, () => {
    if (++steps % 70 !== 0) return;
    rig.orders.delete(`o${newest++}`);
    rig.orders.set(`o${newest}`, { ...rig.orders.get("o1"), order_id: `o${newest}` });
    rig.change(`o${newest}`, "3");
  });
  const scheduled = 4;
  for (const at of turns) {
    expect(turns.filter((each) => each > at && each < at + 30)).toEqual([]);
    const within = turns.filter((each) => each >= at && each < at + 600);
    expect(within.length).toBeLessThanOrEqual(8 + scheduled);
  }
  expect(turns.length).toBeGreaterThan(8);
});

test("rows that no audit can decide are audited out of turn less and less", () => {
  const rig = startPosition({ sequences: "null" });
  rig.pass(100_000, 500);
  expect(rig.audits().count).toBe(2);
  const turns = turnsOf(rig, 3_600_000, () => rig.turn());
  expect(rig.marked()).toBe(2);
  expect(rig.audits().failure).toContain("without a sequence");
  expect(turns.length).toBeLessThanOrEqual(8);
  expect(turns.filter((at) => at > 900).length).toBeLessThanOrEqual(4);
});

/** An account whose summary is what a test says, and is published as a test says. */
function startSummary(summary: Row) {
  const held = { summary };
  const rig = startPlayed({ channels: { [CHANNEL]: () => ({ account: held.summary }) } });
  rig.pass(1000);
  const data = () => rig.store.slice("account", CHANNEL).data;
  return {
    ...rig,
    held,
    publish: (account: Row) => rig.service.publish(CHANNEL, { account }),
    summary: () => data().summary,
    inQuestion: () => [...data().heldOver],
  };
}

test("a field that records of the account leave out is in question until an audit, and gone where a snapshot lacks it", () => {
  const rig = startSummary({ equity: "100", margin_used: "50", currency: "USDC" });
  rig.held.summary = { equity: "55" };
  rig.publish(rig.held.summary);
  rig.pass(1000);
  expect(rig.summary()).toEqual({ equity: "55", margin_used: "50", currency: "USDC" });
  expect(rig.inQuestion()).toEqual(["margin_used", "currency"]);
  rig.pass(40_000, 1000);
  expect([rig.summary(), rig.inQuestion()]).toEqual([{ equity: "55" }, []]);
});

test("where a snapshot has all that was left out, records hold what changed, and nothing is in question any more", () => {
  const rig = startSummary({ equity: "100", margin_used: "50" });
  rig.held.summary = { equity: "55", margin_used: "50" };
  rig.publish({ equity: "55" });
  rig.pass(40_000, 1000);
  expect([rig.summary(), rig.inQuestion()]).toEqual([{ equity: "55", margin_used: "50" }, []]);
  rig.publish({ equity: "54" });
  rig.pass(1000);
  expect([rig.summary(), rig.inQuestion()]).toEqual([{ equity: "54", margin_used: "50" }, []]);
});

test("a record that names the field answers the question, as a snapshot does", () => {
  const rig = startSummary({ equity: "100", margin_used: "50" });
  rig.publish({ equity: "55" });
  rig.pass(1000);
  rig.publish({ margin_used: "40" });
  rig.pass(1000);
  expect(rig.inQuestion()).toEqual(["equity"]);
  rig.publish({ equity: "50", margin_used: "40" });
  rig.pass(1000);
  expect(rig.inQuestion()).toEqual([]);
});

test("a record of before a new subscription that has not sent it is in question, until it comes", () => {
  let frame: Row = { account: { equity: "100" }, orders: [] };
  const rig = startPlayed({ channels: { [CHANNEL]: () => frame } });
  rig.pass(1000);
  const summary = () => {
    const { summary: held, heldOver } = rig.store.slice("account", CHANNEL).data;
    return [held, [...heldOver]];
  };
  expect(summary()).toEqual([{ equity: "100" }, []]);
  frame = { orders: [] };
  rig.stream.resync(CHANNEL, "asked for");
  rig.pass(5000, 1000);
  expect(summary()).toEqual([{ equity: "100" }, ["equity"]]);
  rig.service.publish(CHANNEL, { account: { equity: "120" } });
  rig.pass(1000);
  expect(summary()).toEqual([{ equity: "120" }, []]);
});

test("an audit has the record as it is, however old the figures are that none has named since", () => {
  const rig = startSummary({ equity: "100", margin_used: "50" });
  rig.held.summary = { equity: "55", margin_used: "60" };
  rig.publish({ equity: "55" });
  rig.pass(40_000, 1000);
  expect([rig.summary(), rig.inQuestion()]).toEqual([rig.held.summary, []]);
});
