// All subaccounts of an address: which are subscribed, in which order they stand, and what they come to.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountChannel, accountsChannel } from "../../src/select/account.ts";
import {
  compareDanger,
  OverviewEntries,
  type OverviewRow,
  OverviewRows,
  OverviewSubscriptions,
  selectTotals,
} from "../../src/select/overview.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { pointed } from "../support/two-tapes.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const CATALOGUE = accountsChannel(address);
const chain = { previous_sequence: null, sequence: "1" };
const NAMED = [{ address, subaccountId: undefined, name: undefined }] as const;

const channelOf = (id: number) => accountChannel({ address, subaccountId: `${id}` });

/** A store with a catalogue of so many subaccounts, and whoever subscribes to them. */
function open(
  count: number,
  { closed = [] as readonly number[] }: { closed?: readonly number[] } = {},
) {
  const feed = new MarketFeed();
  const entries = new OverviewEntries();
  const subscriptions = new OverviewSubscriptions();
  feed.link("open");
  feed.say({ type: "subscribing", channel: CATALOGUE });
  const subaccounts = Array.from({ length: count }, (_, subaccount_id) => ({
    subaccount_id,
    created_at_ns: "1",
    status: closed.includes(subaccount_id) ? "closed" : "active",
  }));
  feed.update(CATALOGUE, { ...chain, subaccounts, delegations: [] }, true);
  const advance = () => {
    const isMore = subscriptions.advance(entries.select(feed.store, NAMED), feed.store, feed.nowMs);
    const channel = subscriptions.channels.at(-1);
    if (isMore && channel !== undefined) feed.say({ type: "subscribing", channel });
    return isMore;
  };
  const answer = (id: number, lists: object = { account: { equity: "1" } }) =>
    feed.update(channelOf(id), { ...chain, ...lists }, true);
  const ids = () => subscriptions.channels.map((each) => Number(each.split("/").at(-1)));
  const rows = () =>
    new OverviewRows().select(entries.select(feed.store, NAMED), feed.store, feed.nowMs);
  return { feed, entries, subscriptions, advance, answer, ids, rows };
}

test("a figure that the newest record omits is not shown, since it may be of another time", () => {
  const { feed, advance, answer, rows } = open(1);
  advance();
  answer(0, { account: { equity: "10", margin: "1" } });
  expect(rows()[0]).toMatchObject({ equity: "10", marginUsed: "1" });
  const later = { previous_sequence: "1", sequence: "2", account: { margin: "2" } };
  feed.update(channelOf(0), later);
  expect(rows()[0]).toMatchObject({ equity: undefined, marginUsed: "2" });
});

describe("subscriptions of an overview", () => {
  test("are opened one after the other, the next when the one before has been answered", () => {
    const { advance, answer, ids } = open(3);
    expect([advance(), advance(), advance()]).toEqual([true, false, false]);
    answer(0);
    expect([advance(), advance()]).toEqual([true, false]);
    expect(ids()).toEqual([0, 1]);
  });

  test("one that does not answer holds up the next for two seconds", () => {
    const { feed, advance, ids } = open(3);
    advance();
    feed.advance(1999);
    expect(advance()).toBe(false);
    feed.advance(1);
    expect(advance()).toBe(true);
    expect(ids()).toEqual([0, 1]);
  });

  test("are sixteen at the most of 500; closed ones are left out", () => {
    const { advance, answer, ids, subscriptions, feed } = open(500, { closed: [0, 3] });
    for (let i = 0; i < 600; i++) {
      advance();
      const last = ids().at(-1);
      if (last !== undefined) answer(last);
    }
    expect(ids()).toHaveLength(16);
    expect(ids().slice(0, 3)).toEqual([1, 2, 4]);
    expect(subscriptions.isSettled(feed.store, feed.nowMs)).toBe(true);
  });

  test("one that is refused makes room for another, and stays refused in its row", () => {
    const { feed, advance, answer, ids, rows } = open(3);
    advance();
    feed.say({ type: "refused", channel: channelOf(0), code: 404, message: "no such account" });
    for (const id of [1, 2]) {
      advance();
      answer(id);
    }
    expect(advance()).toBe(false);
    expect(ids()).toEqual([0, 1, 2]);
    expect(rows()[0]?.status).toMatchObject({ state: "refused", note: "404: no such account" });
    expect(rows().map(({ status }) => status.state)).toEqual(["refused", "live", "live"]);
  });
});

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.nat(8))
  .map(([mantissa, places]) => {
    return mantissa < 0n ? `-${pointed(-mantissa, places)}` : pointed(mantissa, places);
  });

