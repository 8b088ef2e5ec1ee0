// How the fields of one table are shown: ticks and lots as prices and sizes where the market's scale is known, and
// hidden where the user wants them hidden.
import type { OpenRecord } from "../protocol/channels/update.ts";
import type { Aliases, Meaning } from "../store/aliases.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import { type Cell, cellOf } from "./cells.ts";
import { textOf, valueAt } from "./fields.ts";
import { maskCell } from "./mask.ts";
import { humanised } from "./record-columns.ts";

export interface RecordFormat {
  readonly aliases: Aliases;
  /** The scale of the market that a row is of; undefined while it is not known. */
  readonly scaleOf: (record: OpenRecord) => Scale | undefined;
  readonly isMasked: boolean;
  /** Words for a field in the place of its own; undefined for all others. */
  readonly wordsOf?: (record: OpenRecord, column: string) => Cell | undefined;
}

const TICKS: readonly Meaning[] = ["priceTicks"];
const LOTS: readonly Meaning[] = ["sizeLots", "remainingLots"];
const INTEGER = /^-?[0-9]+$/;

/** The cell of a row in a column. Never throws. */
export function formatField(format: RecordFormat, record: OpenRecord, column: string): Cell {
  const cell =
    format.wordsOf?.(record, column) ??
    cellOf(column, scaledAt(format, record, column) ?? valueAt(record, column));
  return format.isMasked ? maskCell(cell, column, format.aliases) : cell;
}

/** What stands over a column; without the units that its values no longer have. Never throws. */
export function headerOf(
  format: RecordFormat,
  records: readonly OpenRecord[],
  column: string,
): string {
  const name = nameOf(format, records, column);
  if (name !== column) return humanised(name);
  const isTime = records.some((record) => formatField(format, record, column).kind === "time");
  return humanised(column, isTime);
}

/** The name of a column; without the units that its values no longer have. Never throws. */
export function nameOf(
  format: RecordFormat,
  records: readonly OpenRecord[],
  column: string,
): string {
  const isScaled = records.some((record) => scaledAt(format, record, column) !== undefined);
  return isScaled ? column.replace(/_?(?:in_)?(?:base_)?(?:ticks|lots)$/i, "") : column;
}

/** Ticks or lots as a price or a size; undefined for other columns, and while the scale is not known. */
function scaledAt(
  { aliases, scaleOf }: RecordFormat,
  record: OpenRecord,
  column: string,
): string | undefined {
  const isTicks = TICKS.some((meaning) => aliases.isNamed(column, meaning));
  const isLots = !isTicks && LOTS.some((meaning) => aliases.isNamed(column, meaning));
  if (!isTicks && !isLots) return undefined;
  const text = textOf(valueAt(record, column));
  const scale = INTEGER.test(text) ? scaleOf(record) : undefined;
  return scale && formatUnits(text, isTicks ? scale.tickSize : scale.lotSize);
}
