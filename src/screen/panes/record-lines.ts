// All of one row: every field under its own name with its exact text, in lines as wide as the pane. Nothing is cut, so
// that every letter can be reached by scrolling.
//
//   order_id         9032988
//   created_at_ns    1767225692255689000  (2026-01-01 00:01:32)

import { cellOf } from "../../select/cells.ts";
import { type Field, textOf, valuesOf } from "../../select/fields.ts";
import { maskCell } from "../../select/mask.ts";
import type { RecordFormat } from "../../select/record-format.ts";
import { textWidth, wrapText } from "../../terminal/cells/text-cells.ts";
import { visible } from "../../terminal/visible.ts";
import type { OpenRecord } from "../../wire/update.ts";

/** One line of a row that is shown in full. */
export interface RecordLine {
  /** Empty on lines that go on. */
  readonly name: string;
  readonly text: string;
}

/** A row in full, in lines of one width. */
export interface RecordLines {
  /** Column in which values begin; 0 where names stand on lines of their own. */
  readonly indent: number;
  readonly lines: readonly RecordLine[];
}

const GAP = 2;
const MAX_NAME_WIDTH = 28;
/** With less room for values, names stand above them. */
const MIN_VALUE_WIDTH = 20;

/** Name and exact value of every field; hidden where it is hidden on the screen. Never throws. */
export function recordFields(record: OpenRecord, format: RecordFormat): readonly string[][] {
  return valuesOf(record).map((field) => [field.path, shownText(field, format)]);
}

/** @param width cells of the pane. Never throws. */
export function recordLines(record: OpenRecord, format: RecordFormat, width: number): RecordLines {
  const fields = valuesOf(record).map((field) => ({
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

/** The value as it came; a time also in words. */
function valueText(field: Field, format: RecordFormat): string {
  const text = shownText(field, format);
  const cell = cellOf(field.path, field.value);
  return cell.kind === "time" ? `${text}  (${cell.text})` : text;
}

/** The value as it came, or the mask; what is empty as JSON writes it. */
function shownText({ path, value }: Field, { aliases, isMasked }: RecordFormat): string {
  const cell = cellOf(path, value);
  if (isMasked && cell.kind !== "missing") {
    const masked = maskCell(cell, path, aliases);
    if (masked !== cell) return masked.text;
  }
  const text = textOf(value);
  return text === "" ? JSON.stringify(value) : text;
}
