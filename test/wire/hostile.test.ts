// Whatever comes in, decoding gives a value: it neither throws nor leaves a mark outside.
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { createDecoder } from "../../src/wire/decode.ts";
import type { Rejection } from "../../src/wire/rejection.ts";
import { anyCharacter } from "../support/any-character.ts";
import { runs } from "../support/soak.ts";
import { words } from "../support/words.ts";
import { commands, frames as frameDoor } from "./doors.ts";
import { type FixtureCase, fixturesIn, readFixture } from "./fixture.ts";

const decoder = createDecoder();
const doors = [frameDoor, commands];

const reasons = words("too-deep not-json not-an-object unknown-type unknown-channel wrong-shape");

function expectRejection(text: string, rejection: Rejection): void {
  expect(reasons).toContain(rejection.reason);
  expect(rejection.path).toBeTypeOf("string");
  expect(rejection.detail).toMatch(/./);
  expect(rejection.sample).toBe(text.slice(0, 200));
}

/** Sends a text through every way in; accepted frames must also name their drift. */
function send(text: string): void {
  for (const door of doors) {
    const outcome = door.read(text);
    if (!outcome.ok) expectRejection(text, outcome.rejection);
    else if (outcome.named) expect(outcome.named().length > 0).toBe(outcome.drifts);
  }
}

const frames = fixturesIn("frames").flatMap((file) => readFixture(file).good);
const fieldsOf = ({ text }: FixtureCase): Record<string, unknown> => JSON.parse(text);

const marks = [Object.prototype, Array.prototype, String.prototype].map((prototype) => ({
  prototype,
  keys: Reflect.ownKeys(prototype),
}));

afterEach(() => {
  for (const { prototype, keys } of marks) expect(Reflect.ownKeys(prototype)).toEqual(keys);
});

const keys = fc.constantFrom(...words("__proto__ constructor prototype toString type channel"));
const values = fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 6 });

describe("any text", () => {
  test("is answered with a value", () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), send), {
      numRuns: runs(100, 5_000),
    });
  });

  test("that is JSON is answered with a value", () => {
    const json = values.map((value) => JSON.stringify(value));
    fc.assert(fc.property(json, send), { numRuns: runs(100, 5_000) });
  });

  test("that is nearly a frame is answered with a value", () => {
    const nearly = fc
      .record({ base: fc.constantFrom(...frames), key: fc.oneof(keys, fc.string()), values })
      .chain(({ base, ...more }) => {
        const own = fc.constantFrom(...Object.keys(fieldsOf(base)));
        return fc.record({ base: fc.constant(base), own, more: fc.constant(more) });
      })
      .map(({ base, own, more }) => {
        const text = JSON.stringify({ ...fieldsOf(base), [own]: more.values });
        return `${text.slice(0, -1)},${JSON.stringify(more.key)}:${JSON.stringify(more.values)}}`;
      });
    fc.assert(fc.property(nearly, send), { numRuns: runs(200, 10_000) });
  });
});

const update = (channel: string, payload: string): string =>
  `{"type":"update","channel":"${channel}","timestamp_ns":"1",${payload}}`;
const chained = (channel: string, payload: string): string =>
  update(channel, `"previous_sequence":null,"sequence":null,${payload}`);
const bbo = (inner: string) => update("bbo/perp/1", `"bbo":${inner}`);
const markets = (inner: string) => chained("markets", `"markets":[${inner}]`);
const book = (bids: string) =>
  chained("orderbook/perp/1", `"orderbook":{"bids":[${bids}],"asks":[]}`);
const error = (code: string): string =>
  `{"type":"error","code":${code},"message":"","timestamp_ns":"1"}`;

const DEPTH = 5000;
const lists = "[".repeat(DEPTH) + "]".repeat(DEPTH);
const objects = `${'{"a":'.repeat(DEPTH)}0${"}".repeat(DEPTH)}`;

