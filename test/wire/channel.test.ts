// Channel names: good and bad ones of each kind from test/fixtures/channels.json, and the way there and back.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CHANNEL_KINDS,
  type Channel,
  type ChannelKind,
  formatChannel,
  INTERVAL_MS,
  INTERVALS,
  parseChannel,
} from "../../src/wire/channels.ts";
import { decodeCommand } from "../../src/wire/commands.ts";
import { createDecoder } from "../../src/wire/decode.ts";
import { anyCharacter } from "../support/any-character.ts";
import { channelKindOf, conformsChannel } from "../support/interface-schema.ts";
import { runs } from "../support/soak.ts";
import { readFixture, readFixtureFile } from "./fixture.ts";

interface Names {
  readonly good: Readonly<Record<string, object>>;
  readonly bad: readonly string[];
}

const names = Object.entries(readFixtureFile("channels") as Readonly<Record<ChannelKind, Names>>);

const decoders = [createDecoder(), createDecoder()];

test("the fixtures name every channel kind", () => {
  expect(names.map(([kind]) => kind).sort()).toEqual([...CHANNEL_KINDS].sort());
});

describe.each(names)("a name of kind %s", (kind, { good, bad }) => {
  const message: object = JSON.parse(readFixture(`frames/${kind}`).good[0]?.text ?? "");
  const frameOn = (channel: string) => JSON.stringify({ ...message, channel });
  const command = (channel: string) =>
    decodeCommand(JSON.stringify({ type: "subscribe", channel }));

  test("is taken apart and made again", () => {
    for (const [name, parts] of Object.entries(good)) {
      const channel = parseChannel(name);
      expect(channel, name).toEqual({ kind, ...parts });
      expect(channel && formatChannel(channel)).toBe(name);
      expect([conformsChannel(name), channelKindOf(name)]).toEqual([undefined, kind]);
    }
  });

  test("stands in frames and commands", () => {
    for (const name of Object.keys(good)) {
      expect(command(name), name).toMatchObject({ ok: true, command: { channel: name } });
      for (const decoder of decoders) {
        const decoded = decoder.decode(frameOn(name));
        expect(decoded, name).toMatchObject({ ok: true, received: { kind }, drifts: false });
      }
    }
  });

  test("is refused everywhere when a character of it is wrong", () => {
    for (const name of bad) {
      expect(parseChannel(name), JSON.stringify(name)).toBeUndefined();
      expect(conformsChannel(name), JSON.stringify(name)).toBeTypeOf("string");
      expect(command(name)).toMatchObject({ ok: false, rejection: { path: "channel" } });
      for (const decoder of decoders) {
        const decoded = decoder.decode(frameOn(name));
        const rejection = { reason: "unknown-channel", path: "channel" };
        expect(decoded, JSON.stringify(name)).toMatchObject({ ok: false, rejection });
      }
    }
  });
});

const id = fc.stringMatching(/^[0-9]{1,39}$/);
const marketType = fc.constantFrom("spot" as const, "perp" as const);
const address = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
const interval = fc.constantFrom(...INTERVALS);
const kindOf = <K extends ChannelKind>(kind: K) => fc.constant(kind);

const channels: fc.Arbitrary<Channel> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("bbo" as const, "orderbook" as const, "trades" as const),
    marketType,
    marketId: id,
  }),
  fc.record({ kind: kindOf("candles"), marketType, marketId: id, interval }),
  fc.record({ kind: kindOf("mark-candles"), marketId: id, interval }),
  fc.record({ kind: kindOf("markets") }),
  fc.record({
    kind: kindOf("market-stats"),
    marketType,
    marketId: fc.option(id, { nil: undefined }),
  }),
  fc.record({ kind: kindOf("funding-rates"), marketId: id }),
  fc.record({ kind: kindOf("accounts"), address }),
  fc.record({ kind: kindOf("account"), address, subaccountId: id }),
);

describe("channel names", () => {
  test("hold the whole of their channel", () => {
    fc.assert(
      fc.property(channels, (channel) => {
        const name = formatChannel(channel);
        expect(channelKindOf(name)).toBe(channel.kind);
        expect(parseChannel(name)).toEqual(channel);
      }),
    );
  });

  test("are read as the document's grammar reads them, whatever the text", () => {
    const nearly = fc
      .tuple(channels, fc.nat(), fc.nat(2), fc.string({ maxLength: 2, unit: anyCharacter }))
      .map(([channel, place, removed, added]) => {
        const name = formatChannel(channel);
        const at = place % (name.length + 1);
        return name.slice(0, at) + added + name.slice(at + removed);
      });
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (name) => {
        const channel = parseChannel(name);
        expect(channel?.kind).toBe(channelKindOf(name));
        if (channel !== undefined) expect(formatChannel(channel)).toBe(name);
      }),
      { numRuns: runs(400, 20_000) },
    );
  });
});

test("periods are listed shortest first, with their length", () => {
  const lengths = INTERVALS.map((period) => INTERVAL_MS[period]);
  expect(lengths).toEqual([60, 300, 900, 3600, 14_400, 86_400].map((seconds) => seconds * 1000));
});
