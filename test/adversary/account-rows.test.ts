// Accounts of services that the document allows, by what tells their rows apart: two rows never become one, one never
// becomes two, unless the row says that it is in question.
import { describe, expect, test } from "vitest";
import { AccountState } from "../../src/state/account.ts";
import { Aliases } from "../../src/state/aliases.ts";
import type { AccountUpdate } from "../../src/wire/channels/account.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

type List = "orders" | "positions" | "balances" | "leverages";
type Log = "fills" | "funding_payments";
type Rows = readonly OpenRecord[];

/** One list of an account as one service tells of it, from its first rows on. */
class Rig {
  readonly state = new AccountState(new Aliases());
  readonly #name: List | Log;
  #atMs = 0;

  constructor(name: List | Log, ...rows: Rows) {
    this.#name = name;
    this.first(...rows);
  }

  first(...rows: Rows): this {
    return this.firstOf({ [this.#name]: rows });
  }

  /** More of a first frame. */
  part(...rows: Rows): this {
    return this.firstOf({ [this.#name]: rows }, true);
  }

  /** A first frame of whichever lists, or more of it. */
  firstOf(payload: Partial<Record<List | Log, Rows>>, continues = false): this {
    this.state.update(payload as AccountUpdate, true, this.#atMs++, continues);
    return this;
  }

  later(...rows: Rows): this {
    this.state.update(this.#payload(rows), false, this.#atMs++);
    return this;
  }

  audit(...rows: Rows) {
    return this.state.audit(this.#payload(rows));
  }

  #payload(rows: Rows): AccountUpdate {
    return { [this.#name]: rows } as unknown as AccountUpdate;
  }

  get list() {
    return this.state.lists[this.#name as List];
  }

  get log() {
    return this.state.logs[this.#name as Log];
  }

  get rows(): Rows {
    return this.list.rows;
  }

  get asked(): Rows {
    return [...this.list.inQuestion];
  }

  /** Rows in question, but for those that the newest list has left out. */
  get doubted(): Rows {
    return this.asked.filter((row) => !this.list.unnamed.has(row));
  }

  get unnamed(): Rows {
    return [...this.list.unnamed].filter((row) => this.list.inQuestion.has(row));
  }

  /** Of a log, oldest first. */
  get logged(): Rows {
    return this.log.rows.toReversed();
  }
}

/** It holds these rows, and none is in question, but for those that the newest list has left out. */
function expectSure(rig: Rig, rows: Rows): void {
  expect(rig.rows).toEqual(rows);
  expect(rig.doubted).toEqual([]);
}

describe("balances", () => {
  test.each([["amt", "ccy"] as const, ["ccy", "amt"] as const])(
    "of fields %s, %s are kept apart by what they are of",
    (a, b) => {
      const row = (ccy: string, amt: string) => {
        const fields: OpenRecord = { ccy, amt };
        return { [a]: fields[a], [b]: fields[b] };
      };
      const rig = new Rig("balances", row("USDC", "100.5"), row("BTC", "2"));
      for (let i = 0; i < 13; i++) rig.later(row("USDC", `${90 - i}.25`));
      rig.later(row("BTC", "3"));
      expectSure(rig, [row("USDC", "78.25"), row("BTC", "3")]);
    },
  );

  test("in words that nobody knows are kept apart by the word, not by the amount", () => {
    const rig = new Rig(
      "balances",
      { menge: "1.5", muenze: "USDC" },
      { menge: "7", muenze: "BTC" },
    );
    for (let i = 1; i < 9; i++) rig.later({ menge: `${i}`, muenze: "USDC" });
    expect(rig.rows).toHaveLength(2);
  });

  test("of one asset in two isolated margins are two", () => {
    const row = (margin_id: number, amount: string) => ({ asset: "USDC", margin_id, amount });
    const rig = new Rig("balances", row(1, "5"), row(2, "7"));
    rig.later(row(2, "8")).later(row(1, "4"));
    expectSure(rig, [row(1, "4"), row(2, "8")]);
  });

  test("of an asset that goes to a second margin later are kept apart, and in question", () => {
    const row = (bucket: string, amount: string) => ({ asset: "USDC", bucket, amount });
    const rig = new Rig("balances", row("cross", "5"));
    rig.later(row("isolated", "2"));
    expect(rig.rows).toEqual([row("cross", "5"), row("isolated", "2")]);
    expect(rig.asked).toHaveLength(2);
    rig.audit(row("cross", "5"), row("isolated", "2"));
    expect(rig.doubted).toEqual([]);
    rig.later(row("isolated", "3")).later(row("cross", "9"));
    expect(rig.doubted).toEqual([]);
  });
});

describe("orders", () => {
  const nameless = (more: OpenRecord = {}): OpenRecord => ({
    market_type: "perp",
    market_id: 1,
    side: "buy",
    price: "100.5",
    size: "3",
    status: "open",
    ...more,
  });
  const order = (market_id: number, order_id: unknown, more: OpenRecord = {}) =>
    nameless({ market_id, order_id, ...more });

  test("that nothing tells apart do not show that a list has left out one of them", () => {
    // Neither the price nor the size is another one in each of them.
    const all = ["10.5", "11.5"].flatMap((price) =>
      ["1", "2"].map((size) => nameless({ price, size })),
    );
    const rig = new Rig("orders", ...all.slice(0, 3)).later(...all);
    rig.audit(...all);
    expect(rig.list.isDecided).toBe(false);
    rig.later(...all.slice(0, 2));
    expect(rig.rows.filter((row) => !rig.asked.includes(row))).toEqual([]);
  });

  test("without ids that a snapshot holds at the places of others do not show that lists leave out what is there", () => {
    const three = (more: OpenRecord) => [1, 2, 3].map((at) => nameless({ market_id: at, ...more }));
    const fourth = (size: string) => nameless({ market_id: 4, price: "7.5", size });
    const rig = new Rig("orders", ...three({ price: "10.5", size: "1" }));
    rig.later(fourth("1"));
    const others = three({ price: "11", size: "2" });
    rig.first(...others, fourth("1"));
    expect(rig.list.isDecided).toBe(false);
    rig.later(fourth("3"));
    expect(rig.asked).toEqual(expect.arrayContaining(others));
  });

  test("with ids per market are kept apart by both", () => {
    const rig = new Rig("orders", order(1, 1), order(2, 2));
    rig.later(order(2, 1, { price: "7.25" }));
    rig.later(order(1, 1, { status: "canceled" }));
    expect(rig.rows).toEqual([order(2, 2), order(2, 1, { price: "7.25" })]);
  });

  test("with ids per market type, too", () => {
    const rig = new Rig("orders", order(1, 1));
    rig.later(order(1, 1, { market_type: "spot" }));
    expect(rig.rows).toHaveLength(2);
  });

  test("in nested fields are kept apart by them", () => {
    const row = (market: number, id: number, size: string) => ({
      order: { id, client_id: `c${id}` },
      market: { type: "perp", id: market },
      size,
    });
    const rig = new Rig("orders", row(1, 1, "5"), row(2, 1, "5"));
    rig.later(row(2, 1, "4.5"));
    expect(rig.rows).toEqual([row(1, 1, "5"), row(2, 1, "4.5")]);
    expect(rig.list.key).toBe("market.type/market.id/order.id");
  });

  test("whose ids are numbers, then others that are texts, are kept apart", () => {
    const rig = new Rig("orders", order(1, 7), order(1, 8));
    rig.later(order(1, "o-9")).later(order(1, 7, { size: "2" }));
    expectSure(rig, [order(1, 7, { size: "2" }), order(1, 8), order(1, "o-9")]);
  });

  test("whose ids are a number and a text of its digits are one or two: in question until that is seen", () => {
    const rig = new Rig("orders", order(1, 7), order(1, 8));
    rig.later(order(1, "7", { size: "2" }));
    expect(rig.asked).toEqual(expect.arrayContaining([order(1, 7), order(1, "7", { size: "2" })]));
    const one = [order(1, "7", { size: "2" }), order(1, 8)];
    for (const _ of [1, 2]) rig.audit(...one);
    expect(rig.rows).toEqual(one);
    rig.later(order(1, "8", { size: "1" }));
    expect(rig.rows).toEqual([order(1, "7", { size: "2" }), order(1, "8", { size: "1" })]);
    // The number was an order of before: that it is over, and that it began as a text in the same frame, is not known.
    rig.later(order(1, 7));
    rig.later(order(1, "7", { price: "9" }), order(1, 7, { status: "filled" }));
    expect(rig.rows).toHaveLength(2);
    expect(rig.doubted).toEqual([order(1, "7", { price: "9" })]);
    const two = new Rig("orders", order(1, 7), order(1, "7"));
    two.later(order(1, "7", { size: "2" }));
    expectSure(two, [order(1, 7), order(1, "7", { size: "2" })]);
  });

  test("whose ids are a number and a text of its digits, and that differ in more, are two, although one ends without a word", () => {
    const other = order(1, "7", { size: "2", price: "90.5" });
    const rig = new Rig("orders", order(1, 8));
    rig.later(order(1, 7)).later(other);
    for (const _ of [1, 2]) rig.audit(order(1, 8), other);
    expect(rig.rows).toEqual([order(1, 8), other]);
    rig.later(order(1, 7, { size: "5" }));
    expect(rig.rows).toEqual([order(1, 8), other, order(1, 7, { size: "5" })]);
  });

  test("whose ids are within another object are two where one is a number and one a text of its digits", () => {
    const nested = (id: number | string, size = "1") => ({
      order: { id },
      market: { type: "perp", id: 1 },
      side: "buy",
      price: "10.5",
      size,
    });
    const rig = new Rig("orders", nested(7), nested("7"));
    rig.later(nested("7", "2"));
    expectSure(rig, [nested(7), nested("7", "2")]);
  });

  test("without names: where one of two in a frame is over, the other may stand, and is in question", () => {
    const rig = new Rig("orders", nameless());
    rig.later(nameless({ size: "1" }), nameless({ status: "failed" }));
    expect(rig.rows).toEqual([nameless({ size: "1" })]);
    expect(rig.asked).toEqual(rig.rows);
  });

  test("of size 0 that lists have left out teach nothing of size 0 when they are over", () => {
    const row = (id: number, size: string) => ({
      oid: id,
      symbol: "BTC-PERP",
      side: "buy",
      px: "10.5",
      sz: size,
    });
    const rig = new Rig("orders", row(1, "5"), row(2, "4"));
    rig.later(row(1, "5"), row(2, "4"), row(3, "0"));
    rig.later(row(1, "5"), row(2, "3"));
    for (const _ of [1, 2]) rig.audit(row(1, "5"), row(2, "3"));
    rig.later(row(1, "5"), row(2, "3"), row(4, "0"));
    expect(rig.rows).toEqual([row(1, "5"), row(2, "3"), row(4, "0")]);
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
    const rig = new Rig("orders", row(1, "5"), row(2, "4"));
    rig.later(row(2, "4"));
    const stop = row(1, "0", { px: "11.95", type: "stop", trigger: "12.5" });
    rig.later(stop, row(2, "4"));
    expect(rig.rows).toContainEqual(stop);
    expect(rig.asked).toContainEqual(stop);
    rig.later(row(2, "0"));
    expect(rig.rows).not.toContainEqual(expect.objectContaining({ oid: 2 }));
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
    const rig = new Rig("orders", stop(1, {}), stop(2, {}));
    rig.later(stop(3, {}));
    for (const _ of [1, 2]) rig.audit(stop(1, {}), stop(2, {}));
    expect(rig.rows).toHaveLength(2);
    rig.later(stop(4, { active: true }));
    expect(rig.rows).toContainEqual(stop(4, { active: true }));
    rig.later(stop(4, { active: false }));
    expect(rig.rows).toHaveLength(2);
  });

  test("whose only id is that of the market are kept apart, and in question", () => {
    const row = (id: number, price: string) => ({ id, price, qty: "1.5", buy: true });
    const rig = new Rig("orders", row(3, "10.5"));
    rig.later(row(3, "11.5"));
    expect(rig.asked).toEqual(rig.rows);
  });

  test("without any name are in question as soon as one changes", () => {
    const row = (px: string, n: number) => ({ mkt: 3, px, n });
    const rig = new Rig("orders", row("1.5", 5), row("2.5", 5));
    expect(rig.doubted).toEqual([]);
    rig.later(row("2.5", 4));
    expect(rig.asked.length).toBeGreaterThan(0);
  });

  test("of size 0 stand while their status does not say otherwise", () => {
    const stop = (id: number, status: string) => order(1, id, { size: "0", type: "stop", status });
    const rig = new Rig("orders", stop(1, "untriggered"), stop(2, "untriggered"));
    rig.later(stop(3, "open")).later(stop(1, "voided"));
    expect(rig.rows).toEqual([stop(2, "untriggered"), stop(3, "open")]);
  });

  test("of size 0 without a status stand in a snapshot", () => {
    const stop = { order_id: 1, market_id: 1, size: "0", trigger: "5.5" };
    expect(new Rig("orders", stop).rows).toEqual([stop]);
  });

  test("whose word may be either are in question", () => {
    const rig = new Rig("orders", order(1, 1));
    rig.later(order(1, 1, { status: "best_effort_canceled" }));
    expect(rig.asked).toHaveLength(1);
  });

  test("lose a flag that a whole row leaves out, once such a row has repeated it", () => {
    const flagged = (size: string) => order(1, 2, { reduce_only: true, size });
    const rig = new Rig("orders", order(1, 1), flagged("4"));
    rig.later(flagged("3"));
    rig.later(order(1, 2, { size: "2" }));
    expect(rig.rows[1]).toEqual(order(1, 2, { size: "2" }));
    expect(rig.doubted).toEqual([]);
  });

  test.each([[[order(1, 1)]], [[]]])(
    "lose a flag that a whole row leaves out, and are in question where none has repeated it, beside %j",
    (others) => {
      const rig = new Rig("orders", ...others, order(1, 2, { reduce_only: true }));
      rig.later(order(1, 2, { size: "2" }));
      expect(rig.rows.at(-1)).toEqual(order(1, 2, { size: "2" }));
      expect(rig.doubted).toHaveLength(1);
    },
  );

  test("keep a flag that a part of a row leaves out", () => {
    const rig = new Rig("orders", order(1, 1), order(1, 2, { reduce_only: true }));
    rig.later({ market_type: "perp", market_id: 1, order_id: 2, size: "1" });
    expect(rig.rows[1]).toEqual(order(1, 2, { reduce_only: true, size: "1" }));
  });

  test("of which a part leaves out even the market are found", () => {
    const rig = new Rig("orders", order(1, 1), order(2, 2));
    rig.later({ order_id: 2, size: "1" });
    expect(rig.rows).toEqual([order(1, 1), order(2, 2, { size: "1" })]);
    rig.later({ order_id: 1, status: "filled" });
    expect(rig.rows).toEqual([order(2, 2, { size: "1" })]);
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
    const rig = new Rig("positions", long, short);
    rig.later({ ...short, size: "9.5" });
    expectSure(rig, [long, { ...short, size: "9.5" }]);
  });

  test("that turn from long to short are one or two: in question until audits say which", () => {
    const rig = new Rig("positions", long).later(short);
    expect(rig.rows).toEqual([long, short]);
    expect(rig.asked).toEqual([long, short]);
    expect(rig.audit(short).differences).toHaveLength(1);
    expect(rig.rows).toEqual([long, short]);
    expect(rig.audit(short).changed).toContain("distinguished by");
    expectSure(rig, [short]);
    rig.later(long);
    expectSure(rig, [long]);
  });

  test("that turn are held as closed and opened: one", () => {
    const rig = new Rig("positions", long);
    rig.later({ ...long, size: "0" }, short);
    expectSure(rig, [short]);
  });

  test("end with a size of zero, whatever side such a row names", () => {
    for (const side of ["flat", "none", "", null, "long"]) {
      const rig = new Rig("positions", long, position(2, { side: "long" }));
      rig.later({ ...long, side, size: "0" });
      expect(rig.rows).toEqual([position(2, { side: "long" })]);
    }
  });

  test("of a market that is named in a field called id are kept apart", () => {
    const row = (id: string, size: string) => ({ id, size, upnl: "0.5" });
    const rig = new Rig("positions", row("perp-1", "1.5"), row("perp-2", "2.5"));
    rig.later(row("perp-2", "-3.5"));
    expectSure(rig, [row("perp-1", "1.5"), row("perp-2", "-3.5")]);
  });

  test("in two isolated margins are two, also in a frame of changes", () => {
    const rig = new Rig("positions");
    const [a, b] = [position(1, { margin_id: 1 }), position(1, { margin_id: 2 })];
    rig.later(a, b).later({ ...b, size: "4.5" });
    expectSure(rig, [a, { ...b, size: "4.5" }]);
  });

  describe("that may have ended unseen, beside another margin of their market", () => {
    const inMargin = (margin_id: number, more: OpenRecord = {}) =>
      position(1, { margin_id, status: "open", ...more });
    const [first, second] = [inMargin(1), inMargin(2, { size: "0.5", entry_price: "60980.5" })];

    function expectTwoMargins(rig: Rig): void {
      for (let i = 0; i < 3; i++) rig.audit(first);
      expect(rig.rows).toEqual([first]);
      const again = inMargin(2, { size: "3.25", entry_price: "61007.25" });
      expect(rig.later(again).rows).toEqual([first, again]);
    }

    test("since before a subscription that has not sent them, are no other name of it", () => {
      const rig = new Rig("positions", second).firstOf({ balances: [] });
      expectTwoMargins(rig.later(first));
    });

    test("because nothing says that they are over, are no other name of what is opened behind an audit", () => {
      const rig = new Rig("positions", second);
      rig.audit();
      expectTwoMargins(rig.later(first));
    });

    test("by a word that nobody knows, are no other name of it", () => {
      const rig = new Rig("positions", second);
      rig.later({ ...second, status: "abgewickelt" });
      expectTwoMargins(rig.later(first));
    });
  });

  test("that have a rank that changes are one", () => {
    const rig = new Rig("positions", position(1, { adl_queue: 3 }));
    rig.later(position(1, { adl_queue: 4 }));
    expectSure(rig, [position(1, { adl_queue: 4 })]);
  });

  test("of a snapshot stay there when more of it comes behind an audit, as in a frame without a change", () => {
    const rig = new Rig("positions", position(1)).part();
    rig.audit(position(1));
    rig.part();
    expect(rig.rows).toEqual([position(1)]);
    expect(rig.part(position(2)).rows).toEqual([position(1), position(2)]);
  });
});

describe("leverages", () => {
  test("of a perpetual and a spot market with one id are in question", () => {
    const rig = new Rig("leverages", { market_id: 1, leverage: 5 }, { market_id: 1, leverage: 9 });
    expect(rig.rows).toHaveLength(2);
    expect(rig.asked).toHaveLength(2);
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
    const rig = new Rig("orders", ...all);
    rig.later(row(1, 1, "2"));
    expect(rig.unnamed).toEqual([row(1, 2), row(2, 3), row(2, 4)]);
    rig.later(row(2, 3, "2"));
    expect(rig.rows).toHaveLength(4);
    for (let i = 0; i < 4; i++) {
      rig.later(row(1, 1, `${3 + i}`)).later(row(1, 2, `${4 + i}`));
    }
    expect(rig.list.inQuestion.size).toBe(0);
  });

  test("that are all rows of the markets they name: two audits show it", () => {
    const rig = new Rig("orders", ...all);
    // The second order of the first market has ended; nothing but its absence says so.
    rig.later(row(1, 1));
    rig.later(row(2, 3), row(2, 4));
    const now = [row(1, 1), row(2, 3), row(2, 4)];
    expect(rig.audit(...now).differences).toEqual([
      { part: "orders", row: expect.any(String), how: "extra" },
    ]);
    expect(rig.asked).toEqual([row(1, 2)]);
    expect(rig.audit(...now).changed).toContain("all rows of their markets");
    expect(rig.rows).toEqual(now);
    rig.later(row(2, 4));
    expectSure(rig, [row(1, 1), row(2, 4)]);
  });

  test("that are all there is: two audits show it, and rows leave at once from then on", () => {
    const rig = new Rig("orders", ...all);
    rig.later(row(1, 1), row(1, 2), row(2, 3));
    rig.later(row(1, 1), row(1, 2));
    const now = [row(1, 1), row(1, 2)];
    rig.audit(...now);
    expect(rig.asked).toEqual([row(2, 3), row(2, 4)]);
    rig.audit(...now);
    expect(rig.rows).toEqual(now);
    expect(rig.list.interpretation).toBe("whole");
    rig.later(row(1, 2));
    expect(rig.rows).toEqual([row(1, 2)]);
  });

  test("that leave out a position which a snapshot has again, as another one, may still be all there is", () => {
    const position = (size: string, entry: string, upnl: string) => ({
      symbol: "BTC-PERP",
      sz: size,
      entry,
      upnl,
    });
    const rig = new Rig("positions");
    for (let i = 0; i < 4; i++) {
      rig.later(position(`${i + 2}`, `1${i}.485`, `-0.${i}8`));
      rig.later();
      rig.first(position("1.5", `1${i}.5`, "0"));
    }
    const last = position("3.5", "12.25", "0.75");
    rig.later(last).later();
    expect(rig.rows).toEqual(rig.asked);
  });

  test("that leave out a position which is opened again, as large and at the same price, may still be all there is", () => {
    const position = (upnl: string) => ({
      symbol: "BTC-PERP",
      size: "0.12345",
      entry_price: "60123.45",
      unrealized_pnl: upnl,
      liquidation_price: "41234.56",
    });
    const rig = new Rig("positions");
    for (let i = 0; i < 5; i++) {
      rig.later(position("0")).later(position(`-${i}.25`));
      rig.later();
      expect(rig.asked).toEqual(rig.rows);
    }
  });

  test("that leave out positions which come again two at a time, as large and at the same price, are not all there is", () => {
    const position = (market: string, upnl: string) => ({
      symbol: market,
      size: "0.5",
      entry_price: `60${market.charCodeAt(0)}3.45`,
      unrealized_pnl: upnl,
    });
    const all = (upnl: string) => ["BTC", "ETH", "SOL"].map((each) => position(each, upnl));
    const rig = new Rig("positions", ...all("0"));
    for (let i = 1; i < 5; i++) {
      rig.later(position("SOL", `${i}.5`));
      rig.later(...all(`${i}`).slice(0, 2));
    }
    rig.later(position("SOL", "7.5"));
    expect(rig.asked).toEqual([]);
  });

  test("that leave out a row whose name an audit finds on another one may still be all there is", () => {
    const rig = new Rig("orders", ...all);
    rig.later(...all.slice(1));
    const [first, ...others] = all;
    const other = { ...first, side: "buy", size: "7.25", price: "1234.5" };
    rig.audit(other, ...others);
    rig.later(...others.slice(1));
    expect(rig.asked).toContainEqual(others[0]);
  });

  test("that are changes: one audit that finds everything as it is held is enough", () => {
    const rig = new Rig("orders", ...all);
    rig.later(row(1, 1, "2"));
    rig.audit(row(1, 1, "2"), ...all.slice(1));
    expect(rig.doubted).toEqual([]);
    rig.later(row(2, 4, "1"));
    expect(rig.doubted).toEqual([]);
  });
});

describe("a snapshot", () => {
  const row = (order_id: number) => ({ market_id: 1, order_id, side: "buy", size: "1.5" });
  const balance = (asset: string) => ({ asset, amt: "1" });

  test("in mid-stream replaces everything", () => {
    const rig = new Rig("orders").firstOf({ orders: [row(1), row(2)], balances: [balance("X")] });
    rig.firstOf({ orders: [row(3)], balances: [] });
    expect(rig.rows).toEqual([row(3)]);
    expect(rig.state.lists.balances.rows).toEqual([]);
  });

  test("without rows that a word nobody knows may have ended does not show that lists leave out what is over", () => {
    const order = (order_id: number, status: string) => ({ ...row(order_id), status });
    const rig = new Rig("orders");
    for (let id = 10; id < 100; id += 10) {
      for (let i = 0; i < 5; i++) {
        rig.later(order(id + i, "new"));
        rig.later(order(id + i, "deactivated"));
      }
      rig.later(order(id + 9, "new"));
      rig.first(order(id + 9, "new"));
      rig.later(order(id + 9, "filled"));
    }
    const [one, another] = [order(101, "new"), order(102, "new")];
    rig.later(one).later(another);
    expect(rig.rows).toEqual(expect.arrayContaining([one, another]));
  });

  describe.each([
    ["snapshots", (rig: Rig, row: OpenRecord) => rig.first(row)],
    ["audits", (rig: Rig, row: OpenRecord) => rig.audit(row)],
  ])("%s that do not hold what a word nobody knows may have ended", (_, compare) => {
    const order = (order_id: number, status: string) => ({ ...row(order_id), status });
    const tell = () => {
      const rig = new Rig("orders", order(1, "new"));
      for (let id = 10; id < 100; id += 10) {
        rig.later(order(id, "new")).later(order(id, "deactivated"));
        const standing = order(1, `open ${id}`);
        rig.later(standing);
        for (const _ of [1, 2]) compare(rig, standing);
      }
      return rig.later(order(100, "deactivated"));
    };

    test("end its rows once a list leaves them out", () => {
      const rig = tell();
      expect(rig.asked).toContainEqual(order(100, "deactivated"));
      rig.later(order(1, "active"));
      expect(rig.rows).toEqual([order(1, "active")]);
    });

    test("end none any more when one of them comes again", () => {
      const rig = tell().later(order(1, "active"));
      rig.later(order(100, "new"));
      rig.later(order(200, "deactivated")).later(order(1, "new"));
      expect(rig.rows).toContainEqual(order(200, "deactivated"));
      expect(rig.asked).toContainEqual(order(200, "deactivated"));
    });
  });

  test("of which nothing is left of what was there does not show that lists leave out what is over, however often", () => {
    const rig = new Rig("orders");
    for (let id = 10; id < 500; id += 10) {
      for (let i = 0; i < 3; i++) rig.later(row(id + i));
      rig.first(row(id + 5));
    }
    rig.later(row(501)).later(row(502));
    expect(rig.rows).toEqual(expect.arrayContaining([row(501), row(502)]));
  });

  test("in several frames replaces as a whole", () => {
    const rig = new Rig("orders").firstOf({ orders: [row(1)], balances: [balance("X")] });
    const { balances } = rig.first(row(2)).state.lists;
    expect(balances.inQuestion.size).toBe(1);
    rig.part(row(3)).firstOf({ balances: [balance("Y")] }, true);
    expect(rig.rows).toEqual([row(2), row(3)]);
    expect(balances.rows).toEqual([balance("Y")]);
    expect(balances.inQuestion.size).toBe(0);
  });

  test("that does not hold a list leaves its rows in question", () => {
    const rig = new Rig("orders", row(1)).firstOf({ balances: [] });
    expect(rig.rows).toEqual([row(1)]);
    expect(rig.asked).toEqual([row(1)]);
    rig.later(row(1));
    expect(rig.doubted).toEqual([]);
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

  test("that share a trade id are all there", () => {
    const rows = [fill(1, { trade_id: 7, size: "1" }), fill(1, { trade_id: 7, size: "2" })];
    const rig = new Rig("fills").later(...rows);
    rig.later(fill(2, { trade_id: 7, size: "3" }));
    expect(rig.logged).toHaveLength(3);
    expect(rig.log.inQuestion.size).toBe(0);
  });

  test("whose id is the market are all there", () => {
    const rig = new Rig("funding_payments", { id: 1, timestamp_ns: ns(1), amount: "1" });
    rig.later({ id: 1, timestamp_ns: ns(2), amount: "1" });
    expect(rig.log.rows).toHaveLength(2);
  });

  test("that are equal are two, in one frame and in two", () => {
    const rig = new Rig("fills", fill(0));
    rig.later(fill(5), fill(5)).later(fill(5));
    expect(rig.logged).toEqual([fill(0), fill(5), fill(5), fill(5)]);
    expect(rig.log.inQuestion.size).toBe(0);
  });

  test("of a backlog are laid over what is held as a sequence", () => {
    const rig = new Rig("fills", fill(1), fill(2), fill(2));
    rig.later(fill(3));
    rig.first(fill(4), fill(4), fill(3), fill(2), fill(2));
    expect(rig.logged).toEqual([1, 2, 2, 3, 4, 4].map((ms) => fill(ms)));
    expect(rig.log.mayMiss).toBe(false);
    rig.first(fill(0), fill(1), fill(2), fill(2), fill(3), fill(4), fill(4), fill(9));
    expect(rig.logged).toEqual([0, 1, 2, 2, 3, 4, 4, 9].map((ms) => fill(ms)));
    expect(rig.log.total).toBe(8);
  });

  test("of a backlog that comes in several frames are laid over as one", () => {
    const rig = new Rig("fills", fill(1), fill(2));
    rig.first(fill(1)).part(fill(2), fill(3));
    expect(rig.logged).toEqual([fill(1), fill(2), fill(3)]);
    expect(rig.log.mayMiss).toBe(false);
  });

  test("say when some may be missing behind a new subscription", () => {
    const own = (ms: number) => fill(ms, { trade_id: ms });
    const rig = new Rig("fills", own(1), own(2));
    rig.first(own(50));
    expect(rig.log.mayMissBeforeNs).toBe(BigInt(ns(50)));
    rig.first(own(50), own(51)).later(own(52));
    expect(rig.log.mayMissBeforeNs).toBe(BigInt(ns(50)));
    rig.first(own(2), own(20), own(50), own(51), own(52));
    expect(rig.logged).toEqual([1, 2, 20, 50, 51, 52].map(own));
    expect(rig.log.mayMiss).toBe(false);
    const silent = new Rig("fills", own(1), own(2)).firstOf({ orders: [] });
    expect(silent.log.mayMissAfterNs).toBe(BigInt(ns(2)));
    silent.later(own(9)).later(own(10));
    expect(silent.log.mayMissBeforeNs).toBe(BigInt(ns(9)));
  });

  test("say so, too, where a snapshot ends before the newest of what is held: its row may be one more", () => {
    const twin = fill(5, { trade_id: 7, px: "1" });
    const other = fill(5, { trade_id: 8, px: "2" });
    const rig = new Rig("fills", fill(1, { trade_id: 6 }));
    rig.later(twin, twin, other).first(twin);
    expect(rig.logged).toHaveLength(4);
    expect(rig.log.mayMissAfterNs).toBe(BigInt(ns(5)));
  });

  test("say so, too, where only equal rows are found again: there may be one more", () => {
    const rig = new Rig("fills", fill(1), fill(2)).first(fill(2));
    expect(rig.logged).toEqual([fill(1), fill(2)]);
    expect(rig.log.mayMissAfterNs).toBe(BigInt(ns(2)));
  });

  test("of which there may be one more stay so behind a list that begins with such a row, and not behind one that has what was before", () => {
    const rig = new Rig("fills", fill(1), fill(2)).first(fill(2));
    rig.later(fill(3)).first(fill(2), fill(3));
    expect(rig.logged).toEqual([fill(1), fill(2), fill(3)]);
    expect(rig.log.mayMissBeforeNs).toBe(BigInt(ns(3)));
    rig.first(fill(2), fill(3), fill(4));
    expect(rig.log.mayMissBeforeNs).toBe(BigInt(ns(3)));
    rig.first(fill(1), fill(2), fill(3), fill(4));
    expect(rig.log.mayMiss).toBe(false);
  });

  test("of which there may be one more stay so where two audits replace what stands behind them", () => {
    const rig = new Rig("fills", fill(1), fill(2)).first(fill(2));
    rig.later(fill(3)).later(fill(4), fill(4));
    for (const _ of [1, 2]) rig.audit(fill(2), fill(3), fill(4));
    expect(rig.logged).toEqual([1, 2, 3, 4].map((ms) => fill(ms)));
    expect(rig.log.mayMissBeforeNs).toBe(BigInt(ns(3)));
  });

  test("of lists that repeat the newest rows are not held twice, once that is seen", () => {
    const rig = new Rig("fills");
    const distinct = (ms: number) => fill(ms, { trade_id: ms });
    for (let i = 1; i < 9; i++) {
      rig.later(...[i - 3, i - 2, i - 1, i].filter((n) => n > 0).map(distinct));
    }
    expect(rig.logged).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(distinct));
    expect(rig.log.inQuestion.size).toBe(0);
  });

  test("that may be held twice stay in question when a list behind a hole repeats nothing", () => {
    const rig = new Rig("fills", fill(1)).later(fill(1));
    expect(rig.logged).toHaveLength(2);
    rig.firstOf({}).later(fill(8), fill(9));
    expect(rig.log.isDecided).toBe(false);
    expect(rig.log.inQuestion.size).toBe(2);
  });

  test("of the first list of a subscription that may be its backlog stay in question, whatever later ones are", () => {
    const rig = new Rig("fills", fill(0)).later(fill(5));
    rig.later(fill(6));
    expect(rig.log.isDecided).toBe(true);
    rig.firstOf({}).later(fill(6)).later(fill(9));
    expect(rig.logged).toEqual([0, 5, 6, 6, 9].map((ms) => fill(ms)));
    expect(rig.log.inQuestion.size).toBe(2);
    rig.audit(...[0, 5, 6, 6, 9].map((ms) => fill(ms)));
    expect(rig.log.inQuestion.size).toBe(0);
  });

  test("that two audits find otherwise are replaced", () => {
    const rig = new Rig("fills", fill(1), fill(2));
    const snapshot = [fill(1), fill(2), fill(2)];
    expect(rig.audit(...snapshot).differences).toHaveLength(1);
    expect(rig.logged).toHaveLength(2);
    expect(rig.audit(...snapshot).changed).toContain("fills");
    expect(rig.logged).toEqual(snapshot);
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
  const rig = new Rig("positions", row(first, "1"), other);
  rig.later(row(later, "2"));
  expect(rig.rows).toEqual([row(later, "2"), other]);
  rig.later(row(first, "0"));
  expect(rig.rows).toEqual([other]);
});
