// Columns of open records: which there are, and what stands over them.
import type { OpenRecord } from "../wire/update.ts";
import { changedRange } from "./changed-rows.ts";
import { fieldsOf } from "./fields.ts";

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
    const { start, end } = changedRange(this.#last, records);
    this.#last = records;
    for (const record of records.slice(start, records.length - end)) {
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
