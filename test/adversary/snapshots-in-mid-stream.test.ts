// A null `previous_sequence` may stand in any frame, and in all of them.
import { describe, expect, test } from "vitest";
import { selectLinkRows } from "../../src/screen/views/link.tsx";
import { ACCOUNT, ACCOUNTS, book, openChainRig, PERP, trades } from "../support/chain-rig.ts";

type Rig = ReturnType<typeof openChainRig>;

const orders = (...ids: number[]) => ({ orders: ids.map((id) => ({ order_id: `${id}` })) });
const markets = (...ids: number[]) => ids.map((market_id) => ({ market_type: "perp", market_id }));
const subaccounts = (...ids: number[]) => ({
  subaccounts: ids.map((subaccount_id) => ({
    subaccount_id,
    status: "active",
    created_at_ns: "1",
  })),
  delegations: [],
});
const heldOrders = ({ slice }: Rig) =>
  slice("account", ACCOUNT).data.lists.orders.rows.map(({ order_id }) => order_id);
const heldTrades = ({ slice }: Rig) =>
  slice("trades", PERP.trades)
    .data.recent()
    .map(({ price_ticks }) => Number(price_ticks))
    .reverse();

describe("a frame with a null previous, where others name the one before,", () => {
  test("is the whole account", () => {
    const rig = openChainRig([ACCOUNT]);
    rig.say(ACCOUNT, [null, "10"], orders(1, 2));
    rig.say(ACCOUNT, ["10", "11"], orders(3));
    rig.say(ACCOUNT, [null, "15"], orders(2, 4));
    expect(heldOrders(rig)).toEqual(["2", "4"]);
    rig.say(ACCOUNT, ["15", "16"], orders(5));
    expect(heldOrders(rig)).toEqual(["2", "4", "5"]);
    expect(rig.takeTold()).toEqual([]);
    expect(rig.state(ACCOUNT)).toBe("live");
  });

  test("is the whole list of markets, figures, rates and subaccounts", () => {
    const rig = openChainRig(["markets", PERP.stats, PERP.funding, ACCOUNTS]);
    const say = (numbers: readonly [string | null, string], ...ids: number[]) => {
      rig.say("markets", numbers, { markets: markets(...ids) });
      rig.say(PERP.stats, numbers, { market_stats: markets(...ids) });
      rig.say(PERP.funding, numbers, { funding_rates: ids.map((time) => ({ time, rate: "1" })) });
    };
    say([null, "10"], 1, 2, 3);
    say(["10", "11"], 4);
    say([null, "15"], 2, 4);
    rig.say(ACCOUNTS, [null, "10"], subaccounts(1, 2, 3));
    rig.say(ACCOUNTS, ["10", "11"], subaccounts(1, 2, 3, 4));
    rig.say(ACCOUNTS, [null, "15"], subaccounts(2, 4));
    expect(rig.slice("markets", "markets").data.records).toEqual(markets(2, 4));
    expect(rig.slice("market-stats", PERP.stats).data.records).toEqual(markets(2, 4));
    expect(rig.slice("funding-rates", PERP.funding).data.rates).toHaveLength(2);
    expect(rig.slice("accounts", ACCOUNTS).data.subaccounts).toHaveLength(2);
  });

  test("brings the last trades once more, and none of them twice", () => {
    const rig = openChainRig([PERP.trades]);
    rig.say(PERP.trades, [null, "10"], trades(1, 2));
    rig.say(PERP.trades, ["10", "11"], trades(3));
    rig.say(PERP.trades, [null, "15"], trades(2, 3, 4));
    rig.say(PERP.trades, ["15", "16"], trades(5));
    expect(heldTrades(rig)).toEqual([1, 2, 3, 4, 5]);
    expect(rig.slice("trades", PERP.trades).data.holes).toEqual([]);
  });

  test("also in two frames", () => {
    const rig = openChainRig([PERP.trades]);
    rig.say(PERP.trades, [null, "10"], trades(1, 2));
    rig.say(PERP.trades, ["10", "11"], trades(3, 4));
    rig.say(PERP.trades, [null, "15"], trades(5, 6));
    rig.say(PERP.trades, ["15", "15"], trades(2, 3, 4));
    expect(heldTrades(rig)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(rig.slice("trades", PERP.trades).data.holes).toEqual([]);
  });
});

describe("a null previous in every frame", () => {
  test("is found to say nothing after two resyncs; changes add to what is held", () => {
    const rig = openChainRig([ACCOUNT]);
    rig.say(ACCOUNT, [null, "10"], orders(1, 2));
    for (const id of [3, 4]) {
      rig.say(ACCOUNT, [null, `${10 + id}`], orders(id));
      expect(rig.state(ACCOUNT)).toBe("resync");
      rig.resubscribe(ACCOUNT);
      rig.say(
        ACCOUNT,
        [null, `${10 + id}`],
        orders(...Array.from({ length: id }, (_, i) => i + 1)),
      );
    }
    rig.say(ACCOUNT, [null, "20"], orders(5));
    rig.say(ACCOUNT, [null, "21"], orders(6));
    expect(heldOrders(rig)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(rig.takeTold()).toEqual(["resync", "resync", "numbering"]);
    const [row] = selectLinkRows(rig.store, rig.clock.now());
    expect(`${row?.previous}`).toContain("always null");
  });

  test("teaches nothing while it is not known what it says: a change is not taken for all there is", () => {
    const rig = openChainRig([ACCOUNT]);
    const order = (status: string) => ({ orders: [{ order_id: "1", size: "1", status }] });
    rig.say(ACCOUNT, [null, "10"], order("open"));
    rig.say(ACCOUNT, [null, "11"], order("deactivated"));
    for (let i = 0; i < 2; i++) {
      rig.resubscribe(ACCOUNT);
      rig.say(ACCOUNT, [null, `${12 + 2 * i}`], order("open"));
      rig.say(ACCOUNT, [null, `${13 + 2 * i}`], order("deactivated"));
    }
    const { rows, inQuestion } = rig.slice("account", ACCOUNT).data.lists.orders;
    expect(rows.filter((row) => !inQuestion.has(row))).toEqual([]);
  });

  test("is refuted by one frame that names another: what was added since is fetched anew", () => {
    const rig = openChainRig([PERP.trades]);
    rig.say(PERP.trades, [null, "10"], trades(1));
    for (const id of [2, 3]) {
      rig.say(PERP.trades, [null, `${10 + id}`], trades(id));
      rig.resubscribe(PERP.trades);
      rig.say(PERP.trades, [null, `${10 + id}`], trades(1, ...(id === 3 ? [2, 3] : [2])));
    }
    rig.say(PERP.trades, [null, "20"], trades(4));
    expect(heldTrades(rig)).toEqual([1, 2, 3, 4]);
    rig.takeTold();
    rig.say(PERP.trades, ["20", "21"], trades(5));
    expect(rig.takeTold()).toEqual(["numbering", "gap", "resync"]);
  });

  test("right behind a first frame without a number names that one, or begins anew: found out by two resyncs", () => {
    const rig = openChainRig([ACCOUNT]);
    const ids = [1, 2];
    rig.say(ACCOUNT, [null, null], orders(...ids));
    for (const id of [3, 4]) {
      rig.say(ACCOUNT, [null, `${id}`], orders(id));
      expect(rig.state(ACCOUNT)).toBe("resync");
      rig.resubscribe(ACCOUNT);
      ids.push(id);
      rig.say(ACCOUNT, [null, null], orders(...ids));
    }
    expect(rig.takeTold()).toEqual(["resync", "resync"]);
    rig.say(ACCOUNT, [null, "5"], orders(5));
    rig.say(ACCOUNT, ["5", "6"], orders(6));
    expect(heldOrders(rig)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(rig.takeTold()).toEqual([]);
  });

  test("behind later frames without a number names the newest of them", () => {
    const rig = openChainRig([ACCOUNT]);
    rig.say(ACCOUNT, [null, null], orders(1, 2));
    rig.say(ACCOUNT, [null, null], orders(3));
    rig.say(ACCOUNT, [null, "5"], orders(4));
    expect(heldOrders(rig)).toEqual(["1", "2", "3", "4"]);
    expect(rig.takeTold()).toEqual([]);
  });
});

/** Ten levels, of which the best bid has this size. */
const tenLevels = (size: number) =>
  book(
    [[99, size], ...[98, 97, 96, 95].map((price) => [price, 1] as const)],
    [101, 102, 103, 104, 105].map((price) => [price, 1] as const),
  );
const depth = (rig: Rig, channel: string) => rig.slice("orderbook", channel).data.depth();

describe("snapshots alone, in a stream that names the frame before only now and then,", () => {
  /** Snapshots with a null previous, until those are thought to say nothing, and some more. */
  function openBooks() {
    const rig = openChainRig([PERP.book, PERP.other]);
    const snapshot = (channel: string, sequence: number) =>
      rig.say(channel, [null, `${sequence}`], tenLevels(sequence));
    for (const channel of [PERP.book, PERP.other]) snapshot(channel, 10);
    for (const sequence of [11, 12]) {
      snapshot(PERP.book, sequence);
      rig.resubscribe(PERP.book);
      snapshot(PERP.book, sequence);
    }
    for (let sequence = 20; sequence < 26; sequence++)
      for (const channel of [PERP.book, PERP.other]) snapshot(channel, sequence);
    expect([PERP.book, PERP.other].map(rig.state)).toEqual(["live", "live"]);
    rig.takeTold();
    return rig;
  }

  test("do not make a whole book of the first change that comes", () => {
    const rig = openBooks();
    const change = book([[99, 7]], []);
    rig.say(PERP.book, ["25", "26"], change);
    rig.say(PERP.book, [null, "26"], tenLevels(7));
    rig.say(PERP.book, ["26", "27"], book([[99, 8]], []));
    expect(rig.state(PERP.book)).toBe("resync");
    expect(rig.feed(PERP.book)).toMatchObject({ gaps: 1, resyncs: 3 });
    rig.resubscribe(PERP.book);
    rig.say(PERP.book, ["27", "27"], tenLevels(8));
    rig.say(PERP.book, ["27", "28"], book([[99, 9]], []));
    expect(rig.state(PERP.book)).toBe("live");
    expect(depth(rig, PERP.book)).toEqual(tenLevels(9).orderbook);
  });

  test("leave no other channel of the kind with what was concluded from them", () => {
    const rig = openBooks();
    rig.say(PERP.book, ["25", "26"], book([[99, 7]], []));
    expect(rig.state(PERP.other)).toBe("resync");
    rig.resubscribe(PERP.other);
    rig.say(PERP.other, [null, "27"], tenLevels(8));
    rig.say(PERP.other, ["27", "28"], book([[99, 9]], []));
    expect(rig.state(PERP.other)).toBe("live");
    expect(depth(rig, PERP.other)).toEqual(tenLevels(9).orderbook);
  });

  test("do not make the rows that changed to all rows of an account", () => {
    const rig = openChainRig([ACCOUNT]);
    // One order ends and one is opened each time.
    const all = (newest: number) => orders(newest - 2, newest - 1, newest);
    rig.say(ACCOUNT, [null, "10"], all(10));
    for (const sequence of [11, 12]) {
      rig.say(ACCOUNT, [null, `${sequence}`], all(sequence));
      rig.resubscribe(ACCOUNT);
      rig.say(ACCOUNT, [null, `${sequence}`], all(sequence));
    }
    for (let sequence = 13; sequence < 40; sequence++) {
      rig.say(ACCOUNT, [null, `${sequence}`], all(sequence));
      if (sequence % 5 > 0) continue;
      rig.live.stream.resync(ACCOUNT, "asked for");
      rig.resubscribe(ACCOUNT);
      rig.say(ACCOUNT, [null, `${sequence}`], all(sequence));
    }
    expect(rig.slice("account", ACCOUNT).data.lists.orders.interpretation).toBe("whole");
    rig.say(ACCOUNT, ["39", "40"], orders(40));
    expect(rig.state(ACCOUNT)).toBe("resync");
    rig.resubscribe(ACCOUNT);
    rig.say(ACCOUNT, [null, "40"], orders(37, 38, 39, 40));
    rig.say(ACCOUNT, ["40", "41"], orders(41));
    expect(rig.state(ACCOUNT)).toBe("live");
    expect(heldOrders(rig)).toEqual(["37", "38", "39", "40", "41"]);
  });
});

/** A book of which no frame has a number. */
function openBook(first = tenLevels(1)) {
  const rig = openChainRig([PERP.book]);
  const say = (payload: ReturnType<typeof book>) => rig.say(PERP.book, [null, null], payload);
  say(first);
  return {
    rig,
    say,
    isOpen: () => rig.slice("orderbook", PERP.book).data.isOpen,
    depth: () => depth(rig, PERP.book),
  };
}
const change = (price: number, size: number) => book([[price, size]], []);

describe("snapshots and changes of which none names another", () => {
  test("are each taken for what they look like, and the book says from then on that this is assumed", () => {
    const { say, isOpen, depth } = openBook();
    for (let size = 2; size < 8; size++) say(tenLevels(size));
    expect(isOpen()).toBe(false);
    say(change(99, 8));
    expect(isOpen()).toBe(true);
    expect(depth()).toEqual(tenLevels(8).orderbook);
    say(change(100, 1));
    say(tenLevels(9));
    expect(depth()).toEqual(tenLevels(9).orderbook);
    expect(isOpen()).toBe(true);
  });

  test("also where all were changes until then", () => {
    const { say, isOpen, depth } = openBook();
    for (let size = 2; size < 12; size++) say(change(99, size));
    expect(isOpen()).toBe(false);
    say(change(100, 1));
    say(tenLevels(12));
    expect(depth()).toEqual(tenLevels(12).orderbook);
    expect(isOpen()).toBe(true);
  });

  test("leave it open whether the book is empty, until another frame shows it", () => {
    const { say, isOpen, depth } = openBook();
    for (let size = 2; size < 8; size++) say(tenLevels(size));
    say(book([], []));
    expect(isOpen()).toBe(true);
    say(tenLevels(8));
    expect(depth().bids[0]?.size_base_lots).toBe("8");
    expect(isOpen()).toBe(true);
    say(change(99, 9));
    expect(depth()).toEqual(tenLevels(9).orderbook);
  });
});

describe("a book of which no frame names another is only assumed", () => {
  test("where some frames have looked like changes before it was decided that all are the book", () => {
    const { say, isOpen, depth } = openBook();
    say(change(95, 0));
    for (let size = 2; size < 12; size++) say(tenLevels(size));
    expect(isOpen()).toBe(true);
    say(change(99, 12));
    expect(isOpen()).toBe(true);
    expect(depth()).toEqual(tenLevels(12).orderbook);
  });

  test.each([
    [
      "changes come to so few levels that a snapshot looks like one",
      "99:1 98:1 97:1",
      "99:1",
      "101:1",
    ],
    ["in a snapshot of so few levels every one has changed", "99:1 97:1", "97:2", "101:2"],
  ])("where %s", (_, bids, newBids, newAsks) => {
    const { say, isOpen } = openBook(book(bids, "101:1"));
    for (let size = 2; size < 16; size++) say(change(98, size % 2));
    say(change(97, 0));
    expect(isOpen()).toBe(false);
    say(book(newBids, newAsks));
    expect(isOpen()).toBe(true);
  });

  test("where so small a book may be a single level, until one that this would not hold is removed", () => {
    const { rig, say, isOpen, depth } = openBook(book("99:1 97:1", "101:1"));
    for (let size = 2; size < 16; size++) say(change(98, size % 2));
    expect(isOpen()).toBe(true);
    say(change(97, 0));
    expect(isOpen()).toBe(false);
    say(change(98, 3));
    expect(isOpen()).toBe(true);
    rig.clock.advance(1000);
    say(book([], [[101, 0]]));
    expect(isOpen()).toBe(false);
    expect(depth()).toEqual(book("99:1 98:3", "").orderbook);
  });

  test("where one of the first frames may have been all there is, whatever comes after it", () => {
    const { say, isOpen } = openBook(book("99:1", "101:1 103:1 105:1"));
    say(book([], [[106, 1]]));
    say(book("99:1", "101:1 105:2"));
    for (let size = 2; size < 16; size++) {
      say(change(98, size % 2));
      expect(isOpen()).toBe(true);
    }
  });

  test("where a snapshot comes behind a change, as a part of its transaction", () => {
    const rig = openChainRig([PERP.book]);
    const say = (sequence: number, payload: ReturnType<typeof book>) =>
      rig.say(PERP.book, [null, `${sequence}`], payload);
    say(10, tenLevels(1));
    for (const sequence of [11, 12]) {
      say(sequence, change(99, sequence));
      rig.resubscribe(PERP.book);
      say(sequence, tenLevels(1));
    }
    say(13, change(99, 3));
    say(13, tenLevels(1));
    for (let sequence = 14; sequence < 40; sequence++) say(sequence, change(95, sequence % 2));
    expect(rig.state(PERP.book)).toBe("live");
    expect(rig.slice("orderbook", PERP.book).data.isOpen).toBe(true);
  });

  test("where nothing of a small book came again", () => {
    const { say, isOpen } = openBook();
    for (let size = 2; size < 8; size++) say(tenLevels(size));
    const { bids, asks } = tenLevels(8).orderbook;
    for (const count of [3, 2])
      say({ orderbook: { bids: bids.slice(0, count), asks: asks.slice(0, count) } });
    expect(isOpen()).toBe(false);
    say(book([[99, 9]], [[102, 2]]));
    expect(isOpen()).toBe(true);
  });
});

describe("accounts of which no frame names another", () => {
  const leverages = (...all: number[]) => ({
    leverages: all.map((leverage, i) => ({ market_id: i + 1, leverage })),
  });
  const sizes = leverages(5);
  const payment = (id: number) => ({ payment_id: `${id}`, amount: "1", timestamp_ns: `${id}` });
  const payments = (...ids: number[]) => ({ funding_payments: ids.map(payment) });
  const named = (rig: Rig, list: "orders" | "leverages") => {
    const { rows, inQuestion } = rig.slice("account", ACCOUNT).data.lists[list];
    return rows.filter((row) => !inQuestion.has(row));
  };

  /** Numbered frames, each of which is all there is: so many that null is thought to say nothing. */
  function openAccount() {
    const rig = openChainRig([ACCOUNT]);
    const all = { ...orders(1, 2), ...sizes, ...payments(1, 2) };
    rig.say(ACCOUNT, [null, "10"], all);
    for (const sequence of ["11", "12"]) {
      rig.say(ACCOUNT, [null, sequence], all);
      rig.resubscribe(ACCOUNT);
      rig.say(ACCOUNT, [null, sequence], all);
    }
    rig.say(ACCOUNT, [null, "13"], all);
    expect(rig.state(ACCOUNT)).toBe("live");
    return rig;
  }

  test("say of what a frame leaves out that it is not known, where a list comes again with nothing changed", () => {
    const rig = openAccount();
    expect(named(rig, "orders")).toHaveLength(2);
    rig.say(ACCOUNT, [null, "14"], sizes);
    expect(heldOrders(rig)).toEqual(["1", "2"]);
    expect(named(rig, "orders")).toEqual([]);
    rig.say(ACCOUNT, [null, "15"], { ...orders(2), ...sizes });
    expect(named(rig, "orders")).toEqual(orders(2).orders);
  });

  test("say so as well where the rest of what comes again is from before the subscription", () => {
    const rig = openChainRig([ACCOUNT]);
    const say = (payload: object) => rig.say(ACCOUNT, [null, null], payload);
    say({ ...orders(1), ...leverages(5, 5) });
    rig.live.stream.resync(ACCOUNT, "asked for");
    rig.resubscribe(ACCOUNT);
    for (const payload of [{ account: {} }, leverages(6), orders(1)]) say(payload);
    expect(named(rig, "orders")).toHaveLength(1);
    say(leverages(6, 5));
    expect(named(rig, "orders")).toEqual([]);
  });

  test("lose no row by a change, however many frames were all there is", () => {
    const rig = openAccount();
    for (let sequence = 14; sequence < 60; sequence++)
      rig.say(ACCOUNT, [null, `${sequence}`], { ...orders(sequence - 1, sequence), ...sizes });
    rig.say(ACCOUNT, [null, "60"], orders(60));
    expect(heldOrders(rig)).toEqual(expect.arrayContaining(["58", "59", "60"]));
    expect(named(rig, "orders")).toEqual(orders(60).orders);
  });

  test("say so as well where something has changed in every list, once a frame was all there is", () => {
    const rig = openAccount();
    rig.say(ACCOUNT, [null, "14"], { ...orders(1, 2), ...leverages(5, 5) });
    expect(named(rig, "orders")).toHaveLength(2);
    rig.say(ACCOUNT, [null, "15"], leverages(5, 6));
    expect(named(rig, "orders")).toEqual([]);
    // What left out the others says nothing of them when they come again.
    rig.say(ACCOUNT, [null, "16"], orders(1, 2));
    expect(named(rig, "leverages")).toEqual([]);
    rig.say(ACCOUNT, [null, "17"], leverages(5, 6));
    expect(named(rig, "orders")).toEqual([]);
    expect(rig.slice("account", ACCOUNT).data.lists.orders.isOld).toBe(false);
  });

  describe("whose fills have no id of their own", () => {
    const fill = (second: number) => ({
      price: "9",
      size: "1",
      timestamp_ns: `${second}000000000`,
    });
    const fills = (...seconds: number[]) => ({ fills: seconds.map(fill) });
    const log = (rig: Rig) => rig.slice("account", ACCOUNT).data.logs.fills;

    test("mark a fill that equals the newest, however often nothing was repeated", () => {
      const rig = openAccount();
      for (let second = 1; second < 30; second++)
        rig.say(ACCOUNT, [null, `${13 + second}`], fills(second));
      expect(log(rig).inQuestion.size).toBe(0);
      rig.say(ACCOUNT, [null, "50"], fills(29));
      expect(log(rig).rows).toHaveLength(30);
      expect(log(rig).inQuestion.size).toBe(2);
    });

    test("lose no twin by a frame that lists the newest again, and mark none that it counts", () => {
      const rig = openAccount();
      rig.say(ACCOUNT, [null, "14"], fills(1));
      rig.say(ACCOUNT, [null, "15"], fills(2));
      rig.say(ACCOUNT, [null, "16"], fills(2, 3));
      rig.say(ACCOUNT, [null, "17"], fills(4));
      rig.say(ACCOUNT, [null, "18"], fills(3, 4, 5));
      expect(log(rig).rows).toEqual([5, 4, 3, 2, 2, 1].map(fill));
      expect(log(rig).inQuestion.size).toBe(2);
      rig.say(ACCOUNT, [null, "19"], fills(1, 2, 2, 3, 4, 5));
      expect(log(rig).rows).toEqual([5, 4, 3, 2, 2, 1].map(fill));
      expect(log(rig).inQuestion.size).toBe(0);
      rig.say(ACCOUNT, [null, "20"], fills(5));
      rig.say(ACCOUNT, [null, "21"], { ...orders(1), ...fills(4, 5, 6) });
      expect(log(rig).rows).toEqual([6, 5, 4, 3, 2, 2, 1].map(fill));
    });
  });

  test("hold once what a frame of all there is lists again, also behind the change of the same number", () => {
    const rig = openAccount();
    const ids = () =>
      rig.slice("account", ACCOUNT).data.logs.funding_payments.rows.map((row) => row.payment_id);
    rig.say(ACCOUNT, [null, "14"], payments(3));
    rig.say(ACCOUNT, [null, "14"], { ...orders(1, 2), ...sizes, ...payments(2, 3) });
    rig.say(ACCOUNT, [null, "15"], { ...orders(1, 2), ...sizes, ...payments(3, 4) });
    expect(ids()).toEqual(["4", "3", "2", "1"]);
  });
});
