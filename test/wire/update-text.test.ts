// Reading an update's text against parsing and checking it: two ways that share nothing, and must not differ. A space
// before a message says the same, and is never read the short way.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/units/random.ts";
import { createDecoder, type Decoded } from "../../src/wire/decode.ts";
import { channelOfText, readUpdateText } from "../../src/wire/fast-read.ts";
import { runs } from "../support/soak.ts";
import { words } from "../support/words.ts";
import { damaged, textDamage } from "./text-damage.ts";
import { type Fields, frameMakers } from "./wire-messages.ts";

const decoder = createDecoder();
const KINDS = ["bbo", "orderbook", "trades", "candles"] as const;

/** What an update says, as text: the order of its fields counts, too. */
function frameOf(decoded: Decoded): string | undefined {
  return decoded.ok ? JSON.stringify([decoded.received.frame, decoded.drifts]) : undefined;
}

function isReadShort(text: string, kind: (typeof KINDS)[number]): boolean {
  const channel = channelOfText(text);
  return channel !== undefined && readUpdateText(text, kind, channel) !== undefined;
}

/** Reads a text both ways. @returns whether it was accepted */
function agrees(text: string): boolean {
  const long = decoder.decode(` ${text}`);
  expect(frameOf(decoder.decode(text)), text).toBe(frameOf(long));
  return long.ok;
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 });
const kinds = fc.constantFrom(...KINDS);

function textOf(kind: (typeof KINDS)[number], seed: number): string {
  return JSON.stringify(frameMakers[kind]?.(createRandom(seed)));
}

describe("an update read from its text", () => {
  test.each(KINDS)("is what parsing and checking give, to the byte: %s", (kind) => {
    let short = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const text = textOf(kind, seed);
      expect(agrees(text), text).toBe(true);
      if (isReadShort(text, kind)) short++;
    }
    expect(short).toBeGreaterThan(5);
  });

  test("is what parsing and checking give when the text is damaged", () => {
    const damage = textDamage(
      ...words('"ask":null "sequence":"1", "bids":[ "price_ticks":"1", , } ]}'),
    );
    fc.assert(
      fc.property(kinds, seeds, damage, (kind, seed, changes) => {
        agrees(damaged(textOf(kind, seed), changes));
      }),
      { numRuns: runs(200, 10_000) },
    );
  });

  const level = { price_ticks: "9123456", size_base_lots: "12" };
  const head = { type: "update", channel: "bbo/perp/1", timestamp_ns: "1763700000000000000" };
  const bbo = { ...head, bbo: { bid: level, ask: level } };
  const numbers = { previous_sequence: null, sequence: "007" };
  const update = (channel: string, payload: Fields): Fields => ({
    type: "update",
    channel,
    timestamp_ns: "1",
    ...payload,
  });
  const book = (size_base_lots: string) =>
    update("orderbook/perp/1", {
      ...numbers,
      orderbook: { bids: [{ ...level, size_base_lots }], asks: [] },
    });
  const candle = { open_time_ms: -60_000, open: "1.5", high: "2", low: "-0.1", close: "1" };
  const candles = (volume_base: string, count = 1) =>
    update("candles/spot/2/1m", {
      candles: Array(count).fill({ ...candle, volume_base, volume_quote: "0", trades: 0 }),
    });
  const trades = (timestamp_ns: string, price_ticks = "9123456") =>
    update("trades/perp/1", {
      ...numbers,
      trades: [{ timestamp_ns, price_ticks, size_base_lots: "12", taker_is_bid: true }],
    });

  test.each([
    ["both sides", bbo],
    ["one side", { ...bbo, bbo: { bid: null, ask: level } }],
    ["no side", { ...bbo, bbo: { bid: null, ask: null } }],
    ["an empty side of a book", book("1")],
    ["two candles", candles("1.25", 2)],
    ["no candle", candles("1.25", 0)],
    ["a trade", trades("1763700000000000001")],
    ["a trade of one digit of time", trades("7")],
  ])("is read with %s", (_, frame: Fields) => {
    const text = JSON.stringify(frame);
    expect(agrees(text)).toBe(true);
    expect(isReadShort(text, `${frame.channel}`.split("/")[0] as "bbo")).toBe(true);
  });

  test.each([
    ["another order of fields", { bbo: bbo.bbo, ...head }],
    ["a field more", { ...bbo, more: 1 }],
    ["a field more in a side", { ...bbo, bbo: { ...bbo.bbo, ask: { ...level, more: 1 } } }],
    ["another type", { ...bbo, type: "updates" }],
    ["a name that no channel has", { ...bbo, channel: "bbo/perp/x" }],
    ["digits that are too long", { ...bbo, timestamp_ns: "1".repeat(40) }],
    ["a book's digits for which V8 would keep the whole message", book("1234567890123")],
    ["a trade's price for which V8 would keep the whole message", trades("1", "1234567890123")],
    ["a trade's time for which V8 would keep the whole message", trades("1".repeat(25))],
    ["a decimal that is too long", candles("1".repeat(61))],
    ["three candles", candles("1", 3)],
  ])("is left to them with %s", (_, frame: Fields) => {
    const text = JSON.stringify(frame);
    agrees(text);
    const isShort = KINDS.some((kind) => isReadShort(text, kind));
    // The name of a channel is looked at before its update is read.
    expect(isShort).toBe(frame.channel === "bbo/perp/x");
  });

  test("is left to them with a kind that is not read so", () => {
    const text = JSON.stringify({ ...head, channel: "markets", markets: [] });
    expect(readUpdateText(text, "markets", "markets")).toBeUndefined();
  });
});
