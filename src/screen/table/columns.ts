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

/** Widths grow with what is shown and do not shrink, so that columns stay where they are. */
export class ColumnWidths<Row> {
  readonly #widths = new Map<Column<Row>, number>();

  note(column: Column<Row>, text: string): void {
    const width = column.align === "left" ? Math.min(MAX_WORD, textWidth(text)) : textWidth(text);
    if (width > (this.#widths.get(column) ?? 0)) this.#widths.set(column, width);
  }

  /** From the left as many as fit; what is left over goes between them. */
  fit(columns: readonly Column<Row>[], room: number): readonly FittedColumn<Row>[] {
    const widthOf = (column: Column<Row>) =>
      Math.max(textWidth(column.title) + 1, this.#widths.get(column) ?? 0);
    let used = 0;
    const fitting = columns.filter((column) => {
      if (used + widthOf(column) > room) return false;
      used += widthOf(column) + GAP;
      return true;
    });
    const taken = fitting.reduce((sum, column) => sum + widthOf(column), 0);
    const spare = Math.floor((room - taken) / Math.max(1, fitting.length - 1));
    const gap = Math.max(GAP, Math.min(MAX_GAP, spare));
    let x = 0;
    return fitting.map((column) => {
      const at = x;
      x += widthOf(column) + gap;
      return { column, x: at, width: widthOf(column) };
    });
  }
}

/** Words are cut, numbers never. */
export function fitCell<Row>({ column, width }: FittedColumn<Row>, text: string): string {
  return column.align === "left" ? cutText(text, width) : text;
}
