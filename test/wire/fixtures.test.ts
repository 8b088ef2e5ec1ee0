// Every message of test/fixtures, through the decoder and through the independent schema.
import { describe, expect, test } from "vitest";
import { CHANNEL_KINDS } from "../../src/wire/channels.ts";
import { commands, type Door, frames } from "./doors.ts";
import { type FixtureCase, fixturesIn, readFixture } from "./fixture.ts";

const doors: readonly (readonly [string, Door])[] = [
  ...fixturesIn("frames").map((file) => [file, frames] as const),
  ["commands", commands],
];

function expectExact({ name, text }: FixtureCase, door: Door): void {
  expect(door.conforms(JSON.parse(text)), name).toBeUndefined();
  const outcome = door.read(text);
  expect(outcome, name).toMatchObject({ ok: true, drifts: false });
  expect(outcome.ok && outcome.value, name).toStrictEqual(JSON.parse(withoutZeros(text)));
  expect((outcome.ok && outcome.named?.()) || [], name).toEqual([]);
}

/** A channel has one name, whatever zeros stand before its id. */
function withoutZeros(text: string): string {
  return text.replace(/(?<="channel":"[a-z/-]+\/)0+(?=[0-9])/, "");
}

function expectRefused({ name, text, path, reason }: FixtureCase, door: Door): void {
  if (reason !== "not-json") expect(door.conforms(JSON.parse(text)), name).toBeTypeOf("string");
  const outcome = door.read(text);
  const rejection = { path, reason, sample: text.slice(0, 200) };
  expect(outcome, name).toMatchObject({ ok: false, rejection });
  expect(outcome.ok ? "" : outcome.rejection.detail, name).not.toBe("");
}

function expectNewer({ name, text, path }: FixtureCase, door: Door): void {
  expect(door.conforms(JSON.parse(text)), name).toBeTypeOf("string");
  const kept = door.read(text);
  expect(kept, name).toMatchObject({ ok: true, drifts: true });
  expect(kept.ok && JSON.stringify(kept.value), name).toBe(text);
  if (!kept.ok || kept.named === undefined) return;
  expect(
    kept.named().map((drift) => drift.path),
    name,
  ).toEqual([path]);
}

test("the fixtures cover every server frame and every channel kind", () => {
  const expected = [...CHANNEL_KINDS, "hello", "unsubscribed", "error"];
  expect(fixturesIn("frames")).toEqual(expected.map((name) => `frames/${name}`).sort());
});

describe.each(doors)("%s", (file, door) => {
  const { good, bad, newer, missing, without, goodValues, badValues } = readFixture(file);

  test("is read unchanged where it is as the document says", () => {
    for (const one of [...good, ...goodValues, ...without]) expectExact(one, door);
  });

  test("is refused, with the place, where it is not", () => {
    for (const one of [...bad, ...missing, ...badValues]) expectRefused(one, door);
  });

  test("is kept, and the place named, where a newer service added something", () => {
    for (const one of newer) expectNewer(one, door);
  });
});
