// A table of open records: columns found in the rows; sorting, filtering and scrolling as the user chose; and the window
// that fits a pane. No colours, no keys.
import { ColumnSet } from "../../select/columns.ts";
import { type Cell, MISSING } from "../../select/fields.ts";
import { formatField, formatHeader, type RecordFormat } from "../../select/record-format.ts";
import type { Meaning } from "../../state/aliases.ts";
import { cutText, textWidth } from "../../terminal/cells/text-cells.ts";
import { visible } from "../../terminal/visible.ts";
import type { OpenRecord } from "../../wire/update.ts";
import { RowOrder, type Sort } from "./rows.ts";

export interface RecordTableOptions {
  /** The same object until it changes. */
  readonly format: () => RecordFormat;
  /** Key that the selection follows when rows move; by default it stays at its index. */
  readonly keyOf?: ((record: OpenRecord) => string | undefined) | undefined;
  /** Columns that come first, if they exist. */
  readonly first?: readonly string[] | undefined;
  /** Meanings whose columns come next; of each group only the first that exists. */
  readonly leading?: readonly (Meaning | readonly Meaning[])[] | undefined;
}

export interface TableColumn {
  readonly name: string;
  /** Cut to the width, like all text of a window. */
  readonly header: string;
  readonly x: number;
  readonly width: number;
  readonly isRight: boolean;
  readonly isCurrent: boolean;
}

export interface TableRow {
  readonly record: OpenRecord;
  readonly cells: readonly Cell[];
  readonly isSelected: boolean;
}

export interface WindowStart {
  readonly first: number;
  readonly before: number;
}

export interface TableWindow extends WindowStart {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
  readonly found: number;
  readonly after: number;
}

const GAP = 2;
/** Text is cut at this width; numbers are never cut. */
const MAX_TEXT_WIDTH = 28;
/** A longer text in the last column is cut no shorter than this. */
const MIN_TEXT = 12;
const TOO_WIDE = "⋯";

/** The first visible row: the window scrolls no further than needed to show the selected row. */
function firstInSight(selected: number, before: number, room: number, count: number): number {
  const first = Math.max(selected - room + 1, Math.min(before, selected));
  return Math.max(0, Math.min(Math.max(0, count - room), first));
}

export class RecordTable {
  readonly #options: RecordTableOptions;
  readonly #columnSet = new ColumnSet();
  readonly #order = new RowOrder();
  readonly #cells: CellCache;
  /** In the order found, leading ones first. */
  columns: readonly string[] = [];
  #records: readonly OpenRecord[] = [];
  rows: readonly OpenRecord[] = [];
  sort: Sort | undefined;
  filter = "";
  #selected = 0;
  #selectedKey: string | undefined;
  #column = 0;

  constructor(options: RecordTableOptions) {
    this.#options = options;
    this.#cells = new CellCache(options.format);
  }

