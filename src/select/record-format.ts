// How the fields of one table are shown: ticks and lots as prices and sizes if the market's scale is known, and hidden if
// they are masked.

import type { Aliases, Meaning } from "../state/aliases.ts";
import type { Scales } from "../state/scales.ts";
import { readTimeNs } from "../state/time-value.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import { NS_PER_MS } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type Display, EXACT } from "./display.ts";
import { type Cell, formatCell, formatValue, valueAt } from "./fields.ts";
import { formatMarket, type Market, parseMarketRecord } from "./market.ts";
import { MASK, maskCell } from "./mask.ts";

/** How the fields of one table are shown. The same object until that changes. */
export interface RecordFormat {
  readonly aliases: Aliases;
  readonly scaleOf: (record: OpenRecord) => Scale | undefined;
  readonly isMasked: boolean;
  readonly display: Display;
  /** Text that replaces a field's own; undefined for all others. */
  readonly textOf?: (record: OpenRecord, column: string) => Cell | undefined;
  /** How a cell looks on the screen; copies bypass it. */
  readonly show?: ShowCell;
}

/** @param cell as it would be shown otherwise */
export type ShowCell = (
  record: OpenRecord,
  column: string,
  cell: Cell,
  format: RecordFormat,
) => Cell;

/** Units of integers of the stream, by the meanings of their columns; and the name of the column once it is scaled. */
const UNITS: readonly {
  readonly unit: "ticks" | "lots";
  readonly meanings: readonly Meaning[];
  readonly scaledName: string;
}[] = [
  { unit: "ticks", meanings: ["priceTicks"], scaledName: "price" },
  { unit: "lots", meanings: ["sizeLots", "remainingLots"], scaledName: "size" },
];
const INTEGER = /^-?[0-9]+$/;
const UNIT_IN_NAME = /_?(?:in_)?(?:base_)?(?:ticks|lots)$/i;

/** The cell of a row in a column; ticks and lots that cannot be scaled are labelled. */
export function formatField(format: RecordFormat, record: OpenRecord, column: string): Cell {
  const inUnit = getUnit(format, column);
  const scaled = inUnit && scaledAt(format, record, column);
  const cell =
    format.textOf?.(record, column) ??
    displayed(
      format,
      column,
      formatCell(column, scaled ?? valueAt(record, column), format.display),
    );
  const unit = scaled === undefined ? inUnit?.unit : undefined;
  const named =
    unit === undefined || cell.kind !== "number" ? cell : { ...cell, text: `${cell.text} ${unit}` };
  const shown = format.show?.(record, column, named, format) ?? named;
  return format.isMasked ? maskCell(shown, column, format.aliases) : shown;
}

/** Numbers that are identifiers: their digits are not grouped. */
const NAMES_ONE = /(?:^|[_.])(?:id|ids|seq|sequence|nonce|version)$|(?:Id|Sequence)$/;

const DIGITS_IN_A_GROUP = 3;
const NAMING: readonly Meaning[] = ["orderId", "fillId", "paymentId", "positionId", "market"];

function displayed({ display, aliases }: RecordFormat, column: string, cell: Cell): Cell {
  if (cell.kind !== "number" || cell.text.length <= DIGITS_IN_A_GROUP) return cell;
  const isOne =
    NAMES_ONE.test(column) || NAMING.some((meaning) => aliases.isNamed(column, meaning));
  if (isOne) return cell;
  return { ...cell, text: display.number(cell.text) };
}

export function formatHeader(
  format: RecordFormat,
  records: readonly OpenRecord[],
  column: string,
): string {
  const name = getUnit(format, column) === undefined ? column : scaledName(format, column);
  if (name !== column) return humanised(name);
  const timed = records.find((record) => formatField(format, record, column).kind === "time");
  if (timed === undefined) return humanised(column);
  const ns = readTimeNs(valueAt(timed, column)) ?? 0n;
  return `${humanised(column, true)} ${format.display.zoneName(Number(ns / NS_PER_MS))}`;
}

/** The name of a column whose values are all prices or sizes now. */
function scaledName(format: RecordFormat, column: string): string {
  return column.replace(UNIT_IN_NAME, "") || (getUnit(format, column)?.scaledName ?? column);
}

/** True if the column has values in ticks or lots, and all of them can be scaled. */
function isScaledColumn(
  format: RecordFormat,
  records: readonly OpenRecord[],
  column: string,
): boolean {
  if (getUnit(format, column) === undefined) return false;
  const filled = records.filter((record) => formatValue(valueAt(record, column)) !== "");
  return (
    filled.length > 0 && filled.every((record) => scaledAt(format, record, column) !== undefined)
  );
}

