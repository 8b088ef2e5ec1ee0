// Messages become frames; what the document fixes is held to it, what is more is kept and noted.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { kindOf, parseChannel } from "../../src/wire/channels.ts";
import { decode } from "../../src/wire/decode.ts";
import { formatJson, jsonInteger, parseExact, textOf } from "../../src/wire/json.ts";
import { createRedact } from "../../src/wire/redact.ts";
import { ADDRESS, level, message, trade } from "../support/frames.ts";

const BOOK_CHANNEL = "orderbook/perp/1";
const BOOK = { orderbook: { bids: [level(9, 1)], asks: [level(10, 2)] } };

describe("decode", () => {
  it.each([
    ["text", "hello", "no JSON"],
    ["a list", "[]", "no JSON object"],
    ["a number", "12", "no JSON object"],
    ["deep nesting", `{"a":${"[".repeat(40)}${"]".repeat(40)}}`, "no JSON"],
    ["an unknown type", '{"type":"news"}', "no known channel"],
    ["an unknown channel", '{"type":"update","channel":"weather/1"}', "no known channel"],
    ["an error without a code", '{"type":"error","message":"no"}', "code: an integer, not missing"],
    [
      "a price that is a number",
      message("bbo/perp/1", { bbo: { bid: { price_ticks: 1, size_base_lots: "1" }, ask: null } }),
      "bbo.bid.price_ticks: digits, not 1",
    ],
    ...[
      ["of no digits", "", '""'],
      ["with other characters", "1x", '"1x"'],
      ["longer than a u128", "1".repeat(40), `"${"1".repeat(39)}`],
    ].map(([what, size, shown]) => [
      `a size ${what}`,
      message(
        BOOK_CHANNEL,
        { orderbook: { bids: [level(9, size ?? "")], asks: [] } },
        { sequence: "1" },
      ),
      `orderbook.bids[].size_base_lots: digits, not ${shown}`,
    ]),
    ...["timestamp_ns", "price_ticks", "size_base_lots"].map((field) => [
      `a trade with an empty ${field}`,
      message("trades/perp/1", { trades: [{ ...trade(1, 5), [field]: "" }] }, { sequence: "1" }),
      `trades[].${field}: digits, not ""`,
    ]),
    [
      "a price of no digits",
      message(
        BOOK_CHANNEL,
        { orderbook: { bids: [{ ...level(9, 1), price_ticks: "" }], asks: [] } },
        { sequence: "1" },
      ),
      'orderbook.bids[].price_ticks: digits, not ""',
    ],
    [
      "a trade without a side",
      message(
        "trades/perp/1",
        { trades: [{ ...trade(1, 5), taker_is_bid: null }] },
        { sequence: "1" },
      ),
      "trades[].taker_is_bid: true or false, not null",
    ],
    [
      "a row that is no object",
      message(`account/${ADDRESS}/0`, { orders: ["x"] }, { sequence: "1" }),
      'orders[]: an object, not "x"',
    ],
    [
      "an account without any field",
      message(`account/${ADDRESS}/0`, {}, { sequence: "1" }),
      " none of the fields of an account",
    ],
  ])("rejects %s, with the reason", (_, text, reason) => {
    expect(decode(text)).toMatchObject({ type: "rejected", reason });
  });

  it("names the channel of what it rejects where it can", () => {
    const text = message("orderbook/perp/1", { orderbook: {} }, { sequence: "1" });
    expect(decode(text)).toMatchObject({ type: "rejected", channel: "orderbook/perp/1" });
    expect(decode(text.slice(0, -20))).toMatchObject({ channel: "orderbook/perp/1" });
  });

  it.each([
    ["a further field of a level", { bids: [{ ...level(9, 1), orders: 3 }], asks: [] }, ".orders"],
    ["a further field of the book", { bids: [], asks: [], checksum: 5 }, "orderbook.checksum"],
  ])("keeps %s and notes it", (_, orderbook, place) => {
    const frame = decode(message("orderbook/perp/1", { orderbook }, { sequence: "1" }));
    expect(frame).toMatchObject({ type: "update", body: { orderbook } });
    expect(frame).toHaveProperty("drift", expect.stringContaining(place));
  });

  it("takes a missing sequence for null", () => {
    const frame = decode(message("orderbook/perp/1", BOOK));
    expect(frame).toMatchObject({ type: "update", sequence: null, previous: null });
  });

  it("takes null for a list that is not there", () => {
    const frame = decode(
      message(`account/${ADDRESS}/0`, { orders: null, fills: [] }, { sequence: "1" }),
    );
    expect(frame).toMatchObject({ type: "update" });
  });

  it("keeps the numbers of open records exactly", () => {
    const text =
      '{"type":"update","channel":"market-stats/perp","timestamp_ns":"1","previous_sequence":null,' +
      '"sequence":"5","market_stats":[{"id":12345678901234567890,"price":1.10,"n":7,"e":1e3}]}';
    const frame = decode(text);
    const row =
      frame.type === "update" && frame.kind === "market-stats" && frame.body.market_stats[0];
    expect(formatJson(row)).toBe('{"id":12345678901234567890,"price":1.10,"n":7,"e":1e3}');
  });

  it("reads the busiest kinds alike by either way", () => {
    const digits = fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }).map(String);
    const levels = fc.array(fc.record({ price_ticks: digits, size_base_lots: digits }));
    const trades = fc.array(
      fc.record({
        timestamp_ns: digits,
        price_ticks: digits,
        size_base_lots: digits,
        taker_is_bid: fc.boolean(),
      }),
    );
    const decimal = fc.tuple(digits, digits).map((parts) => parts.join("."));
    const prices = { open: decimal, high: decimal, low: decimal, close: decimal };
    const candle = fc.record({
      ...{ open_time_ms: fc.maxSafeInteger(), ...prices },
      ...{ volume_base: decimal, volume_quote: digits, trades: fc.nat() },
    });
    const bodies = fc.oneof(
      fc.record({ candles: fc.array(candle, { minLength: 1, maxLength: 2 }) }),
      fc.record({ orderbook: fc.record({ bids: levels, asks: levels }) }),
      fc.record({ trades }),
    );
    fc.assert(
      fc.property(bodies, digits, fc.option(digits), (body, sequence, previous) => {
        const channel = { t: "trades/perp/1", o: "orderbook/spot/2", c: "candles/perp/1/1m" };
        const numbers = "candles" in body ? {} : { sequence, previous };
        const kind = Object.keys(body)[0]?.[0] as keyof typeof channel;
        const text = message(channel[kind], body, numbers);
        // A space before the last brace is for the schemas.
        const { text: _, ...slow } = decode(text.replace(/}$/, " }")) as { text: string };
        const parse = vi.spyOn(JSON, "parse");
        const fast = decode(text);
        const parsed = parse.mock.calls.length;
        parse.mockRestore();
        // Parsing takes several times as long: it is for candles of odd times, or two of them.
        if (!("candles" in body)) expect(parsed).toBe(0);
        expect({ ...slow, text }).toMatchObject(fast);
      }),
      { seed: 5 },
    );
  });
});

