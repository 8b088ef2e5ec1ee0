// The stream as a client meets it: commands and answers, and what each channel tells of the exchange.
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { conformsServerFrame } from "../support/interface-schema.ts";
import { words } from "../support/words.ts";
import { bookOf, millionths, type Rig, startRig, tradesOf } from "./rig.ts";

const BOOK = "orderbook/perp/1";

describe("answers to commands", () => {
  test("hello comes at once", async () => {
    const client = await (await startRig()).connect();
    await client.settle();
    expect(client.frames).toEqual([
      { type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 },
    ]);
  });

  test("what is no command gets 400, naming a channel only when it is one", async () => {
    const client = await (await startRig()).connect();
    for (const [text, channel] of [
      ["subscribe bbo/perp/1"],
      ["[]"],
      ["null"],
      ['{"channel":"bbo/perp/1"}', "bbo/perp/1"],
      ['{"type":"ping"}'],
      ['{"type":"subscribe","channel":"bbo/perp/one"}'],
      ['{"type":"subscribe","channel":1}'],
      ['{"type":"subscribe","channel":"markets","id":1}', "markets"],
      [Buffer.from('{"type":"subscribe","channel":"markets"}')],
    ] as const) {
      const [answer, ...more] = await client.say(text);
      expect(conformsServerFrame(answer), String(text)).toBeUndefined();
      expect(answer, String(text)).toMatchObject({ type: "error", code: 400 });
      expect(answer.channel, String(text)).toBe(channel);
      expect(more).toEqual([]);
    }
  });

  test("a name of nothing that exists gets 404, and may be tried again", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    for (const name of words(`
      bbo/perp/9 bbo/perp/01 orderbook/spot/2 trades/perp/99999999999999999999 candles/spot/3/1m
      mark-candles/3/1m market-stats/spot/2 funding-rates/9
      accounts/11111111111111111111111111111111 account/11111111111111111111111111111111/0
      account/OWN/9
    `)) {
      const channel = name.replace("OWN", rig.announcement.account.address);
      for (let i = 0; i < 2; i++) {
        const [answer] = await client.say({ type: "subscribe", channel });
        expect(conformsServerFrame(answer)).toBeUndefined();
        expect(answer).toMatchObject({ type: "error", code: 404, channel });
      }
    }
  });

  test("a second subscribe gets 409, and the first goes on", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    await client.subscribe(BOOK);
    const [answer] = await client.say({ type: "subscribe", channel: BOOK });
    expect(answer).toMatchObject({ type: "error", code: 409, channel: BOOK });
    await rig.pass(1000);
    expect(client.updates(BOOK).length).toBeGreaterThan(5);
  });

  test("unsubscribe is confirmed, also without a subscription, and ends the updates", async () => {
    const rig = await startRig();
    const client = await rig.connect();
    for (let i = 0; i < 2; i++) {
      await client.subscribe(BOOK);
      await rig.pass(1000);
      const [answer] = await client.say({ type: "unsubscribe", channel: BOOK });
      expect(conformsServerFrame(answer)).toBeUndefined();
      expect(answer).toMatchObject({ type: "unsubscribed", channel: BOOK });
      const before = client.updates(BOOK).length;
      await rig.pass(1000);
      expect(client.updates(BOOK)).toHaveLength(before);
    }
    const [again] = await client.say({ type: "unsubscribe", channel: BOOK });
    expect(again).toMatchObject({ type: "unsubscribed", channel: BOOK });
  });

  test("each connection has its own subscriptions and its own chain", async () => {
    const rig = await startRig();
    const one = await rig.connect();
    await one.subscribe(BOOK);
    await rig.pass(2000);
    const two = await rig.connect();
    await two.subscribe(BOOK);
    await rig.pass(2000);
    const late = two.updates(BOOK);
    expect(late[0].previous_sequence).toBeNull();
    expect(late[1].previous_sequence).toBe(late[0].sequence);
    expect(one.updates(BOOK).slice(-late.length + 1)).toEqual(late.slice(1));
  });

  test("a message far larger than any command ends the connection", async () => {
    const client = await (await startRig()).connect();
    client.socket.send("x".repeat(100_000));
    expect((await once(client.socket, "close"))[0]).toBe(1009);
  });
});

function allChannels({ announcement }: Rig): string[] {
  const { account, markets } = announcement;
  const perps = markets.filter(({ type }) => type === "perp");
  return [
    ...words("markets market-stats/perp market-stats/spot market-stats/perp/2"),
    ...markets.flatMap(({ type, id }) =>
      words(`bbo/${type}/${id} orderbook/${type}/${id} trades/${type}/${id}`),
    ),
    ...words("1m 5m 15m 1h 4h 1d").flatMap((interval) => [
      `candles/perp/1/${interval}`,
      `mark-candles/2/${interval}`,
    ]),
    ...perps.map(({ id }) => `funding-rates/${id}`),
    ...[0, 1, 2, 3].map((id) => `account/${account.address}/${id}`),
    `accounts/${account.address}`,
  ];
}

