// How the same exchange looks when the interface is read another way.
import { expect, test } from "vitest";
import { conformsServerFrame } from "../../support/interface-schema.ts";
import { FoldedBook } from "../folding.ts";
import { startRig } from "../rig.ts";

async function subscribed(readings: object, channel: string) {
  const rig = await startRig({ seed: 12, scenario: { readings } });
  const client = await rig.connect();
  const name = channel.replace("OWN", rig.simulator.announcement.account.address);
  await client.subscribe(name);
  return { rig, client, updates: () => client.updates(name) };
}

test("whole books: each frame is the ledger's book", async () => {
  const { rig, client, updates } = await subscribed({ book: "whole" }, "orderbook/perp/1");
  for (let step = 0; step < 40; step++) {
    await rig.pass(250);
    const book = new FoldedBook();
    book.replace(updates().at(-1).orderbook);
    const { bids, asks } = rig.simulator.ledger.book("perp", 1);
    expect(book.whole()).toEqual({ bids, asks });
  }
  for (const { value } of client.frames) expect(conformsServerFrame(value)).toBeUndefined();
});

test.each([0, 1, 200])("%i past trades come first", async (trades_backlog) => {
  const { rig, updates } = await subscribed({ trades_backlog }, "trades/perp/1");
  expect(updates()[0]?.trades.length ?? 0).toBe(trades_backlog);
  await rig.pass(10_000);
  const shown = updates().flatMap(({ trades }) => trades);
  const made = rig.simulator.ledger.trades("perp", 1).map(({ trade }) => trade);
  expect(shown.length).toBeGreaterThan(trades_backlog);
  expect(shown).toEqual(made.slice(-shown.length));
});

test("without sequences no frame has a number", async () => {
  const { rig, updates } = await subscribed({ sequences: "null" }, "orderbook/perp/1");
  await rig.pass(1000);
  const numbers = updates().flatMap((frame) => [frame.sequence, frame.previous_sequence]);
  expect(new Set(numbers)).toEqual(new Set([null]));
});

test("everything: each account frame has all lists", async () => {
  const { rig, updates } = await subscribed({ account_lists: "everything" }, "account/OWN/0");
  await rig.pass(10_000);
  const lists = ["account", "balances", "positions", "leverages", "orders"];
  for (const frame of updates()) {
    expect(Object.keys(frame)).toEqual(expect.arrayContaining(lists));
    expect(frame.balances).toHaveLength(2);
  }
});

test("tick and lot sizes may be anything whose product is a whole number of the smallest money", async () => {
  const market = { type: "perp", id: 7, symbol: "ODD-PERP", base_asset: "ODD" };
  const scale = { tick_size: "2.5", lot_size: "0.00004", start_price: "50000" };
  const rig = await startRig({ seed: 3, scenario: { markets: [{ ...market, ...scale }] } });
  await rig.pass(30_000);
  const rows = rig.simulator.ledger.trades("perp", 7);
  expect(rows.length).toBeGreaterThan(50);
  for (const { trade, record } of rows) {
    const ticks = BigInt(trade.price_ticks);
    const lots = BigInt(trade.size_base_lots);
    expect(BigInt(record.price.replace(".", ""))).toBe(ticks * 25n);
    expect(BigInt(record.quantity.replace(".", ""))).toBe(lots * 4n);
    expect(BigInt(record.quote_notional.replace(".", ""))).toBe(ticks * lots * 100n);
  }
});