/** Ticks or lots as a price or a size; undefined for other columns, and while the scale is unknown. */
function scaledAt(format: RecordFormat, record: OpenRecord, column: string): string | undefined {
  const unit = getUnit(format, column)?.unit;
  if (unit === undefined) return undefined;
  const text = formatValue(valueAt(record, column));
  const scale = INTEGER.test(text) ? format.scaleOf(record) : undefined;
  return scale && formatUnits(text, unit === "ticks" ? scale.tickSize : scale.lotSize);
}

function getUnit({ aliases }: RecordFormat, column: string) {
  return UNITS.find(({ meanings }) => meanings.some((meaning) => aliases.isNamed(column, meaning)));
}

export interface ScaledFormatOptions {
  readonly aliases: Aliases;
  readonly scales?: Scales;
  readonly marketOf?: (record: OpenRecord) => Market | undefined;
  readonly textOf?: (record: OpenRecord, column: string) => Cell | undefined;
  readonly show?: ShowCell;
}

/** Caches the current format, and the scales that it has been used with. */
export class ScaledFormat {
  readonly #options: ScaledFormatOptions;
  /** Scales that cells have been formatted with, by market. */
  readonly #used = new Map<string, Scale | undefined>();
  #format: RecordFormat;

  constructor(options: ScaledFormatOptions) {
    this.#options = options;
    this.#format = this.#make(false, EXACT);
  }

  now({ isMasked, display }: Pick<RecordFormat, "isMasked" | "display">): RecordFormat {
    let isOld = false;
    for (const [market, scale] of this.#used) {
      isOld ||= this.#options.scales?.of(market).scale !== scale;
    }
    if (isOld) this.#used.clear();
    const { isMasked: wasMasked, display: before } = this.#format;
    if (isOld || isMasked !== wasMasked || display !== before) {
      this.#format = this.#make(isMasked, display);
    }
    return this.#format;
  }

  #make(isMasked: boolean, display: Display): RecordFormat {
    const scaleOf = (record: OpenRecord) => this.#scaleOf(record);
    return { ...this.#options, isMasked, display, scaleOf };
  }

  #scaleOf(record: OpenRecord): Scale | undefined {
    const { scales, aliases } = this.#options;
    if (scales === undefined) return undefined;
    const market = this.#options.marketOf?.(record) ?? parseMarketRecord(record, aliases);
    if (market === undefined) return undefined;
    const name = formatMarket(market);
    const { scale } = scales.of(name);
    this.#used.set(name, scale);
    return scale;
  }
}

/** Heading of a column: `unrealized_pnl` becomes `Unrealised PnL`, `createdAtNs` `Created at`. */
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

/** Acronyms, and words that have a British spelling here. */
const WORDS: Readonly<Record<string, string>> = {
  unrealized: "unrealised",
  realized: "realised",
  id: "ID",
  oi: "OI",
  pnl: "PnL",
  roe: "ROE",
  nav: "NAV",
  usd: "USD",
};

const TIME_UNIT = /[_.]?(?:ns|us|ms)$/i;

/**
 * A cell as text to copy: addresses and times in full, where the screen shortens them; ticks and lots without the unit;
 * empty if there is no value.
 */
export function copiedField(
  format: RecordFormat,
  record: OpenRecord,
  column: string,
  isScaled = true,
): string {
  return (
    hiddenOrWords(format, record, column) ??
    (isScaled ? scaledAt(format, record, column) : undefined) ??
    formatValue(valueAt(record, column))
  );
}

/**
 * Names of fields with their units, and rows of a table. A column is in prices or sizes if all of its rows can be, else in
 * the units of the service.
 */
export function copiedTable(
  format: RecordFormat,
  records: readonly OpenRecord[],
  columns: readonly string[],
): readonly (readonly string[])[] {
  const copied = columns.map((column) => {
    const isScaled = isScaledColumn(format, records, column);
    const cells = records.map((each) => copiedField(format, each, column, isScaled));
    return [isScaled ? scaledName(format, column) : column, ...cells];
  });
  return [undefined, ...records].map((_, row) => copied.map((cells) => cells[row] ?? ""));
}

/** What replaces a field's own text: the mask, other words, or nothing if there is no value. */
function hiddenOrWords(
  format: RecordFormat,
  record: OpenRecord,
  column: string,
): string | undefined {
  const { text, kind } = formatField(format, record, column);
  if (kind === "missing") return "";
  return text === MASK || format.textOf?.(record, column) !== undefined ? text : undefined;
}