test("all channels at once send nothing but what the document describes, in unbroken chains", async () => {
  const rig = await startRig({ seed: 12 });
  const client = await rig.connect();
  const channels = allChannels(rig);
  await client.subscribe(...channels);
  await rig.pass(20_000);
  expect(client.frames.flatMap((frame) => conformsServerFrame(frame) ?? [])).toEqual([]);
  for (const channel of channels) {
    expect(client.updates(channel).length, channel).toBeGreaterThan(0);
    if (!/^(bbo|candles|mark-candles)/.test(channel)) expect(client.gaps(channel)).toBe(0);
  }
});

test("the book that changes add up to is the engine's at every moment, and bbo is its best", async () => {
  const rig = await startRig({ seed: 12 });
  const client = await rig.connect();
  await client.subscribe(BOOK, "bbo/perp/1");
  for (let step = 0; step < 30; step++) {
    await rig.pass(250);
    const { bids, asks } = bookOf(rig.world, 0);
    expect(client.book(BOOK)).toEqual({ bids, asks });
    expect(client.updates("bbo/perp/1").at(-1).bbo).toEqual({ bid: bids[0], ask: asks[0] });
  }
});

test("trades come oldest first, every one once, fifty of the past before them", async () => {
  const rig = await startRig({ seed: 12 });
  const client = await rig.connect();
  await client.subscribe("trades/perp/1");
  expect(client.updates("trades/perp/1")[0].trades).toHaveLength(50);
  await rig.pass(20_000);
  const told = client.updates("trades/perp/1").flatMap(({ trades }) => trades);
  expect(told.length).toBeGreaterThan(70);
  const made = tradesOf(rig.world, 0).map((row) => ({
    timestamp_ns: `${row.timeUs}000`,
    price_ticks: `${row.priceTicks}`,
    size_base_lots: `${row.sizeLots}`,
    taker_is_bid: row.takerIsBid,
  }));
  expect(told).toEqual(made.slice(-told.length));
});

test("candles of all intervals follow from the trades, and a new period brings the last one whole", async () => {
  const rig = await startRig({ seed: 6 });
  const client = await rig.connect();
  const intervals = { "1m": 60_000, "5m": 300_000, "1h": 3_600_000, "1d": 86_400_000 };
  const channels = Object.keys(intervals).map((interval) => `candles/perp/1/${interval}`);
  await client.subscribe(...channels);
  await rig.pass(130_000);
  for (const [place, periodMs] of Object.values(intervals).entries()) {
    const told = client.updates(channels[place] ?? "").flatMap(({ candles }) => candles);
    const last = new Map(told.map((candle) => [candle.open_time_ms, candle]));
    expect(last.size).toBeGreaterThanOrEqual(periodMs === 60_000 ? 3 : 1);
    for (const [openMs, candle] of last) {
      const trades = tradesOf(rig.world, 0).filter(
        ({ timeUs }) => Math.floor(timeUs / 1000 / periodMs) * periodMs === openMs,
      );
      const ticks = trades.map(({ priceTicks }) => priceTicks);
      const quote = trades.reduce((sum, each) => sum + each.priceTicks * each.sizeLots, 0);
      const prices = [ticks[0], Math.max(...ticks), Math.min(...ticks), ticks.at(-1)];
      const { open, high, low, close, trades: count, volume_quote } = candle;
      expect([open, high, low, close].map((text) => Number(text.replace(".", "")))).toEqual(prices);
      expect([count, millionths(volume_quote)]).toEqual([trades.length, BigInt(quote)]);
    }
  }
});

test("statistics of the day are those of the last 24 hours, to a quarter of an hour", async () => {
  const rig = await startRig({ seed: 6 });
  const client = await rig.connect();
  await client.subscribe("market-stats/perp/1");
  await rig.pass(61_000);
  const [stats] = client.updates("market-stats/perp/1").at(-1).market_stats;
  const sinceMs = (Math.floor(rig.clock.wall() / 900_000) - 95) * 900_000;
  const untilUs = Number(stats.updated_at_ns) / 1000;
  const day = tradesOf(rig.world, 0).filter(
    ({ timeUs }) => timeUs / 1000 >= sinceMs && timeUs <= untilUs,
  );
  const lots = day.reduce((sum, { sizeLots }) => sum + sizeLots, 0);
  expect(stats.trades_24h).toBe(day.length);
  expect(millionths(stats.volume_base_24h)).toBe(BigInt(lots) * 100n);
  expect(millionths(stats.high_24h)).toBe(
    BigInt(Math.max(...day.map(({ priceTicks }) => priceTicks))) * 10_000n,
  );
});

test("the scenario busy sends a client of one market's four live channels 10,000 updates a second", async () => {
  const rig = await startRig({ scenario: "busy" });
  const client = await rig.connect();
  await client.subscribe("bbo/perp/1", BOOK, "trades/perp/1", "candles/perp/1/1m");
  const before = client.frames.length;
  await rig.pass(1000);
  expect(client.frames.length - before).toBeGreaterThan(10_000);
});
