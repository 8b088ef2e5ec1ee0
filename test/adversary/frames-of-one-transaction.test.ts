// A service may send what one transaction has changed in several frames of a channel: bids then asks, orders then
// balances, trades in parts. All of them have its sequence; what they name before it is not shown.
import { describe, expect, test } from "vitest";
import {
  ACCOUNT,
  ACCOUNTS,
  book,
  type Numbers,
  openChainRig,
  PERP,
  trades,
} from "../support/chain-rig.ts";

/** What the second frame of transaction 15 names before it, when the first one names 10. */
const SECONDS: readonly (readonly [words: string, numbers: Numbers])[] = [
  ["the transaction itself", ["15", "15"]],
  ["the transaction before", ["10", "15"]],
];

const depth = (rig: ReturnType<typeof openChainRig>) => {
  const { bids, asks } = rig.slice("orderbook", PERP.book).data.depth();
  const words = (levels: typeof bids) =>
    levels.map(({ price_ticks, size_base_lots }) => `${price_ticks}x${size_base_lots}`).join(" ");
  return `${words(bids)} | ${words(asks)}`;
};
const prices = (rig: ReturnType<typeof openChainRig>) =>
  rig
    .slice("trades", PERP.trades)
    .data.recent()
    .map(({ price_ticks }) => price_ticks)
    .reverse();
const balances = (rig: ReturnType<typeof openChainRig>) =>
  rig.slice("account", ACCOUNT).data.lists.balances.rows.map((row) => `${row.amount} ${row.asset}`);
const orders = (rig: ReturnType<typeof openChainRig>) =>
  rig.slice("account", ACCOUNT).data.lists.orders.rows.map((row) => `${row.order_id}`);

describe.each(SECONDS)(
  "a transaction in two frames, of which the second names %s,",
  (_, second) => {
    test("changes both sides of the book", () => {
      const rig = openChainRig([PERP.book]);
      rig.say(PERP.book, [null, "10"], book([[99, 1]], [[101, 1]]));
      rig.say(PERP.book, ["10", "15"], book([[99, 2]], []));
      rig.say(PERP.book, second, book([], [[101, 3]]));
      rig.say(PERP.book, ["15", "16"], book([[98, 4]], []));
      expect(depth(rig)).toBe("99x2 98x4 | 101x3");
      expect(rig.takeTold()).toEqual([]);
      expect(rig.state(PERP.book)).toBe("live");
    });

    test("brings orders, then the balance", () => {
      const rig = openChainRig([ACCOUNT]);
      const all = { orders: [{ order_id: "1" }], balances: [{ asset: "USD", amount: "100" }] };
      rig.say(ACCOUNT, [null, "10"], all);
      rig.say(ACCOUNT, ["10", "15"], { orders: [{ order_id: "2" }] });
      rig.say(ACCOUNT, second, { balances: [{ asset: "USD", amount: "93" }] });
      expect(balances(rig)).toEqual(["93 USD"]);
      expect(orders(rig)).toEqual(["1", "2"]);
      expect(rig.takeTold()).toEqual([]);
    });

    test("brings all of its trades, in as many frames as there are", () => {
      const rig = openChainRig([PERP.trades]);
      rig.say(PERP.trades, [null, "10"], trades(1));
      rig.say(PERP.trades, ["10", "15"], trades(2));
      for (let id = 3; id < 600; id++) rig.say(PERP.trades, second, trades(id));
      expect(prices(rig)).toEqual(Array.from({ length: 599 }, (_, i) => `${i + 1}`));
      expect(rig.takeTold()).toEqual([]);
    });

    test("is folded once when each of its frames comes twice, and each repeat is noted", () => {
      const rig = openChainRig([PERP.trades]);
      rig.say(PERP.trades, [null, "10"], trades(1));
      const first = rig.say(PERP.trades, ["10", "15"], trades(2));
      rig.service.last.send(first);
      const last = rig.say(PERP.trades, second, trades(3));
      rig.service.last.send(first);
      rig.service.last.send(last);
      rig.say(PERP.trades, ["15", "16"], trades(4));
      rig.service.last.send(first);
      expect(prices(rig)).toEqual(["1", "2", "3", "4"]);
      expect(rig.takeLines().map(({ event, detail }) => `${event}: ${detail}`)).toEqual(
        Array(4).fill("repeat: update 15 was received before"),
      );
      expect(rig.feed(PERP.trades)).toMatchObject({ late: 4, gaps: 0 });
    });
  },
);

