// Filters and sorts the rows of a table. Built for many thousand rows of which some change all the time: previous results
// are reused.

import { changedRange, freshRows } from "../../select/columns.ts";
import { formatValue, getValues, readNumber, valueAt } from "../../select/fields.ts";
import { compareDecimal } from "../../units/decimal.ts";
import type { OpenRecord } from "../../wire/update.ts";

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

type Rows = readonly OpenRecord[];

/** Above this many changed rows, a full sort is not slower. */
const MAX_MOVED = 500;
/** Rows whose search text is prepared in each call: the first letter of a filter must not wait for all of them. */
const READY_AHEAD = 1000;

/** Caches its result until rows, sort or filter change. */
export class RowOrder {
  #records: Rows = [];
  #sort: Sort | undefined;
  #filter = "";
  #found: Rows = [];
  #rows: Rows = [];
  #keys = new WeakMap<OpenRecord, SortKey>();
  readonly #texts = new WeakMap<OpenRecord, string>();
  #ready = 0;
  /** Search texts of the records filtered last. */
  #searched: { readonly of: Rows; readonly texts: readonly string[] } = { of: [], texts: [] };

  /**
   * @param sort undefined keeps the order of the service; the same object until it changes
   * @param filter words that must all occur in a row, ignoring case
   */
  select(records: Rows, sort: Sort | undefined, filter: string): Rows {
    this.#getReady(records);
    const isSame = records === this.#records && sort === this.#sort && filter === this.#filter;
    if (isSame) return this.#rows;
    if (sort?.column !== this.#sort?.column) this.#keys = new WeakMap();
    const matching = this.#find(records, filter);
    this.#rows = sort === undefined ? matching : this.#sorted(matching, sort);
    this.#records = records;
    this.#sort = sort;
    this.#filter = filter;
    this.#found = matching;
    return this.#rows;
  }

  #getReady(records: Rows): void {
    if (records !== this.#records) {
      const { start } = changedRange(this.#records, records);
      const fresh = freshRows(this.#records, records);
      const isGrown = records[0] === fresh[0] && records[fresh.length] === this.#records[0];
      if (start === 0 && isGrown && fresh.length <= READY_AHEAD) {
        // New records are at the front; those behind them are as ready as before.
        for (const record of fresh) this.#textOf(record);
        this.#ready = Math.min(records.length, this.#ready + fresh.length);
      } else this.#ready = Math.min(this.#ready, start);
    }
    const last = Math.min(records.length, this.#ready + READY_AHEAD);
    for (; this.#ready < last; this.#ready++) {
      const record = records[this.#ready];
      if (record !== undefined) this.#textOf(record);
    }
  }

  #find(records: Rows, filter: string): Rows {
    const [first, ...others] = splitWords(filter);
    if (first === undefined) return records;
    const texts = this.#textsOf(records);
    const matching: OpenRecord[] = [];
    // A plain loop: the first letter scans every row before anything is compiled, and V8 optimises a loop while it runs.
    for (let i = 0; i < records.length; i++) {
      const text = texts[i] ?? "";
      if (!text.includes(first)) continue;
      if (others.length === 0 || others.every((word) => text.includes(word)))
        matching.push(records[i] as OpenRecord);
    }
    return matching;
  }

  /** Reuses the texts of unchanged rows. */
  #textsOf(records: Rows): readonly string[] {
    const { of, texts } = this.#searched;
    if (of === records) return texts;
    const { start, end } = changedRange(of, records);
    const all = texts.slice(0, start);
    const last = records.length - end;
    for (let i = start; i < last; i++) {
      const record = records[i] as OpenRecord;
      all.push(this.#texts.get(record) ?? this.#textOf(record));
    }
    for (let i = texts.length - end; i < texts.length; i++) all.push(texts[i] as string);
    this.#searched = { of: records, texts: all };
    return all;
  }

  #textOf(record: OpenRecord): string {
    const known = this.#texts.get(record);
    if (known !== undefined) return known;
    const text = searchText(record);
    this.#texts.set(record, text);
    return text;
  }

  #sorted(found: Rows, sort: Sort): Rows {
    if (sort !== this.#sort) return this.#sortedAnew(found, sort);
    const before = this.#found;
    const { start, end } = changedRange(before, found);
    const removed = before.slice(start, before.length - end);
    const added = found.slice(start, found.length - end);
    if (removed.length + added.length > MAX_MOVED) return this.#sortedAnew(found, sort);
    return this.#moved(found, removed, added, sort);
  }

  /** Stable: equal rows stay in the order of the service. */
  #sortedAnew(found: Rows, { column, isDescending }: Sort): Rows {
    const keyed = found.map((record) => [this.#keyOf(record, column), record] as const);
    keyed.sort(([a], [b]) => compareKeys(a, b, isDescending));
    return keyed.map(([, record]) => record);
  }

  /** Updates the sorted rows: drops some and inserts others at their places. */
  #moved(found: Rows, removed: Rows, added: Rows, { column, isDescending }: Sort): Rows {
    const isRemoved = new Set(removed);
    const rows = this.#rows.filter((record) => !isRemoved.has(record));
    let positions: ReadonlyMap<OpenRecord, number> | undefined;
    const indexOf = (record: OpenRecord) => {
      positions ??= new Map(found.map((each, i) => [each, i]));
      return positions.get(record) ?? 0;
    };
    const isBefore = (a: OpenRecord, b: OpenRecord) => {
      const order = compareKeys(this.#keyOf(a, column), this.#keyOf(b, column), isDescending);
      return order === 0 ? indexOf(a) < indexOf(b) : order < 0;
    };
    for (const record of added) {
      let low = 0;
      let high = rows.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        const other = rows[middle];
        if (other !== undefined && isBefore(other, record)) low = middle + 1;
        else high = middle;
      }
      rows.splice(low, 0, record);
    }
    return rows;
  }

  #keyOf(record: OpenRecord, column: string): SortKey {
    const known = this.#keys.get(record);
    if (known !== undefined) return known;
    const key = sortKey(record, column);
    this.#keys.set(record, key);
    return key;
  }
}

function splitWords(filter: string): readonly string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

function searchText(record: OpenRecord): string {
  let text = "";
  for (const name in record) {
    const value = record[name];
    if (typeof value === "string") text += `${value}\n`;
    else if (typeof value !== "object") text += `${String(value)}\n`;
    else if (value !== null) {
      for (const field of getValues({ [name]: value })) text += `${formatValue(field.value)}\n`;
    }
  }
  return text.toLowerCase();
}

/** What a row is sorted by: numbers, then text, then missing values. */
export interface SortKey {
  readonly rank: 0 | 1 | 2;
  /** The number as a float: ordered like the exact values, which decide only ties. */
  readonly approximate: number;
  readonly value: unknown;
  readonly text: string;
}

/** Matches most numbers, which then need no parsing. */
const PLAIN = /^-?[0-9]+(?:\.[0-9]+)?$/;

function sortKey(record: OpenRecord, column: string): SortKey {
  const value = valueAt(record, column);
  const text = formatValue(value);
  if (text === "") return { rank: 2, approximate: 0, value, text };
  const isNumber = PLAIN.test(text) || readNumber(value) !== undefined;
  return isNumber
    ? { rank: 0, approximate: Number(text), value, text }
    : { rank: 1, approximate: 0, value, text };
}

/** Negative if `a` comes first. */
function compareKeys(a: SortKey, b: SortKey, isDescending: boolean): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  const order = a.rank === 0 ? compareNumbers(a, b) : compareText(a.text, b.text);
  return isDescending ? -order : order;
}

function compareNumbers(a: SortKey, b: SortKey): number {
  if (a.approximate !== b.approximate) return a.approximate < b.approximate ? -1 : 1;
  if (a.text === b.text) return 0;
  const [x, y] = [readNumber(a.value), readNumber(b.value)];
  return x === undefined || y === undefined ? 0 : compareDecimal(x, y);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
