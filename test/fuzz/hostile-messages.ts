// Messages of every kind for the fuzz, from a seed: as the document has them, damaged, and never seen.
import type { Random } from "../../src/units/random.ts";
import { damage, damageNames } from "../wire/mutations.ts";
import { below, type Fields, frameMakers, oneOf } from "../wire/wire-messages.ts";

const nested = (depth: number, inner: string) => `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`;

/** Attacks on whoever reads: as text that is put in the place of a value. */
const VALUES: readonly ((random: Random) => string)[] = [
  (random) => nested(1 + below(random, 3000), "1"),
  (random) => `${'{"a":'.repeat(1 + below(random, 500))}1`,
  () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  (random) => "9".repeat(1 + below(random, 400)),
  () => "1e999999999",
  () => "-0.0000000000000000000000000000001",
  () => '"\\ud800"',
  () => '"\\u0000\\u001b]52;c;eA==\\u0007\\u202e"',
  (random) => `"${"x".repeat(below(random, 20_000))}"`,
  () => "{}",
  () => "null",
];

const replaceValue = (random: Random, text: string): string => {
  const places = [...text.matchAll(/:("[^"]*"|\d+|null|true|false)(?=[,}])/g)];
  const place = places.length === 0 ? undefined : oneOf(random, places);
  if (place === undefined) return text;
  const from = place.index + 1;
  return (
    text.slice(0, from) + oneOf(random, VALUES)(random) + text.slice(from + (place[1] ?? "").length)
  );
};

/** What is done to a message, with how often of a hundred. */
const WAYS: readonly (readonly [number, (random: Random, message: Fields | Fields[]) => string])[] =
  [
    [35, (_, message) => JSON.stringify(message)],
    [35, (random, message) => damage(oneOf(random, damageNames), random, message)],
    [15, (random, message) => replaceValue(random, JSON.stringify(message))],
    [
      5,
      (random, message) => {
        const text = JSON.stringify(message);
        return text.slice(below(random, text.length), below(random, text.length * 2));
      },
    ],
    [
      10,
      (random) =>
        String.fromCharCode(
          ...Array.from({ length: below(random, 200) }, () => below(random, 65_536)),
        ),
    ],
  ];

export function hostile(random: Random, message: Fields | Fields[]): string {
  let left = below(random, 100);
  for (const [share, make] of WAYS) {
    left -= share;
    if (left < 0) return make(random, message);
  }
  return "";
}

/** A frame; updates are mostly of one of the channels. */
export function anyFrame(random: Random, channels: readonly string[], place: number): Fields {
  const frame = oneOf(random, Object.values(frameMakers))(random);
  const kind = String(frame.channel).split("/")[0];
  const fitting = channels.filter((channel) => channel.split("/")[0] === kind);
  if (fitting.length === 0 || below(random, 10) === 0) return frame;
  // Most begin their chain anew: after a gap nothing is folded for a while.
  const links =
    "sequence" in frame && below(random, 5) > 0
      ? { previous_sequence: null, sequence: `${place}` }
      : {};
  return { ...frame, ...links, channel: oneOf(random, fitting) };
}
