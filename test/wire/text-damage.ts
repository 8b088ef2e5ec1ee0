// Damage to a text at any of its places, for readers of text that must not differ from parsing and a check.
import fc from "fast-check";
import { words } from "../support/words.ts";

interface Change {
  /** Part of the text before it. */
  readonly at: number;
  readonly cut: number;
  readonly put: string;
}

/** @param more what may also be written over a text or into it */
export function textDamage(...more: readonly string[]): fc.Arbitrary<readonly Change[]> {
  const bits = fc.constantFrom(
    ...'0123456789-.eE"\\,:[]{} \n\t\u0000\u007fxé',
    ...words('true false null -0 00 \\" \\u0041 "more":{}, 1e3 },{ ]]'),
    ...more,
  );
  const place = fc.integer({ min: 0, max: 9999 }).map((part) => part / 10_000);
  // Some of it does no harm.
  const change = fc.oneof(
    fc.record({ at: place, cut: fc.nat({ max: 3 }), put: bits }),
    fc.record({ at: place, cut: fc.constant(1), put: fc.constantFrom("0", "7", "a", "é") }),
  );
  return fc.array(change, { minLength: 1, maxLength: 3 });
}

/** The text with some of its places cut out, written over or filled in. */
export function damaged(text: string, changes: readonly Change[]) {
  let result = text;
  for (const { at, cut, put } of changes) {
    const place = Math.floor(at * (result.length + 1));
    result = result.slice(0, place) + put + result.slice(place + cut);
  }
  return result;
}
