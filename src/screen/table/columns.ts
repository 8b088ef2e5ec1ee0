// How wide columns are, and which of them fit.
import { cutText, textWidth } from "../../terminal/width.ts";
import type { Column } from "./table.ts";

export interface FittedColumn<Row> {
  readonly column: Column<Row>;
  readonly x: number;
  readonly width: number;
}

const GAP = 2;
/** Narrower, columns stand close. */
const MIN_WITH_GAP = 50;
const MAX_GAP = 6;
/** Longer, a word has what the columns beside it leave. */
const MAX_WORD = 24;
/** A word that would be cut to less is left out. */
const MIN_WORD = 8;

/** By title. Widths grow with what is shown and do not shrink, so that columns stay where they are. */
export type ColumnWidths = Map<string, number>;

export function noteWidth<Row>(widths: ColumnWidths, { title }: Column<Row>, text: string): void {
  const width = textWidth(text);
  if (width > (widths.get(title) ?? 0)) widths.set(title, width);
}

const isWord = <Row>({ align, isWhole }: Column<Row>) => align === "left" && !isWhole;

/** From the left as many as fit; what is left over goes to long words, then between all. A last word takes the rest, or is cut to it. */
export function fitColumns<Row>(
  widths: ColumnWidths,
  columns: readonly Column<Row>[],
  room: number,
): readonly FittedColumn<Row>[] {
  const fullOf = ({ title }: Column<Row>) => Math.max(textWidth(title) + 1, widths.get(title) ?? 0);
  const widthOf = (column: Column<Row>) =>
    isWord(column) ? Math.min(MAX_WORD, fullOf(column)) : fullOf(column);
  const least = room < MIN_WITH_GAP ? 1 : GAP;
  let used = 0;
  const chosen = new Map<Column<Row>, number>();
  const goesOf = (column: Column<Row>) => column.goes ?? columns.indexOf(column);
  for (const column of columns.toSorted((a, b) => goesOf(a) - goesOf(b))) {
    const left = room - used;
    const shortest = isWord(column) ? Math.min(MIN_WORD, widthOf(column)) : widthOf(column);
    if (shortest > left) continue;
    const width = Math.min(widthOf(column), left);
    chosen.set(column, width);
    used += width + least;
  }
  const shown = columns.filter((column) => chosen.has(column));
  for (const column of shown) {
    const width = chosen.get(column) ?? 0;
    const more = Math.max(0, Math.min(fullOf(column) - width, room - used + least));
    chosen.set(column, width + more);
    used += more;
  }
  const spare = Math.floor((room - used + least) / Math.max(1, shown.length - 1));
  const gap = Math.max(least, Math.min(MAX_GAP, spare + least));
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
  return isWord(column) ? cutText(text, width) : text;
}
