// What is read of the past of a session equals sums over all trades that were made.
import { createServer } from "node:http";
// Loaded before the clock is moved: the client loads it with its first request.
import "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDialect } from "../../src/dialect/dialect.ts";
import { RequestBudget } from "../../src/listing/request-budget.ts";
import { openPast } from "../../src/live/past.ts";
import { createStore, reduce, select } from "../../src/state/store.ts";
import { createStatus } from "../../src/stream/status.ts";
import { createRandom } from "../../src/units/random.ts";
import type { Candle, Kind, Trade } from "../../src/wire/frames.ts";
import { update } from "../support/frames.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { listen } from "../support/listen.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START_MS = Date.UTC(2026, 0, 2, 3);
const TRADES = "trades/perp/1";
const CANDLES = "candles/perp/1/1m";
/** A tick is 0.5, a lot 0.01. */
const SCALE = {
  tickSize: { mantissa: 5n, places: 1 },
  lotSize: { mantissa: 1n, places: 2 },
  source: "config",
} as const;

/** 3,000 trades in 50 minutes, three in a millisecond, of which the last two are equal. */
const random = createRandom(7);
const MADE: readonly Trade[] = Array.from({ length: 1000 }, (_, i) => {
  const make = () => ({
    timestamp_ns: `${START_MS + i * 3000}000000`,
    price_ticks: `${1000 + Math.floor(random() * 3)}`,
    size_base_lots: `${1 + Math.floor(random() * 2)}`,
    taker_is_bid: random() < 0.5,
  });
  const last = make();
  return [make(), last, last];
}).flat();
const msOf = ({ timestamp_ns }: Trade) => Number(timestamp_ns.slice(0, -6));
const LISTED = MADE.map((trade, i) => {
  const price = Number(trade.price_ticks) / 2;
  const quantity = Number(trade.size_base_lots) / 100;
  return listedTrade({
    ...{ trade_id: `${i + 1}`, timestamp_ms: msOf(trade), taker_is_bid: trade.taker_is_bid },
    ...{ price: price.toFixed(1), quantity: quantity.toFixed(2) },
    quote_notional: (price * quantity).toFixed(3),
  });
}).reverse();

type Row = (typeof LISTED)[number];
const BY_ID = ({ trade_id }: Row) => Number(trade_id);
const BY_TIME = ({ timestamp_ms }: Row) => timestamp_ms;
const BY_INDEX = ({ trade_id }: Row) => 7_000_000 + 13 * Number(trade_id);

async function start(cursorOf = BY_ID, statusOf: (request: number) => number = () => 200) {
  watchLoopback();
  let requests = 0;
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? "", "http://service").searchParams;
    const before = Number(query.get("before") ?? Number.POSITIVE_INFINITY);
    const rows = LISTED.filter((row) => cursorOf(row) < before);
    const status = statusOf(++requests);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(status === 200 ? JSON.stringify(rows.slice(0, Number(query.get("limit")))) : "{}");
  });
  const port = await listen(server);
  const clock = createVirtualClock(START_MS);
  const store = createStore(createDialect());
  const troubles: string[] = [];
  const put = (
    kind: Kind,
    channel: string,
    body: object,
    place: "first" | "next" = "next",
    timestampNs = MADE.at(-1)?.timestamp_ns ?? "0",
  ) => {
    if (!store.channels.has(channel)) store.channels.set(channel, createStatus(channel, kind));
    const frame = update(kind, channel, body, { timestampNs });
    const context = { dialect: store.dialect, place, isContinuous: false, nowMs: clock.now() };
    reduce(store, frame, context);
  };
  const open = (restRate = 2) => {
    const budget = restRate > 0 ? new RequestBudget(clock, restRate) : undefined;
    const past = openPast({
      ...{ store, clock, random: createRandom(1), baseUrl: `http://127.0.0.1:${port}`, budget },
      ...{ headers: {}, onChange: () => {}, onTrouble: (text) => troubles.push(text) },
    });
    onTestFinished(() => {
      past.close();
      server.close();
    });
  };
  return {
    ...{ store, troubles, put, open },
    tape: () => select(store, "trades", TRADES),
    candles: () => select(store, "candles", CANDLES)?.items ?? [],
    asked: () => requests,
    async pass(seconds: number) {
      for (let i = 0; i < seconds * 4; i++) {
        clock.advance(250);
        await settleLoopback();
      }
    },
  };
}

