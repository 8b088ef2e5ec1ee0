// Records as lines of a file. Text is exact; cells that a spreadsheet would run are made harmless (CWE-1236).
import type { Listing } from "../listing/listing.ts";
import { formatIsoMs } from "../units/time.ts";
import { visible, visibleJson } from "../units/visible.ts";
import type { FieldList, ListedRecord } from "../wire/rest/fields.ts";
import { type LiquidationRecord, POSITION_FIELDS } from "../wire/rest/liquidations.ts";
import { ownFill } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

export interface Format<T> {
  readonly name: "csv" | "ndjson";
  /** With its line ending; empty without one. */
  readonly header: string;
  /** A row's lines, each with its ending; no line has another line break in it. */
  lines(row: T): string;
}

/** The usual text, which needs neither quotes nor escapes. */
const PLAIN = /^\w[\w .:/-]*$/;
/** Some spreadsheets run the full-width forms, too. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** Text as a cell. */
export function textCell(text: string): string {
  if (PLAIN.test(text)) return text;
  const shown = (FORMULA.test(text) && !NUMBER.test(text) ? "'" : "") + visible(text);
  return /[",]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** Checked numbers and flags need no care. */
function cells(fields: FieldList, record: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const [name, form] of fields)
    text += `,${form === "text" ? textCell(record[name] as string) : record[name]}`;
  return text.slice(1);
}

/** RFC 4180. */
const END = "\r\n";

export type FormatName = Format<never>["name"];

/** @param texts of the records, for NDJSON */
export function tradeFormat(
  name: FormatName,
  { fields, owner }: Listing<TradeRecord>,
  texts: WeakMap<object, string>,
): Format<TradeRecord> {
  if (name === "ndjson") return ndjson(texts, (row) => owner && ownFill(row, owner));
  const derived = ["time", ...(owner === undefined ? [] : ["role", "side", "fee_quote"])];
  return {
    name,
    header: `${[...fields.map(([field]) => field), ...derived]}${END}`,
    lines(row) {
      const line = `${cells(fields, row)},${formatIsoMs(row.timestamp_ms)}`;
      if (owner === undefined) return `${line}${END}`;
      const { role, side, fee_quote } = ownFill(row, owner);
      return `${line},${role},${side},${fee_quote}${END}`;
    },
  };
}

/** @param texts of the records, for NDJSON */
export function liquidationFormat(
  name: FormatName,
  { fields }: Listing<LiquidationRecord>,
  texts: WeakMap<object, string>,
): Format<LiquidationRecord> {
  if (name === "ndjson") return ndjson(texts, () => undefined);
  const names = fields.flatMap(([field]) =>
    field === "positions" ? POSITION_FIELDS.map(([each]) => `position_${each}`) : [field],
  );
  return {
    name,
    header: `${[...names, "time"]}${END}`,
    lines: (event) => eventLines(event, fields, formatIsoMs(event.timestamp_ms)),
  };
}

/** A line for each position; an event without positions has one, with empty cells. */
function eventLines(event: LiquidationRecord, fields: FieldList, time: string): string {
  const at = fields.findIndex(([name]) => name === "positions");
  const [start, end] = [cells(fields.slice(0, at), event), cells(fields.slice(at + 1), event)];
  const positions =
    event.positions.length === 0
      ? [",".repeat(POSITION_FIELDS.length - 1)]
      : event.positions.map((position) => cells(POSITION_FIELDS, position));
  return positions.map((position) => `${start},${position},${end},${time}${END}`).join("");
}

/** One record a line as it came, so that no number loses a digit, then what is derived from it unless its name is taken. */
function ndjson<T extends ListedRecord>(
  texts: WeakMap<object, string>,
  derive: (row: T) => object | undefined,
): Format<T> {
  return {
    name: "ndjson",
    header: "",
    lines(row) {
      const derived = Object.entries({ time: formatIsoMs(row.timestamp_ms), ...derive(row) })
        .filter(([name]) => !Object.hasOwn(row, name))
        .map(([name, value]) => `,"${name}":"${value}"`);
      // Line breaks stand between tokens only: inside strings they are escaped.
      const record = (texts.get(row) ?? JSON.stringify(row)).replace(/[\r\n\t]+ */g, "");
      return `${visibleJson(record.slice(0, -1))}${derived.join("")}}\n`;
    },
  };
}
