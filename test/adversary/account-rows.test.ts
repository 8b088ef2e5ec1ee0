// Accounts of services that the document allows, by what tells their rows apart: two rows never become one, one never
// becomes two, unless the row says that it is in question.
import { describe, expect, test } from "vitest";
import { AccountState } from "../../src/state/account.ts";
import { Aliases } from "../../src/state/aliases.ts";
import type { AccountUpdate } from "../../src/wire/channels/account.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

type Payload = Partial<Record<keyof AccountUpdate, unknown>>;

/** An account as one service tells of it. */
class AccountRig {
  readonly state = new AccountState(new Aliases());
  #atMs = 0;

  first(payload: Payload): this {
    this.state.update(payload as AccountUpdate, true, this.#atMs++);
    return this;
  }

  part(payload: Payload): this {
    this.state.update(payload as AccountUpdate, true, this.#atMs++, true);
    return this;
  }

  later(payload: Payload): this {
    this.state.update(payload as AccountUpdate, false, this.#atMs++);
    return this;
  }

  audit(payload: Payload) {
    return this.state.audit(payload as AccountUpdate);
  }

  rows(list: "orders" | "positions" | "balances" | "leverages"): readonly OpenRecord[] {
    return this.state.lists[list].rows;
  }

  asked(list: "orders" | "positions" | "balances" | "leverages"): readonly OpenRecord[] {
    return [...this.state.lists[list].inQuestion];
  }

  /** Rows in question, but for those that the newest list has left out. */
  doubted(list: "orders" | "positions" | "balances" | "leverages"): readonly OpenRecord[] {
    const { inQuestion, unnamed } = this.state.lists[list];
    return [...inQuestion].filter((row) => !unnamed.has(row));
  }

  unnamed(list: "orders" | "positions" | "balances" | "leverages"): readonly OpenRecord[] {
    const { inQuestion, unnamed } = this.state.lists[list];
    return [...unnamed].filter((row) => inQuestion.has(row));
  }
}

describe("balances", () => {
  test.each([["amt", "ccy"] as const, ["ccy", "amt"] as const])(
    "of fields %s, %s are kept apart by what they are of",
    (a, b) => {
      const row = (ccy: string, amt: string) => {
        const fields: OpenRecord = { ccy, amt };
        return { [a]: fields[a], [b]: fields[b] };
      };
      const rig = new AccountRig().first({ balances: [row("USDC", "100.5"), row("BTC", "2")] });
      for (let i = 0; i < 13; i++) rig.later({ balances: [row("USDC", `${90 - i}.25`)] });
      rig.later({ balances: [row("BTC", "3")] });
      expect(rig.rows("balances")).toEqual([row("USDC", "78.25"), row("BTC", "3")]);
      expect(rig.doubted("balances")).toEqual([]);
    },
  );

  test("in words that nobody knows are kept apart by the word, not by the amount", () => {
    const rig = new AccountRig().first({
      balances: [
        { menge: "1.5", muenze: "USDC" },
        { menge: "7", muenze: "BTC" },
      ],
    });
    for (let i = 1; i < 9; i++) rig.later({ balances: [{ menge: `${i}`, muenze: "USDC" }] });
    expect(rig.rows("balances")).toHaveLength(2);
  });

  test("of one asset in two isolated margins are two", () => {
    const row = (margin_id: number, amount: string) => ({ asset: "USDC", margin_id, amount });
    const rig = new AccountRig().first({ balances: [row(1, "5"), row(2, "7")] });
    rig.later({ balances: [row(2, "8")] }).later({ balances: [row(1, "4")] });
    expect(rig.rows("balances")).toEqual([row(1, "4"), row(2, "8")]);
    expect(rig.doubted("balances")).toEqual([]);
  });

  test("of an asset that goes to a second margin later are kept apart, and in question", () => {
    const row = (bucket: string, amount: string) => ({ asset: "USDC", bucket, amount });
    const rig = new AccountRig().first({ balances: [row("cross", "5")] });
    rig.later({ balances: [row("isolated", "2")] });
    expect(rig.rows("balances")).toEqual([row("cross", "5"), row("isolated", "2")]);
    expect(rig.asked("balances")).toHaveLength(2);
    rig.audit({ balances: [row("cross", "5"), row("isolated", "2")] });
    expect(rig.doubted("balances")).toEqual([]);
    rig.later({ balances: [row("isolated", "3")] }).later({ balances: [row("cross", "9")] });
    expect(rig.doubted("balances")).toEqual([]);
  });
});

describe("orders", () => {
  const order = (market_id: number, order_id: unknown, more: OpenRecord = {}) => ({
    market_type: "perp",
    market_id,
    order_id,
    side: "buy",
    price: "100.5",
    size: "3",
    status: "open",
    ...more,
  });

  test("that nothing tells apart do not show that a list has left out one of them", () => {
    const sell = (price: string, size: string) => ({
      market_type: "perp",
      market_id: 1,
      side: "sell",
      price,
      size,
      status: "open",
    });
    // Neither the price nor the size is another one in each of them.
    const [a, b, c, d] = [
      sell("10.5", "1"),
      sell("10.5", "2"),
      sell("11.5", "1"),
      sell("11.5", "2"),
    ];
    const rig = new AccountRig().first({ orders: [a, b, c] }).later({ orders: [a, b, c, d] });
    rig.audit({ orders: [a, b, c, d] });
    expect(rig.state.lists.orders.isDecided).toBe(false);
    rig.later({ orders: [a, b] });
    expect(rig.rows("orders").filter((row) => !rig.asked("orders").includes(row))).toEqual([]);
  });

  test("without ids that a snapshot holds at the places of others do not show that lists leave out what is there", () => {
    const sell = (market_id: number, price: string, size: string) => ({
      market_type: "perp",
      market_id,
      side: "sell",
      price,
      size,
      status: "open",
    });
    const rig = new AccountRig().first({ orders: [1, 2, 3].map((at) => sell(at, "10.5", "1")) });
    rig.later({ orders: [sell(4, "7.5", "1")] });
    const others = [1, 2, 3].map((at) => sell(at, "11", "2"));
    rig.first({ orders: [...others, sell(4, "7.5", "1")] });
    expect(rig.state.lists.orders.isDecided).toBe(false);
    rig.later({ orders: [sell(4, "7.5", "3")] });
    expect(rig.asked("orders")).toEqual(expect.arrayContaining(others));
  });

  test("with ids per market are kept apart by both", () => {
    const rig = new AccountRig().first({ orders: [order(1, 1), order(2, 2)] });
    rig.later({ orders: [order(2, 1, { price: "7.25" })] });
    rig.later({ orders: [order(1, 1, { status: "canceled" })] });
    expect(rig.rows("orders")).toEqual([order(2, 2), order(2, 1, { price: "7.25" })]);
  });

  test("with ids per market type, too", () => {
    const rig = new AccountRig().first({ orders: [order(1, 1)] });
    rig.later({ orders: [order(1, 1, { market_type: "spot" })] });
    expect(rig.rows("orders")).toHaveLength(2);
  });

  test("in nested fields are kept apart by them", () => {
    const row = (market: number, id: number, size: string) => ({
      order: { id, client_id: `c${id}` },
      market: { type: "perp", id: market },
      size,
    });
    const rig = new AccountRig().first({ orders: [row(1, 1, "5"), row(2, 1, "5")] });
    rig.later({ orders: [row(2, 1, "4.5")] });
    expect(rig.rows("orders")).toEqual([row(1, 1, "5"), row(2, 1, "4.5")]);
    expect(rig.state.lists.orders.key).toBe("market.type/market.id/order.id");
  });

  test("whose ids are numbers, then others that are texts, are kept apart", () => {
    const rig = new AccountRig().first({ orders: [order(1, 7), order(1, 8)] });
    rig.later({ orders: [order(1, "o-9")] }).later({ orders: [order(1, 7, { size: "2" })] });
    expect(rig.rows("orders")).toEqual([order(1, 7, { size: "2" }), order(1, 8), order(1, "o-9")]);
    expect(rig.doubted("orders")).toEqual([]);
  });

  test("whose ids are a number and a text of its digits are one or two: in question until that is seen", () => {
    const rig = new AccountRig().first({ orders: [order(1, 7), order(1, 8)] });
    rig.later({ orders: [order(1, "7", { size: "2" })] });
    expect(rig.asked("orders")).toEqual(
      expect.arrayContaining([order(1, 7), order(1, "7", { size: "2" })]),
    );
    const one = { orders: [order(1, "7", { size: "2" }), order(1, 8)] };
    rig.audit(one);
    rig.audit(one);
    expect(rig.rows("orders")).toEqual(one.orders);
    rig.later({ orders: [order(1, "8", { size: "1" })] });
    expect(rig.rows("orders")).toEqual([
      order(1, "7", { size: "2" }),
      order(1, "8", { size: "1" }),
    ]);
    // The number was an order of before: that it is over, and that it began as a text in the same frame, is not known.
    const again = { orders: [order(1, "7", { price: "9" }), order(1, 7, { status: "filled" })] };
    rig.later({ orders: [order(1, 7)] });
    rig.later(again);
    expect(rig.rows("orders")).toHaveLength(2);
    expect(rig.doubted("orders")).toEqual([order(1, "7", { price: "9" })]);
    const two = new AccountRig().first({ orders: [order(1, 7), order(1, "7")] });
    two.later({ orders: [order(1, "7", { size: "2" })] });
    expect(two.rows("orders")).toEqual([order(1, 7), order(1, "7", { size: "2" })]);
    expect(two.doubted("orders")).toEqual([]);
  });

  test("whose ids are a number and a text of its digits, and that differ in more, are two, although one ends without a word", () => {
    const other = order(1, "7", { size: "2", price: "90.5" });
    const rig = new AccountRig().first({ orders: [order(1, 8)] });
    rig.later({ orders: [order(1, 7)] }).later({ orders: [other] });
    rig.audit({ orders: [order(1, 8), other] });
    rig.audit({ orders: [order(1, 8), other] });
    expect(rig.rows("orders")).toEqual([order(1, 8), other]);
    rig.later({ orders: [order(1, 7, { size: "5" })] });
    expect(rig.rows("orders")).toEqual([order(1, 8), other, order(1, 7, { size: "5" })]);
  });

  test("whose ids are within another object are two where one is a number and one a text of its digits", () => {
    const nested = (id: number | string, size = "1") => ({
      order: { id },
      market: { type: "perp", id: 1 },
      side: "buy",
      price: "10.5",
      size,
    });
    const rig = new AccountRig().first({ orders: [nested(7), nested("7")] });
    rig.later({ orders: [nested("7", "2")] });
    expect(rig.rows("orders")).toEqual([nested(7), nested("7", "2")]);
    expect(rig.doubted("orders")).toEqual([]);
  });

  test("without names: where one of two in a frame is over, the other may stand, and is in question", () => {
    const row = (size: string, status: string) => ({
      market_type: "perp",
      market_id: 1,
      side: "sell",
      price: "10.135",
      size,
      status,
    });
    const rig = new AccountRig().first({ orders: [row("3", "open")] });
    rig.later({ orders: [row("1", "open"), row("3", "failed")] });
    expect(rig.rows("orders")).toEqual([row("1", "open")]);
    expect(rig.asked("orders")).toEqual([row("1", "open")]);
  });

  test("of size 0 that lists have left out teach nothing of size 0 when they are over", () => {
    const row = (id: number, size: string) => ({
      oid: id,
      symbol: "BTC-PERP",
      side: "buy",
      px: "10.5",
      sz: size,
    });
    const rig = new AccountRig().first({ orders: [row(1, "5"), row(2, "4")] });
    rig.later({ orders: [row(1, "5"), row(2, "4"), row(3, "0")] });
    rig.later({ orders: [row(1, "5"), row(2, "3")] });
    for (const _ of [1, 2]) rig.audit({ orders: [row(1, "5"), row(2, "3")] });
    rig.later({ orders: [row(1, "5"), row(2, "3"), row(4, "0")] });
    expect(rig.rows("orders")).toEqual([row(1, "5"), row(2, "3"), row(4, "0")]);
  });

  test("of size 0 under the number of an order that lists have left out are others, and in question", () => {
    const row = (id: number, size: string, more: OpenRecord = {}) => ({
      oid: id,
      symbol: "BTC-PERP",
      side: "buy",
      px: `10.${5 + id}`,
      sz: size,
      ...more,
    });
    const rig = new AccountRig().first({ orders: [row(1, "5"), row(2, "4")] });
    rig.later({ orders: [row(2, "4")] });
    const stop = row(1, "0", { px: "11.95", type: "stop", trigger: "12.5" });
    rig.later({ orders: [stop, row(2, "4")] });
    expect(rig.rows("orders")).toContainEqual(stop);
    expect(rig.asked("orders")).toContainEqual(stop);
    rig.later({ orders: [row(2, "0")] });
    expect(rig.rows("orders")).not.toContainEqual(expect.objectContaining({ oid: 2 }));
  });

  test("of size 0 stand as long as a flag says so, whatever size 0 has meant without one", () => {
    const stop = (id: number, flags: object) => ({
      order_id: `${id}`,
      market_type: "perp",
      market_id: 1,
      side: "buy",
      price: "10.5",
      size: "0",
      type: "stop",
      ...flags,
    });
    const rig = new AccountRig().first({ orders: [stop(1, {}), stop(2, {})] });
    rig.later({ orders: [stop(3, {})] });
    for (const _ of [1, 2]) rig.audit({ orders: [stop(1, {}), stop(2, {})] });
    expect(rig.rows("orders")).toHaveLength(2);
    rig.later({ orders: [stop(4, { active: true })] });
    expect(rig.rows("orders")).toContainEqual(stop(4, { active: true }));
    rig.later({ orders: [stop(4, { active: false })] });
    expect(rig.rows("orders")).toHaveLength(2);
  });

  test("whose only id is that of the market are kept apart, and in question", () => {
    const row = (id: number, price: string) => ({ id, price, qty: "1.5", buy: true });
    const rig = new AccountRig().first({ orders: [row(3, "10.5")] });
    rig.later({ orders: [row(3, "11.5")] });
    const { inQuestion, rows } = rig.state.lists.orders;
    expect(rows.every((each) => inQuestion.has(each))).toBe(true);
  });

  test("without any name are in question as soon as one changes", () => {
    const row = (px: string, n: number) => ({ mkt: 3, px, n });
    const rig = new AccountRig().first({ orders: [row("1.5", 5), row("2.5", 5)] });
    expect(rig.doubted("orders")).toEqual([]);
    rig.later({ orders: [row("2.5", 4)] });
    expect(rig.asked("orders").length).toBeGreaterThan(0);
  });

  test("of size 0 stand while their status does not say otherwise", () => {
    const stop = (id: number, status: string) => order(1, id, { size: "0", type: "stop", status });
    const rig = new AccountRig().first({
      orders: [stop(1, "untriggered"), stop(2, "untriggered")],
    });
    rig.later({ orders: [stop(3, "open")] }).later({ orders: [stop(1, "voided")] });
    expect(rig.rows("orders")).toEqual([stop(2, "untriggered"), stop(3, "open")]);
  });

  test("of size 0 without a status stand in a snapshot", () => {
    const stop = { order_id: 1, market_id: 1, size: "0", trigger: "5.5" };
    expect(new AccountRig().first({ orders: [stop] }).rows("orders")).toEqual([stop]);
  });

  test.each(["marginCanceled", "user_cancelled", "void", "killed", "settled", "FullyFilled"])(
    "end with the word %s",
    (status) => {
      const rig = new AccountRig().first({ orders: [order(1, 1), order(1, 2)] });
      rig.later({ orders: [order(1, 1, { status })] });
      expect(rig.rows("orders")).toEqual([order(1, 2)]);
    },
  );

  test("whose word may be either are in question", () => {
    const rig = new AccountRig().first({ orders: [order(1, 1)] });
    rig.later({ orders: [order(1, 1, { status: "best_effort_canceled" })] });
    expect(rig.asked("orders")).toHaveLength(1);
  });

  test("lose a flag that a whole row leaves out, once such a row has repeated it", () => {
    const flagged = (size: string) => order(1, 2, { reduce_only: true, size });
    const rig = new AccountRig().first({ orders: [order(1, 1), flagged("4")] });
    rig.later({ orders: [flagged("3")] });
    rig.later({ orders: [order(1, 2, { size: "2" })] });
    expect(rig.rows("orders")[1]).toEqual(order(1, 2, { size: "2" }));
    expect(rig.doubted("orders")).toEqual([]);
  });

  test.each([[[order(1, 1)]], [[]]])(
    "lose a flag that a whole row leaves out, and are in question where none has repeated it, beside %j",
    (others) => {
      const rig = new AccountRig().first({
        orders: [...others, order(1, 2, { reduce_only: true })],
      });
      rig.later({ orders: [order(1, 2, { size: "2" })] });
      expect(rig.rows("orders").at(-1)).toEqual(order(1, 2, { size: "2" }));
      expect(rig.doubted("orders")).toHaveLength(1);
    },
  );

  test("keep a flag that a part of a row leaves out", () => {
    const rig = new AccountRig().first({
      orders: [order(1, 1), order(1, 2, { reduce_only: true })],
    });
    rig.later({ orders: [{ market_type: "perp", market_id: 1, order_id: 2, size: "1" }] });
    expect(rig.rows("orders")[1]).toEqual(order(1, 2, { reduce_only: true, size: "1" }));
  });

  test("of which a part leaves out even the market are found", () => {
    const rig = new AccountRig().first({ orders: [order(1, 1), order(2, 2)] });
    rig.later({ orders: [{ order_id: 2, size: "1" }] });
    expect(rig.rows("orders")).toEqual([order(1, 1), order(2, 2, { size: "1" })]);
    rig.later({ orders: [{ order_id: 1, status: "filled" }] });
    expect(rig.rows("orders")).toEqual([order(2, 2, { size: "1" })]);
  });
});

describe("positions", () => {
  const position = (market_id: number, more: OpenRecord = {}) => ({
    market_type: "perp",
    market_id,
    size: "1.5",
    entry_price: "60123.5",
    ...more,
  });
  const long = position(1, { side: "long" });
  const short = position(1, { side: "short", size: "2.5" });

  test("long and short of one market are two", () => {
    const rig = new AccountRig().first({ positions: [long, short] });
    rig.later({ positions: [{ ...short, size: "9.5" }] });
    expect(rig.rows("positions")).toEqual([long, { ...short, size: "9.5" }]);
    expect(rig.doubted("positions")).toEqual([]);
  });

  test("that turn from long to short are one or two: in question until audits say which", () => {
    const rig = new AccountRig().first({ positions: [long] }).later({ positions: [short] });
    expect(rig.rows("positions")).toEqual([long, short]);
    expect(rig.asked("positions")).toEqual([long, short]);
    expect(rig.audit({ positions: [short] }).differences).toHaveLength(1);
    expect(rig.rows("positions")).toEqual([long, short]);
    expect(rig.audit({ positions: [short] }).changed).toContain("distinguished by");
    expect(rig.rows("positions")).toEqual([short]);
    expect(rig.doubted("positions")).toEqual([]);
    rig.later({ positions: [long] });
    expect(rig.rows("positions")).toEqual([long]);
    expect(rig.doubted("positions")).toEqual([]);
  });

  test("that turn are held as closed and opened: one", () => {
    const rig = new AccountRig().first({ positions: [long] });
    rig.later({ positions: [{ ...long, size: "0" }, short] });
    expect(rig.rows("positions")).toEqual([short]);
    expect(rig.doubted("positions")).toEqual([]);
  });

  test("end with a size of zero, whatever side such a row names", () => {
    for (const side of ["flat", "none", "", null, "long"]) {
      const rig = new AccountRig().first({ positions: [long, position(2, { side: "long" })] });
      rig.later({ positions: [{ ...long, side, size: "0" }] });
      expect(rig.rows("positions")).toEqual([position(2, { side: "long" })]);
    }
  });

  test("of a market that is named in a field called id are kept apart", () => {
    const row = (id: string, size: string) => ({ id, size, upnl: "0.5" });
    const rig = new AccountRig().first({ positions: [row("perp-1", "1.5"), row("perp-2", "2.5")] });
    rig.later({ positions: [row("perp-2", "-3.5")] });
    expect(rig.rows("positions")).toEqual([row("perp-1", "1.5"), row("perp-2", "-3.5")]);
    expect(rig.doubted("positions")).toEqual([]);
  });

  test("in two isolated margins are two, also in a frame of changes", () => {
    const rig = new AccountRig().first({ positions: [] });
    const [a, b] = [position(1, { margin_id: 1 }), position(1, { margin_id: 2 })];
    rig.later({ positions: [a, b] }).later({ positions: [{ ...b, size: "4.5" }] });
    expect(rig.rows("positions")).toEqual([a, { ...b, size: "4.5" }]);
    expect(rig.doubted("positions")).toEqual([]);
  });

  describe("that may have ended unseen, beside another margin of their market", () => {
    const inMargin = (margin_id: number, more: OpenRecord = {}) =>
      position(1, { margin_id, status: "open", ...more });
    const [first, second] = [inMargin(1), inMargin(2, { size: "0.5", entry_price: "60980.5" })];

    function expectTwoMargins(rig: AccountRig): void {
      for (let i = 0; i < 3; i++) rig.audit({ positions: [first] });
      expect(rig.rows("positions")).toEqual([first]);
      const again = inMargin(2, { size: "3.25", entry_price: "61007.25" });
      expect(rig.later({ positions: [again] }).rows("positions")).toEqual([first, again]);
    }

    test("since before a subscription that has not sent them, are no other name of it", () => {
      const rig = new AccountRig().first({ positions: [second] }).first({ balances: [] });
      expectTwoMargins(rig.later({ positions: [first] }));
    });

    test("because nothing says that they are over, are no other name of what is opened behind an audit", () => {
      const rig = new AccountRig().first({ positions: [second] });
      rig.audit({ positions: [] });
      expectTwoMargins(rig.later({ positions: [first] }));
    });

    test("by a word that nobody knows, are no other name of it", () => {
      const rig = new AccountRig().first({ positions: [second] });
      rig.later({ positions: [{ ...second, status: "abgewickelt" }] });
      expectTwoMargins(rig.later({ positions: [first] }));
    });
  });

  test("that have a rank that changes are one", () => {
    const rig = new AccountRig().first({ positions: [position(1, { adl_queue: 3 })] });
    rig.later({ positions: [position(1, { adl_queue: 4 })] });
    expect(rig.rows("positions")).toEqual([position(1, { adl_queue: 4 })]);
    expect(rig.doubted("positions")).toEqual([]);
  });

  test("of a snapshot stay there when more of it comes behind an audit, as in a frame without a change", () => {
    const position = { market_type: "perp", market_id: 1, size: "2.25" };
    const rig = new AccountRig().first({ positions: [position] }).part({ positions: [] });
    rig.audit({ positions: [position] });
    rig.part({ positions: [] });
    expect(rig.rows("positions")).toEqual([position]);
    const other = { market_type: "perp", market_id: 2, size: "4" };
    expect(rig.part({ positions: [other] }).rows("positions")).toEqual([position, other]);
  });
});

describe("leverages", () => {
  test("of a perpetual and a spot market with one id are in question", () => {
    const rig = new AccountRig().first({
      leverages: [
        { market_id: 1, leverage: 5 },
        { market_id: 1, leverage: 9 },
      ],
    });
    expect(rig.rows("leverages")).toHaveLength(2);
    expect(rig.asked("leverages")).toHaveLength(2);
  });
});

describe("later lists", () => {
  const row = (market_id: number, order_id: number, size = "3") => ({
    market_id,
    order_id,
    side: "buy",
    price: `10${order_id}.125`,
    size,
    status: "open",
  });
  const all = [row(1, 1), row(1, 2), row(2, 3), row(2, 4)];

  test("that leave rows out make them rows in question, until a row that was left out comes back", () => {
    const rig = new AccountRig().first({ orders: all });
    rig.later({ orders: [row(1, 1, "2")] });
    expect(rig.unnamed("orders")).toEqual([row(1, 2), row(2, 3), row(2, 4)]);
    rig.later({ orders: [row(2, 3, "2")] });
    expect(rig.rows("orders")).toHaveLength(4);
    for (let i = 0; i < 4; i++) {
      rig.later({ orders: [row(1, 1, `${3 + i}`)] }).later({ orders: [row(1, 2, `${4 + i}`)] });
    }
    expect(rig.state.lists.orders.inQuestion.size).toBe(0);
  });

  test("that are all rows of the markets they name: two audits show it", () => {
    const rig = new AccountRig().first({ orders: all });
    // The second order of the first market has ended; nothing but its absence says so.
    rig.later({ orders: [row(1, 1)] });
    rig.later({ orders: [row(2, 3), row(2, 4)] });
    const now = { orders: [row(1, 1), row(2, 3), row(2, 4)] };
    expect(rig.audit(now).differences).toEqual([
      { part: "orders", row: expect.any(String), how: "extra" },
    ]);
    expect(rig.asked("orders")).toEqual([row(1, 2)]);
    expect(rig.audit(now).changed).toContain("all rows of their markets");
    expect(rig.rows("orders")).toEqual(now.orders);
    rig.later({ orders: [row(2, 4)] });
    expect(rig.rows("orders")).toEqual([row(1, 1), row(2, 4)]);
    expect(rig.doubted("orders")).toEqual([]);
  });

  test("that are all there is: two audits show it, and rows leave at once from then on", () => {
    const rig = new AccountRig().first({ orders: all });
    rig.later({ orders: [row(1, 1), row(1, 2), row(2, 3)] });
    rig.later({ orders: [row(1, 1), row(1, 2)] });
    const now = { orders: [row(1, 1), row(1, 2)] };
    rig.audit(now);
    expect(rig.asked("orders")).toEqual([row(2, 3), row(2, 4)]);
    rig.audit(now);
    expect(rig.rows("orders")).toEqual(now.orders);
    expect(rig.state.lists.orders.interpretation).toBe("whole");
    rig.later({ orders: [row(1, 2)] });
    expect(rig.rows("orders")).toEqual([row(1, 2)]);
  });

  test("that leave out a position which a snapshot has again, as another one, may still be all there is", () => {
    const position = (size: string, entry: string, upnl: string) => ({
      symbol: "BTC-PERP",
      sz: size,
      entry,
      upnl,
    });
    const rig = new AccountRig().first({ positions: [] });
    for (let i = 0; i < 4; i++) {
      rig.later({ positions: [position(`${i + 2}`, `1${i}.485`, `-0.${i}8`)] });
      rig.later({ positions: [] });
      rig.first({ positions: [position("1.5", `1${i}.5`, "0")] });
    }
    const last = position("3.5", "12.25", "0.75");
    rig.later({ positions: [last] }).later({ positions: [] });
    expect(rig.rows("positions")).toEqual(rig.asked("positions"));
  });

  test("that leave out a position which is opened again, as large and at the same price, may still be all there is", () => {
    const position = (upnl: string) => ({
      symbol: "BTC-PERP",
      size: "0.12345",
      entry_price: "60123.45",
      unrealized_pnl: upnl,
      liquidation_price: "41234.56",
    });
    const rig = new AccountRig().first({ positions: [] });
    for (let i = 0; i < 5; i++) {
      rig.later({ positions: [position("0")] }).later({ positions: [position(`-${i}.25`)] });
      rig.later({ positions: [] });
      expect(rig.asked("positions")).toEqual(rig.rows("positions"));
    }
  });

  test("that leave out positions which come again two at a time, as large and at the same price, are not all there is", () => {
    const position = (market: string, upnl: string) => ({
      ...{
        symbol: market,
        size: "0.5",
        entry_price: `60${market.charCodeAt(0)}3.45`,
        unrealized_pnl: upnl,
      },
    });
    const all = (upnl: string) => ["BTC", "ETH", "SOL"].map((each) => position(each, upnl));
    const rig = new AccountRig().first({ positions: all("0") });
    for (let i = 1; i < 5; i++) {
      rig.later({ positions: [position("SOL", `${i}.5`)] });
      rig.later({ positions: all(`${i}`).slice(0, 2) });
    }
    rig.later({ positions: [position("SOL", "7.5")] });
    expect(rig.asked("positions")).toEqual([]);
  });

  test("that leave out a row whose name an audit finds on another one may still be all there is", () => {
    const rig = new AccountRig().first({ orders: all });
    rig.later({ orders: all.slice(1) });
    const [first, ...others] = all;
    const other = { ...first, side: "buy", size: "7.25", price: "1234.5" };
    rig.audit({ orders: [other, ...others] });
    rig.later({ orders: others.slice(1) });
    expect(rig.asked("orders")).toContainEqual(others[0]);
  });

  test("that are changes: one audit that finds everything as it is held is enough", () => {
    const rig = new AccountRig().first({ orders: all });
    rig.later({ orders: [row(1, 1, "2")] });
    rig.audit({ orders: [row(1, 1, "2"), ...all.slice(1)] });
    expect(rig.doubted("orders")).toEqual([]);
    rig.later({ orders: [row(2, 4, "1")] });
    expect(rig.doubted("orders")).toEqual([]);
  });
});

describe("a snapshot", () => {
  const row = (order_id: number) => ({ market_id: 1, order_id, side: "buy", size: "1.5" });

  test("in mid-stream replaces everything", () => {
    const rig = new AccountRig().first({
      orders: [row(1), row(2)],
      balances: [{ asset: "X", amt: "1" }],
    });
    rig.first({ orders: [row(3)], balances: [] });
    expect(rig.rows("orders")).toEqual([row(3)]);
    expect(rig.rows("balances")).toEqual([]);
  });

  test("without rows that a word nobody knows may have ended does not show that lists leave out what is over", () => {
    const order = (order_id: number, status: string) => ({ ...row(order_id), status });
    const rig = new AccountRig().first({ orders: [] });
    for (let id = 10; id < 100; id += 10) {
      for (let i = 0; i < 5; i++) {
        rig.later({ orders: [order(id + i, "new")] });
        rig.later({ orders: [order(id + i, "deactivated")] });
      }
      rig.later({ orders: [order(id + 9, "new")] });
      rig.first({ orders: [order(id + 9, "new")] });
      rig.later({ orders: [order(id + 9, "filled")] });
    }
    const [one, another] = [order(101, "new"), order(102, "new")];
    rig.later({ orders: [one] }).later({ orders: [another] });
    expect(rig.rows("orders")).toEqual(expect.arrayContaining([one, another]));
  });

  describe.each([
    ["snapshots", (rig: AccountRig, orders: readonly OpenRecord[]) => rig.first({ orders })],
    ["audits", (rig: AccountRig, orders: readonly OpenRecord[]) => void rig.audit({ orders })],
  ])("%s that do not hold what a word nobody knows may have ended", (_, compare) => {
    const order = (order_id: number, status: string) => ({ ...row(order_id), status });
    const tell = () => {
      const rig = new AccountRig().first({ orders: [order(1, "new")] });
      for (let id = 10; id < 100; id += 10) {
        rig.later({ orders: [order(id, "new")] }).later({ orders: [order(id, "deactivated")] });
        const standing = [order(1, `open ${id}`)];
        rig.later({ orders: standing });
        compare(rig, standing);
        compare(rig, standing);
      }
      return rig.later({ orders: [order(100, "deactivated")] });
    };

    test("end its rows once a list leaves them out", () => {
      const rig = tell();
      expect(rig.asked("orders")).toContainEqual(order(100, "deactivated"));
      rig.later({ orders: [order(1, "active")] });
      expect(rig.rows("orders")).toEqual([order(1, "active")]);
    });

    test("end none any more when one of them comes again", () => {
      const rig = tell().later({ orders: [order(1, "active")] });
      rig.later({ orders: [order(100, "new")] });
      rig.later({ orders: [order(200, "deactivated")] }).later({ orders: [order(1, "new")] });
      expect(rig.rows("orders")).toContainEqual(order(200, "deactivated"));
      expect(rig.asked("orders")).toContainEqual(order(200, "deactivated"));
    });
  });

  test("of which nothing is left of what was there does not show that lists leave out what is over, however often", () => {
    const rig = new AccountRig().first({ orders: [] });
    for (let id = 10; id < 500; id += 10) {
      for (let i = 0; i < 3; i++) rig.later({ orders: [row(id + i)] });
      rig.first({ orders: [row(id + 5)] });
    }
    rig.later({ orders: [row(501)] }).later({ orders: [row(502)] });
    expect(rig.rows("orders")).toEqual(expect.arrayContaining([row(501), row(502)]));
  });

  test("in several frames replaces as a whole", () => {
    const rig = new AccountRig().first({ orders: [row(1)], balances: [{ asset: "X", amt: "1" }] });
    rig.first({ orders: [row(2)] });
    expect(rig.asked("balances")).toHaveLength(1);
    rig.part({ orders: [row(3)] }).part({ balances: [{ asset: "Y", amt: "1" }] });
    expect(rig.rows("orders")).toEqual([row(2), row(3)]);
    expect(rig.rows("balances")).toEqual([{ asset: "Y", amt: "1" }]);
    expect(rig.doubted("balances")).toEqual([]);
  });

  test("that does not hold a list leaves its rows in question", () => {
    const rig = new AccountRig().first({ orders: [row(1)] }).first({ balances: [] });
    expect(rig.rows("orders")).toEqual([row(1)]);
    expect(rig.asked("orders")).toEqual([row(1)]);
    rig.later({ orders: [row(1)] });
    expect(rig.doubted("orders")).toEqual([]);
  });
});

describe("fills and payments", () => {
  const ns = (ms: number) => `${1_800_000_000_000 + ms}000000`;
  const fill = (ms: number, more: OpenRecord = {}) => ({
    timestamp_ns: ns(ms),
    side: "buy",
    price: "1.5",
    ...more,
  });
  const fillsOf = (rig: AccountRig) => [...rig.state.logs.fills.rows].reverse();

  test("that share a trade id are all there", () => {
    const rows = [fill(1, { trade_id: 7, size: "1" }), fill(1, { trade_id: 7, size: "2" })];
    const rig = new AccountRig().first({ fills: [] }).later({ fills: rows });
    rig.later({ fills: [fill(2, { trade_id: 7, size: "3" })] });
    expect(fillsOf(rig)).toHaveLength(3);
    expect(rig.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("whose id is the market are all there", () => {
    const rig = new AccountRig().first({
      funding_payments: [{ id: 1, timestamp_ns: ns(1), amount: "1" }],
    });
    rig.later({ funding_payments: [{ id: 1, timestamp_ns: ns(2), amount: "1" }] });
    expect(rig.state.logs.funding_payments.rows).toHaveLength(2);
  });

  test("that are equal are two, in one frame and in two", () => {
    const rig = new AccountRig().first({ fills: [fill(0)] });
    rig.later({ fills: [fill(5), fill(5)] }).later({ fills: [fill(5)] });
    expect(fillsOf(rig)).toEqual([fill(0), fill(5), fill(5), fill(5)]);
    expect(rig.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("of a backlog are laid over what is held as a sequence", () => {
    const rig = new AccountRig().first({ fills: [fill(1), fill(2), fill(2)] });
    rig.later({ fills: [fill(3)] });
    rig.first({ fills: [fill(4), fill(4), fill(3), fill(2), fill(2)] });
    expect(fillsOf(rig)).toEqual([1, 2, 2, 3, 4, 4].map((ms) => fill(ms)));
    expect(rig.state.logs.fills.mayMiss).toBe(false);
    rig.first({ fills: [fill(0), fill(1), fill(2), fill(2), fill(3), fill(4), fill(4), fill(9)] });
    expect(fillsOf(rig)).toEqual([0, 1, 2, 2, 3, 4, 4, 9].map((ms) => fill(ms)));
    expect(rig.state.logs.fills.total).toBe(8);
  });

  test("of a backlog that comes in several frames are laid over as one", () => {
    const rig = new AccountRig().first({ fills: [fill(1), fill(2)] });
    rig.first({ fills: [fill(1)] }).part({ fills: [fill(2), fill(3)] });
    expect(fillsOf(rig)).toEqual([fill(1), fill(2), fill(3)]);
    expect(rig.state.logs.fills.mayMiss).toBe(false);
  });

  test("say when some may be missing behind a new subscription", () => {
    const own = (ms: number) => fill(ms, { trade_id: ms });
    const rig = new AccountRig().first({ fills: [own(1), own(2)] });
    rig.first({ fills: [own(50)] });
    expect(rig.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(50)));
    rig.first({ fills: [own(50), own(51)] }).later({ fills: [own(52)] });
    expect(rig.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(50)));
    rig.first({ fills: [own(2), own(20), own(50), own(51), own(52)] });
    expect(fillsOf(rig)).toEqual([1, 2, 20, 50, 51, 52].map(own));
    expect(rig.state.logs.fills.mayMiss).toBe(false);
    const silent = new AccountRig().first({ fills: [own(1), own(2)] }).first({ orders: [] });
    expect(silent.state.logs.fills.mayMissAfterNs).toBe(BigInt(ns(2)));
    silent.later({ fills: [own(9)] }).later({ fills: [own(10)] });
    expect(silent.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(9)));
  });

  test("say so, too, where a snapshot ends before the newest of what is held: its row may be one more", () => {
    const twin = fill(5, { trade_id: 7, px: "1" });
    const other = fill(5, { trade_id: 8, px: "2" });
    const rig = new AccountRig().first({ fills: [fill(1, { trade_id: 6 })] });
    rig.later({ fills: [twin, twin, other] }).first({ fills: [twin] });
    expect(fillsOf(rig)).toHaveLength(4);
    expect(rig.state.logs.fills.mayMissAfterNs).toBe(BigInt(ns(5)));
  });

  test("say so, too, where only equal rows are found again: there may be one more", () => {
    const rig = new AccountRig().first({ fills: [fill(1), fill(2)] }).first({ fills: [fill(2)] });
    expect(fillsOf(rig)).toEqual([fill(1), fill(2)]);
    expect(rig.state.logs.fills.mayMissAfterNs).toBe(BigInt(ns(2)));
  });

  test("of which there may be one more stay so behind a list that begins with such a row, and not behind one that has what was before", () => {
    const rig = new AccountRig().first({ fills: [fill(1), fill(2)] }).first({ fills: [fill(2)] });
    rig.later({ fills: [fill(3)] }).first({ fills: [fill(2), fill(3)] });
    expect(fillsOf(rig)).toEqual([fill(1), fill(2), fill(3)]);
    expect(rig.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(3)));
    rig.first({ fills: [fill(2), fill(3), fill(4)] });
    expect(rig.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(3)));
    rig.first({ fills: [fill(1), fill(2), fill(3), fill(4)] });
    expect(rig.state.logs.fills.mayMiss).toBe(false);
  });

  test("of which there may be one more stay so where two audits replace what stands behind them", () => {
    const rig = new AccountRig().first({ fills: [fill(1), fill(2)] }).first({ fills: [fill(2)] });
    rig.later({ fills: [fill(3)] }).later({ fills: [fill(4), fill(4)] });
    for (const _ of [1, 2]) rig.audit({ fills: [fill(2), fill(3), fill(4)] });
    expect(fillsOf(rig)).toEqual([1, 2, 3, 4].map((ms) => fill(ms)));
    expect(rig.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(3)));
  });

  test("of lists that repeat the newest rows are not held twice, once that is seen", () => {
    const rig = new AccountRig().first({ fills: [] });
    const distinct = (ms: number) => fill(ms, { trade_id: ms });
    for (let i = 1; i < 9; i++) {
      rig.later({ fills: [i - 3, i - 2, i - 1, i].filter((n) => n > 0).map(distinct) });
    }
    expect(fillsOf(rig)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(distinct));
    expect(rig.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("that may be held twice stay in question when a list behind a hole repeats nothing", () => {
    const rig = new AccountRig().first({ fills: [fill(1)] }).later({ fills: [fill(1)] });
    expect(fillsOf(rig)).toHaveLength(2);
    rig.first({}).later({ fills: [fill(8), fill(9)] });
    expect(rig.state.logs.fills.isDecided).toBe(false);
    expect(rig.state.logs.fills.inQuestion.size).toBe(2);
  });

  test("of the first list of a subscription that may be its backlog stay in question, whatever later ones are", () => {
    const rig = new AccountRig().first({ fills: [fill(0)] }).later({ fills: [fill(5)] });
    rig.later({ fills: [fill(6)] });
    expect(rig.state.logs.fills.isDecided).toBe(true);
    rig
      .first({})
      .later({ fills: [fill(6)] })
      .later({ fills: [fill(9)] });
    expect(fillsOf(rig)).toEqual([0, 5, 6, 6, 9].map((ms) => fill(ms)));
    expect(rig.state.logs.fills.inQuestion.size).toBe(2);
    rig.audit({ fills: [0, 5, 6, 6, 9].map((ms) => fill(ms)) });
    expect(rig.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("that two audits find otherwise are replaced", () => {
    const rig = new AccountRig().first({ fills: [fill(1), fill(2)] });
    const snapshot = { fills: [fill(1), fill(2), fill(2)] };
    expect(rig.audit(snapshot).differences).toHaveLength(1);
    expect(fillsOf(rig)).toHaveLength(2);
    expect(rig.audit(snapshot).changed).toContain("fills");
    expect(fillsOf(rig)).toEqual(snapshot.fills);
  });
});

test.each([
  ["perp", "PERP"],
  ["SPOT", "spot"],
] as const)("a position whose market's type is written %s, then %s is one", (first, later) => {
  const row = (market_type: string, size: string) => ({
    market_type,
    market_id: 1,
    side: "long",
    size,
  });
  const other = { ...row(first, "7"), market_id: 2 };
  const rig = new AccountRig().first({ positions: [row(first, "1"), other] });
  rig.later({ positions: [row(later, "2")] });
  expect(rig.rows("positions")).toEqual([row(later, "2"), other]);
  rig.later({ positions: [row(first, "0")] });
  expect(rig.rows("positions")).toEqual([other]);
});