test("a frame of the sequence held that names neither it nor the one before is a gap", () => {
  const rig = openChainRig([PERP.trades]);
  rig.say(PERP.trades, [null, "10"], trades(1));
  rig.say(PERP.trades, ["10", "15"], trades(2));
  rig.say(PERP.trades, ["12", "15"], trades(3));
  expect(rig.takeTold()).toEqual(["gap", "resync"]);
  expect(rig.state(PERP.trades)).toBe("resync");
});

describe("a count that begins again", () => {
  test.each([null, "0", "1"])("is a gap at its first frame, which names %s", (previous) => {
    const rig = openChainRig([ACCOUNT]);
    rig.say(ACCOUNT, [null, "100"], { balances: [{ asset: "USD", amount: "100" }] });
    rig.say(ACCOUNT, [previous, "1"], { balances: [{ asset: "USD", amount: "93" }] });
    expect(rig.takeTold()).toEqual(["gap", "resync"]);
    rig.resubscribe(ACCOUNT);
    rig.say(ACCOUNT, [null, "1"], { balances: [{ asset: "USD", amount: "93" }] });
    rig.say(ACCOUNT, ["1", "2"], { balances: [{ asset: "USD", amount: "90" }] });
    expect(balances(rig)).toEqual(["90 USD"]);
    expect(rig.takeTold()).toEqual([]);
  });

  test("is a gap behind changes, too, with whatever time", () => {
    const rig = openChainRig([PERP.trades]);
    rig.say(PERP.trades, [null, "100"], trades(1), "5000");
    rig.say(PERP.trades, ["100", "101"], trades(2), "5001");
    rig.say(PERP.trades, ["0", "1"], trades(3), "4000");
    expect(rig.takeTold()).toEqual(["gap", "resync"]);
  });
});

test("the change that led to the snapshot of an account, and that comes behind it, changes nothing", () => {
  const rig = openChainRig([ACCOUNT]);
  const orderOf = (order_id: string, size: string) => ({ order_id, market_id: 1, size });
  const fill = { fill_id: "1", market_id: 1, size: "1", timestamp_ns: "1800000000000000000" };
  const data = () => rig.slice("account", ACCOUNT).data;
  rig.say(ACCOUNT, [null, "10"], {
    orders: [orderOf("1", "4"), orderOf("2", "5")],
    fills: [fill],
  });
  rig.say(ACCOUNT, ["9", "10"], { orders: [orderOf("1", "4")], fills: [fill] });
  expect(orders(rig)).toEqual(["1", "2"]);
  expect(data().lists.orders.inQuestion.size).toBe(0);
  expect(data().logs.fills.rows).toEqual([fill]);
  // What the snapshot has not listed is a part of it.
  rig.say(ACCOUNT, ["9", "10"], {
    orders: [orderOf("3", "6")],
    fills: [{ ...fill, fill_id: "2" }],
  });
  expect(orders(rig)).toEqual(["1", "2", "3"]);
  expect(data().logs.fills.total).toBe(2);
});

