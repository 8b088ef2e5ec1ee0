// Paints a table of open records: the visible rows and the selected one, or all fields of one row.
//
//     Symbol    Side      Price▼     Size
//   ▸ BTC-PERP  buy     9681882      290
//     ETH-PERP  sell     339820      947

import { type Field, formatCell, formatValue, getValues } from "../../select/fields.ts";
import { maskCell } from "../../select/mask.ts";
import type { RecordFormat } from "../../select/record-format.ts";
import type { Aliases } from "../../state/aliases.ts";
import type { PaneState } from "../../state/pane-state.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { textWidth, wrapText } from "../../terminal/cells/text-cells.ts";
import { visible } from "../../terminal/visible.ts";
import type { OpenRecord } from "../../wire/update.ts";
import { type Inner, STATE_STYLES } from "../panes/frame.tsx";
import { type ColumnKind, cellStyle, columnKind } from "../panes/pieces.ts";
import { type StyleName, type Theme, themeFor } from "../theme/theme.ts";
import type { TableColumn, TableRow, TableWindow } from "./table.ts";

export interface TablePaint {
  readonly surface: Surface;
  readonly inner: Inner;
  readonly theme: Theme;
}

interface WindowPaint extends TablePaint {
  readonly window: TableWindow;
  readonly isFocused: boolean;
  readonly aliases: Aliases;
  /** True for a row that may be wrong, has ended, or is a duplicate. */
  readonly isInQuestion: (record: OpenRecord) => boolean;
  readonly stateOf: ((record: OpenRecord) => PaneState) | undefined;
  readonly styleOf: ((record: OpenRecord, column: string) => StyleName | undefined) | undefined;
}

/** Columns on the left for the selection mark and the glyph of a state. */
export function getGutter(hasStates: boolean): number {
  return hasStates ? 3 : 2;
}

const MARK = "▸";

export function paintWindow(paint: WindowPaint): void {
  const { surface, inner, theme, window, aliases, isFocused } = paint;
  const { x, y, width } = inner;
  const { columns, before, after, rows } = window;
  if (before > 0) surface.text(x, y, "‹", theme.key);
  for (const column of columns) {
    const style = column.isCurrent && isFocused ? theme.focusTitle : theme.dim;
    paintCell(paint, y, column, column.header, style);
  }
  if (after > 0) surface.text(x + width - 1, y, "›", theme.key);
  const kinds = columns.map(({ name }) => columnKind(aliases, name));
  for (const [i, row] of rows.entries()) paintRow(paint, y + 1 + i, row, kinds);
}

function paintRow(
  paint: WindowPaint,
  y: number,
  row: TableRow,
  kinds: readonly ColumnKind[],
): void {
  const { surface, inner, theme, isFocused } = paint;
  // If the theme has a tint, a selected row keeps its colours.
  const isChosen = row.isSelected && isFocused;
  const isTinted = isChosen && theme.selectionTint !== theme.text;
  const isMarked = isChosen && !isTinted;
  if (row.isSelected) {
    const style = isMarked ? theme.selection : theme.text;
    surface.fill(inner.x, y, inner.width, 1, style);
    surface.text(inner.x, y, MARK, isTinted ? theme.key : style);
  }
  const [sign, style] = getSign(paint, row.record);
  surface.text(inner.x + 1, y, sign, theme[isMarked ? "selection" : style]);
  paintCells(paint, y, row, kinds, isMarked);
  if (isTinted) surface.tint(inner.x, y, inner.width, 1, theme.selectionTint);
}

/** Glyph of the row's state, or a question mark. */
function getSign({ stateOf, isInQuestion }: WindowPaint, record: OpenRecord) {
  const state = stateOf?.(record);
  if (state !== undefined) return STATE_STYLES[state];
  return isInQuestion(record) ? (["?", "notice"] as const) : (["", "text"] as const);
}

