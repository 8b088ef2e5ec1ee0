// The columns of a CSV file: the header and the cells below it are made from one list, which follows the fields of the wire.
import { type FillsOwner, ownFill } from "../select/listing-rows.ts";
import { createIsoMs } from "../units/time.ts";
import type { Form } from "../wire/rest/fields.ts";
import {
  LIQUIDATION_FIELDS,
  type LiquidationRecord,
  POSITION_FIELDS,
} from "../wire/rest/liquidations.ts";
import { TRADE_FIELDS } from "../wire/rest/trade-fields.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

/** How text becomes a cell. `visible` spells out characters that hide or command; raw cells keep them. */
export interface CellRule {
  readonly isRaw: boolean;
  readonly visible: (text: string) => string;
}

export interface Column<T> {
  readonly name: string;
  cell(row: T): string;
}

/** Text that needs nothing: printable ASCII without a quote or a comma that does not begin like a formula. */
const PLAIN = /^(?![=+\-@])[\x20\x21\x23-\x2b\x2d-\x7e]*$/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets take text that begins so for a formula (CWE-1236); some of them also the full-width forms. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?$/;

/** Text as a cell: quoted where it must be, and harmless in a spreadsheet. */
export function textCell(text: string, { isRaw, visible }: CellRule): string {
  if (PLAIN.test(text)) return text;
  const isFormula = !isRaw && FORMULA.test(text) && !NUMBER.test(text);
  const shown = `${isFormula ? "'" : ""}${isRaw ? text : visible(text)}`;
  return NEEDS_QUOTES.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

type Value = string | number | boolean;

/** Numeric text has been checked and needs no quotes; text can be anything. */
function cellOf(form: Form, value: Value, rule: CellRule): string {
  return form === "text" ? textCell(String(value), rule) : String(value);
}

/** The 17 fields under their wire names. */
export function tradeColumns(rule: CellRule): readonly Column<TradeRecord>[] {
  return TRADE_FIELDS.map(([name, form]) => ({
    name,
    cell: (record) => cellOf(form, record[name], rule),
  }));
}

export function timeColumn(): Column<{ readonly timestamp_ms: number }> {
  const format = createIsoMs();
  return { name: "time", cell: ({ timestamp_ms }) => format(timestamp_ms) };
}

/** The part of a subaccount in a trade. */
export function fillColumns(owner: FillsOwner): readonly Column<TradeRecord>[] {
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

/** A row is a position of an event; of an event without positions there is one row, with those cells empty. */
export interface LiquidationRow {
  readonly event: LiquidationRecord;
  readonly position: LiquidationRecord["positions"][number] | undefined;
}

export function liquidationColumns(rule: CellRule): readonly Column<LiquidationRow>[] {
  return LIQUIDATION_FIELDS.flatMap((field): readonly Column<LiquidationRow>[] => {
    if (field[0] === "positions") return positionColumns(rule);
    const [name, form] = field;
    return [{ name, cell: ({ event }) => cellOf(form, event[name], rule) }];
  });
}

function positionColumns(rule: CellRule): readonly Column<LiquidationRow>[] {
  return POSITION_FIELDS.map(([name, form]) => ({
    name: `position_${name}`,
    cell: ({ position }) => (position === undefined ? "" : cellOf(form, position[name], rule)),
  }));
}
