// What of the view leaves it when the user copies: exact text, whole, under titles; hidden what is hidden on the screen.

import { textOf, valueAt } from "../../../select/fields.ts";
import { MASK } from "../../../select/mask.ts";
import { type LadderRow, selectLadder } from "../../../select/orderbook.ts";
import {
  formatField,
  isScaledColumn,
  type RecordFormat,
  scaledAt,
  scaledName,
} from "../../../select/record-format.ts";
import { selectTape } from "../../../select/trades.ts";
import { MAX_TRADES } from "../../../state/trades.ts";
import type { Scale } from "../../../units/scale.ts";
import { formatIsoMs } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { MarketData } from "./data.ts";

type Rows = readonly (readonly string[])[];

/**
 * A cell as text to keep: addresses whole and times as they came, where the screen shortens them; ticks and lots without
 * the word; empty where nothing is.
 */
export function copiedField(format: RecordFormat, record: OpenRecord, column: string): string {
  return (
    hiddenOrWords(format, record, column) ??
    scaledAt(format, record, column) ??
    textOf(valueAt(record, column))
  );
}

/**
 * Names of fields, which say their units, and rows of a table. A column is in prices or sizes when all of it is, else as it
 * came.
 */
export function copiedTable(
  format: RecordFormat,
  records: readonly OpenRecord[],
  columns: readonly string[],
): Rows {
  const isScaled = columns.map((column) => isScaledColumn(format, records, column));
  const copied = (record: OpenRecord, column: string, i: number) =>
    isScaled[i] === true
      ? copiedField(format, record, column)
      : (hiddenOrWords(format, record, column) ?? textOf(valueAt(record, column)));
  return [
    columns.map((column, i) => (isScaled[i] === true ? scaledName(format, column) : column)),
    ...records.map((record) => columns.map((column, i) => copied(record, column, i))),
  ];
}

/** What stands in the place of a field's own text: the mask, words, or nothing where there is none. */
function hiddenOrWords(
  format: RecordFormat,
  record: OpenRecord,
  column: string,
): string | undefined {
  const { text, kind } = formatField(format, record, column);
  if (kind === "missing") return "";
  return text === MASK || format.wordsOf?.(record, column) !== undefined ? text : undefined;
}

/** How the panes of a market are shown. */
export interface MarketCopy {
  /** Width of a step of the ladder, in ticks. */
  readonly grouping: bigint;
  /** Size that a line of the tape has at the least, in lots. */
  readonly minimumLots: bigint;
}

/** The ladder with titles: asks above bids, each side as deep as it is held. */
export function copiedBook(
  { depth, scale: { scale } }: MarketData,
  { grouping }: MarketCopy,
): Rows {
  const levels = depth(Number.POSITIVE_INFINITY);
  const { asks, bids } = selectLadder(levels, { grouping, rows: Number.POSITIVE_INFINITY, scale });
  return [
    ["side", ...unitTitles(scale), scale === undefined ? "total_lots" : "total"],
    ...[...asks].reverse().map((row) => copiedLevel("ask", row)),
    ...bids.map((row) => copiedLevel("bid", row)),
  ];
}

/** One step of the ladder. */
export function copiedLevel(side: "bid" | "ask", row: LadderRow): readonly string[] {
  return [side, row.price, row.size, row.cumulativeSize];
}

/** The tape with titles, newest first. */
export function copiedTrades(
  { trades, holes, scale: { scale } }: MarketData,
  { minimumLots }: MarketCopy,
): Rows {
  const tape = selectTape(trades(MAX_TRADES), { rows: MAX_TRADES, minimumLots, scale, holes });
  return [
    ["timestamp_ns", "taker", ...unitTitles(scale), "trades"],
    ...tape.map((line) => {
      if (line.kind === "hole") return [line.timestampNs, line.words, "", "", ""];
      const { timestampNs, takerIsBid, price, size, count } = line;
      return [timestampNs, takerIsBid ? "buy" : "sell", price, size, `${count}`];
    }),
  ];
}

/** The candles with titles, oldest first; those that are not the stream's last word say so. */
export function copiedCandles({ candles: { candles, unfinished, rebuilt } }: MarketData): Rows {
  const remark = (openTimeMs: number) =>
    rebuilt.has(openTimeMs) ? "rebuilt" : unfinished.has(openTimeMs) ? "unfinished" : "";
  return [
    ["open_time", "open", "high", "low", "close", "volume_base", "remark"],
    ...candles.map((candle) => [
      formatIsoMs(candle.open_time_ms),
      candle.open,
      candle.high,
      candle.low,
      candle.close,
      "volume_base" in candle ? candle.volume_base : "",
      remark(candle.open_time_ms),
    ]),
  ];
}

function unitTitles(scale: Scale | undefined): readonly string[] {
  return scale === undefined ? ["price_ticks", "size_lots"] : ["price", "size"];
}
