// By what the rows of a list are told apart: a field, or several, whose values differ in all rows of a frame. The
// document names no keys, so candidates are tried in order, then whatever field tells all rows apart.

import { exactText } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";

/** Meanings that together tell rows apart. */
export type KeyCandidate = readonly Meaning[];

type ReadKey = (record: OpenRecord) => string | undefined;

/** Finds the fields that name a record, from the records themselves. */
export class RecordKey {
  readonly #aliases: Aliases;
  readonly #candidates: readonly KeyCandidate[];
  #read: ReadKey = () => undefined;
  #words = "";

  /** @param candidates the likeliest first */
  constructor(aliases: Aliases, candidates: readonly KeyCandidate[]) {
    this.#aliases = aliases;
    this.#candidates = candidates;
  }

  /** The same key; choosing anew here does not change it. */
  copy(): RecordKey {
    const copy = new RecordKey(this.#aliases, this.#candidates);
    copy.#read = this.#read;
    copy.#words = this.#words;
    return copy;
  }

  /** What the key is, in words: `order_id`, `market_type/market_id`; empty while there is none. */
  get words(): string {
    return this.#words;
  }

  /** The row's key, as text: a number and the text of its digits are one key. Undefined when it has none. */
  of(record: OpenRecord): string | undefined {
    return this.#read(record);
  }

  /** True when the key that is in force tells these rows apart. */
  fits(rows: readonly OpenRecord[]): boolean {
    return tellsApart(rows, this.#read);
  }

  /** Chooses the key anew, so that it tells these rows apart. Without any such field, rows have no key. */
  choose(rows: readonly OpenRecord[]): void {
    for (const meanings of this.#candidates) {
      const read = this.#reader(meanings);
      if (!tellsApart(rows, read)) continue;
      this.#read = read;
      this.#words = meanings.map((each) => this.#columnOf(rows, each)).join("/");
      return;
    }
    const field = distinctField(rows);
    this.#read = (record) => (field === undefined ? undefined : exactText(record[field]));
    this.#words = field ?? "";
  }

  /** The type of a market may be left out; every other part of a key must be there. */
  #reader(meanings: KeyCandidate): ReadKey {
    return (record) => {
      const parts = meanings.map((meaning) => this.#aliases.text(record, meaning));
      const isWhole = parts.every((part, i) => part !== undefined || meanings[i] === "marketType");
      return isWhole && parts.some((part) => part !== undefined) ? parts.join("/") : undefined;
    };
  }

  #columnOf(rows: readonly OpenRecord[], meaning: Meaning): string {
    return rows[0] === undefined ? meaning : (this.#aliases.columnOf(rows[0], meaning) ?? meaning);
  }
}

function tellsApart(rows: readonly OpenRecord[], read: ReadKey): boolean {
  const keys = new Set<string>();
  for (const row of rows) {
    const key = read(row);
    if (key === undefined || keys.has(key)) return false;
    keys.add(key);
  }
  return true;
}

/** One row tells nothing about which of its fields are keys. */
const MIN_ROWS = 2;

/** The first field that tells all rows apart, one with a name of a key before others. */
function distinctField(rows: readonly OpenRecord[]): string | undefined {
  const [first] = rows;
  if (first === undefined || rows.length < MIN_ROWS) return undefined;
  const fields = Object.keys(first).sort((a, b) => keyLikeness(b) - keyLikeness(a));
  return fields.find((field) =>
    tellsApart(rows, (row) => (Object.hasOwn(row, field) ? exactText(row[field]) : undefined)),
  );
}

function keyLikeness(field: string): number {
  return /(?:^|_)(?:id|key|uuid|hash|index)$|Id$/.test(field) ? 1 : 0;
}
