// Accounts, catalogues, markets, statistics, funding rates: lists by key, and logs.
import { describe, expect, it } from "vitest";
import { selectDay, selectFills } from "../../src/rows/account.ts";
import { findStats } from "../../src/state/select-market.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import { doubts, folding } from "../support/fold.ts";
import { ADDRESS } from "../support/frames.ts";

const start = (pinned = {}, names = {}) =>
  folding("account", `account/${ADDRESS}/0`, { pinned, names });
const order = (id: number, more: object = {}) => ({
  order_id: `${id}`,
  symbol: "BTC-PERP",
  side: "buy",
  size: "2",
  status: "open",
  ...more,
});
const position = (size: string, more: object = {}) => ({ symbol: "BTC-PERP", size, ...more });
const look = { isContinuous: true };

describe("orders", () => {
  const ids = (account: ReturnType<typeof start>) =>
    [...account.state.orders.rows.values()].map(({ order_id }) => order_id);

  it("come and go by their id", () => {
    const account = start();
    account.fold("first", { orders: [order(1), order(2)] });
    account.fold("next", { orders: [order(3), order(1, { status: "filled" })] });
    expect(ids(account)).toEqual(["2", "3"]);
  });

  it.each([
    { status: "FILLED" },
    { status: "BEST_EFFORT_CANCELED" },
    { status: "marginCanceled" },
    { status: "PartiallyFilledCanceled" },
    { status: { canceled: {} } },
    { status: undefined, change: "closed" },
    { status: undefined, remaining_base_amount: "0.000" },
    { status: undefined, size: "0" },
    { status: undefined, is_cancelled: true },
    { status: "filled", position_id: "b" },
  ])("end: %o", (said) => {
    const account = start();
    account.fold("first", { orders: [order(1, { position_id: "a" }), order(2, said)] });
    expect(ids(account)).toEqual(["1"]);
    account.fold("next", { orders: [order(1, said), order(3, said)] });
    expect(ids(account)).toEqual([]);
  });

  it.each([
    { status: "PARTIALLY_FILLED" },
    { status: "pending_cancel" },
    { status: "unfilled" },
    { status: "CANCEL_REJECTED" },
    { status: "open", size: "0", closePosition: true },
    { status: "resting" },
    { status: undefined, reason: "filled", size: "1" },
  ])("stand: %o", (said) => {
    const account = start();
    account.fold("first", { orders: [order(1)] });
    account.fold("next", { orders: [order(1, said)] });
    expect(ids(account)).toEqual(["1"]);
  });

  it("end by words that the config adds", () => {
    const account = start({}, { ends: ["Gone-Away"] });
    account.fold("first", { orders: [order(1)] });
    account.fold("next", { orders: [order(1, { status: "gone away" })] });
    expect(ids(account)).toEqual([]);
  });

  it("are found by their id after frames without any", () => {
    const account = start();
    account.fold("first", { orders: [] });
    account.fold("next", { orders: [] });
    account.fold("next", { orders: [order(1)] });
    account.fold("next", { orders: [order(1, { size: "1" })] });
    expect(ids(account)).toEqual(["1"]);
  });

  it.each([
    [order(1, { size: "1" }), ["two rows of one frame in orders have one key"]],
    [order(1), []],
  ])("of one id in one frame are in doubt where they differ: %o", (twin, said) => {
    const account = start();
    account.fold("first", { orders: [] });
    expect(doubts(account.fold("next", { orders: [order(1), twin] }))).toEqual(said);
    expect([...account.state.orders.rows.values()]).toEqual([twin]);
  });

  it("keep their id where another row of the frame has none", () => {
    const account = start();
    const { order_id, ...other } = order(2, { side: "sell" });
    account.fold("first", { orders: [order(1), other] });
    account.fold("next", { orders: [order(1, { side: "sell" })] });
    expect(ids(account)).toEqual(["1", undefined]);
  });

  it("may change their side", () => {
    const account = start();
    account.fold("first", { orders: [order(1)] });
    expect(account.fold("next", { orders: [order(1, { side: "sell" })] })).toEqual([]);
  });

  it("are no more than 20,000", () => {
    const account = start();
    account.fold("first", { orders: Array.from({ length: 20_001 }, (_, i) => order(i)) });
    account.fold("next", { orders: [order(20_001)] });
    expect(ids(account)).toHaveLength(20_000);
    account.fold("next", { orders: [order(0, { status: "filled" })] });
    account.fold("next", { orders: [order(20_001), order(20_002)] });
    expect(ids(account).slice(-2)).toEqual(["19999", "20001"]);
  });

  it("keep what a part of a row leaves out, and ask for it", () => {
    const account = start();
    account.fold("first", { orders: [order(1, { price: "5" }), order(2)] });
    const findings = account.fold("next", { orders: [{ order_id: "1", status: "amended" }] });
    expect(account.state.orders.rows.size).toBe(2);
    expect([...account.state.orders.rows.values()][0]).toMatchObject({
      price: "5",
      status: "amended",
    });
    expect(doubts(findings)).toEqual(["fields left out in orders"]);
  });

  it("turn out to be whole where rows that were left out are gone at a look", () => {
    const account = start();
    account.fold("first", { orders: [order(1), order(2)] });
    const findings = account.fold("next", { orders: [order(2)] });
    expect(doubts(findings)).toEqual(["rows left out in orders"]);
    expect(ids(account)).toEqual(["1", "2"]);
    account.fold("first", { orders: [order(2)] }, look);
    expect(account.dialect["lists.orders"]).toMatchObject({ value: "whole", source: "learned" });
    account.fold("next", { orders: [order(3)] });
    expect(ids(account)).toEqual(["3"]);
  });

  it("turn out to be changes where one is still there, and then ask no more", () => {
    const account = start();
    account.fold("first", { orders: [order(1), order(2)] });
    account.fold("next", { orders: [order(2)] });
    account.fold("first", { orders: [order(1), order(2)] }, look);
    expect(account.dialect["lists.orders"]).toMatchObject({ value: "changes", source: "learned" });
    expect(account.fold("next", { orders: [order(1)] })).toEqual([]);
    // A first frame that was due anyway looks, too.
    account.fold("first", { orders: [order(1)] }, look);
    expect(account.dialect["lists.orders"].value).toBe("whole");
  });

  it("teach nothing by a first frame behind a lost connection", () => {
    const account = start();
    account.fold("first", { orders: [order(1), order(2)] });
    account.fold("next", { orders: [order(2)] });
    account.fold("first", { orders: [order(2)] });
    expect(account.dialect["lists.orders"].source).toBe("assumed");
  });

  it("find back from whole to changes", () => {
    const account = start();
    account.dialect["lists.orders"] = { value: "whole", source: "learned" };
    account.fold("first", { orders: [order(1), order(2)] });
    const findings = account.fold("next", { orders: [order(3)] });
    expect(doubts(findings)).toHaveLength(1);
    account.fold("first", { orders: [order(1), order(2), order(3)] }, look);
    expect(account.dialect["lists.orders"].value).toBe("changes");
    expect(ids(account)).toEqual(["1", "2", "3"]);
  });

  it("teach nothing where no row says whether it stands", () => {
    const account = start();
    const unknown = (id: number) => ({ order_id: `${id}`, symbol: "BTC", blob: "x" });
    account.fold("first", { orders: [unknown(1), unknown(2)] });
    expect(account.fold("next", { orders: [unknown(2)] })).toEqual([]);
    expect(ids(account)).toEqual(["1", "2"]);
  });

  it("are as the config says", () => {
    const account = start({ "lists.orders": "changes" });
    account.fold("first", { orders: [order(1), order(2)] });
    expect(account.fold("next", { orders: [] })).toEqual([]);
    expect(ids(account)).toEqual(["1", "2"]);
  });

  it("are gone when a first frame does not have them", () => {
    const account = start();
    account.fold("first", { orders: [order(1)] });
    account.fold("first", { positions: [] });
    expect(ids(account)).toEqual([]);
  });
});