  get selected(): OpenRecord | undefined {
    return this.rows[this.#selected];
  }

  get column(): string | undefined {
    const { columns } = this;
    return columns[Math.min(this.#column, columns.length - 1)];
  }

  update(records: readonly OpenRecord[]): void {
    if (records === this.#records) {
      this.#order.select(records, this.sort, this.filter);
      return;
    }
    this.#records = records;
    const known = this.#columnSet.columns.length;
    this.#columnSet.update(records);
    if (this.#columnSet.columns.length !== known) this.#learnColumns();
    this.#select();
  }

  moveBy(rows: number): void {
    this.moveTo(this.#selected + rows);
  }

  moveTo(place: number): void {
    this.#selected = Math.max(0, Math.min(this.rows.length - 1, place));
    // At the top, the selection stays with the newest row.
    this.#selectedKey = this.#selected === 0 ? undefined : this.#keyOf(this.selected);
  }

  moveColumnBy(columns: number): void {
    const last = this.columns.length - 1;
    this.#column = Math.max(0, Math.min(last, Math.min(last, this.#column) + columns));
  }

  /** Sorts by the column: ascending, descending, then in the order of the service. */
  sortBy(column: string): void {
    if (this.sort?.column !== column) this.sort = { column, isDescending: false };
    else this.sort = this.sort.isDescending ? undefined : { column, isDescending: true };
    this.#select();
  }

  setFilter(filter: string): void {
    this.filter = filter;
    this.#select();
  }

  /**
   * What fits: rows below the header, whole columns from the left one on.
   * @param last the previous window: this one scrolls no further than needed
   */
  window(width: number, height: number, last: WindowStart = { first: 0, before: 0 }): TableWindow {
    const room = Math.max(0, height - 1);
    this.#cells.takeFormat();
    const first = firstInSight(this.#selected, last.first, room, this.rows.length);
    const rows = this.rows.slice(first, first + room);
    const { columns, before } = this.#fit(rows, width, last.before);
    return {
      columns,
      rows: rows.map((record, i) => ({
        record,
        cells: columns.map((column) => this.#cellOf(record, column)),
        isSelected: first + i === this.#selected,
      })),
      first,
      found: this.rows.length,
      before,
      after: this.columns.length - before - columns.length,
    };
  }

  /** The current column stays the same. */
  #learnColumns(): void {
    const { column } = this;
    const { first = [], leading = [], format } = this.#options;
    const { columns } = this.#columnSet;
    const { aliases } = format();
    const columnOf = (meaning: Meaning) =>
      columns.find((each) => aliases.isNamed(each, meaning)) ?? [];
    const led = leading.flatMap((group) => [group].flat().flatMap(columnOf).slice(0, 1));
    this.columns = [
      ...new Set([...first.filter((name) => columns.includes(name)), ...led, ...columns]),
    ];
    if (column !== undefined) this.#column = Math.max(0, this.columns.indexOf(column));
  }

  #keyOf(record: OpenRecord | undefined): string | undefined {
    return record && this.#options.keyOf?.(record);
  }

  #select(): void {
    this.rows = this.#order.select(this.#records, this.sort, this.filter);
    if (this.#selectedKey !== undefined && this.#keyOf(this.selected) !== this.#selectedKey) {
      const place = this.rows.findIndex((row) => this.#keyOf(row) === this.#selectedKey);
      if (place >= 0) this.#selected = place;
    }
    this.#selected = Math.max(0, Math.min(this.rows.length - 1, this.#selected));
  }

  #fit(rows: readonly OpenRecord[], width: number, last: number) {
    const names = this.columns;
    const current = Math.max(0, Math.min(this.#column, names.length - 1));
    let before = Math.max(0, Math.min(last, current));
    const widths = new Map<string, number>();
    const widthOf = (name: string | undefined) => {
      if (name === undefined) return 0;
      const needed = widths.get(name) ?? this.#widthOf(name, rows, width);
      widths.set(name, needed);
      return needed;
    };
    // Columns leave on the left until the current one fits.
    let used = 0;
    for (let i = before; i <= current; i++) used += widthOf(names[i]) + GAP;
    while (used - GAP > width && before < current) {
      used -= widthOf(names[before]) + GAP;
      before++;
    }
    const shown: string[] = [];
    let left = width + GAP;
    for (const name of names.slice(before)) {
      if (left < widthOf(name) + GAP) {
        // Text is cut rather than dropped.
        if (left >= MIN_TEXT + GAP && this.#isLongText(name, rows, widthOf(name))) {
          widths.set(name, left - GAP);
          shown.push(name);
          left = 0;
        }
        break;
      }
      shown.push(name);
      left -= widthOf(name) + GAP;
    }
    for (const [name, more] of this.#shareRoom(left, shown, rows, widthOf)) {
      widths.set(name, widthOf(name) + more);
    }
    const columns: TableColumn[] = [];
    let x = 0;
    for (const [i, name] of shown.entries()) {
      const { header, isRight } = this.#cells.headOf(name);
      columns.push({
        name,
        x,
        isRight,
        width: widthOf(name),
        isCurrent: before + i === current,
        header: cutText(header + this.#arrowOf(name), widthOf(name)),
      });
      x += widthOf(name) + GAP;
    }
    return { columns, before };
  }

  #isLongText(column: string, rows: readonly OpenRecord[], width: number): boolean {
    return (
      width >= MAX_TEXT_WIDTH &&
      rows.every((row) => ["text", "missing"].includes(this.#cells.cellOf(row, column).kind))
    );
  }

  /** Gives the remaining room to text that was cut, the last column first. */
  #shareRoom(
    room: number,
    columns: readonly string[],
    rows: readonly OpenRecord[],
    widthOf: (column: string) => number,
  ): ReadonlyMap<string, number> {
    const shares = new Map<string, number>();
    let left = room;
    for (const column of [...columns].reverse()) {
      const width = widthOf(column);
      if (left <= 0 || width < MAX_TEXT_WIDTH) continue;
      const more = Math.max(0, Math.min(left, this.#cells.widthOf(column, rows) - width));
      shares.set(column, more);
      left -= more;
    }
    return shares;
  }

  #arrowOf(column: string): string {
    if (this.sort?.column !== column) return "";
    return this.sort.isDescending ? "▼" : "▲";
  }

  #widthOf(column: string, rows: readonly OpenRecord[], room: number): number {
    const needed = this.#cells.widthOf(column, rows, MAX_TEXT_WIDTH);
    const { header } = this.#cells.headOf(column);
    const head = Math.min(MAX_TEXT_WIDTH, textWidth(header) + this.#arrowOf(column).length);
    return Math.max(1, Math.min(room, Math.max(needed, head)));
  }

  #cellOf(record: OpenRecord, { name, width }: TableColumn): Cell {
    const { text, kind, width: needed } = this.#cells.cellOf(record, name);
    if (needed <= width) return { text, kind };
    if (kind === "number" || kind === "time") return { text: TOO_WIDE, kind };
    return { text: width <= 1 ? MISSING : `${cutText(text, width - 1)}…`, kind };
  }
}

interface MeasuredCell extends Cell {
  readonly width: number;
}

interface Head {
  readonly header: string;
  readonly isRight: boolean;
}

/** Clears itself when `takeFormat` finds another format. */
class CellCache {
  readonly #formatNow: () => RecordFormat;
  #format: RecordFormat | undefined;
  #cells = new WeakMap<OpenRecord, Map<string, MeasuredCell>>();
  readonly #heads = new Map<string, Head>();
  /** Widest so far, so that columns do not jump while the table scrolls. */
  readonly #widths = new Map<string, number>();

  constructor(formatNow: () => RecordFormat) {
    this.#formatNow = formatNow;
  }

  cellOf(record: OpenRecord, column: string): MeasuredCell {
    const cells = this.#cells.get(record) ?? new Map<string, MeasuredCell>();
    const known = cells.get(column);
    if (known !== undefined) return known;
    const { text: raw, kind } = formatField(this.#formatInForce, record, column);
    const text = visible(raw);
    const cell = { text, kind, width: textWidth(text) };
    this.#cells.set(record, cells.set(column, cell));
    return cell;
  }

  widthOf(column: string, rows: readonly OpenRecord[], maxText = Number.POSITIVE_INFINITY): number {
    const key = `${maxText} ${column}`;
    let widest = this.#widths.get(key) ?? 0;
    for (const row of rows) {
      const { width, kind } = this.cellOf(row, column);
      const counted = kind === "text" || kind === "address" ? Math.min(maxText, width) : width;
      if (counted > widest) widest = counted;
      if (kind !== "missing" && !this.#heads.has(column)) this.#learn(row, column);
    }
    this.#widths.set(key, widest);
    return widest;
  }

  /** Determined by the first value seen in the column. */
  headOf(column: string): Head {
    return this.#heads.get(column) ?? { header: this.#headerOf([], column), isRight: false };
  }

  #learn(row: OpenRecord, column: string): void {
    const isRight = this.cellOf(row, column).kind === "number";
    this.#heads.set(column, { header: this.#headerOf([row], column), isRight });
  }

  #headerOf(rows: readonly OpenRecord[], column: string): string {
    return visible(formatHeader(this.#formatInForce, rows, column));
  }

  get #formatInForce(): RecordFormat {
    this.#format ??= this.#formatNow();
    return this.#format;
  }

  takeFormat(): void {
    const format = this.#formatNow();
    if (format === this.#format) return;
    this.#format = format;
    this.#cells = new WeakMap();
    this.#heads.clear();
    this.#widths.clear();
  }
}
