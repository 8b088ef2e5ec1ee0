// An account whose frames do not say all that has happened to it, and a second subscription that does.
import { expect, test } from "vitest";
import { startPlayed } from "../support/played-session.ts";

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
  expect(rig.audits()).toMatchObject({ count: 4, changes: 1, failure: undefined });
  expect(rig.store.slice("account", CHANNEL).feed).toMatchObject({ gaps, resyncs });
});
