// One run of some thousand transactions over a real socket, looked at from all sides.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PriceLevel } from "../../../src/wire/channels/orderbook.ts";
import { CHANNEL_KINDS, INTERVALS } from "../../../src/wire/channels.ts";
import { channelKindOf, conformsServerFrame } from "../../support/interface-schema.ts";
import { FoldedBook, mergeRows, millionths } from "../folding.ts";
import { type Client, type Rig, startRig } from "../rig.ts";

const closers: (() => unknown)[] = [];
let rig: Rig;
let client: Client;
let account: string;
/** The ledger's books by `type/id sequence`, after each transaction that changed them. */
const books = new Map<string, string>();
const markets = [
  ["perp", 1],
  ["perp", 2],
  ["spot", 1],
] as const;

const channelsOf = (address: string) => [
  ...markets.flatMap(([type, id]) => [
    `bbo/${type}/${id}`,
    `orderbook/${type}/${id}`,
    `trades/${type}/${id}`,
    ...INTERVALS.map((interval) => `candles/${type}/${id}/${interval}`),
  ]),
  ...INTERVALS.map((interval) => `mark-candles/1/${interval}`),
  "markets",
  "market-stats/perp",
  "market-stats/spot",
  "market-stats/perp/2",
  "funding-rates/1",
  `accounts/${address}`,
  ...[0, 1, 2].map((id) => `account/${address}/${id}`),
];

function noteBooks(): void {
  for (const [type, id] of markets) {
    const { sequence, bids, asks } = rig.simulator.ledger.book(type, id);
    const name = `${type}/${id} ${sequence}`;
    if (!books.has(name)) books.set(name, JSON.stringify({ bids, asks }));
  }
}

beforeAll(async () => {
  rig = await startRig({ seed: 21, history: 2000, onEnd: (close) => closers.push(close) });
  client = await rig.connect();
  const { ledger, announcement } = rig.simulator;
  account = `account/${announcement.account.address}`;
  noteBooks();
  ledger.onTransaction(noteBooks);
  await client.subscribe(...channelsOf(announcement.account.address));
  await rig.pass(90_000);
});

afterAll(async () => {
  for (const close of closers) await close();
});

