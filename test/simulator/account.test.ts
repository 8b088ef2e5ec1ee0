// The published owner, held against a small ledger of its own: money and positions from nothing but listed fills and payments.
import { describe, expect, test } from "vitest";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { millionths, type Rig, startRig } from "./rig.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows of lists whose fields the interface does not show
type Row = any;

/** What one fill moved for the subaccount: base and quote in millionths. */
function movedBy(record: TradeRecord, owner: string, subaccount: number) {
  const isMaker = record.maker_address === owner && record.maker_subaccount_id === subaccount;
  const isTaker = record.taker_address === owner && record.taker_subaccount_id === subaccount;
  // Who trades with himself moves nothing but fees.
  const sides = (isTaker ? 1n : 0n) - (isMaker ? 1n : 0n);
  const bought = record.taker_is_bid ? sides : -sides;
  const fees =
    (isMaker ? millionths(record.maker_fee_quote) : 0n) +
    (isTaker ? millionths(record.taker_fee_quote) : 0n);
  return {
    base: bought * millionths(record.quantity),
    quote: -bought * millionths(record.quote_notional) - fees,
  };
}

async function allFills({ get }: Rig, subaccount: number): Promise<TradeRecord[]> {
  const { value } = await get(`/accounts/OWNER/subaccounts/${subaccount}/trades?limit=1000`);
  expect(value.length).toBeLessThan(1000);
  return value;
}

const signed = ({ side, size_base_lots }: Row) =>
  BigInt(size_base_lots) * (side === "short" ? -1n : 1n);
/** Lots in one unit of base currency. */
const LOTS: Readonly<Record<number, bigint>> = { 1: 10_000n, 2: 1000n };

describe.each([0, 2])("subaccount %i", (subaccount) => {
  test("holds what its fills add up to, those of the past included", async () => {
    const rig = await startRig({ seed: 31 });
    const { address, owner } = rig.announcement.account;
    const client = await rig.connect();
    await client.subscribe(`account/${address}/${subaccount}`);
    const [{ positions }] = client.updates(`account/${address}/${subaccount}`);
    const fills = await allFills(rig, subaccount);
    for (const id of [1, 2]) {
      const base = fills
        .filter((each) => each.market_type === "perp" && each.market_id === id)
        .reduce((sum, each) => sum + movedBy(each, owner, subaccount).base, 0n);
      const row = positions.find(({ market_id }: Row) => market_id === id);
      const held = row === undefined ? 0n : signed(row);
      expect(held).toBe((base * (LOTS[id] ?? 0n)) / 1_000_000n);
    }
  });

  test("has the money that fills and funding left it, from one minute to a later one", async () => {
    const rig = await startRig({ seed: 31, scenario: { funding_interval_ms: 60_000 } });
    const { address, owner } = rig.announcement.account;
    const channel = `account/${address}/${subaccount}`;
    const client = await rig.connect();
    await client.subscribe(channel);
    const old = new Set((await allFills(rig, subaccount)).map(({ trade_id }) => trade_id));
    await rig.pass(200_000);
    const fresh = await rig.connect();
    await fresh.subscribe(channel);
    const [before, ...changes] = client.updates(channel);
    const [after] = fresh.updates(channel);
    const fills = (await allFills(rig, subaccount)).filter(({ trade_id }) => !old.has(trade_id));
    const payments = changes.flatMap(({ funding_payments }) => funding_payments ?? []);
    expect(fills.length).toBeGreaterThan(0);
    expect(payments.length).toBeGreaterThan(2);
    const told = changes.flatMap((frame) => frame.fills ?? []).map(({ trade_id }) => trade_id);
    expect(told).toEqual(fills.map(({ trade_id }) => trade_id).reverse());
    const moved =
      fills.reduce((sum, fill) => sum + movedBy(fill, owner, subaccount).quote, 0n) +
      payments.reduce((sum, { amount_quote }) => sum + millionths(amount_quote), 0n);
    // Money, without what open positions are worth at the mark price.
    const worth = ({ balances, positions }: Row) =>
      positions.reduce((sum: bigint, row: Row) => {
        const value = (signed(row) * millionths(row.mark_price)) / (LOTS[row.market_id] ?? 1n);
        return sum + millionths(row.unrealized_pnl) - value;
      }, millionths(balances[0].total));
    expect(worth(after) - worth(before)).toBe(moved);
  });
});

test("each payment is size × mark × rate, paid by longs where the rate is positive", async () => {
  const rig = await startRig({ seed: 3 });
  const channel = `account/${rig.announcement.account.address}/0`;
  const client = await rig.connect();
  await client.subscribe(channel);
  const [{ funding_payments }] = client.updates(channel);
  expect(funding_payments).toHaveLength(50);
  for (const row of funding_payments) {
    const value = (signed(row) * millionths(row.mark_price)) / (LOTS[row.market_id] ?? 1n);
    const rate = BigInt(Math.round(Number(row.funding_rate) * 1e8));
    const due = (-value * rate) / 100_000_000n;
    expect(Number(millionths(row.amount_quote) - due)).toBeCloseTo(0, -1);
  }
});

/** Folds account frames as simply as can be: lists by key; times of change are left out. */
function fold(frames: readonly Row[]) {
  const keys: Record<string, (row: Row) => string> = {
    balances: ({ asset }) => asset,
    positions: ({ market_id }) => `${market_id}`,
    orders: ({ order_id }) => order_id,
  };
  const isGone = (row: Row) =>
    row.size_base_lots === "0" || ["filled", "canceled", "rejected"].includes(row.status);
  const lists = Object.entries(keys).map(([list, key]) => {
    const rows = new Map<string, Row>();
    for (const { updated_at_ns, ...row } of frames.flatMap((frame) => frame[list] ?? [])) {
      rows.set(key(row), row);
    }
    const open = [...rows].filter(([, row]) => !isGone(row));
    return [list, open.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)];
  });
  return Object.fromEntries(lists);
}

test("changes lead to the same rows as a first frame of the same moment", async () => {
  const rig = await startRig({ seed: 8 });
  for (const subaccount of [0, 1, 2]) {
    const channel = `account/${rig.announcement.account.address}/${subaccount}`;
    const client = await rig.connect();
    await client.subscribe(channel);
    await rig.pass(60_000);
    const fresh = await rig.connect();
    await fresh.subscribe(channel);
    expect(fold(client.updates(channel))).toEqual(fold(fresh.updates(channel)));
  }
});

test("subaccount 1 is near its liquidation, and a closed one is empty", async () => {
  const rig = await startRig({ scenario: "steady" });
  const { address } = rig.announcement.account;
  const client = await rig.connect();
  await client.subscribe(`accounts/${address}`, `account/${address}/1`, `account/${address}/3`);
  const [{ subaccounts, delegations }] = client.updates(`accounts/${address}`);
  expect(subaccounts.map(({ status }: Row) => status)).toEqual([
    ...["active", "restricted", "active", "closed"],
  ]);
  expect(delegations).toHaveLength(3);
  const [{ account, positions }] = client.updates(`account/${address}/1`);
  const used = Number(account.initial_margin) / Number(account.equity);
  expect(used).toBeGreaterThan(0.8);
  const distances = positions
    .filter(({ liquidation_price }: Row) => liquidation_price !== null)
    .map((row: Row) => Math.abs(Number(row.liquidation_price) / Number(row.mark_price) - 1));
  expect(Math.min(...distances)).toBeLessThan(0.03);
  expect(client.updates(`account/${address}/3`)[0]).toMatchObject({ positions: [], orders: [] });
});
