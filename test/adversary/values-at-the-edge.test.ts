// Values and texts that the document allows and hardly any service sends: what is shown of them is what was sent, or it is said
// why nothing is.
import { describe, expect, test } from "vitest";
import { marketJson } from "../../src/print/market-json.ts";
import { marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import { createDecoder } from "../../src/wire/decode.ts";
import { openChainRig } from "../support/chain-rig.ts";

const MARKET = { type: "perp", id: "1" } as const;
const of = marketChannels(MARKET, "1m");

type Rig = ReturnType<typeof openChainRig>;
const openMarket = () => openChainRig([of.bbo, of.orderbook, of.trades, of.candles, of.markets]);
const level = (price_ticks: string, size_base_lots: string) => ({ price_ticks, size_base_lots });

/** Sends an update that carries no sequences. */
function say({ service, clock }: Rig, channel: string, payload: object): void {
  const timestamp_ns = `${BigInt(Math.floor(clock.wall())) * 1_000_000n}`;
  service.last.send(JSON.stringify({ type: "update", channel, timestamp_ns, ...payload }));
}

function shown({ store, clock }: Rig) {
  const json = marketJson({
    ...{ store, market: MARKET, channels: of, interval: "1m" },
    scale: openScales(store, {}).of("perp/1"),
    ...{ nowMs: clock.now(), wallMs: clock.wall() },
  });
  return json as Record<string, { readonly [field: string]: unknown } | undefined>;
}

/** Plays a service for so many seconds that answers each resync, and says something each half second. */
function play(rig: Rig, seconds: number, frame: (step: number, isFirst: boolean) => void): void {
  rig.service.last.takeCommands();
  let isFirst = true;
  for (let step = 0; step < seconds * 2; step++) {
    frame(step, isFirst);
    isFirst = false;
    rig.clock.advance(500);
    for (const command of rig.service.last.takeCommands()) {
      const [word, channel = ""] = command.split(" ");
      if (word === "unsubscribe") rig.service.last.unsubscribed(channel);
      if (word === "subscribe" && channel === of.orderbook) isFirst = true;
    }
  }
}

/** A book whose frames are numbered, the first of a subscription whole. */
function bookOf(rig: Rig, whole: object, change: object) {
  let sequence = 0;
  return (isFirst: boolean) => {
    const previous = isFirst ? null : `${sequence}`;
    rig.say(of.orderbook, [previous, `${++sequence}`], { orderbook: isFirst ? whole : change });
  };
}

describe("a book", () => {
  test("whose best bid is its best ask is live where the best bid and offer says so, too", () => {
    const rig = openMarket();
    const next = bookOf(
      rig,
      { bids: [level("100", "5")], asks: [level("100", "7"), level("101", "2")] },
      { bids: [level("100", "6")], asks: [] },
    );
    play(rig, 20, (step, isFirst) => {
      say(rig, of.bbo, { bbo: { bid: level("100", `${step + 1}`), ask: level("100", "7") } });
      next(isFirst);
    });
    expect([rig.state(of.orderbook), rig.feed(of.orderbook)?.resyncs]).toEqual(["live", 0]);
  });

  test("whose best bid is its best ask is not live where the best bid and offer says another", () => {
    const rig = openMarket();
    const next = bookOf(
      rig,
      { bids: [level("100", "5")], asks: [level("100", "7")] },
      { bids: [level("99", "6")], asks: [] },
    );
    play(rig, 10, (step, isFirst) => {
      say(rig, of.bbo, { bbo: { bid: level("99", `${step + 1}`), ask: level("100", "7") } });
      next(isFirst);
      expect(rig.state(of.orderbook)).not.toMatch(/live|quiet/);
    });
  });

  test("whose whole frames have a price twice is not live from the first of them on", () => {
    const rig = openMarket();
    const asks = ["101", "102", "103", "104"].map((price) => level(price, "2"));
    let sequence = 0;
    play(rig, 20, (step, isFirst) => {
      const twice = step > 20 ? [level("99", "8")] : [];
      const bids = [level("100", `${step + 1}`), level("99", "1"), ...twice, level("98", "3")];
      const previous = isFirst ? null : `${sequence}`;
      rig.say(of.orderbook, [previous, `${++sequence}`], { orderbook: { bids, asks } });
      if (step === 20) expect(rig.state(of.orderbook)).toBe("live");
      if (step > 20) expect(rig.state(of.orderbook)).not.toMatch(/live|quiet/);
    });
  });
});

test("a best offer of no size is none: no price, no alert, and no book is wrong because of it", () => {
  const rig = openMarket();
  const next = bookOf(
    rig,
    { bids: [level("99", "1")], asks: [] },
    { bids: [level("99", "2")], asks: [] },
  );
  play(rig, 20, (step, isFirst) => {
    say(rig, of.bbo, { bbo: { bid: level("99", `${step + 1}`), ask: level("0", "00") } });
    next(isFirst);
  });
  expect(shown(rig).bbo).toMatchObject({ bid: { price_ticks: "99" }, ask: null });
  expect([rig.state(of.orderbook), rig.feed(of.orderbook)?.resyncs]).toEqual(["live", 0]);
});

describe("a channel whose name the service writes with zeros before its id", () => {
  const name = "orderbook/perp/001";
  const message = (type: string, more: object) =>
    JSON.stringify({ type, channel: name, timestamp_ns: "5", ...more });
  const update = message("update", {
    previous_sequence: null,
    sequence: "1",
    orderbook: { bids: [level("4", "1")], asks: [] },
  });

  test("is the one that was subscribed", () => {
    const rig = openMarket();
    rig.service.last.send(update);
    expect([rig.state(of.orderbook), rig.state(name)]).toEqual(["live", "none"]);
  });

  test("has one name wherever its messages are read, recordings too, and its text stays as it came", () => {
    expect(createDecoder().decode(update)).toMatchObject({
      received: { frame: { channel: of.orderbook }, message: update },
    });
  });

  test("is refused, and ended, by that name", () => {
    const rig = openMarket();
    rig.service.last.send(message("error", { code: 404, message: "no such book" }));
    expect(rig.state(of.orderbook)).toBe("refused");
    rig.service.last.send(`{"type":"unsubscribed","channel":"bbo/perp/01","timestamp_ns":"6"}`);
    expect(rig.takeTold()).toContain("refused");
  });
});

test("frames are read with escapes, spaces and fields in any order", () => {
  const rig = openMarket();
  const { last } = rig.service;
  last.send(
    '{"type":"update","channel":"bbo\\/perp\\/1","timestamp_ns":"5","bbo":{"bid":null,"ask":{"price_ticks":"\\u0035","size_base_lots":"1"}}}',
  );
  last.send(
    ' \n{"orderbook":{"asks":[],"bids":[{"size_base_lots":"1","price_ticks":"4"}]},"sequence":"1","previous_sequence":null,"timestamp_ns":"5","channel":"orderbook/perp/1","type":"update"}\n',
  );
  const { bbo, orderbook } = shown(rig);
  expect(bbo).toMatchObject({ bid: null, ask: level("5", "1") });
  expect(orderbook).toMatchObject({ bids: [level("4", "1")], asks: [] });
});

test("a hello that comes again subscribes nothing again", () => {
  const rig = openMarket();
  rig.service.last.takeCommands();
  for (let i = 0; i < 3; i++) rig.service.last.hello();
  expect(rig.service.last.takeCommands()).toEqual([]);
});

describe("candles", () => {
  const candle = (open_time_ms: number, close: string) => ({
    open_time_ms,
    open: "1",
    high: "9",
    low: "0.5",
    close,
    volume_base: "1",
    volume_quote: "2",
    trades: 1,
  });
  const closes = (rig: Rig) =>
    rig.store.slice("candles", of.candles).data.candles.map(({ close }) => close);

  test("stand by their time, in whatever order they come, and the later of two of one time counts", () => {
    const rig = openMarket();
    say(rig, of.candles, { candles: [] });
    say(rig, of.candles, { candles: [candle(120_000, "7"), candle(60_000, "6")] });
    say(rig, of.candles, { candles: [candle(120_000, "8"), candle(120_000, "9")] });
    say(rig, of.candles, { candles: [candle(-60_000, "5")] });
    expect(closes(rig)).toEqual(["5", "6", "9"]);
  });

  test("of a time that no number holds exactly are refused by name", () => {
    const rig = openMarket();
    const text = JSON.stringify({ candles: [candle(0, "7")] }).slice(1);
    rig.service.last.send(
      `{"type":"update","channel":"${of.candles}","timestamp_ns":"5",${text.replace(":0,", ":9223372036854775807,")}`,
    );
    const [line] = rig.takeLines();
    expect(line).toMatchObject({ event: "rejected", channel: of.candles });
    expect(line?.detail).toContain("candles[0].open_time_ms");
  });
});

test.each([
  ["0", "1"],
  ["-0.01", "1"],
  ["0.01", "0.0"],
  ["", "1"],
])("a tick of %j and a lot of %j are no scale", (tick_size, lot_size) => {
  const rig = openMarket();
  rig.say(of.markets, [null, "1"], {
    markets: [{ market_id: 1, market_type: "perp", tick_size, lot_size }],
  });
  expect(openScales(rig.store, {}).of("perp/1").scale).toBeUndefined();
});
