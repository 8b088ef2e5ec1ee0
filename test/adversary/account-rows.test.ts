// Accounts of services that the document allows, by what tells their rows apart: two rows never become one, one never
// becomes two, unless the row says that it is in question.
import { describe, expect, test } from "vitest";
import { AccountState } from "../../src/state/account.ts";
import { Aliases } from "../../src/state/aliases.ts";
import type { AccountUpdate } from "../../src/wire/channels/account.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

type Payload = Partial<Record<keyof AccountUpdate, unknown>>;

/** An account as one service tells of it. */
class Told {
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
    "of fields %s, %s are told apart by what they are of",
    (a, b) => {
      const row = (ccy: string, amt: string) => {
        const fields: OpenRecord = { ccy, amt };
        return { [a]: fields[a], [b]: fields[b] };
      };
      const told = new Told().first({ balances: [row("USDC", "100.5"), row("BTC", "2")] });
      for (let i = 0; i < 13; i++) told.later({ balances: [row("USDC", `${90 - i}.25`)] });
      told.later({ balances: [row("BTC", "3")] });
      expect(told.rows("balances")).toEqual([row("USDC", "78.25"), row("BTC", "3")]);
      expect(told.doubted("balances")).toEqual([]);
    },
  );

  test("in words that nobody knows are told apart by the word, not by the amount", () => {
    const told = new Told().first({
      balances: [
        { menge: "1.5", muenze: "USDC" },
        { menge: "7", muenze: "BTC" },
      ],
    });
    for (let i = 1; i < 9; i++) told.later({ balances: [{ menge: `${i}`, muenze: "USDC" }] });
    expect(told.rows("balances")).toHaveLength(2);
  });

  test("of one asset in two isolated margins are two", () => {
    const row = (margin_id: number, amount: string) => ({ asset: "USDC", margin_id, amount });
    const told = new Told().first({ balances: [row(1, "5"), row(2, "7")] });
    told.later({ balances: [row(2, "8")] }).later({ balances: [row(1, "4")] });
    expect(told.rows("balances")).toEqual([row(1, "4"), row(2, "8")]);
    expect(told.doubted("balances")).toEqual([]);
  });

  test("of an asset that goes to a second margin later are kept apart, and in question", () => {
    const row = (bucket: string, amount: string) => ({ asset: "USDC", bucket, amount });
    const told = new Told().first({ balances: [row("cross", "5")] });
    told.later({ balances: [row("isolated", "2")] });
    expect(told.rows("balances")).toEqual([row("cross", "5"), row("isolated", "2")]);
    expect(told.asked("balances")).toHaveLength(2);
    told.audit({ balances: [row("cross", "5"), row("isolated", "2")] });
    expect(told.doubted("balances")).toEqual([]);
    told.later({ balances: [row("isolated", "3")] }).later({ balances: [row("cross", "9")] });
    expect(told.doubted("balances")).toEqual([]);
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
      ...{ market_type: "perp", market_id: 1, side: "sell", price, size, status: "open" },
    });
    // Neither the price nor the size is another one in each of them.
    const [a, b, c, d] = [
      sell("10.5", "1"),
      sell("10.5", "2"),
      sell("11.5", "1"),
      sell("11.5", "2"),
    ];
    const told = new Told().first({ orders: [a, b, c] }).later({ orders: [a, b, c, d] });
    told.audit({ orders: [a, b, c, d] });
    expect(told.state.lists.orders.isDecided).toBe(false);
    told.later({ orders: [a, b] });
    expect(told.rows("orders").filter((row) => !told.asked("orders").includes(row))).toEqual([]);
  });

  test("without ids that a snapshot holds at the places of others do not show that lists leave out what is there", () => {
    const sell = (market_id: number, price: string, size: string) => ({
      ...{ market_type: "perp", market_id, side: "sell", price, size, status: "open" },
    });
    const told = new Told().first({ orders: [1, 2, 3].map((at) => sell(at, "10.5", "1")) });
    told.later({ orders: [sell(4, "7.5", "1")] });
    const others = [1, 2, 3].map((at) => sell(at, "11", "2"));
    told.first({ orders: [...others, sell(4, "7.5", "1")] });
    expect(told.state.lists.orders.isDecided).toBe(false);
    told.later({ orders: [sell(4, "7.5", "3")] });
    expect(told.asked("orders")).toEqual(expect.arrayContaining(others));
  });

  test("with ids per market are told apart by both", () => {
    const told = new Told().first({ orders: [order(1, 1), order(2, 2)] });
    told.later({ orders: [order(2, 1, { price: "7.25" })] });
    told.later({ orders: [order(1, 1, { status: "canceled" })] });
    expect(told.rows("orders")).toEqual([order(2, 2), order(2, 1, { price: "7.25" })]);
  });

  test("with ids per market type, too", () => {
    const told = new Told().first({ orders: [order(1, 1)] });
    told.later({ orders: [order(1, 1, { market_type: "spot" })] });
    expect(told.rows("orders")).toHaveLength(2);
  });

  test("in nested fields are told apart by them", () => {
    const row = (market: number, id: number, size: string) => ({
      order: { id, client_id: `c${id}` },
      market: { type: "perp", id: market },
      size,
    });
    const told = new Told().first({ orders: [row(1, 1, "5"), row(2, 1, "5")] });
    told.later({ orders: [row(2, 1, "4.5")] });
    expect(told.rows("orders")).toEqual([row(1, 1, "5"), row(2, 1, "4.5")]);
    expect(told.state.lists.orders.key).toBe("market.type/market.id/order.id");
  });

  test("whose ids are numbers, then others that are texts, are told apart", () => {
    const told = new Told().first({ orders: [order(1, 7), order(1, 8)] });
    told.later({ orders: [order(1, "o-9")] }).later({ orders: [order(1, 7, { size: "2" })] });
    expect(told.rows("orders")).toEqual([order(1, 7, { size: "2" }), order(1, 8), order(1, "o-9")]);
    expect(told.doubted("orders")).toEqual([]);
  });

  test("whose ids are a number and a text of its digits are one or two: in question until that is seen", () => {
    const told = new Told().first({ orders: [order(1, 7), order(1, 8)] });
    told.later({ orders: [order(1, "7", { size: "2" })] });
    expect(told.asked("orders")).toEqual(
      expect.arrayContaining([order(1, 7), order(1, "7", { size: "2" })]),
    );
    const one = { orders: [order(1, "7", { size: "2" }), order(1, 8)] };
    told.audit(one);
    told.audit(one);
    expect(told.rows("orders")).toEqual(one.orders);
    told.later({ orders: [order(1, "8", { size: "1" })] });
    expect(told.rows("orders")).toEqual([
      order(1, "7", { size: "2" }),
      order(1, "8", { size: "1" }),
    ]);
    // The number was an order of before: that it is over, and that it began as a text in the same frame, is not known.
    const again = { orders: [order(1, "7", { price: "9" }), order(1, 7, { status: "filled" })] };
    told.later({ orders: [order(1, 7)] });
    told.later(again);
    expect(told.rows("orders")).toHaveLength(2);
    expect(told.doubted("orders")).toEqual([order(1, "7", { price: "9" })]);
    const two = new Told().first({ orders: [order(1, 7), order(1, "7")] });
    two.later({ orders: [order(1, "7", { size: "2" })] });
    expect(two.rows("orders")).toEqual([order(1, 7), order(1, "7", { size: "2" })]);
    expect(two.doubted("orders")).toEqual([]);
  });

  test("whose ids are a number and a text of its digits, and that differ in more, are two, although one ends without a word", () => {
    const other = order(1, "7", { size: "2", price: "90.5" });
    const told = new Told().first({ orders: [order(1, 8)] });
    told.later({ orders: [order(1, 7)] }).later({ orders: [other] });
    told.audit({ orders: [order(1, 8), other] });
    told.audit({ orders: [order(1, 8), other] });
    expect(told.rows("orders")).toEqual([order(1, 8), other]);
    told.later({ orders: [order(1, 7, { size: "5" })] });
    expect(told.rows("orders")).toEqual([order(1, 8), other, order(1, 7, { size: "5" })]);
  });

  test("whose ids are within another object are two where one is a number and one a text of its digits", () => {
    const nested = (id: number | string, size = "1") => ({
      ...{ order: { id }, market: { type: "perp", id: 1 }, side: "buy", price: "10.5", size },
    });
    const told = new Told().first({ orders: [nested(7), nested("7")] });
    told.later({ orders: [nested("7", "2")] });
    expect(told.rows("orders")).toEqual([nested(7), nested("7", "2")]);
    expect(told.doubted("orders")).toEqual([]);
  });

  test("without names: where one of two in a frame is over, the other may stand, and is in question", () => {
    const row = (size: string, status: string) => ({
      ...{ market_type: "perp", market_id: 1, side: "sell", price: "10.135", size, status },
    });
    const told = new Told().first({ orders: [row("3", "open")] });
    told.later({ orders: [row("1", "open"), row("3", "failed")] });
    expect(told.rows("orders")).toEqual([row("1", "open")]);
    expect(told.asked("orders")).toEqual([row("1", "open")]);
  });

  test("of size 0 that lists have left out teach nothing of size 0 when they are over", () => {
    const row = (id: number, size: string) => ({
      ...{ oid: id, symbol: "BTC-PERP", side: "buy", px: "10.5", sz: size },
    });
    const told = new Told().first({ orders: [row(1, "5"), row(2, "4")] });
    told.later({ orders: [row(1, "5"), row(2, "4"), row(3, "0")] });
    told.later({ orders: [row(1, "5"), row(2, "3")] });
    for (const _ of [1, 2]) told.audit({ orders: [row(1, "5"), row(2, "3")] });
    told.later({ orders: [row(1, "5"), row(2, "3"), row(4, "0")] });
    expect(told.rows("orders")).toEqual([row(1, "5"), row(2, "3"), row(4, "0")]);
  });

  test("of size 0 under the number of an order that lists have left out are others, and in question", () => {
    const row = (id: number, size: string, more: OpenRecord = {}) => ({
      ...{ oid: id, symbol: "BTC-PERP", side: "buy", px: `10.${5 + id}`, sz: size, ...more },
    });
    const told = new Told().first({ orders: [row(1, "5"), row(2, "4")] });
    told.later({ orders: [row(2, "4")] });
    const stop = row(1, "0", { px: "11.95", type: "stop", trigger: "12.5" });
    told.later({ orders: [stop, row(2, "4")] });
    expect(told.rows("orders")).toContainEqual(stop);
    expect(told.asked("orders")).toContainEqual(stop);
    told.later({ orders: [row(2, "0")] });
    expect(told.rows("orders")).not.toContainEqual(expect.objectContaining({ oid: 2 }));
  });

  test("of size 0 stand as long as a flag says so, whatever size 0 has meant without one", () => {
    const stop = (id: number, flags: object) => ({
      ...{ order_id: `${id}`, market_type: "perp", market_id: 1, side: "buy", price: "10.5" },
      ...{ size: "0", type: "stop", ...flags },
    });
    const told = new Told().first({ orders: [stop(1, {}), stop(2, {})] });
    told.later({ orders: [stop(3, {})] });
    for (const _ of [1, 2]) told.audit({ orders: [stop(1, {}), stop(2, {})] });
    expect(told.rows("orders")).toHaveLength(2);
    told.later({ orders: [stop(4, { active: true })] });
    expect(told.rows("orders")).toContainEqual(stop(4, { active: true }));
    told.later({ orders: [stop(4, { active: false })] });
    expect(told.rows("orders")).toHaveLength(2);
  });

  test("whose only id is that of the market are kept apart, and in question", () => {
    const row = (id: number, price: string) => ({ id, price, qty: "1.5", buy: true });
    const told = new Told().first({ orders: [row(3, "10.5")] });
    told.later({ orders: [row(3, "11.5")] });
    const { inQuestion, rows } = told.state.lists.orders;
    expect(rows.every((each) => inQuestion.has(each))).toBe(true);
  });

  test("without any name are in question as soon as one changes", () => {
    const row = (px: string, n: number) => ({ mkt: 3, px, n });
    const told = new Told().first({ orders: [row("1.5", 5), row("2.5", 5)] });
    expect(told.doubted("orders")).toEqual([]);
    told.later({ orders: [row("2.5", 4)] });
    expect(told.asked("orders").length).toBeGreaterThan(0);
  });

  test("of size 0 stand while their status does not say otherwise", () => {
    const stop = (id: number, status: string) => order(1, id, { size: "0", type: "stop", status });
    const told = new Told().first({ orders: [stop(1, "untriggered"), stop(2, "untriggered")] });
    told.later({ orders: [stop(3, "open")] }).later({ orders: [stop(1, "voided")] });
    expect(told.rows("orders")).toEqual([stop(2, "untriggered"), stop(3, "open")]);
  });

  test("of size 0 without a status stand in a snapshot", () => {
    const stop = { order_id: 1, market_id: 1, size: "0", trigger: "5.5" };
    expect(new Told().first({ orders: [stop] }).rows("orders")).toEqual([stop]);
  });

  test.each(["marginCanceled", "user_cancelled", "void", "killed", "settled", "FullyFilled"])(
    "end with the word %s",
    (status) => {
      const told = new Told().first({ orders: [order(1, 1), order(1, 2)] });
      told.later({ orders: [order(1, 1, { status })] });
      expect(told.rows("orders")).toEqual([order(1, 2)]);
    },
  );

  test("whose word may be either are in question", () => {
    const told = new Told().first({ orders: [order(1, 1)] });
    told.later({ orders: [order(1, 1, { status: "best_effort_canceled" })] });
    expect(told.asked("orders")).toHaveLength(1);
  });

  test("lose a flag that a whole row leaves out", () => {
    const told = new Told().first({ orders: [order(1, 1), order(1, 2, { reduce_only: true })] });
    told.later({ orders: [order(1, 2, { size: "2" })] });
    expect(told.rows("orders")[1]).toEqual(order(1, 2, { size: "2" }));
    expect(told.doubted("orders")).toEqual([]);
  });

  test("of which nobody has shown how they are without the flag lose it, and are in question", () => {
    const told = new Told().first({ orders: [order(1, 2, { reduce_only: true })] });
    told.later({ orders: [order(1, 2, { size: "2" })] });
    expect(told.rows("orders")).toEqual([order(1, 2, { size: "2" })]);
    expect(told.asked("orders")).toHaveLength(1);
  });

  test("keep a flag that a part of a row leaves out", () => {
    const told = new Told().first({ orders: [order(1, 1), order(1, 2, { reduce_only: true })] });
    told.later({ orders: [{ market_type: "perp", market_id: 1, order_id: 2, size: "1" }] });
    expect(told.rows("orders")[1]).toEqual(order(1, 2, { reduce_only: true, size: "1" }));
  });

  test("of which a part leaves out even the market are found", () => {
    const told = new Told().first({ orders: [order(1, 1), order(2, 2)] });
    told.later({ orders: [{ order_id: 2, size: "1" }] });
    expect(told.rows("orders")).toEqual([order(1, 1), order(2, 2, { size: "1" })]);
    told.later({ orders: [{ order_id: 1, status: "filled" }] });
    expect(told.rows("orders")).toEqual([order(2, 2, { size: "1" })]);
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
    const told = new Told().first({ positions: [long, short] });
    told.later({ positions: [{ ...short, size: "9.5" }] });
    expect(told.rows("positions")).toEqual([long, { ...short, size: "9.5" }]);
    expect(told.doubted("positions")).toEqual([]);
  });

  test("that turn from long to short are one or two: in question until audits say which", () => {
    const told = new Told().first({ positions: [long] }).later({ positions: [short] });
    expect(told.rows("positions")).toEqual([long, short]);
    expect(told.asked("positions")).toEqual([long, short]);
    expect(told.audit({ positions: [short] }).differences).toHaveLength(1);
    expect(told.rows("positions")).toEqual([long, short]);
    expect(told.audit({ positions: [short] }).changed).toContain("distinguished by");
    expect(told.rows("positions")).toEqual([short]);
    expect(told.doubted("positions")).toEqual([]);
    told.later({ positions: [long] });
    expect(told.rows("positions")).toEqual([long]);
    expect(told.doubted("positions")).toEqual([]);
  });

  test("that turn are told as closed and opened: one", () => {
    const told = new Told().first({ positions: [long] });
    told.later({ positions: [{ ...long, size: "0" }, short] });
    expect(told.rows("positions")).toEqual([short]);
    expect(told.doubted("positions")).toEqual([]);
  });

  test("end with a size of zero, whatever side such a row names", () => {
    for (const side of ["flat", "none", "", null, "long"]) {
      const told = new Told().first({ positions: [long, position(2, { side: "long" })] });
      told.later({ positions: [{ ...long, side, size: "0" }] });
      expect(told.rows("positions")).toEqual([position(2, { side: "long" })]);
    }
  });

  test("of a market that is named in a field called id are told apart", () => {
    const row = (id: string, size: string) => ({ id, size, upnl: "0.5" });
    const told = new Told().first({ positions: [row("perp-1", "1.5"), row("perp-2", "2.5")] });
    told.later({ positions: [row("perp-2", "-3.5")] });
    expect(told.rows("positions")).toEqual([row("perp-1", "1.5"), row("perp-2", "-3.5")]);
    expect(told.doubted("positions")).toEqual([]);
  });

  test("in two isolated margins are two, also in a frame of changes", () => {
    const told = new Told().first({ positions: [] });
    const [a, b] = [position(1, { margin_id: 1 }), position(1, { margin_id: 2 })];
    told.later({ positions: [a, b] }).later({ positions: [{ ...b, size: "4.5" }] });
    expect(told.rows("positions")).toEqual([a, { ...b, size: "4.5" }]);
    expect(told.doubted("positions")).toEqual([]);
  });

  describe("that may have ended unseen, beside another margin of their market", () => {
    const inMargin = (margin_id: number, more: OpenRecord = {}) =>
      position(1, { margin_id, status: "open", ...more });
    const [first, second] = [inMargin(1), inMargin(2, { size: "0.5", entry_price: "60980.5" })];

    function expectTwoMargins(told: Told): void {
      for (let i = 0; i < 3; i++) told.audit({ positions: [first] });
      expect(told.rows("positions")).toEqual([first]);
      const again = inMargin(2, { size: "3.25", entry_price: "61007.25" });
      expect(told.later({ positions: [again] }).rows("positions")).toEqual([first, again]);
    }

    test("since before a subscription that has not sent them, are no other name of it", () => {
      const told = new Told().first({ positions: [second] }).first({ balances: [] });
      expectTwoMargins(told.later({ positions: [first] }));
    });

    test("because nothing says that they are over, are no other name of what is opened behind an audit", () => {
      const told = new Told().first({ positions: [second] });
      told.audit({ positions: [] });
      expectTwoMargins(told.later({ positions: [first] }));
    });

    test("by a word that nobody knows, are no other name of it", () => {
      const told = new Told().first({ positions: [second] });
      told.later({ positions: [{ ...second, status: "abgewickelt" }] });
      expectTwoMargins(told.later({ positions: [first] }));
    });
  });

  test("that have a rank that changes are one", () => {
    const told = new Told().first({ positions: [position(1, { adl_queue: 3 })] });
    told.later({ positions: [position(1, { adl_queue: 4 })] });
    expect(told.rows("positions")).toEqual([position(1, { adl_queue: 4 })]);
    expect(told.doubted("positions")).toEqual([]);
  });

  test("of a snapshot stay there when more of it comes behind an audit, as in a frame without a change", () => {
    const position = { market_type: "perp", market_id: 1, size: "2.25" };
    const told = new Told().first({ positions: [position] }).part({ positions: [] });
    told.audit({ positions: [position] });
    told.part({ positions: [] });
    expect(told.rows("positions")).toEqual([position]);
    const other = { market_type: "perp", market_id: 2, size: "4" };
    expect(told.part({ positions: [other] }).rows("positions")).toEqual([position, other]);
  });
});