describe("all ten channel kinds at once, for some thousand transactions", () => {
  test("speak on every channel, in frames that the interface document allows", () => {
    const faults = client.frames.flatMap(({ text, value }) => {
      const fault = conformsServerFrame(value);
      return fault === undefined ? [] : [`${fault} in ${text.slice(0, 300)}`];
    });
    expect(faults).toEqual([]);
    const kinds = new Set(client.frames.map(({ value }) => channelKindOf(value.channel)));
    expect([...CHANNEL_KINDS].filter((kind) => !kinds.has(kind))).toEqual([]);
    const { address } = rig.simulator.announcement.account;
    const silent = channelsOf(address).filter((name) => client.updates(name).length === 0);
    expect(silent).toEqual([]);
    expect(books.size).toBeGreaterThan(4000);
  });

  test("name in previous_sequence the sequence of the frame before, and null in the first", () => {
    const held = new Map<string, string | null>();
    let links = 0;
    for (const { value } of client.frames) {
      if (!("sequence" in value)) continue;
      const last = held.get(value.channel) ?? null;
      expect(value.previous_sequence, value.channel).toBe(last);
      if (last !== null) expect(BigInt(value.sequence)).toBeGreaterThan(BigInt(last));
      held.set(value.channel, value.sequence);
      links++;
    }
    expect(links).toBeGreaterThan(5000);
  });

  test.each(markets)(
    "orderbook/%s/%i folds to the ledger's book at each of its sequences",
    (...market) => {
      const name = market.join("/");
      const book = new FoldedBook();
      for (const { sequence, orderbook } of client.updates(`orderbook/${name}`)) {
        book.fold(orderbook);
        expect(JSON.stringify(book.whole())).toBe(books.get(`${name} ${sequence}`));
        expect(book.isCrossed()).toBe(false);
      }
    },
  );

  test.each(markets)("bbo/%s/%i is the top of the book at each of its frames", (...market) => {
    const name = market.join("/");
    const book = new FoldedBook();
    let bbo: { bid: PriceLevel | null; ask: PriceLevel | null } = { bid: null, ask: null };
    let checked = 0;
    for (const { value } of client.frames) {
      if (value.channel === `bbo/${name}`) bbo = value.bbo;
      if (value.channel !== `orderbook/${name}`) continue;
      book.fold(value.orderbook);
      const { bids, asks } = book.whole();
      expect(bbo).toEqual({ bid: bids[0] ?? null, ask: asks[0] ?? null });
      checked++;
    }
    expect(checked).toBeGreaterThan(1000);
  });

  test.each(markets)("trades/%s/%i shows each trade of the ledger once, in order", (...market) => {
    const frames = client.updates(`trades/${market.join("/")}`);
    const shown = frames.flatMap(({ trades }) => trades);
    const made = rig.simulator.ledger.trades(...market).map(({ trade }) => trade);
    expect(frames[0].trades).toHaveLength(50);
    expect(shown).toEqual(made.slice(-shown.length));
    expect(frames.some(({ trades }) => trades.length > 2)).toBe(true);
  });

  test("candles end as the ledger's, and show the one that ended at the turn of a period", () => {
    for (const [type, id] of markets) {
      for (const interval of INTERVALS) {
        const frames = client.updates(`candles/${type}/${id}/${interval}`);
        const truth = rig.simulator.ledger.candles(type, id, interval);
        const shown = new Map(
          frames.flatMap(({ candles }) =>
            candles.map((c: { open_time_ms: number }) => [c.open_time_ms, c]),
          ),
        );
        expect([...shown.values()]).toEqual(truth.slice(-shown.size));
        const turns = frames.filter(({ candles }) => candles.length === 2);
        expect(turns.length).toBe(shown.size - 1);
      }
    }
    const minutes = client.updates("candles/perp/1/1m");
    expect(minutes.filter(({ candles }) => candles.length === 2).length).toBeGreaterThan(0);
  });

  test.each([0, 1, 2])("account/…/%i folds to what a new subscriber gets", async (id) => {
    const fresh = await rig.connect();
    await fresh.subscribe(`${account}/${id}`);
    const [whole] = fresh.updates(`${account}/${id}`);
    const frames = client.updates(`${account}/${id}`);
    expect(mergeRows(frames)).toEqual(mergeRows([whole]));
    expect(frames.at(-1).sequence).toBe(whole.sequence);
  });

  test("fills of the account are the trades in which it took part", () => {
    const frames = client.updates(`${account}/0`);
    const fills = frames.flatMap((frame) => frame.fills ?? []);
    const truth = rig.simulator.ledger.fills(0).slice(-fills.length);
    expect(fills.map((fill) => fill.trade_id)).toEqual(truth.map(({ record }) => record.trade_id));
    expect(
      fills.map(({ price_ticks, size_base_lots, timestamp_ns }) => ({
        price_ticks,
        size_base_lots,
        timestamp_ns,
      })),
    ).toEqual(truth.map(({ trade: { taker_is_bid, ...rest } }) => expect.objectContaining(rest)));
    expect(fills.length).toBeGreaterThan(80);
    expect(new Set(fills.map(({ role }) => role))).toContain("taker");
    expect(new Set(fills.map(({ role }) => role))).toContain("maker");
  });

  test("the account has positions in both perpetual markets and 10 to 40 open orders", async () => {
    const fresh = await rig.connect();
    await fresh.subscribe(`${account}/0`);
    const [{ positions, orders, balances }] = fresh.updates(`${account}/0`);
    expect(positions.map((row: { market_id: number }) => row.market_id)).toEqual([1, 2]);
    expect(orders.length).toBeGreaterThanOrEqual(10);
    expect(orders.length).toBeLessThanOrEqual(40);
    expect(balances.map((row: { asset: string }) => row.asset)).toEqual(["USDC", "BTC"]);
  });

  test("a position that turns ends by a row of size 0 on the side that it had", () => {
    const open = new Set<string>();
    let turns = 0;
    for (const { positions = [] } of client.updates(`${account}/0`)) {
      for (const { market_id, side, size_base_lots } of positions) {
        const row = `${market_id} ${side}`;
        if (size_base_lots !== "0") open.add(row);
        else expect(open.delete(row), row).toBe(true);
      }
      const markets = (rows: Iterable<string>) =>
        new Set([...rows].map((row) => row.split(" ")[0]));
      expect(markets(open).size).toBe(open.size);
      const named = positions.map((row: { market_id: number }) => `${row.market_id}`);
      turns += named.length - markets(named).size;
    }
    expect(turns).toBeGreaterThan(0);
  });

  test("equity is what is held of every asset, and what positions have earned", async () => {
    const fresh = await rig.connect();
    await fresh.subscribe("market-stats/spot/1", `${account}/0`);
    const [whole] = fresh.updates(`${account}/0`);
    const [{ index_price }] = fresh.updates("market-stats/spot/1")[0].market_stats;
    const [quote, base] = whole.balances;
    const coins = (millionths(base.total) * millionths(index_price)) / 1_000_000n;
    expect(coins).toBeGreaterThan(0n);
    expect(millionths(whole.account.equity)).toBe(
      millionths(quote.total) + coins + millionths(whole.account.unrealized_pnl),
    );
  });

  test("the catalogue has each status once, and an expired delegation and one with a name", () => {
    const { address } = rig.simulator.announcement.account;
    const [{ subaccounts, delegations, timestamp_ns }, ...later] = client.updates(
      `accounts/${address}`,
    );
    expect(subaccounts.map((row: { status: string }) => row.status)).toEqual([
      "active",
      "restricted",
      "closed",
    ]);
    const ends = delegations.map((row: { expires_at_ns?: string }) => row.expires_at_ns);
    expect(
      ends.some((end?: string) => end !== undefined && BigInt(end) < BigInt(timestamp_ns)),
    ).toBe(true);
    expect(delegations.filter((row: { name?: string }) => row.name !== undefined)).toHaveLength(1);
    expect(later.every((frame) => frame.subaccounts.length === 0)).toBe(true);
  });
});