/** × 10^8: a sum that shares nothing with the code under test. */
function toUnits(text = ""): bigint {
  const [whole = "", part = ""] = text.replace("-", "").split(".");
  const units = BigInt(whole + part.padEnd(8, "0"));
  return text.startsWith("-") ? -units : units;
}

describe("totals", () => {
  function openAll(accounts: readonly object[]) {
    const all = open(accounts.length);
    for (const [id, account] of accounts.entries()) {
      all.advance();
      all.answer(id, { account, positions: [], orders: [] });
    }
    return all;
  }

  test("are exact sums of amounts of any size", () => {
    fc.assert(
      fc.property(fc.array(decimal, { minLength: 1, maxLength: 6 }), (amounts) => {
        const { rows } = openAll(amounts.map((equity) => ({ equity, currency: "USDC" })));
        const { equity } = selectTotals(rows());
        const sum = amounts.reduce((total, each) => total + toUnits(each), 0n);
        expect(toUnits(equity)).toBe(sum);
      }),
      { numRuns: 50 },
    );
  });

  test("leave out what is not live, and count it", () => {
    const { feed, rows } = openAll(["1", "2", "4"].map((equity) => ({ equity, currency: "USDC" })));
    feed.say({ type: "unavailable", channel: channelOf(1), message: "later", retryAtMs: 5 });
    expect(selectTotals(rows())).toMatchObject({ live: 2, of: 3, equity: "5" });
    feed.link("waiting");
    expect(selectTotals(rows())).toMatchObject({ live: 0, of: 3, equity: undefined });
  });

  test("are no sums where currencies differ, or a live row does not name its part", () => {
    const mixed = openAll([
      { equity: "1", currency: "USDC" },
      { equity: "2", currency: "EURC" },
    ]);
    expect(selectTotals(mixed.rows())).toMatchObject({ equity: undefined, why: "2 currencies" });
    const one = openAll([
      { equity: "1", unrealized_pnl: "-1", currency: "USDC" },
      { equity: "2", currency: "USDC" },
    ]);
    expect(selectTotals(one.rows())).toMatchObject({ equity: "3", currency: "USDC" });
    const lacking = openAll([
      { equity: "1", currency: "USDC" },
      { nav: "none", margin: "3", currency: "USDC" },
    ]);
    expect(selectTotals(lacking.rows())).toMatchObject({
      equity: undefined,
      marginUsed: undefined,
      why: "",
    });
  });

  test("a result that only positions name is their sum, where each of them does", () => {
    const { rows, answer, advance } = open(2);
    for (const [id, second] of ["-0.5", undefined].entries()) {
      advance();
      answer(id, {
        positions: [
          { market_id: 1, side: "long", size: "1", unrealized_pnl: "1.25" },
          { market_id: 2, side: "long", size: "1", ...(second && { unrealized_pnl: second }) },
        ],
      });
    }
    expect(rows().map(({ unrealised }) => unrealised)).toEqual(["0.75", undefined]);
  });
});

describe("danger first", () => {
  function order(...accounts: readonly { readonly lists?: object; readonly status?: string }[]) {
    const closed = accounts.flatMap(({ status }, i) => (status === "closed" ? [i] : []));
    const { advance, answer, rows } = open(accounts.length, { closed });
    for (const [id, { lists }] of accounts.entries()) {
      if (lists === undefined) continue;
      while (advance());
      answer(id, lists);
    }
    return rows()
      .toSorted(compareDanger)
      .map(({ entry }: OverviewRow) => Number(entry.subaccountId));
  }
  const near = (liquidation_price: string) => ({
    positions: [
      { market_id: 1, side: "long", size: "1", mark_price: "100", liquidation_price },
      { market_id: 2, side: "long", size: "1", mark_price: "100", liquidation_price: "1" },
    ],
  });

  test("is by distance to the liquidation, then by margin in use; what is closed comes last", () => {
    expect(
      order(
        { status: "closed" },
        { lists: { account: { equity: "10", margin: "1" } } },
        { lists: near("50") },
        { lists: { account: { equity: "10", margin: "9" } } },
        { lists: near("95") },
      ),
    ).toEqual([4, 2, 3, 1, 0]);
  });

  test("a price of liquidation of zero, or one without a mark, is none", () => {
    const { advance, answer, rows } = open(1);
    advance();
    answer(0, {
      positions: [
        { market_id: 1, side: "long", size: "1", mark_price: "100", liquidation_price: "0" },
        { market_id: 2, side: "long", size: "1", liquidation_price: "5" },
      ],
    });
    expect(rows()[0]).toMatchObject({ nearest: undefined, positions: 2 });
  });
});