describe("positions", () => {
  const rows = (account: ReturnType<typeof start>) => [...account.state.positions.rows.values()];

  it.each([
    ["its size is 0", position("0.000")],
    ["its size has another name", { symbol: "BTC-PERP", perp: { baseSize: "0" } }],
    ["it says so", { symbol: "BTC-PERP", change: "closed" }],
    ["its status says so", position("1", { status: "LIQUIDATED" })],
  ])("end where %s", (_, row) => {
    const account = start();
    account.fold("first", { positions: [position("1.5")] });
    account.fold("next", { positions: [row] });
    expect(rows(account)).toEqual([]);
  });

  it.each([
    [undefined, "a"],
    ["a", undefined],
    ["a", "a"],
  ])("end with an id of %s by a row with one of %s", (held, said) => {
    const account = start();
    account.fold("first", { positions: [position("1", { position_id: held })] });
    account.fold("next", { positions: [position("0", { position_id: said })] });
    expect(rows(account)).toEqual([]);
    // One that ends while none is held.
    account.fold("next", { positions: [position("0")] });
    expect(rows(account)).toEqual([]);
  });

  it("turn round in one row", () => {
    const account = start();
    account.fold("first", { positions: [position("1", { side: "long" })] });
    const findings = account.fold("next", { positions: [position("2", { side: "short" })] });
    expect(rows(account)).toMatchObject([{ size: "2", side: "short" }]);
    expect(doubts(findings)).toEqual(["a position changed its side"]);
  });

  it("turn round with an id each, whichever row stands first", () => {
    const closed = position("0", { position_id: "a", status: "CLOSED" });
    const opened = position("2", { position_id: "b", status: "OPEN" });
    for (const positions of [
      [closed, opened],
      [opened, closed],
    ]) {
      const account = start();
      account.fold("first", { positions: [position("1", { position_id: "a", status: "OPEN" })] });
      account.fold("next", { positions });
      expect(rows(account)).toEqual([opened]);
    }
  });

  it("of one market stand side by side once two of them stood together", () => {
    const long = position("1", { positionSide: "LONG" });
    const short = position("-1", { positionSide: "SHORT" });
    const account = start();
    account.fold("first", { positions: [long] });
    expect(doubts(account.fold("next", { positions: [short] }))).toHaveLength(1);
    account.fold("first", { positions: [long, short] }, look);
    expect(rows(account)).toHaveLength(2);
    account.fold("next", { positions: [position("0", { positionSide: "SHORT" })] });
    account.fold("first", { positions: [long] }, look);
    account.fold("next", { positions: [short] });
    expect(rows(account)).toHaveLength(2);
    // Still so after a moment without any.
    account.fold("first", { positions: [] }, look);
    account.fold("next", { positions: [long] });
    account.fold("next", { positions: [short] });
    account.fold("next", { positions: [position("2", { positionSide: "LONG" })] });
    expect(rows(account).map(({ size }) => size)).toEqual(["2", "-1"]);
  });

  it("keep apart what is isolated", () => {
    const account = start();
    const rowOf = (isolated: boolean, amount: string) => ({ product_id: 2, isolated, amount });
    account.fold("first", { positions: [rowOf(false, "5"), rowOf(true, "3")] });
    account.fold("next", { positions: [rowOf(true, "4")] });
    expect(rows(account)).toEqual([rowOf(false, "5"), rowOf(true, "4")]);
  });
});