const bodyOf = (trades: readonly Trade[]) => ({ trades });
/** Bought, sold and count of each minute and price. */
function sumsOf(trades: readonly Trade[]) {
  const sums = new Map<string, [number, number, number]>();
  for (const { timestamp_ns, price_ticks, size_base_lots, taker_is_bid } of trades) {
    const key = `${Math.floor(Number(timestamp_ns.slice(0, -6)) / 60_000)}`;
    const [bought, sold, count] = sums.get(key) ?? [0, 0, 0];
    const [lots, value] = [Number(size_base_lots), Number(price_ticks) * Number(size_base_lots)];
    sums.set(key, [bought + (taker_is_bid ? lots : 0), sold + value, count + 1]);
  }
  return sums;
}

function flowOf(tape: ReturnType<typeof select<"trades">>) {
  const sums = new Map<string, [number, number, number]>();
  for (const { minutes } of [tape?.earlier, tape?.flow].filter((flow) => flow !== undefined))
    for (const { openMs, bought, value, trades } of minutes) {
      const key = `${openMs / 60_000}`;
      const [a, b, c] = sums.get(key) ?? [0, 0, 0];
      sums.set(key, [a + Number(bought), b + Number(value), c + trades]);
    }
  return new Map([...sums].sort());
}

/** The candle of a minute, of the trades of the listing. */
function candleOf(openMs: number) {
  const rows = LISTED.filter(
    ({ timestamp_ms: ms }) => ms >= openMs && ms < openMs + 60_000,
  ).toReversed();
  const prices = rows.map(({ price }) => Number(price));
  const sum = (of: (row: Row) => string) => rows.reduce((all, row) => all + Number(of(row)), 0);
  return {
    volume_base: sum(({ quantity }) => quantity).toFixed(2),
    volume_quote: sum((row) => row.quote_notional).toFixed(3),
    ...{ open_time_ms: openMs, open: prices[0], close: prices.at(-1), trades: rows.length },
    ...{ high: Math.max(...prices), low: Math.min(...prices) },
  };
}

function numbersOf({ open, high, low, close, ...rest }: Candle) {
  const prices = { open: Number(open), high: Number(high), low: Number(low), close: Number(close) };
  return { ...rest, ...prices };
}

const candle = (openMs: number) => ({
  ...{ open_time_ms: openMs, open: "1", high: "1", low: "1", close: "1" },
  ...{ volume_base: "1", volume_quote: "1", trades: 1 },
});
const LIVE_MS = START_MS + 49 * 60_000;

describe.each([
  ["an id", BY_ID],
  ["a time", BY_TIME],
  ["an index that no record has", BY_INDEX],
])("of a listing that pages by %s", (_, cursorOf) => {
  it("chart and order flow are complete", async () => {
    const run = await start(cursorOf);
    run.store.scales.set("perp/1", SCALE);
    // The frame begins within a millisecond that has more trades.
    run.put("trades", TRADES, bodyOf(MADE.slice(-100)), "first");
    run.put("candles", CANDLES, { candles: [candle(LIVE_MS)] }, "first");
    run.open();
    await run.pass(60);
    expect(run.tape()?.earlierEnd).toBe("the listing ends here");
    expect(flowOf(run.tape())).toEqual(sumsOf(MADE));
    const shown = run.candles().slice(0, -1);
    expect(shown).toHaveLength(49);
    for (const each of shown) expect(numbersOf(each)).toEqual(candleOf(each.open_time_ms));
  });
});

describe("a hole", () => {
  it("is filled with the trades that were made in it", async () => {
    const run = await start();
    run.store.scales.set("perp/1", SCALE);
    run.put("trades", TRADES, bodyOf(MADE.slice(-900, -700)), "first");
    // Both sides are within a millisecond that the hole has trades of.
    run.put("trades", TRADES, bodyOf(MADE.slice(-100)), "first");
    expect(run.tape()?.holes).toMatchObject([{ healed: false }]);
    run.open();
    await run.pass(30);
    expect(run.tape()?.holes).toMatchObject([{ healed: true }]);
    const sorted = (trades: readonly Trade[] = []) =>
      trades.map((each) => JSON.stringify(each)).sort();
    expect(sorted(run.tape()?.trades)).toEqual(sorted(MADE.slice(-900)));
    expect(run.tape()?.trades.map(msOf)).toEqual(MADE.slice(-900).map(msOf));
    expect(flowOf(run.tape())).toEqual(sumsOf(MADE));
  });
});