describe("channel names", () => {
  it("have exactly the documented forms", () => {
    expect(kindOf("bbo/perp/1")).toBe("bbo");
    expect(kindOf("bbo/perp/1x")).toBeUndefined();
    expect(kindOf("candles/perp/1/2m")).toBeUndefined();
    expect(kindOf("account/0OIl/0")).toBeUndefined();
    expect(parseChannel(`account/${ADDRESS}/7`)).toMatchObject({
      kind: "account",
      address: ADDRESS,
      subaccount: "7",
    });
  });
});

describe("JSON", () => {
  it("comes out as it went in, whatever a service writes", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3, stringUnit: "binary" }), (text) => {
        const value = parseExact(text);
        if (value === undefined) return;
        expect(JSON.parse(formatJson(value))).toEqual(JSON.parse(text));
      }),
      { seed: 7, numRuns: 50 },
    );
  });

  it("stays JSON where texts and names look like marks of numbers", () => {
    const hostile = { '\u0000n5"\u0000n6': ['x"\u0000n7', "\u0000n8"], "\u0000n9": "\\\u0000n1" };
    const text = formatJson(hostile);
    expect(() => JSON.parse(text)).not.toThrow();
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(hostile));
  });

  it("escapes what would act in a terminal", () => {
    expect(formatJson("a\u202eb\u009b")).toBe('"a\\u202eb\\u009b"');
  });

  it("keeps integers of any length", () => {
    expect(formatJson(jsonInteger("90071992547409930001"))).toBe("90071992547409930001");
    expect(textOf(jsonInteger("90071992547409930001"))).toBe("90071992547409930001");
  });
});

describe("redaction", () => {
  const redact = createRedact({ Authorization: "Bearer s3cret-token-1" }, ["account/open/0"]);

  it("replaces values of headers, and the words in them", () => {
    expect(redact?.("no Bearer s3cret-token-1 here, nor s3cret-token-1")).toBe(
      "no [hidden] here, nor [hidden]",
    );
  });

  it("leaves short words, numbers and what is public", () => {
    expect(
      createRedact({ a: "12", b: "1795788796673", c: "account/open/0" }, ["account/open/0"]),
    ).toBe(undefined);
  });
});
