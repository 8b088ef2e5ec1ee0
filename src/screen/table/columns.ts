// How wide columns are, and which of them fit.
import { cutText, textWidth } from "../../terminal/width.ts";
import type { Column } from "./table.ts";

export interface FittedColumn<Row> {
  readonly column: Column<Row>;
  readonly x: number;
  readonly width: number;
}

const GAP = 2;
const MAX_GAP = 6;
const MAX_WORD = 24;
/** A word that would be cut to less is left out. */
const MIN_WORD = 8;

/** By title. Widths grow with what is shown and do not shrink, so that columns stay where they are. */
export type ColumnWidths = Map<string, number>;

export function noteWidth<Row>(
  widths: ColumnWidths,
  { title, align }: Column<Row>,
  text: string,
): void {
  const width = align === "left" ? Math.min(MAX_WORD, textWidth(text)) : textWidth(text);
  if (width > (widths.get(title) ?? 0)) widths.set(title, width);
}

/** From the left as many as fit; what is left over goes between them. A last word takes the rest, or is cut to it. */
export function fitColumns<Row>(
  widths: ColumnWidths,
  columns: readonly Column<Row>[],
  room: number,
): readonly FittedColumn<Row>[] {
  const widthOf = ({ title }: Column<Row>) =>
    Math.max(textWidth(title) + 1, widths.get(title) ?? 0);
  let used = 0;
  const chosen = new Map<Column<Row>, number>();
  const goesOf = (column: Column<Row>) => column.goes ?? columns.indexOf(column);
  for (const column of columns.toSorted((a, b) => goesOf(a) - goesOf(b))) {
    const left = room - used;
    const least = column.align === "left" ? Math.min(MIN_WORD, widthOf(column)) : widthOf(column);
    if (least > left) continue;
    const width = Math.min(widthOf(column), left);
    chosen.set(column, width);
    used += width + GAP;
  }
  const shown = columns.filter((column) => chosen.has(column));
  const spare = Math.floor((room - used + GAP) / Math.max(1, shown.length - 1));
  const gap = Math.max(GAP, Math.min(MAX_GAP, spare + GAP));
  let x = 0;
  return shown.map((column) => {
    const at = x;
    const width = chosen.get(column) ?? 0;
    x += width + gap;
    return { column, x: at, width: column.isRest ? room - at : width };
  });
}

/** Words are cut, numbers never. */
export function fitCell<Row>({ column, width }: FittedColumn<Row>, text: string): string {
  return column.align === "left" ? cutText(text, width) : text;
}
