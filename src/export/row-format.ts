// Records as the lines of a file. CSV lines are joined by hand: that is what the speed of an export rests on.

import { type FillsOwner, ownFill } from "../select/listing-rows.ts";
import { createIsoMs, formatIsoMs } from "../units/time.ts";
import { stringifyExact } from "../wire/exact-numbers.ts";
import type { LiquidatedPosition, LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { TradeText } from "../wire/rest/trades-text.ts";
import type { Block } from "./block.ts";
import { type CellRule, textCell } from "./cell.ts";

/** How the records of one listing are written. All methods are pure and never throw. */
export interface RowFormat<T> {
  readonly name: "csv" | "ndjson";
  /** The first line with its line end; empty text where the format has none. */
  readonly header: string;
  /** True when every record is one line. */
  readonly isOneLine: boolean;
  /** The lines of one record, each with its line end. */
  linesOf(record: T): readonly string[];
  /** Adds the line of a record that can be written in less time. @returns false when it is no such record */
  addQuickly?(block: Block, record: T): boolean;
}

/** Adds the lines of a record. @returns how many. Never throws. */
export function addLines<T>(block: Block, format: RowFormat<T>, record: T): number {
  if (format.addQuickly?.(block, record) === true) return 1;
  const lines = format.linesOf(record);
  for (const line of lines) block.add(line);
  return lines.length;
}

const TRADE_COLUMNS = [
  "trade_id",
  "tx_hash",
  "market_type",
  "market_id",
  "price",
  "quantity",
  "quote_notional",
  "taker_is_bid",
  "maker_address",
  "maker_subaccount_id",
  "taker_address",
  "taker_subaccount_id",
  "maker_fee_quote",
  "taker_fee_quote",
  "maker_client_order_id",
  "taker_client_order_id",
  "timestamp_ms",
] as const satisfies readonly (keyof TradeRecord)[];

const LIQUIDATION_COLUMNS = [
  "liquidation_id",
  "liquidation_type",
  "liquidator",
  "liquidatee",
  "liquidatee_subaccount",
  "bucket",
  "scope",
  "position_market_id",
  "position_side",
  "position_size",
  "position_position_margin",
  "position_margin_mode",
  "timestamp_ms",
] as const;

const CSV_END = "\r\n";

/**
 * The 17 fields under their wire names and in the interface's order, then what is derived from them. Never throws.
 */
export function tradesCsv(rule: CellRule, owner?: FillsOwner): RowFormat<TradeRecord> {
  const timeOf = createIsoMs();
  const endOf = (record: TradeRecord) => {
    const time = timeOf(record.timestamp_ms);
    if (owner === undefined) return `,${time}${CSV_END}`;
    const { role, side, fee_quote } = ownFill(record, owner);
    return `,${time},${role},${side},${fee_quote}${CSV_END}`;
  };
  const derived = owner === undefined ? ["time"] : ["time", "role", "side", "fee_quote"];
  return {
    name: "csv",
    header: [...TRADE_COLUMNS, ...derived].join(",") + CSV_END,
    isOneLine: true,
    linesOf: (record) => [tradeCells(record, rule) + endOf(record)],
    addQuickly(block, record) {
      if (!(record instanceof TradeText)) return false;
      block.addCells(record);
      block.add(endOf(record));
      return true;
    },
  };
}

/** Numeric text has been checked and needs no quotes; text can be anything, but where it was read as a plain word. */
function tradeCells(r: TradeRecord, rule: CellRule): string {
  if (r instanceof TradeText) return r.cells;
  return `${r.trade_id},${textCell(r.tx_hash, rule)},${textCell(r.market_type, rule)},${r.market_id},${r.price},${r.quantity},${r.quote_notional},${r.taker_is_bid},${textCell(r.maker_address, rule)},${r.maker_subaccount_id},${textCell(r.taker_address, rule)},${r.taker_subaccount_id},${r.maker_fee_quote},${r.taker_fee_quote},${r.maker_client_order_id},${r.taker_client_order_id},${r.timestamp_ms}`;
}

/**
 * A line for each position of an event; one line with those cells empty for an event without positions. Never throws.
 */
export function liquidationsCsv(rule: CellRule): RowFormat<LiquidationRecord> {
  return {
    name: "csv",
    header: [...LIQUIDATION_COLUMNS, "time"].join(",") + CSV_END,
    isOneLine: false,
    linesOf(record) {
      const event = eventCells(record, rule);
      const end = `${record.timestamp_ms},${formatIsoMs(record.timestamp_ms)}${CSV_END}`;
      if (record.positions.length === 0) return [`${event},,,,,,${end}`];
      return record.positions.map((position) => `${event},${positionCells(position, rule)},${end}`);
    },
  };
}

function eventCells(r: LiquidationRecord, rule: CellRule): string {
  const text = (value: string) => textCell(value, rule);
  return `${r.liquidation_id},${text(r.liquidation_type)},${text(r.liquidator)},${text(r.liquidatee)},${r.liquidatee_subaccount},${text(r.bucket)},${text(r.scope)}`;
}

function positionCells(p: LiquidatedPosition, rule: CellRule): string {
  return `${p.market_id},${textCell(p.side, rule)},${p.size},${p.position_margin},${textCell(p.margin_mode, rule)}`;
}

/**
 * A record a line as it was sent, then what is derived from it, where the record has no field of that name. Never
 * throws.
 */
export function ndjson<T extends { readonly timestamp_ms: number }>(
  derive: (record: T) => object = () => ({}),
): RowFormat<T> {
  return {
    name: "ndjson",
    header: "",
    isOneLine: true,
    linesOf(record) {
      const line: Record<string, unknown> = { ...wholeRecord(record) };
      const derived = { time: formatIsoMs(record.timestamp_ms), ...derive(record) };
      for (const [name, value] of Object.entries(derived)) {
        if (!Object.hasOwn(line, name)) line[name] = value;
      }
      return [`${jsonText(line)}\n`];
    },
  };
}

/** A record with all of its fields as its own. */
function wholeRecord(record: object): object {
  return record instanceof TradeText ? record.toJSON() : record;
}

/** Numbers whose exact text is kept are objects; most records have none. */
function jsonText(line: Readonly<Record<string, unknown>>): string {
  const isPlain = Object.values(line).every((value) => typeof value !== "object" || value === null);
  return isPlain ? JSON.stringify(line) : stringifyExact(line);
}

/**
 * The same for only what is found of each record. Never throws.
 * @param found undefined for all of it
 */
export function onlyFound<T>(
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
