import { expect, test } from "vitest";
import type { TradeRecord } from "../../../src/wire/rest/trades.ts";
import { millionths } from "../folding.ts";
import { startRig } from "../rig.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows of lists whose fields the interface does not show
type Row = any;

/** What one fill moved for an account, from its REST record alone: base and quote, in millionths. */
function movedBy(record: TradeRecord, owner: string, subaccount: number) {
  const isMaker = record.maker_address === owner && record.maker_subaccount_id === subaccount;
  const isTaker = record.taker_address === owner && record.taker_subaccount_id === subaccount;
  // An account that trades with itself moves nothing but fees.
  const sides = (isTaker ? 1n : 0n) - (isMaker ? 1n : 0n);
  const bought = record.taker_is_bid ? sides : -sides;
  const fees =
    (isMaker ? millionths(record.maker_fee_quote) : 0n) +
    (isTaker ? millionths(record.taker_fee_quote) : 0n);
  return {
    base: bought * millionths(record.quantity),
    quote: -bought * millionths(record.quote_notional),
    fees,
  };
}

test("money and positions of the account follow from the records of its fills and its payments", async () => {
  const rig = await startRig({ seed: 31, history: 8000 });
  const { ledger, announcement } = rig.simulator;
  const { address, owner } = announcement.account;
  const client = await rig.connect();
  const channel = `account/${address}/0`;
  await client.subscribe(channel);
  await rig.pass(125_000);
  const fresh = await rig.connect();
  await fresh.subscribe(channel);
  const [before] = client.updates(channel);
  const [after] = fresh.updates(channel);

  const size = ({ side, size_base_lots }: Row) =>
    BigInt(size_base_lots) * (side === "short" ? -1n : 1n);
  const newFills = ledger.fills(0).filter(({ index }) => BigInt(index) > BigInt(before.sequence));
  const payments = client
    .updates(channel)
    .slice(1)
    .flatMap((frame) => frame.funding_payments ?? []);
  expect(newFills.length).toBeGreaterThan(100);
  expect(payments.length).toBeGreaterThan(2);

  let cash = 0n;
  for (const payment of payments) cash += millionths(payment.amount_quote);
  for (const { record } of newFills) {
    const { quote, fees } = movedBy(record, owner, 0);
    cash += quote - fees;
  }
  // Cash in this sense is balance less what open positions cost: size × entry price.
  const worth = (frame: typeof before) => {
    const [{ total }] = frame.balances;
    return frame.positions.reduce((sum: bigint, row: Row) => {
      const places = row.market_id === 1 ? 10_000n : 1000n;
      const value = (size(row) * millionths(row.mark_price)) / places;
      return sum + millionths(row.unrealized_pnl) - value;
    }, millionths(total));
  };
  expect(worth(after) - worth(before)).toBe(cash);

  for (const [id, places] of [
    [1, 10_000n],
    [2, 1000n],
  ] as const) {
    const row = (frame: typeof before) =>
      frame.positions.find(({ market_id }: Row) => market_id === id);
    const moved = newFills
      .filter(({ record }) => record.market_type === "perp" && record.market_id === id)
      .reduce((sum, { record }) => sum + movedBy(record, owner, 0).base, 0n);
    expect(size(row(after)) - size(row(before))).toBe((moved * places) / 1_000_000n);
  }
  const spot = newFills
    .filter(({ record }) => record.market_type === "spot")
    .reduce((sum, { record }) => sum + movedBy(record, owner, 0).base, 0n);
  const btc = (frame: typeof before) => millionths(frame.balances[1].total);
  expect(btc(after) - btc(before)).toBe(spot);
});