describe("candles that were missed", () => {
  it("are those of the trades that were made meanwhile", async () => {
    const run = await start();
    run.put("trades", TRADES, bodyOf(MADE.slice(-100)), "first");
    run.put("candles", CANDLES, { candles: [candle(START_MS + 600_000)] }, "first");
    run.put("candles", CANDLES, { candles: [candle(START_MS + 660_000)] });
    // The connection was lost in the twelfth minute, and is back in the last.
    run.put("candles", CANDLES, { candles: [candle(LIVE_MS)] }, "first");
    run.open();
    await run.pass(30);
    expect(select(run.store, "candles", CANDLES)?.unfinished).toEqual([]);
    const filled = run.candles().filter(({ open_time_ms: ms }) => ms >= START_MS + 660_000);
    expect(filled.map(({ open_time_ms: ms }) => ms)).toEqual(
      Array.from({ length: 39 }, (_, i) => START_MS + 660_000 + i * 60_000),
    );
    for (const each of filled.slice(0, -1))
      expect(numbersOf(each)).toEqual(candleOf(each.open_time_ms));
  });
});

describe("a chart that is chosen later", () => {
  it("has the time since the trades began, too", async () => {
    const run = await start();
    const then = MADE.slice(-1600, -1500);
    run.put("trades", TRADES, bodyOf(then), "first", then.at(-1)?.timestamp_ns);
    run.open();
    await run.pass(10);
    run.put("candles", CANDLES, { candles: [candle(LIVE_MS)] }, "first");
    await run.pass(30);
    const shown = run.candles().slice(0, -1);
    expect(shown).toHaveLength(49);
    for (const each of shown) expect(numbersOf(each)).toEqual(candleOf(each.open_time_ms));
  });
});

describe("what the listing has forgotten", () => {
  it("stays as the stream told it, and is asked for ever less often", async () => {
    const run = await start();
    run.store.scales.set("perp/1", SCALE);
    const [lost = MADE[0]] = MADE.slice(-900);
    run.put("trades", TRADES, bodyOf([{ ...lost, size_base_lots: "77" } as Trade]), "first");
    run.put("trades", TRADES, bodyOf(MADE.slice(-100)), "first");
    // The listing begins with a trade of this minute.
    run.put("candles", CANDLES, { candles: [candle(START_MS)] }, "first");
    run.put("candles", CANDLES, { candles: [candle(LIVE_MS)] }, "first");
    run.open();
    await run.pass(600);
    const asked = run.asked();
    await run.pass(300);
    expect(run.candles()[0]).toEqual(candle(START_MS));
    expect(select(run.store, "candles", CANDLES)?.unfinished).toEqual([START_MS]);
    expect(run.tape()?.holes).toMatchObject([{ healed: false }]);
    expect(run.asked() - asked).toBeLessThan(20);
  });
});

describe("a scale that nobody says", () => {
  it("is not guessed from few trades", async () => {
    const run = await start();
    run.put("trades", TRADES, bodyOf(MADE.slice(-45)), "first");
    run.open();
    await run.pass(30);
    expect(run.store.scales.get("perp/1")).toBeUndefined();
  });

  it("is measured", async () => {
    const run = await start();
    // Alone in their millisecond.
    const frame = MADE.slice(-300);
    run.put("trades", TRADES, bodyOf(frame), "first");
    run.open();
    await run.pass(30);
    expect(run.store.scales.get("perp/1")).toEqual({ ...SCALE, source: "measured" });
    expect(flowOf(run.tape())).toEqual(sumsOf(MADE));
  });
});

describe("a listing that never has the newest trade", () => {
  it("is asked for it ever less often", async () => {
    const run = await start();
    const newer = { ...MADE.at(-1), timestamp_ns: `${START_MS + 3_600_000}000000` } as Trade;
    run.put("trades", TRADES, bodyOf([...MADE.slice(-100), newer]), "first");
    run.open();
    await run.pass(300);
    expect(run.asked()).toBeLessThan(50);
  });
});

describe("a service without listings", () => {
  it("is asked now and then, and told of once", async () => {
    const run = await start(BY_ID, () => 404);
    run.put("trades", TRADES, bodyOf(MADE.slice(-100)), "first");
    run.open();
    await run.pass(300);
    expect(run.troubles).toHaveLength(1);
    expect(run.asked()).toBeLessThan(10);
  });

  it.each([
    [[1, 2, 3], 429],
    [[2], 503],
    [[3, 4, 5, 6, 7, 8], 503],
    [[4, 5], 404],
  ])("goes on after requests %j were answered with %i", async (failed, status) => {
    const run = await start(BY_ID, (request) => (failed.includes(request) ? status : 200));
    run.store.scales.set("perp/1", SCALE);
    run.put("trades", TRADES, bodyOf(MADE.slice(-100)), "first");
    run.open();
    await run.pass(200);
    expect(flowOf(run.tape())).toEqual(sumsOf(MADE));
  });

  it("is not asked at a rate of 0", async () => {
    const run = await start();
    run.put("trades", TRADES, bodyOf(MADE.slice(-100)), "first");
    run.open(0);
    await run.pass(10);
    expect(run.asked()).toBe(0);
  });
});