function paintCells(
  paint: WindowPaint,
  y: number,
  { cells, record }: TableRow,
  kinds: readonly ColumnKind[],
  isMarked: boolean,
): void {
  const state = paint.stateOf?.(record);
  const theme = state === undefined ? paint.theme : themeFor(paint.theme, state);
  for (const [i, column] of paint.window.columns.entries()) {
    const cell = cells[i];
    if (cell === undefined) continue;
    const own = cell.kind === "missing" ? undefined : paint.styleOf?.(record, column.name);
    const style = isMarked ? "selection" : (own ?? cellStyle(kinds[i] ?? "plain", cell));
    paintCell(paint, y, column, cell.text, theme[style]);
  }
}

function paintCell(
  { surface, inner, stateOf }: WindowPaint,
  y: number,
  column: TableColumn,
  text: string,
  style: number,
): void {
  const x = inner.x + getGutter(stateOf !== undefined) + column.x;
  if (column.isRight) surface.textRight(x + column.width, y, text, style);
  else surface.text(x, y, text, style);
}

export function paintRecord(
  { surface, inner, theme }: TablePaint,
  { lines, indent }: RecordLines,
  scroll: number,
): void {
  for (const [i, { name, text }] of lines.slice(scroll, scroll + inner.height).entries()) {
    surface.text(inner.x, inner.y + i, name, theme.dim);
    surface.text(inner.x + indent, inner.y + i, text, theme.text);
  }
}

interface RecordLine {
  /** Empty on continuation lines. */
  readonly name: string;
  readonly text: string;
}

export interface RecordLines {
  /** Column where values start; 0 if names are on lines of their own. */
  readonly indent: number;
  readonly lines: readonly RecordLine[];
}

const GAP = 2;
const MAX_NAME_WIDTH = 28;
const MIN_VALUE_WIDTH = 20;

/** Name and exact value of every field, masked as on the screen. */
export function recordFields(record: OpenRecord, format: RecordFormat): readonly string[][] {
  return getValues(record).map((field) => [field.path, shownText(field, format)]);
}

/** @param width cells */
export function recordLines(record: OpenRecord, format: RecordFormat, width: number): RecordLines {
  const fields = getValues(record).map((field) => ({
    name: visible(field.path),
    text: visible(valueText(field, format)),
  }));
  const widest = fields.reduce((most, { name }) => Math.max(most, textWidth(name)), 0);
  const indent = Math.min(widest, MAX_NAME_WIDTH) + GAP;
  const isBeside = width - indent >= MIN_VALUE_WIDTH;
  const lines = fields.flatMap(({ name, text }) =>
    isBeside && textWidth(name) <= MAX_NAME_WIDTH
      ? beside(name, text, width - indent)
      : above(name, text, width, isBeside ? indent : 0),
  );
  return { indent: isBeside ? indent : 0, lines };
}

function beside(name: string, text: string, width: number): RecordLine[] {
  return wrapText(text, width).map((line, i) => ({ name: i === 0 ? name : "", text: line }));
}

function above(name: string, text: string, width: number, indent: number): RecordLine[] {
  return [
    ...wrapText(name, Math.max(1, width)).map((line) => ({ name: line, text: "" })),
    ...wrapText(text, Math.max(1, width - indent)).map((line) => ({ name: "", text: line })),
  ];
}

function valueText(field: Field, format: RecordFormat): string {
  const text = shownText(field, format);
  const cell = formatCell(field.path, field.value);
  return cell.kind === "time" ? `${text}  (${cell.text})` : text;
}

/** The value as received, or its mask; empty values as JSON. */
function shownText({ path, value }: Field, { aliases, isMasked }: RecordFormat): string {
  const cell = formatCell(path, value);
  if (isMasked && cell.kind !== "missing") {
    const masked = maskCell(cell, path, aliases);
    if (masked !== cell) return masked.text;
  }
  const text = formatValue(value);
  return text === "" ? JSON.stringify(value) : text;
}
