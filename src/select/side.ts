// Which side words of a service name: of the book, of a taker, of a position.

import type { Aliases } from "../state/aliases.ts";
import type { OpenRecord } from "../wire/update.ts";

/** Who buys, bids or is long; or the other one. */
export type Side = "buy" | "sell";

/** `true` and `false` are said by fields such as `is_bid` and `is_long`. */
const WORDS: readonly (readonly [words: RegExp, side: Side])[] = [
  [/^(?:buy|bid|long|b|true)$/i, "buy"],
  [/^(?:sell|ask|short|s|a|false)$/i, "sell"],
];

/** Undefined for other words, and for none. Never throws. */
export function readSide(text: string): Side | undefined {
  return WORDS.find(([words]) => words.test(text))?.[1];
}

/** The side that a record names; undefined where it names none. Never throws. */
export function sideOf(record: OpenRecord, aliases: Aliases): Side | undefined {
  return readSide(aliases.text(record, "side") ?? "");
}
