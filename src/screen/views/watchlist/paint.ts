// The watched markets, one in a line, and the line that is selected.
//
//     market     bid       ask       spread  last      24h     trades          state
//   ▸ BTC-PERP   96986.73  96987.24    0.51  96987.24  +0.12%  ▃▄▅▆▆▇█▆▅▄      ● live 0.1s

import { type FittedColumn, type SteadyColumns, steadyColumns } from "../../../select/columns.ts";
import type { Display } from "../../../select/display.ts";
import { MISSING } from "../../../select/fields.ts";
import { drawColumn } from "../../../terminal/cells/bars.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { cutText, textWidth } from "../../../terminal/cells/text-cells.ts";
import { visible } from "../../../terminal/visible.ts";
import { type Inner, STATE_STYLES } from "../../panes/frame.tsx";
import { signStyle } from "../../panes/pieces.ts";
import { type StyleName, type Theme, themeFor } from "../../theme/theme.ts";
import { selectSparkline, type WatchRow } from "./select.ts";

const GAP = 2;
const GUTTER = 2;
const MARK = "▸";
const MAX_NAME = 20;
const SPARK = 16;
const SPARK_COLUMN = 6;
const STATE_COLUMN = 7;
const TITLES = ["market", "bid", "ask", "spread", "last", "24h", "trades", "state"] as const;
/** The market and its best prices first, then how fresh they are. */
const PRIORITY = [0, 1, 2, 7, 5, 6, 4, 3];

interface CellText {
  readonly text: string;
  readonly look: StyleName;
}

/** Where the watchlist is painted, and with what. */
export interface WatchPaint {
  readonly surface: Surface;
  readonly inner: Inner;
  readonly theme: Theme;
  readonly display: Display;
}

/** @param first place of the first row that is in sight. */
export function paintWatchlist(
  paint: WatchPaint,
  rows: readonly WatchRow[],
  selected: number,
  first: number,
  before: SteadyColumns | undefined,
): SteadyColumns {
  const { inner, display } = paint;
  const shown = rows.slice(first, first + Math.max(0, inner.height - 1));
  const cells = shown.map((row) => cellsOf(row, display));
  const widths = TITLES.map((title, i) =>
    i === SPARK_COLUMN
      ? SPARK
      : Math.max(title.length, ...cells.map((row) => textWidth(row[i]?.text ?? ""))),
  );
  const table = rows.map(({ market }) => market);
  const columns = steadyColumns(before, table, widths, PRIORITY, inner.width - GUTTER, GAP);
  for (const column of columns.fitted) {
    put(paint, 0, column, { text: TITLES[column.index] ?? "", look: "dim" });
  }
  for (const [i, row] of shown.entries()) {
    paintRow(paint, i + 1, columns.fitted, { row, isSelected: first + i === selected });
  }
  return columns;
}

function paintRow(
  paint: WatchPaint,
  y: number,
  columns: readonly FittedColumn[],
  { row, isSelected }: { readonly row: WatchRow; readonly isSelected: boolean },
): void {
  const { surface, inner, theme } = paint;
  if (isSelected) {
    surface.fill(inner.x, inner.y + y, inner.width, 1, theme.selection);
    surface.text(inner.x, inner.y + y, MARK, theme.selection);
  }
  const cells = cellsOf(row, paint.display);
  const aged = { ...paint, theme: themeFor(theme, row.status.state) };
  const lookOf = (look: StyleName): StyleName => (isSelected ? "selection" : look);
  for (const column of columns) {
    const { text, look } = cells[column.index] ?? { text: "", look: "text" };
    if (column.index === SPARK_COLUMN) {
      paintSpark(paint, y, column, row, aged.theme[lookOf("text")]);
    } else {
      put(column.index === STATE_COLUMN ? paint : aged, y, column, { text, look: lookOf(look) });
    }
  }
}

function cellsOf(row: WatchRow, display: Display): readonly CellText[] {
  const [glyph, look] = STATE_STYLES[row.status.state];
  const price = (text: string | undefined, priceLook: StyleName): CellText => ({
    text: text === undefined ? MISSING : display.number(text),
    look: text === undefined ? "dim" : priceLook,
  });
  const name = cutText(visible(row.name), MAX_NAME);
  return [
    { text: row.isInTicks ? `${name} (ticks)` : name, look: "text" },
    price(row.bid, "bid"),
    price(row.ask, "ask"),
    price(row.spread, "text"),
    price(row.last, "text"),
    price(row.change, signStyle(row.change ?? "")),
    { text: "", look: "text" },
    { text: `${glyph} ${row.status.state} ${row.status.age}`.trimEnd(), look },
  ];
}

function put(
  { surface, inner, theme }: WatchPaint,
  y: number,
  { index, x, width }: FittedColumn,
  { text, look }: CellText,
): void {
  const left = inner.x + GUTTER + x;
  const isText = index === 0 || index === TITLES.length - 1 || index === SPARK_COLUMN;
  if (isText) surface.text(left, inner.y + y, text, theme[look]);
  else surface.textRight(left + width, inner.y + y, text, theme[look]);
}

function paintSpark(
  { surface, inner }: WatchPaint,
  y: number,
  column: FittedColumn,
  { prices }: WatchRow,
  style: number,
): void {
  const heights = selectSparkline(prices, column.width);
  const x = inner.x + GUTTER + column.x + column.width - heights.length;
  for (const [i, height] of heights.entries()) {
    // The lowest price has a height, too: one eighth.
    drawColumn(surface, x + i, inner.y + y, height + 1, style);
  }
}