describe("a snapshot in two frames", () => {
  /** Sequences of its frames, and of the same after a new subscribe. */
  const FIRSTS: readonly (readonly [words: string, first: Numbers, second: Numbers])[] = [
    ["both name nothing", [null, "10"], [null, "10"]],
    ["both name the one before", ["9", "10"], ["9", "10"]],
    ["the second names the first", [null, "10"], ["10", "10"]],
    ["both name themselves", ["10", "10"], ["10", "10"]],
    ["the second names the one before", [null, "10"], ["9", "10"]],
  ];

  test.each(FIRSTS)("is the whole book where %s", (_, first, second) => {
    const rig = openChainRig([PERP.book]);
    for (let time = 0; time < 3; time++) {
      // The very same words each time: nothing has changed.
      rig.say(PERP.book, first, book("99:1 98:2", ""), "5000");
      rig.say(PERP.book, second, book("", "101:1 102:2"), "5000");
      expect(depth(rig)).toBe("99x1 98x2 | 101x1 102x2");
      expect(rig.takeTold()).toEqual([]);
      rig.live.stream.resync(PERP.book, "asked for");
      rig.takeTold();
      rig.resubscribe(PERP.book);
    }
  });

  test.each(FIRSTS)("is the whole account where %s", (_, first, second) => {
    const rig = openChainRig([ACCOUNT]);
    rig.say(ACCOUNT, first, {
      orders: [{ order_id: "1" }, { order_id: "2" }],
      balances: [{ asset: "USD", amount: "100" }],
    });
    rig.live.stream.resync(ACCOUNT, "asked for");
    rig.resubscribe(ACCOUNT);
    rig.say(ACCOUNT, first, { orders: [{ order_id: "2" }] });
    rig.say(ACCOUNT, second, { orders: [{ order_id: "3" }], balances: [] });
    expect(orders(rig)).toEqual(["2", "3"]);
    expect(balances(rig)).toEqual([]);
  });

  test.each(FIRSTS)(
    "has what has not changed since the one before where %s",
    (_, first, second) => {
      const rig = openChainRig([ACCOUNT]);
      for (let i = 0; i < 2; i++) {
        rig.say(ACCOUNT, first, { orders: [{ order_id: "1" }] });
        rig.say(ACCOUNT, second, { balances: [{ asset: "USD", amount: "100" }] });
        expect(balances(rig)).toEqual(["100 USD"]);
        expect(rig.slice("account", ACCOUNT).data.questions).toBe(0);
        if (i > 0) break;
        rig.live.stream.resync(ACCOUNT, "asked for");
        rig.resubscribe(ACCOUNT);
      }
    },
  );

  test.each(FIRSTS)("is all of the listed markets and rates where %s", (_, first, second) => {
    const rig = openChainRig(["markets", PERP.stats, PERP.funding, ACCOUNTS]);
    const markets = (...ids: number[]) =>
      ids.map((market_id) => ({ market_type: "perp", market_id }));
    const subaccount = { status: "active", created_at_ns: "1" };
    const subaccounts = (...ids: number[]) => ({
      subaccounts: ids.map((subaccount_id) => ({ subaccount_id, ...subaccount })),
      delegations: [],
    });
    rig.say("markets", first, { markets: markets(1, 2) });
    rig.say("markets", second, { markets: markets(3) });
    rig.say(PERP.stats, first, { market_stats: [{ a: 1 }, { a: 2 }] });
    rig.say(PERP.stats, second, { market_stats: [{ a: 3 }] });
    rig.say(PERP.funding, first, { funding_rates: [{ time: 1, rate: "1" }] });
    rig.say(PERP.funding, second, { funding_rates: [{ time: 2, rate: "1" }] });
    rig.say(ACCOUNTS, first, subaccounts(0, 1));
    rig.say(ACCOUNTS, second, subaccounts(2));
    expect(rig.slice("markets", "markets").data.records).toEqual(markets(1, 2, 3));
    expect(rig.slice("market-stats", PERP.stats).data.records).toHaveLength(3);
    expect(rig.slice("funding-rates", PERP.funding).data.rates).toHaveLength(2);
    expect(rig.slice("accounts", ACCOUNTS).data.subaccounts).toHaveLength(3);
  });

  test.each(FIRSTS)("is all of the trades received so far where %s", (_, first, second) => {
    const rig = openChainRig([PERP.trades]);
    rig.say(PERP.trades, first, trades(1, 2));
    rig.say(PERP.trades, second, trades(3));
    rig.say(PERP.trades, ["10", "11"], trades(4));
    expect(prices(rig)).toEqual(["1", "2", "3", "4"]);
  });
});

test("changes of before a first frame that come behind it are a gap once; then they change nothing, and are noted", () => {
  const rig = openChainRig([PERP.trades]);
  rig.say(PERP.trades, [null, "10"], trades(1, 2, 3), "5000");
  rig.say(PERP.trades, ["7", "8"], trades(2), "3000");
  expect(rig.takeTold()).toEqual(["gap", "resync"]);
  rig.resubscribe(PERP.trades);
  rig.say(PERP.trades, [null, "10"], trades(1, 2, 3), "6000");
  rig.say(PERP.trades, ["7", "8"], trades(2), "3000");
  rig.say(PERP.trades, ["8", "9"], trades(3), "5000");
  rig.say(PERP.trades, ["10", "11"], trades(4), "6000");
  expect(prices(rig)).toEqual(["1", "2", "3", "4"]);
  expect(rig.takeTold()).toEqual(["late", "late"]);
});

test("a service that sends more such changes each time is fetched anew only twice", () => {
  const rig = openChainRig([PERP.trades]);
  let sequence = 1000;
  for (let subscription = 0; subscription < 10; subscription++) {
    sequence += 20;
    rig.say(PERP.trades, [null, `${sequence}`], trades(1));
    // Stamped when they are sent, so that no time tells that they are old.
    for (let old = sequence - 15; old < sequence - 10; old++) {
      rig.say(PERP.trades, [`${old - 1}`, `${old}`], trades(1));
    }
    if (rig.state(PERP.trades) !== "resync") break;
    rig.resubscribe(PERP.trades);
  }
  expect(rig.feed(PERP.trades)?.resyncs).toBeLessThanOrEqual(2);
  expect(rig.state(PERP.trades)).toBe("live");
});
