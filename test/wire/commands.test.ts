import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/units/random.ts";
import { type Command, decodeCommand, encodeCommand } from "../../src/wire/commands.ts";
import { conformsCommand } from "../support/interface-schema.ts";
import { makeCommand } from "./wire-messages.ts";

const commands = fc.noShrink(fc.integer()).map((seed) => makeCommand(createRandom(seed)));

describe("a command", () => {
  test("is sent as the document writes it and read back the same", () => {
    fc.assert(
      fc.property(commands, (made) => {
        const command = made as unknown as Command;
        const text = encodeCommand(command);
        expect(conformsCommand(JSON.parse(text))).toBeUndefined();
        expect(decodeCommand(text)).toEqual({ ok: true, command });
      }),
    );
  });

  test("carries its type and channel and nothing else of the object it was made from", () => {
    const asked: Command & { note: string } = { note: "x", channel: "markets", type: "subscribe" };
    expect(encodeCommand(asked)).toBe('{"type":"subscribe","channel":"markets"}');
  });

  test("that is no JSON is told apart from one of the wrong shape", () => {
    expect(decodeCommand("{")).toMatchObject({ ok: false, rejection: { reason: "not-json" } });
    expect(decodeCommand("null")).toMatchObject({
      ok: false,
      rejection: { reason: "wrong-shape" },
    });
    expect(decodeCommand('{"type":"ping","channel":"markets"}')).toMatchObject({
      ok: false,
      rejection: { reason: "wrong-shape", path: "type" },
    });
  });
});
