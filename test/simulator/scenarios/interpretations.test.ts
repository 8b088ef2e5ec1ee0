// How the same exchange looks when the interface is read another way; what of it the doctor finds out is held there.
import { describe, expect, test } from "vitest";
import { conformsServerFrame } from "../../support/interface-schema.ts";
import { FoldedBook, mergeRows } from "../folding.ts";
import { type Client, type Rig, startRig } from "../rig.ts";

async function subscribed(
  readings: object,
  ...channels: string[]
): Promise<{ rig: Rig; client: Client }> {
  const rig = await startRig({ seed: 12, scenario: { readings } });
  const client = await rig.connect();
  const { address } = rig.simulator.announcement.account;
  await client.subscribe(...channels.map((channel) => channel.replace("OWN", address)));
  return { rig, client };
}

function expectConformity({ frames }: Client): void {
  for (const { value } of frames) expect(conformsServerFrame(value)).toBeUndefined();
}

const BOOK = "orderbook/perp/1";

describe("book", () => {
  test("delta-with-resets: now and then a whole book with a null previous_sequence", async () => {
    const readings = { book: "delta-with-resets", book_reset_every: 20 };
    const { rig, client } = await subscribed(readings, BOOK);
    await rig.pass(10_000);
    const frames = client.updates(BOOK);
    const book = new FoldedBook();
    for (const { previous_sequence, orderbook } of frames) {
      if (previous_sequence === null) book.replace(orderbook);
      else book.fold(orderbook);
    }
    const { bids, asks } = rig.simulator.ledger.book("perp", 1);
    expect(book.whole()).toEqual({ bids, asks });
    const resets = frames.filter(({ previous_sequence }) => previous_sequence === null);
    expect(resets.length).toBe(1 + Math.floor((frames.length - 1) / 20));
  });

  test.each<[string, { readonly book: string; readonly book_depth?: number }]>([
    ["changes", { book: "delta", book_depth: 5 }],
    ["whole books", { book: "whole" }],
    ["whole books", { book: "whole", book_depth: 5 }],
  ])("frames are %s by %j, exactly", async (_, readings) => {
    const { rig, client } = await subscribed(readings, BOOK);
    const folded = new FoldedBook();
    const depth = readings.book_depth;
    let seen = 0;
    for (let step = 0; step < 40; step++) {
      await rig.pass(250);
      for (const { orderbook } of client.updates(BOOK).slice(seen)) {
        if (readings.book === "whole") folded.replace(orderbook);
        else folded.fold(orderbook);
        seen++;
      }
      const { bids, asks } = rig.simulator.ledger.book("perp", 1);
      expect(folded.whole()).toEqual({ bids: bids.slice(0, depth), asks: asks.slice(0, depth) });
    }
    expect(seen).toBeGreaterThan(100);
    expectConformity(client);
  });
});

describe("trades_backlog", () => {
  test.each([0, 1, 200])("%i past trades come first", async (trades_backlog) => {
    const { rig, client } = await subscribed({ trades_backlog }, "trades/perp/1");
    expect(client.updates("trades/perp/1")[0]?.trades.length ?? 0).toBe(trades_backlog);
    await rig.pass(10_000);
    const shown = client.updates("trades/perp/1").flatMap(({ trades }) => trades);
    const made = rig.simulator.ledger.trades("perp", 1).map(({ trade }) => trade);
    expect(shown.length).toBeGreaterThan(trades_backlog);
    expect(shown).toEqual(made.slice(-shown.length));
  });
});

describe("account_lists", () => {
  const lists = ["balances", "positions", "leverages", "orders"];

  test("changed-lists: a list that comes is whole", async () => {
    const { rig, client } = await subscribed({ account_lists: "changed-lists" }, "account/OWN/0");
    await rig.pass(30_000);
    const fresh = await rig.connect();
    const channel = `account/${rig.simulator.announcement.account.address}/0`;
    await fresh.subscribe(channel);
    const [whole] = fresh.updates(channel);
    for (const list of lists) {
      const last = client.updates(channel).findLast((frame) => frame[list] !== undefined);
      expect(mergeRows([{ [list]: last[list] }])[list]).toEqual(mergeRows([whole])[list]);
    }
    expect(client.updates(channel).some((frame) => frame.orders === undefined)).toBe(true);
  });

  test("everything: every frame has all lists", async () => {
    const { rig, client } = await subscribed({ account_lists: "everything" }, "account/OWN/0");
    await rig.pass(10_000);
    const channel = `account/${rig.simulator.announcement.account.address}/0`;
    for (const frame of client.updates(channel)) {
      expect(Object.keys(frame)).toEqual(expect.arrayContaining(["account", ...lists]));
      expect(frame.balances).toHaveLength(2);
    }
  });
});

describe("large integers", () => {
  test("extra digits make ticks and lots large and leave prices and sizes as they are", async () => {
    const readings = { extra_tick_digits: 12, extra_lot_digits: 9 };
    const channels = ["markets", "bbo/perp/1", BOOK, "trades/perp/1", "account/OWN/0"];
    const { rig, client } = await subscribed(readings, ...channels);
    const [{ markets }] = client.updates("markets");
    expect(markets[0]).toMatchObject({
      tick_size: "0.00000000000001",
      lot_size: "0.0000000000001",
    });
    const [{ bbo }] = client.updates("bbo/perp/1");
    expect(BigInt(bbo.bid.price_ticks)).toBeGreaterThan(2n ** 53n);
    const [{ trades }] = client.updates("trades/perp/1");
    const { record } = rig.simulator.ledger.trades("perp", 1).at(-1) ?? {};
    const places = 10n ** 14n;
    const [whole = "", cents = ""] = (record?.price ?? "").split(".");
    expect(BigInt(trades.at(-1).price_ticks)).toBe(
      BigInt(whole) * places + (BigInt(cents) * places) / 100n,
    );
    await rig.pass(3000);
    const book = new FoldedBook();
    for (const { orderbook } of client.updates(BOOK)) book.fold(orderbook);
    const { bids, asks } = rig.simulator.ledger.book("perp", 1);
    expect(book.whole()).toEqual({ bids, asks });
    expectConformity(client);
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
});

describe("silence", () => {
  test("close: a client that sends nothing for 120 s is closed, a ping is enough to stay", async () => {
    const rig = await startRig({ scenario: { readings: { silence: "close" } } });
    const quiet = await rig.connect();
    const closed = new Promise((resolve) => quiet.socket.once("close", resolve));
    rig.clock.advance(119_000);
    const pong = new Promise((resolve) => quiet.socket.once("pong", resolve));
    quiet.socket.ping();
    await pong;
    rig.clock.advance(119_000);
    await quiet.settle();
    expect(quiet.isOpen).toBe(true);
    rig.clock.advance(120_000);
    expect(await closed).toBe(1008);
  });
});