describe("deep nesting", () => {
  test.each([
    ["lists alone", lists],
    ["objects alone", objects],
    ["lists in place of a level", bbo(`{"bid":${lists},"ask":null}`)],
    ["objects in place of a payload", bbo(objects)],
    ["brackets that never close", "[".repeat(100_000)],
  ])("is refused where it does not belong: %s", (_, text) => {
    send(text);
    expect(decoder.decode(text).ok).toBe(false);
  });

  test("is refused within an open record beyond 32 levels, and kept as it came up to them", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    // The frame, the list of records and the record are the first three.
    const kept = markets(`{"lists":${nested(29)}}`);
    const decoded = decoder.decode(kept);
    expect(decoded).toMatchObject({ ok: true, received: { frame: JSON.parse(kept) } });
    for (const inner of [nested(30), lists, objects]) {
      const text = markets(`{"inner":${inner}}`);
      send(text);
      expect(decoder.decode(text)).toMatchObject({
        rejection: { reason: "too-deep", channel: "markets" },
      });
    }
  });

  test("is refused where a newer service may add fields, also in a text that is too long to be parsed first", () => {
    for (const depth of [40, 100_000]) {
      const text = `${bbo('{"bid":null,"ask":null}').slice(0, -1)},"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
      expect(decoder.decode(text)).toMatchObject({ rejection: { reason: "too-deep" } });
    }
  });
});

describe("size", () => {
  const level = '{"price_ticks":"1","size_base_lots":"2"}';

  test("of a list is no fault by itself", () => {
    const text = book(Array.from({ length: 100_000 }, () => level).join(","));
    expect(decoder.decode(text).ok).toBe(true);
  });

  test("of a list of faults is answered with the first of them", () => {
    const text = book(`${level},${Array.from({ length: 20_000 }, () => "0").join(",")}`);
    expect(decoder.decode(text)).toMatchObject({ rejection: { path: "orderbook.bids[1]" } });
    send(text);
  });

  test("of digit text is limited", () => {
    const digits = "9".repeat(100_000);
    const text = bbo(`{"bid":{"price_ticks":"${digits}","size_base_lots":"1"},"ask":null}`);
    expect(decoder.decode(text)).toMatchObject({ rejection: { path: "bbo.bid.price_ticks" } });
    for (const one of [text, digits, `"${digits}"`, error(digits), error(`-${digits}.5`)])
      send(one);
  });
});

describe("numbers that JSON allows and the document does not", () => {
  test.each(["1e400", "-1e400", "9007199254740993", "400.5", "4e-1"])("%s is refused", (number) => {
    send(error(number));
    expect(decoder.decode(error(number))).toMatchObject({ rejection: { path: "code" } });
  });

  test.each([
    ["400.0", false],
    ["4e2", false],
    ["-0", true],
  ])("%s is an integer all the same", (number, drifts) => {
    send(error(number));
    expect(decoder.decode(error(number))).toMatchObject({ ok: true, drifts });
  });
});

describe("odd keys and text", () => {
  test("of two equal keys the last one counts", () => {
    const text = bbo('{"bid":5,"ask":null,"bid":null}');
    send(text);
    expect(decoder.decode(text)).toMatchObject({
      ok: true,
      received: { frame: { bbo: { bid: null } } },
    });
    expect(decoder.decode(bbo('{"bid":null,"ask":null,"bid":5}')).ok).toBe(false);
  });

  test("an own __proto__ key is drift", () => {
    const hostile = '"__proto__":{"polluted":true},';
    for (const { text, name } of frames) {
      const message = text.replace("{", `{${hostile}`);
      send(message);
      const kept = decoder.decode(message);
      expect(kept, name).toMatchObject({ ok: true, drifts: true });
      expect(kept.ok && Object.keys(kept.received.frame)[0]).toBe("__proto__");
      expect(kept.ok && "polluted" in kept.received.frame).toBe(false);
    }
  });

  test("a __proto__ key lends no field that is missing", () => {
    const lent = '{"__proto__":{"bid":null},"ask":null}';
    expect(decoder.decode(bbo(lent))).toMatchObject({ rejection: { path: "bbo.bid" } });
    const whole = `{"__proto__":${error("400")}}`;
    expect(decoder.decode(whole)).toMatchObject({ rejection: { reason: "unknown-type" } });
  });

  test("keys of open records are kept whatever their name", () => {
    const record = '{"__proto__":1,"constructor":null,"":[],"\\ud800":"\\udfff"}';
    const decoded = decoder.decode(markets(record));
    expect(decoded.ok && JSON.stringify(decoded.received.frame)).toBe(markets(record));
  });

  test("lone surrogates in a channel name are refused, in words they are kept", () => {
    const text = '{"type":"error","code":400,"message":"\\ud83d","timestamp_ns":"1"}';
    expect(decoder.decode(text)).toMatchObject({ received: { frame: { message: "\ud83d" } } });
    send(markets("{}").replace('"markets"', '"markets\\ud800"'));
  });
});