describe("other lists", () => {
  it("keep balances of 0", () => {
    const account = start();
    account.fold("first", {
      balances: [
        { asset: "USDC", total: "5" },
        { asset: "BTC", total: "1" },
      ],
    });
    account.fold("next", { balances: [{ asset: "BTC", total: "0" }] });
    expect(account.state.balances.rows.size).toBe(2);
  });

  it("merge the parts of a summary", () => {
    const account = start();
    account.fold("first", { account: { equity: "5", margin: "1" } });
    account.fold("next", { account: { equity: "6" } });
    expect(account.state.account).toEqual({ equity: "6", margin: "1" });
    // What a later first frame does not have is not known any more.
    account.fold("first", { balances: [] });
    expect(account.state.account).toBeNull();
  });

  it("keep what statistics leave out, without a doubt", () => {
    const stats = folding("market-stats", "market-stats/perp");
    stats.fold("first", { market_stats: [{ symbol: "A", mark: "1", index: "2" }] });
    expect(stats.fold("next", { market_stats: [{ symbol: "A", mark: "3" }] })).toEqual([]);
    expect([...stats.state.rows.values()]).toEqual([{ symbol: "A", mark: "3", index: "2" }]);
  });

  it("of all markets, sent whole, are found for a market wherever its row is now", () => {
    const stats = folding("market-stats", "market-stats/perp", {
      pinned: { "lists.stats": "whole" },
    });
    const markets = folding("markets", "markets");
    const market = (market_id: number) => ({ market_id, market_type: "perp", symbol: "" });
    markets.fold("first", { markets: [1, 2, 3].map(market) });
    for (const each of ["channels", "states"] as const)
      stats.store[each].set("markets", markets.store[each].get("markets") as never);
    const row = (market_id: number, symbol: string) => ({ market_id, symbol, mark: symbol });
    const markOf = (id: number) => findStats(stats.store, `perp/${id}`)?.record.mark;
    const marks = () => [1, 2, 3].map(markOf);
    stats.fold("first", { market_stats: [row(1, "A"), row(1, "B"), row(2, "C")] });
    expect(marks()).toEqual(["A", "C", undefined]);
    stats.fold("next", { market_stats: [row(1, "B"), row(2, "C")] });
    expect(marks()).toEqual(["B", "C", undefined]);
    stats.fold("next", { market_stats: [row(1, "B"), row(2, "C"), row(3, "D")] });
    expect(marks()).toEqual(["B", "C", "D"]);
    stats.fold("first", { market_stats: [row(3, "E"), row(3, "F")] });
    expect(marks()).toEqual([undefined, undefined, "E"]);
  });

  it("drop markets that a refresh no longer lists", () => {
    const markets = folding("markets", "markets");
    const market = (id: number) => ({ market_id: id, market_type: "perp", symbol: `M${id}` });
    markets.fold("first", { markets: [market(1), market(2)] });
    markets.fold("first", { markets: [market(2)] }, look);
    expect([...markets.state.rows.values()]).toEqual([market(2)]);
  });

  it("keep the funding rates of a time once", () => {
    const rates = folding("funding-rates", "funding-rates/1");
    const rate = (time: number, value: string) => ({ funding_time: time, rate: value });
    rates.fold("first", { funding_rates: [rate(3, "c"), rate(2, "b"), rate(1, "a")] });
    rates.fold("next", { funding_rates: [rate(3, "d"), rate(4, "e")] });
    expect(rates.state.rates.map(({ rate: value }) => value)).toEqual(["a", "b", "d", "e"]);
  });
});