describe("leverages", () => {
  test("of a perpetual and a spot market with one id are in question", () => {
    const told = new Told().first({
      leverages: [
        { market_id: 1, leverage: 5 },
        { market_id: 1, leverage: 9 },
      ],
    });
    expect(told.rows("leverages")).toHaveLength(2);
    expect(told.asked("leverages")).toHaveLength(2);
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
    const told = new Told().first({ orders: all });
    told.later({ orders: [row(1, 1, "2")] });
    expect(told.unnamed("orders")).toEqual([row(1, 2), row(2, 3), row(2, 4)]);
    told.later({ orders: [row(2, 3, "2")] });
    expect(told.rows("orders")).toHaveLength(4);
    for (let i = 0; i < 4; i++) {
      told.later({ orders: [row(1, 1, `${3 + i}`)] }).later({ orders: [row(1, 2, `${4 + i}`)] });
    }
    expect(told.state.lists.orders.inQuestion.size).toBe(0);
  });

  test("that are all rows of the markets they name: two audits show it", () => {
    const told = new Told().first({ orders: all });
    // The second order of the first market has ended; nothing but its absence says so.
    told.later({ orders: [row(1, 1)] });
    told.later({ orders: [row(2, 3), row(2, 4)] });
    const now = { orders: [row(1, 1), row(2, 3), row(2, 4)] };
    expect(told.audit(now).differences).toEqual([
      { part: "orders", row: expect.any(String), how: "extra" },
    ]);
    expect(told.asked("orders")).toEqual([row(1, 2)]);
    expect(told.audit(now).changed).toContain("all rows of their markets");
    expect(told.rows("orders")).toEqual(now.orders);
    told.later({ orders: [row(2, 4)] });
    expect(told.rows("orders")).toEqual([row(1, 1), row(2, 4)]);
    expect(told.doubted("orders")).toEqual([]);
  });

  test("that are all there is: two audits show it, and rows leave at once from then on", () => {
    const told = new Told().first({ orders: all });
    told.later({ orders: [row(1, 1), row(1, 2), row(2, 3)] });
    told.later({ orders: [row(1, 1), row(1, 2)] });
    const now = { orders: [row(1, 1), row(1, 2)] };
    told.audit(now);
    expect(told.asked("orders")).toEqual([row(2, 3), row(2, 4)]);
    told.audit(now);
    expect(told.rows("orders")).toEqual(now.orders);
    expect(told.state.lists.orders.interpretation).toBe("whole");
    told.later({ orders: [row(1, 2)] });
    expect(told.rows("orders")).toEqual([row(1, 2)]);
  });

  test("that leave out a position which a snapshot has again, as another one, may still be all there is", () => {
    const position = (size: string, entry: string, upnl: string) => ({
      ...{ symbol: "BTC-PERP", sz: size, entry, upnl },
    });
    const told = new Told().first({ positions: [] });
    for (let i = 0; i < 4; i++) {
      told.later({ positions: [position(`${i + 2}`, `1${i}.485`, `-0.${i}8`)] });
      told.later({ positions: [] });
      told.first({ positions: [position("1.5", `1${i}.5`, "0")] });
    }
    const last = position("3.5", "12.25", "0.75");
    told.later({ positions: [last] }).later({ positions: [] });
    expect(told.rows("positions")).toEqual(told.asked("positions"));
  });

  test("that leave out a position which is opened again, as large and at the same price, may still be all there is", () => {
    const position = (upnl: string) => ({
      ...{ symbol: "BTC-PERP", size: "0.12345", entry_price: "60123.45", unrealized_pnl: upnl },
      liquidation_price: "41234.56",
    });
    const told = new Told().first({ positions: [] });
    for (let i = 0; i < 5; i++) {
      told.later({ positions: [position("0")] }).later({ positions: [position(`-${i}.25`)] });
      told.later({ positions: [] });
      expect(told.asked("positions")).toEqual(told.rows("positions"));
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
    const told = new Told().first({ positions: all("0") });
    for (let i = 1; i < 5; i++) {
      told.later({ positions: [position("SOL", `${i}.5`)] });
      told.later({ positions: all(`${i}`).slice(0, 2) });
    }
    told.later({ positions: [position("SOL", "7.5")] });
    expect(told.asked("positions")).toEqual([]);
  });

  test("that leave out a row whose name an audit finds on another one may still be all there is", () => {
    const told = new Told().first({ orders: all });
    told.later({ orders: all.slice(1) });
    const [first, ...others] = all;
    const other = { ...first, side: "buy", size: "7.25", price: "1234.5" };
    told.audit({ orders: [other, ...others] });
    told.later({ orders: others.slice(1) });
    expect(told.asked("orders")).toContainEqual(others[0]);
  });

  test("that are changes: one audit that finds everything as it is held is enough", () => {
    const told = new Told().first({ orders: all });
    told.later({ orders: [row(1, 1, "2")] });
    told.audit({ orders: [row(1, 1, "2"), ...all.slice(1)] });
    expect(told.doubted("orders")).toEqual([]);
    told.later({ orders: [row(2, 4, "1")] });
    expect(told.doubted("orders")).toEqual([]);
  });
});

describe("a snapshot", () => {
  const row = (order_id: number) => ({ market_id: 1, order_id, side: "buy", size: "1.5" });

  test("in mid-stream replaces everything", () => {
    const told = new Told().first({
      orders: [row(1), row(2)],
      balances: [{ asset: "X", amt: "1" }],
    });
    told.first({ orders: [row(3)], balances: [] });
    expect(told.rows("orders")).toEqual([row(3)]);
    expect(told.rows("balances")).toEqual([]);
  });

  test("without rows that a word nobody knows may have ended does not show that lists leave out what is over", () => {
    const order = (order_id: number, status: string) => ({ ...row(order_id), status });
    const told = new Told().first({ orders: [] });
    for (let id = 10; id < 100; id += 10) {
      for (let i = 0; i < 5; i++) {
        told.later({ orders: [order(id + i, "new")] });
        told.later({ orders: [order(id + i, "deactivated")] });
      }
      told.later({ orders: [order(id + 9, "new")] });
      told.first({ orders: [order(id + 9, "new")] });
      told.later({ orders: [order(id + 9, "filled")] });
    }
    const [one, another] = [order(101, "new"), order(102, "new")];
    told.later({ orders: [one] }).later({ orders: [another] });
    expect(told.rows("orders")).toEqual(expect.arrayContaining([one, another]));
  });

  describe.each([
    ["snapshots", (told: Told, orders: readonly OpenRecord[]) => told.first({ orders })],
    ["audits", (told: Told, orders: readonly OpenRecord[]) => void told.audit({ orders })],
  ])("%s that do not hold what a word nobody knows may have ended", (_, compare) => {
    const order = (order_id: number, status: string) => ({ ...row(order_id), status });
    const tell = () => {
      const told = new Told().first({ orders: [order(1, "new")] });
      for (let id = 10; id < 100; id += 10) {
        told.later({ orders: [order(id, "new")] }).later({ orders: [order(id, "deactivated")] });
        const standing = [order(1, `open ${id}`)];
        told.later({ orders: standing });
        compare(told, standing);
        compare(told, standing);
      }
      return told.later({ orders: [order(100, "deactivated")] });
    };

    test("end its rows once a list leaves them out", () => {
      const told = tell();
      expect(told.asked("orders")).toContainEqual(order(100, "deactivated"));
      told.later({ orders: [order(1, "active")] });
      expect(told.rows("orders")).toEqual([order(1, "active")]);
    });

    test("end none any more when one of them comes again", () => {
      const told = tell().later({ orders: [order(1, "active")] });
      told.later({ orders: [order(100, "new")] });
      told.later({ orders: [order(200, "deactivated")] }).later({ orders: [order(1, "new")] });
      expect(told.rows("orders")).toContainEqual(order(200, "deactivated"));
      expect(told.asked("orders")).toContainEqual(order(200, "deactivated"));
    });
  });

  test("of which nothing is left of what was there does not show that lists leave out what is over, however often", () => {
    const told = new Told().first({ orders: [] });
    for (let id = 10; id < 500; id += 10) {
      for (let i = 0; i < 3; i++) told.later({ orders: [row(id + i)] });
      told.first({ orders: [row(id + 5)] });
    }
    told.later({ orders: [row(501)] }).later({ orders: [row(502)] });
    expect(told.rows("orders")).toEqual(expect.arrayContaining([row(501), row(502)]));
  });

  test("in several frames replaces as a whole", () => {
    const told = new Told().first({ orders: [row(1)], balances: [{ asset: "X", amt: "1" }] });
    told.first({ orders: [row(2)] });
    expect(told.asked("balances")).toHaveLength(1);
    told.part({ orders: [row(3)] }).part({ balances: [{ asset: "Y", amt: "1" }] });
    expect(told.rows("orders")).toEqual([row(2), row(3)]);
    expect(told.rows("balances")).toEqual([{ asset: "Y", amt: "1" }]);
    expect(told.doubted("balances")).toEqual([]);
  });

  test("that does not hold a list leaves its rows in question", () => {
    const told = new Told().first({ orders: [row(1)] }).first({ balances: [] });
    expect(told.rows("orders")).toEqual([row(1)]);
    expect(told.asked("orders")).toEqual([row(1)]);
    told.later({ orders: [row(1)] });
    expect(told.doubted("orders")).toEqual([]);
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
  const fillsOf = (told: Told) => [...told.state.logs.fills.rows].reverse();

  test("that share a trade id are all there", () => {
    const rows = [fill(1, { trade_id: 7, size: "1" }), fill(1, { trade_id: 7, size: "2" })];
    const told = new Told().first({ fills: [] }).later({ fills: rows });
    told.later({ fills: [fill(2, { trade_id: 7, size: "3" })] });
    expect(fillsOf(told)).toHaveLength(3);
    expect(told.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("whose id is the market are all there", () => {
    const told = new Told().first({
      funding_payments: [{ id: 1, timestamp_ns: ns(1), amount: "1" }],
    });
    told.later({ funding_payments: [{ id: 1, timestamp_ns: ns(2), amount: "1" }] });
    expect(told.state.logs.funding_payments.rows).toHaveLength(2);
  });

  test("that are equal are two, in one frame and in two", () => {
    const told = new Told().first({ fills: [fill(0)] });
    told.later({ fills: [fill(5), fill(5)] }).later({ fills: [fill(5)] });
    expect(fillsOf(told)).toEqual([fill(0), fill(5), fill(5), fill(5)]);
    expect(told.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("of a backlog are laid over what is held as a sequence", () => {
    const told = new Told().first({ fills: [fill(1), fill(2), fill(2)] });
    told.later({ fills: [fill(3)] });
    told.first({ fills: [fill(4), fill(4), fill(3), fill(2), fill(2)] });
    expect(fillsOf(told)).toEqual([1, 2, 2, 3, 4, 4].map((ms) => fill(ms)));
    expect(told.state.logs.fills.mayMiss).toBe(false);
    told.first({ fills: [fill(0), fill(1), fill(2), fill(2), fill(3), fill(4), fill(4), fill(9)] });
    expect(fillsOf(told)).toEqual([0, 1, 2, 2, 3, 4, 4, 9].map((ms) => fill(ms)));
    expect(told.state.logs.fills.total).toBe(8);
  });

  test("of a backlog that comes in several frames are laid over as one", () => {
    const told = new Told().first({ fills: [fill(1), fill(2)] });
    told.first({ fills: [fill(1)] }).part({ fills: [fill(2), fill(3)] });
    expect(fillsOf(told)).toEqual([fill(1), fill(2), fill(3)]);
    expect(told.state.logs.fills.mayMiss).toBe(false);
  });

  test("say when some may be missing behind a new subscription", () => {
    const own = (ms: number) => fill(ms, { trade_id: ms });
    const told = new Told().first({ fills: [own(1), own(2)] });
    told.first({ fills: [own(50)] });
    expect(told.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(50)));
    told.first({ fills: [own(50), own(51)] }).later({ fills: [own(52)] });
    expect(told.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(50)));
    told.first({ fills: [own(2), own(20), own(50), own(51), own(52)] });
    expect(fillsOf(told)).toEqual([1, 2, 20, 50, 51, 52].map(own));
    expect(told.state.logs.fills.mayMiss).toBe(false);
    const silent = new Told().first({ fills: [own(1), own(2)] }).first({ orders: [] });
    expect(silent.state.logs.fills.mayMissAfterNs).toBe(BigInt(ns(2)));
    silent.later({ fills: [own(9)] }).later({ fills: [own(10)] });
    expect(silent.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(9)));
  });

  test("say so, too, where a snapshot ends before the newest of what is held: its row may be one more", () => {
    const twin = fill(5, { trade_id: 7, px: "1" });
    const other = fill(5, { trade_id: 8, px: "2" });
    const told = new Told().first({ fills: [fill(1, { trade_id: 6 })] });
    told.later({ fills: [twin, twin, other] }).first({ fills: [twin] });
    expect(fillsOf(told)).toHaveLength(4);
    expect(told.state.logs.fills.mayMissAfterNs).toBe(BigInt(ns(5)));
  });

  test("say so, too, where only equal rows are found again: there may be one more", () => {
    const told = new Told().first({ fills: [fill(1), fill(2)] }).first({ fills: [fill(2)] });
    expect(fillsOf(told)).toEqual([fill(1), fill(2)]);
    expect(told.state.logs.fills.mayMissAfterNs).toBe(BigInt(ns(2)));
  });

  test("of which there may be one more stay so behind a list that begins with such a row, and not behind one that has what was before", () => {
    const told = new Told().first({ fills: [fill(1), fill(2)] }).first({ fills: [fill(2)] });
    told.later({ fills: [fill(3)] }).first({ fills: [fill(2), fill(3)] });
    expect(fillsOf(told)).toEqual([fill(1), fill(2), fill(3)]);
    expect(told.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(3)));
    told.first({ fills: [fill(2), fill(3), fill(4)] });
    expect(told.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(3)));
    told.first({ fills: [fill(1), fill(2), fill(3), fill(4)] });
    expect(told.state.logs.fills.mayMiss).toBe(false);
  });

  test("of which there may be one more stay so where two audits replace what stands behind them", () => {
    const told = new Told().first({ fills: [fill(1), fill(2)] }).first({ fills: [fill(2)] });
    told.later({ fills: [fill(3)] }).later({ fills: [fill(4), fill(4)] });
    for (const _ of [1, 2]) told.audit({ fills: [fill(2), fill(3), fill(4)] });
    expect(fillsOf(told)).toEqual([1, 2, 3, 4].map((ms) => fill(ms)));
    expect(told.state.logs.fills.mayMissBeforeNs).toBe(BigInt(ns(3)));
  });

  test("of lists that repeat the newest rows are not held twice, once that is seen", () => {
    const told = new Told().first({ fills: [] });
    const distinct = (ms: number) => fill(ms, { trade_id: ms });
    for (let i = 1; i < 9; i++) {
      told.later({ fills: [i - 3, i - 2, i - 1, i].filter((n) => n > 0).map(distinct) });
    }
    expect(fillsOf(told)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(distinct));
    expect(told.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("that may be held twice stay in question when a list behind a hole repeats nothing", () => {
    const told = new Told().first({ fills: [fill(1)] }).later({ fills: [fill(1)] });
    expect(fillsOf(told)).toHaveLength(2);
    told.first({}).later({ fills: [fill(8), fill(9)] });
    expect(told.state.logs.fills.isDecided).toBe(false);
    expect(told.state.logs.fills.inQuestion.size).toBe(2);
  });

  test("of the first list of a subscription that may be its backlog stay in question, whatever later ones are", () => {
    const told = new Told().first({ fills: [fill(0)] }).later({ fills: [fill(5)] });
    told.later({ fills: [fill(6)] });
    expect(told.state.logs.fills.isDecided).toBe(true);
    told
      .first({})
      .later({ fills: [fill(6)] })
      .later({ fills: [fill(9)] });
    expect(fillsOf(told)).toEqual([0, 5, 6, 6, 9].map((ms) => fill(ms)));
    expect(told.state.logs.fills.inQuestion.size).toBe(2);
    told.audit({ fills: [0, 5, 6, 6, 9].map((ms) => fill(ms)) });
    expect(told.state.logs.fills.inQuestion.size).toBe(0);
  });

  test("that two audits find otherwise are replaced", () => {
    const told = new Told().first({ fills: [fill(1), fill(2)] });
    const snapshot = { fills: [fill(1), fill(2), fill(2)] };
    expect(told.audit(snapshot).differences).toHaveLength(1);
    expect(fillsOf(told)).toHaveLength(2);
    expect(told.audit(snapshot).changed).toContain("fills");
    expect(fillsOf(told)).toEqual(snapshot.fills);
  });
});
