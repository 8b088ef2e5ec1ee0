// Records as lines of a file, and the lines of a page as bytes. Header and cells of a CSV file follow from one list of columns,
// which follows from the wire fields.
import { type FillsOwner, ownFill } from "../select/listing-rows.ts";
import { visibleJson } from "../terminal/visible.ts";
import { createIsoMs, formatIsoMs } from "../units/time.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";
import type { Form } from "../wire/rest/fields.ts";
import {
  LIQUIDATION_FIELDS,
  type LiquidationRecord,
  POSITION_FIELDS,
} from "../wire/rest/liquidations.ts";
import { TRADE_FIELDS, type TradeRecord } from "../wire/rest/trades.ts";
import { TradeText } from "../wire/rest/trades-text.ts";

/** `visible` escapes control characters; raw cells keep them. */
interface CellRule {
  readonly isRaw: boolean;
  readonly visible: (text: string) => string;
}

interface Column<T> {
  readonly name: string;
  cell(row: T): string;
}

/** Printable ASCII without quotes or commas that does not begin like a formula. */
const PLAIN = /^(?![=+\-@])[\x20\x21\x23-\x2b\x2d-\x7e]*$/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets interpret such text as a formula (CWE-1236); some also the full-width forms. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?$/;

/** Text as a cell: quoted if necessary, and harmless in a spreadsheet. */
export function textCell(text: string, { isRaw, visible }: CellRule): string {
  if (PLAIN.test(text)) return text;
  const isFormula = !isRaw && FORMULA.test(text) && !NUMBER.test(text);
  const shown = `${isFormula ? "'" : ""}${isRaw ? text : visible(text)}`;
  return NEEDS_QUOTES.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

type Value = string | number | boolean;

/** Numeric text is validated already and needs no quotes. */
function formatCell(form: Form, value: Value, rule: CellRule): string {
  return form === "text" ? textCell(String(value), rule) : String(value);
}

function tradeColumns(rule: CellRule): readonly Column<TradeRecord>[] {
  return TRADE_FIELDS.map(([name, form]) => ({
    name,
    cell: (record) => formatCell(form, record[name], rule),
  }));
}

function timeColumn(): Column<{ readonly timestamp_ms: number }> {
  const format = createIsoMs();
  return { name: "time", cell: ({ timestamp_ms }) => format(timestamp_ms) };
}

function fillColumns(owner: FillsOwner): readonly Column<TradeRecord>[] {
  let last: TradeRecord | undefined;
  let part = {} as ReturnType<typeof ownFill>;
  return (["role", "side", "fee_quote"] as const).map((name) => ({
    name,
    cell(record) {
      if (record !== last) part = ownFill(record, owner);
      last = record;
      return part[name];
    },
  }));
}

/** An event without positions has one row, with the position's cells empty. */
interface LiquidationRow {
  readonly event: LiquidationRecord;
  readonly position: LiquidationRecord["positions"][number] | undefined;
}

function liquidationColumns(rule: CellRule): readonly Column<LiquidationRow>[] {
  return LIQUIDATION_FIELDS.flatMap((field): readonly Column<LiquidationRow>[] => {
    if (field[0] === "positions") return positionColumns(rule);
    const [name, form] = field;
    return [{ name, cell: ({ event }) => formatCell(form, event[name], rule) }];
  });
}

function positionColumns(rule: CellRule): readonly Column<LiquidationRow>[] {
  return POSITION_FIELDS.map(([name, form]) => ({
    name: `position_${name}`,
    cell: ({ position }) => (position === undefined ? "" : formatCell(form, position[name], rule)),
  }));
}

/** How the records of one listing are formatted. */
export interface RowFormat<T> {
  readonly name: "csv" | "ndjson";
  /** Including its line ending; empty if the format has no header. */
  readonly header: string;
  readonly isOneLine: boolean;
  linesOf(record: T): readonly string[];
  addQuickly?(block: Block, record: T): boolean;
}

/** @returns the number of lines added */
export function addLines<T>(block: Block, format: RowFormat<T>, record: T): number {
  if (format.addQuickly?.(block, record) === true) return 1;
  const lines = format.linesOf(record);
  for (const line of lines) block.add(line);
  return lines.length;
}

/** RFC 4180. */
const CSV_END = "\r\n";

function formatHeader(...columns: readonly (readonly { readonly name: string }[])[]): string {
  return `${columns.flat().map(({ name }) => name)}${CSV_END}`;
}

/** Avoids an array and an iterator, because it is called for each row. */
function cellsOf<T>(columns: readonly Column<T>[], row: T): string {
  let cells = "";
  for (let i = 0; i < columns.length; i++) {
    const cell = (columns[i] as Column<T>).cell(row);
    cells = i === 0 ? cell : `${cells},${cell}`;
  }
  return cells;
}

/** The fields, then derived columns: the time and, for fills, the owner's role, side and fee. */
export function tradesCsv(rule: CellRule, owner?: FillsOwner): RowFormat<TradeRecord> {
  const columns = tradeColumns(rule);
  const derived = [timeColumn(), ...(owner === undefined ? [] : fillColumns(owner))];
  const endOf = (record: TradeRecord) => `,${cellsOf(derived, record)}${CSV_END}`;
  return {
    name: "csv",
    header: formatHeader(columns, derived),
    isOneLine: true,
    linesOf: (record) => [
      (record instanceof TradeText ? record.cells : cellsOf(columns, record)) + endOf(record),
    ],
    addQuickly(block, record) {
      if (!(record instanceof TradeText)) return false;
      // The cells of the text are those of the fields, already as bytes.
      block.addCells(record);
      block.add(endOf(record));
      return true;
    },
  };
}

export function liquidationsCsv(rule: CellRule): RowFormat<LiquidationRecord> {
  const columns = liquidationColumns(rule);
  const time = timeColumn();
  return {
    name: "csv",
    header: formatHeader(columns, [time]),
    isOneLine: false,
    linesOf(event) {
      const positions = event.positions.length === 0 ? [undefined] : event.positions;
      return positions.map(
        (position) => `${cellsOf(columns, { event, position })},${time.cell(event)}${CSV_END}`,
      );
    },
  };
}

/** One record per line as received, then derived fields unless their names are taken. */
export function ndjson<T extends { readonly timestamp_ms: number }>(
  derive: (record: T) => object = () => ({}),
): RowFormat<T> {
  return {
    name: "ndjson",
    header: "",
    isOneLine: true,
    linesOf(record) {
      const line: Record<string, unknown> =
        record instanceof TradeText ? record.toJSON() : { ...record };
      const derived = { time: formatIsoMs(record.timestamp_ms), ...derive(record) };
      for (const [name, value] of Object.entries(derived)) {
        if (!Object.hasOwn(line, name)) line[name] = value;
      }
      return [`${jsonText(line)}\n`];
    },
  };
}

/** The only objects are exact numbers. */
function jsonText(line: Readonly<Record<string, unknown>>): string {
  const isPlain = Object.values(line).every((value) => typeof value !== "object" || value === null);
  return visibleJson(isPlain ? JSON.stringify(line) : stringifyExact(line));
}

/** The same format, restricted to what `found` returns for each record. */
export function filterRecords<T>(
  format: RowFormat<T>,
  found: ((record: T) => T | undefined) | undefined,
): RowFormat<T> {
  if (found === undefined) return format;
  return {
    ...format,
    addQuickly: () => false,
    linesOf(record) {
      const part = found(record);
      return part === undefined ? [] : format.linesOf(part);
    },
  };
}

/** Enough for a page of 1000 trades. */
const FIRST_BYTES = 384 * 1024;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES = 3;

/** The lines of a page as bytes; the buffer is reused for the next page. */
export class Block {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;

  add(text: string): void {
    this.#makeRoom(text.length * MAX_BYTES);
    this.#end += this.#bytes.write(text, this.#end);
  }

  addCells(record: TradeText): void {
    const { cellBytes } = record;
    this.#makeRoom(cellBytes);
    record.copyCells(this.#bytes, this.#end);
    this.#end += cellBytes;
  }

  /** Empties the block. @returns bytes that are overwritten by the next line */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#end);
    this.#end = 0;
    return bytes;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
