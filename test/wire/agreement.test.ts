// Two readings of one document, the decoder and the independent schema, over many messages, about half of them damaged.
import { describe, expect, test } from "vitest";
import { createRandom, type Random } from "../../src/units/random.ts";
import { decodeCommand } from "../../src/wire/commands.ts";
import { createDecoder } from "../../src/wire/decode.ts";
import { parseJson } from "../../src/wire/json.ts";
import { decodeLiquidationsPage, decodeTradesPage } from "../../src/wire/rest/page.ts";
import {
  conformsCommand,
  conformsLiquidationPage,
  conformsServerFrame,
  conformsTradePage,
} from "../support/interface-schema.ts";
import { runs } from "../support/soak.ts";
import { damage, damageNames } from "./mutations.ts";
import {
  type Fields,
  frameMakers,
  makeCommand,
  makeLiquidation,
  makeTradeRecord,
  oneOf,
  several,
} from "./wire-messages.ts";

const SEED = 20_251_121;
const FRAMES = runs(6000, 100_000);
const PAGES = runs(1500, 10_000);
const COMMANDS = runs(1500, 10_000);

/** What one kind of message is judged by: both readings of the program, and the document. */
interface Judges {
  make(random: Random): Fields | Fields[];
  strict(text: string): boolean;
  /** "drift" where only a tolerant reading accepts the text. */
  tolerant(text: string): "exact" | "drift" | "refused";
  conforms(value: unknown): string | undefined;
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
  const wrong = value === undefined ? "no JSON" : judges.conforms(value);
  const isStrict = judges.strict(text);
  if (isStrict !== (wrong === undefined)) {
    const sides = `the decoder ${isStrict ? "accepts" : "refuses"}, the schema says ${wrong ?? "yes"}`;
    throw fault(seed, text, sides);
  }
  const tolerant = judges.tolerant(text);
  if ((tolerant === "exact") !== isStrict) throw fault(seed, text, `tolerant says ${tolerant}`);
  const counted = tally.get(name) ?? { kept: 0, broken: 0 };
  counted[isStrict ? "kept" : "broken"]++;
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

const strict = createDecoder(true);
const tolerant = createDecoder(false);

const makers = Object.values(frameMakers);

const frames: Judges = {
  make: (random) => oneOf(random, makers)(random),
  strict: (text) => strict.decode(text).ok,
  tolerant(text) {
    const decoded = tolerant.decode(text);
    if (!decoded.ok) return "refused";
    return decoded.drifts ? "drift" : "exact";
  },
  conforms: conformsServerFrame,
  damages: damageNames,
  damagedShare: 0.7,
};

const without = (...names: readonly string[]): readonly string[] =>
  damageNames.filter((name) => !names.includes(name));

type DecodePage = typeof decodeTradesPage | typeof decodeLiquidationsPage;

function pagesOf(record: Judges["make"], decode: DecodePage, conforms: Judges["conforms"]): Judges {
  return {
    make: (random) => several(random, 3, record) as Fields[],
    strict: (text) => decode(text, true).ok,
    tolerant(text) {
      const page = decode(text, false);
      if (!page.ok) return "refused";
      return page.drifts ? "drift" : "exact";
    },
    conforms,
    damages: without(
      "name another channel",
      "name no channel",
      "name another type",
      "swap the payload",
    ),
    damagedShare: 0.7,
  };
}

describe("the decoder and the document agree", () => {
  test(`on ${FRAMES} server frames of every kind`, () => {
    judgeAll(FRAMES, frames);
  });

  test(`on ${2 * PAGES} REST pages`, () => {
    judgeAll(PAGES, pagesOf(makeTradeRecord, decodeTradesPage, conformsTradePage));
    judgeAll(PAGES, pagesOf(makeLiquidation, decodeLiquidationsPage, conformsLiquidationPage));
  });

  test(`on ${COMMANDS} commands`, () => {
    const isCommand = (text: string) => decodeCommand(text).ok;
    judgeAll(COMMANDS, {
      make: makeCommand,
      strict: isCommand,
      tolerant: (text) => (isCommand(text) ? "exact" : "refused"),
      conforms: conformsCommand,
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
