// Two readings of one document, the decoder and the independent schema, over many messages, about half of them damaged.
import { describe, expect, test } from "vitest";
import { createRandom, type Random } from "../../src/units/random.ts";
import { parseJson } from "../../src/wire/json.ts";
import { runs } from "../support/soak.ts";
import { commands, type Door, frames } from "./doors.ts";
import { damage, damageNames } from "./mutations.ts";
import { type Fields, frameMakers, makeCommand, oneOf } from "./wire-messages.ts";

const SEED = 20_251_121;
const FRAMES = runs(3000, 100_000);
const _PAGES = runs(800, 10_000);
const COMMANDS = runs(800, 10_000);

/** How messages of one kind are made, and how they are judged. */
interface Judges {
  make(random: Random): Fields | Fields[];
  readonly door: Door;
  /** The damage that is tried on it: whatever can break such a message. */
  readonly damages: readonly string[];
  /** Share of the messages that is damaged, so that about half of all are broken. */
  readonly damagedShare: number;
}

/** How many messages each kind of damage left as the document allows them, and how many not. */
type Tally = Map<string, { kept: number; broken: number }>;

function fault(seed: number, text: string, words: string): Error {
  return new Error(`${words} (seed ${seed}): ${text}`);
}

function judge(seed: number, judges: Judges, tally: Tally): void {
  const random = createRandom(seed);
  const message = judges.make(random);
  const name = random() < judges.damagedShare ? oneOf(random, judges.damages) : "none";
  const text = damage(name, random, message);
  const value = parseJson(text);
  const wrong = value === undefined ? "no JSON" : judges.door.conforms(value);
  const read = judges.door.read(text);
  const isExact = read.ok && !read.drifts;
  if (isExact !== (wrong === undefined)) {
    const sides = `the decoder says ${JSON.stringify(read)}, the schema ${wrong ?? "yes"}`;
    throw fault(seed, text, sides);
  }
  const counted = tally.get(name) ?? { kept: 0, broken: 0 };
  counted[isExact ? "kept" : "broken"]++;
  tally.set(name, counted);
}

/** Judges that many messages; every damage must have broken some, and 40 to 60 of 100 must be whole. */
function judgeAll(count: number, judges: Judges): void {
  const tally: Tally = new Map();
  for (let i = 0; i < count; i++) judge(SEED + i, judges, tally);
  const counts = [...tally.values()];
  const kept = counts.reduce((sum, one) => sum + one.kept, 0);
  expect([...tally.keys()].sort()).toEqual([...judges.damages, "none"].sort());
  expect(tally.get("none")?.broken).toBe(0);
  for (const [name, { broken }] of tally) {
    if (name !== "none") expect(broken, name).toBeGreaterThan(0);
  }
  expect(kept / count).toBeGreaterThan(0.4);
  expect(kept / count).toBeLessThan(0.6);
}

const makers = Object.values(frameMakers);

const without = (...names: readonly string[]): readonly string[] =>
  damageNames.filter((name) => !names.includes(name));

describe("the decoder and the document agree", () => {
  test(`on ${FRAMES} server frames of every kind`, () => {
    const make = (random: Random) => oneOf(random, makers)(random);
    judgeAll(FRAMES, { make, door: frames, damages: damageNames, damagedShare: 0.7 });
  });

  test(`on ${COMMANDS} commands`, () => {
    judgeAll(COMMANDS, {
      make: makeCommand,
      door: commands,
      damages: without(
        "name another channel",
        "put another number",
        "change a list's length",
        "overflow a number",
      ),
      damagedShare: 0.5,
    });
  });
});
