// Which rows a table shows, and in which order.
import type { Column, Table, TableState } from "./table.ts";

/** By value: numbers as numbers, words as words, what is not known last. */
function sortRows<Row>(rows: readonly Row[], column: Column<Row>, isDown: boolean): readonly Row[] {
  const sign = isDown ? -1 : 1;
  // Made once, so that the comparison does not parse.
  const keyed = rows.map((row) => {
    const value = column.value(row);
    const key = value === undefined || column.align === "left" ? value : Number(value);
    return { row, key: Number.isNaN(key) ? undefined : key };
  });
  return keyed
    .sort(({ key: a }, { key: b }) => {
      if (a === undefined || b === undefined)
        return Number(a === undefined) - Number(b === undefined);
      return a < b ? -sign : a > b ? sign : 0;
    })
    .map(({ row }) => row);
}

/** Keeps rows whose words have all words of the filter. */
function filterRows<Row>(
  rows: readonly Row[],
  { columns }: Table<Row>,
  filter: string,
): readonly Row[] {
  const sought = filter.toLowerCase().split(" ").filter(Boolean);
  if (sought.length === 0) return rows;
  const words = columns.filter(({ align }) => align === "left");
  return rows.filter((row) => {
    const text = words
      .map((column) => column.value(row) ?? "")
      .join(" ")
      .toLowerCase();
    return sought.every((word) => text.includes(word));
  });
}

/** A live table keeps its order for so long that it can be read; the values in it are always new. */
const ORDER_MS = 250;

export class RowOrder<Row> {
  readonly #table: Table<Row>;
  #source: readonly Row[] = [];
  /** The rows of the source, as last shown. */
  #rows: readonly Row[] = [];
  #key = "";
  #madeMs = Number.NEGATIVE_INFINITY;

  constructor(table: Table<Row>) {
    this.#table = table;
  }

  /** The rows that pass the filter, in their order. */
  of(
    source: readonly Row[],
    { sort, filter }: Pick<TableState, "sort" | "filter">,
    nowMs: number,
  ): readonly Row[] {
    const column = this.#table.columns.find(({ title }) => title === sort?.title);
    const key = `${sort?.title} ${sort?.isDown} ${filter}`;
    const isSettled = key === this.#key && nowMs - this.#madeMs < ORDER_MS;
    if (isSettled && source === this.#source) return this.#rows;
    const rows = filterRows(source, this.#table, filter);
    if (column === undefined || sort === undefined) this.#rows = rows;
    else this.#rows = isSettled ? this.#placed(rows) : sortRows(rows, column, sort.isDown);
    this.#source = source;
    if (isSettled) return this.#rows;
    this.#key = key;
    this.#madeMs = nowMs;
    return this.#rows;
  }

  /** In the places of the rows shown before; new ones come last. */
  #placed(rows: readonly Row[]): readonly Row[] {
    const { id } = this.#table;
    const places = new Map(this.#rows.map((row, at) => [id(row), at]));
    const placeOf = (row: Row) => places.get(id(row)) ?? Number.MAX_SAFE_INTEGER;
    return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