describe("fills and payments", () => {
  const fill = (id: number, more: object = {}) => ({ trade_id: id, price: "5", time: id, ...more });
  const fillIds = (account: ReturnType<typeof start>) =>
    account.state.fills.map(({ trade_id }) => trade_id);

  it("are added, oldest first, and not twice by a later first frame", () => {
    const account = start();
    account.fold("first", { fills: [fill(2), fill(1)] });
    account.fold("next", { fills: [fill(3)] });
    account.fold("first", { fills: [fill(4), fill(3), fill(2)] });
    expect(fillIds(account)).toEqual([1, 2, 3, 4]);
  });

  it("keep both sides of a trade of an account with itself", () => {
    const account = start();
    const both = [fill(1, { role: "maker" }), fill(1, { role: "taker" })];
    account.fold("first", { fills: [] });
    account.fold("next", { fills: both });
    account.fold("first", { fills: both });
    expect(account.state.fills).toEqual(both);
  });

  it("drop a repeat inside a subscription", () => {
    const account = start();
    account.fold("first", { fills: [fill(1)] });
    account.fold("next", { fills: [fill(1), fill(2)] });
    expect(fillIds(account)).toEqual([1, 2]);
  });

  const both = (maker: string, makerId: number, taker: string, takerId: number) => ({
    ...{ maker_address: maker, maker_subaccount_id: makerId },
    ...{ taker_address: taker, taker_subaccount_id: takerId },
  });
  it.each([
    [{ maker_fee: "-0.1", taker_fee: "0.5", role: "taker" }, "-0.5"],
    [{ maker_fee_quote: "-0.1", taker_fee_quote: "0.5", is_maker: true }, "0.1"],
    [{ maker_fee: "-0.1", taker_fee: "0.5" }, undefined],
    [{ taker_fee: "0.5" }, "-0.5"],
    [{ fee: "0.2", taker_fee: "0.5" }, "-0.2"],
    [{ ...both(ADDRESS, 0, "x", 0), maker_fee: "-0.1", taker_fee: "0.5" }, "0.1"],
    [{ ...both(ADDRESS, 1, ADDRESS, 0), maker_fee: "-0.1", taker_fee: "0.5" }, "-0.5"],
    [{ ...both(ADDRESS, 0, ADDRESS, 0), maker_fee: "-0.1", taker_fee: "0.5" }, undefined],
    [{ ...both("x", 0, "y", 0), maker_fee: "-0.1", taker_fee: "0.5" }, undefined],
  ])("%j: the fee is that of the own part", (rest, fee) => {
    const account = start();
    account.fold("first", { fills: [fill(1, rest)] });
    const [shown] = selectFills(account.store, `${ADDRESS}/0`) ?? [];
    expect(shown?.fee && formatDecimal(shown.fee)).toBe(fee);
  });

  it("make a day's result only since the newest of which none may be missing", () => {
    const account = start();
    const atMs = 1.8e12;
    const made = (...ids: number[]) => ({
      fills: ids.map((id) => fill(id, { time: atMs + id, realized_pnl: "1" })),
    });
    const day = () => {
      const moment = { store: account.store, nowMs: 0, wallMs: atMs };
      const { sinceMs = 0, realised } = selectDay(moment, `${ADDRESS}/0`);
      return [sinceMs - atMs, Number(realised?.mantissa)];
    };
    account.fold("first", made(1, 2, 3));
    expect(day()).toEqual([1, 3]);
    account.fold("first", made(3, 4));
    expect(day()).toEqual([1, 4]);
    // Offline, and whatever was made before these is not told.
    account.fold("first", made(8, 9));
    expect(day()).toEqual([8, 2]);
    // One whose fills come in a part of their own.
    account.fold("first", { positions: [] });
    expect(day()).toEqual([0, Number.NaN]);
    account.fold("part", made(8, 9, 10));
    expect(day()).toEqual([8, 3]);
    expect(fillIds(account)).toEqual([1, 2, 3, 4, 8, 9, 10]);
  });

  it("without ids are counted by all that they say", () => {
    const account = start();
    const bare = { price: "5", size: "1", time: 7 };
    account.fold("first", { fills: [bare, bare] });
    account.fold("next", { fills: [bare] });
    account.fold("first", { fills: [bare, bare, bare, bare] });
    expect(account.state.fills).toHaveLength(4);
  });
});
