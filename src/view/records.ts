// Open records as a table: which columns there are, what stands over them, in which order the rows are, and which of
// them are looked for. Exact whatever the fields are. Reading: docs/adr/0012.
import type { OpenRecord } from "../protocol/channels/update.ts";
import { compareDecimal, type Decimal } from "../units/decimal.ts";
import { readNumber } from "./cells.ts";
import { fieldsOf, textOf, valueAt, valuesOf } from "./fields.ts";

/** Columns that are found; what a row has beyond them is in its own view. */
const MAX_COLUMNS = 256;

/** The columns of a table, found from its rows in the order first seen. */
export class ColumnSet {
  readonly #columns = new Set<string>();
  readonly #shapes = new Set<string>();
  readonly #seen = new WeakSet<OpenRecord>();
  #last: readonly OpenRecord[] = [];

  /** Paths with dots. */
  get columns(): readonly string[] {
    return [...this.#columns];
  }

  /** Looks at rows that are new. */
  update(records: readonly OpenRecord[]): void {
    if (records === this.#last) return;
    this.#last = records;
    for (const record of records) {
      if (this.#seen.has(record)) continue;
      this.#seen.add(record);
      if (this.#isNewShape(record)) this.#add(record);
    }
  }

  /** Most rows of a list have the same fields: flat ones are looked at once. */
  #isNewShape(record: OpenRecord): boolean {
    const names = Object.keys(record);
    for (const name of names) if (typeof record[name] === "object") return true;
    const shape = names.join("\n");
    if (this.#shapes.has(shape)) return false;
    if (this.#shapes.size < MAX_COLUMNS) this.#shapes.add(shape);
    return true;
  }

  #add(record: OpenRecord): void {
    for (const { path } of fieldsOf(record)) {
      if (this.#columns.size < MAX_COLUMNS) this.#columns.add(path);
    }
  }
}

/** Words that are not written like others. */
const WORDS: Readonly<Record<string, string>> = { id: "ID", pnl: "PnL", nav: "NAV", usd: "USD" };
/** Units of times: a time is shown as one. */
const TIME_UNIT = /[_.]?(?:ns|us|ms)$/i;

/** What stands over a column: `unrealized_pnl` becomes `Unrealized PnL`, `createdAtNs` `Created at`. Never throws. */
export function humanised(column: string, isTime = false): string {
  const name = isTime ? column.replace(TIME_UNIT, "") : column;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[\s_.-]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
  const text = words.map((word) => WORDS[word] ?? word).join(" ");
  return text === "" ? column : text[0]?.toUpperCase() + text.slice(1);
}

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** Numbers before text, what is missing last; `approximate` is in order, with ties that `exact` decides. */
interface SortKey {
  readonly rank: 0 | 1 | 2;
  readonly approximate: number;
  readonly exact: Decimal;
  readonly text: string;
}

const zero: Decimal = { mantissa: 0n, places: 0 };

/** The rows that are shown, in their order. Remembers its answer until rows, sort or filter change. */
export class RowOrder {
  #records: readonly OpenRecord[] = [];
  #sort: Sort | undefined;
  #filter = "";
  #rows: readonly OpenRecord[] = [];
  #keys = new WeakMap<OpenRecord, SortKey>();
  #texts = new WeakMap<OpenRecord, string>();

  /**
   * @param sort without it, rows are in the order of the service
   * @param filter words that each row must have somewhere, whatever the case of their letters
   */
  select(
    records: readonly OpenRecord[],
    sort: Sort | undefined,
    filter: string,
  ): readonly OpenRecord[] {
    const isSame = records === this.#records && sort === this.#sort && filter === this.#filter;
    if (isSame) return this.#rows;
    if (sort?.column !== this.#sort?.column) this.#keys = new WeakMap();
    const found = this.#find(records, filter);
    this.#rows = sort === undefined ? found : this.#sorted(found, sort);
    this.#records = records;
    this.#sort = sort;
    this.#filter = filter;
    return this.#rows;
  }

  #find(records: readonly OpenRecord[], filter: string): readonly OpenRecord[] {
    const words = wordsOf(filter);
    if (words.length === 0) return records;
    // A longer filter finds only what the shorter one has found.
    const isNarrower =
      records === this.#records && this.#filter !== "" && filter.startsWith(this.#filter);
    const among = isNarrower && this.#sort === undefined ? this.#rows : records;
    return among.filter((record) => {
      const text = this.#textOf(record);
      return words.every((word) => text.includes(word));
    });
  }

  #textOf(record: OpenRecord): string {
    const known = this.#texts.get(record);
    if (known !== undefined) return known;
    const text = searchText(record);
    this.#texts.set(record, text);
    return text;
  }

  #sorted(found: readonly OpenRecord[], { column, isDescending }: Sort): readonly OpenRecord[] {
    const keyed = found.map((record) => [this.#keyOf(record, column), record] as const);
    keyed.sort(([a], [b]) => compareKeys(a, b, isDescending));
    return keyed.map(([, record]) => record);
  }

  #keyOf(record: OpenRecord, column: string): SortKey {
    const known = this.#keys.get(record);
    if (known !== undefined) return known;
    const key = sortKey(valueAt(record, column));
    this.#keys.set(record, key);
    return key;
  }
}

function wordsOf(filter: string): readonly string[] {
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
      for (const field of valuesOf({ [name]: value })) text += `${textOf(field.value)}\n`;
    }
  }
  return text.toLowerCase();
}

function sortKey(value: unknown): SortKey {
  const text = textOf(value);
  if (text === "") return { rank: 2, approximate: 0, exact: zero, text };
  const exact = readNumber(value);
  if (exact === undefined) return { rank: 1, approximate: 0, exact: zero, text };
  // A float is in the order of the exact values, apart from ties.
  return { rank: 0, approximate: Number(text), exact, text };
}

function compareKeys(a: SortKey, b: SortKey, isDescending: boolean): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  const order = a.rank === 0 ? compareNumbers(a, b) : compareText(a.text, b.text);
  return isDescending ? -order : order;
}

function compareNumbers(a: SortKey, b: SortKey): number {
  if (a.approximate !== b.approximate) return a.approximate < b.approximate ? -1 : 1;
  return a.text === b.text ? 0 : compareDecimal(a.exact, b.exact);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
