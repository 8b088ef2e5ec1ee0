// The picture of a table: heads, rows, the cursor, the foot.
import type { Moment } from "../../state/moment.ts";
import type { StyleId } from "../../terminal/style.ts";
import type { Surface } from "../../terminal/surface.ts";
import { cutText } from "../../terminal/width.ts";
import { themeIn } from "../states.ts";
import type { Theme } from "../theme.ts";
import type { Tone } from "../themes.ts";
import type { Ui } from "../ui.ts";
import { type FittedColumn, fitCell, fitColumns, noteWidth } from "./columns.ts";
import { type Column, MASK, shownText } from "./table.ts";
import type { TableView } from "./view.ts";

export function paintTable<Row>(
  surface: Surface,
  view: TableView<Row>,
  moment: Moment,
  ui: Ui,
): void {
  const { table } = view;
  const { state = "live" } = table.state?.(moment, ui) ?? {};
  const theme = themeIn(state, ui);
  const { tones } = theme;
  const foot = table.foot?.(view.rows, moment, ui) ?? "";
  const rows = view.visible(ui, Math.max(1, surface.height - (foot === "" ? 1 : 2)));
  const inside = surface.part(1, 0, surface.width - 2, surface.height);
  const texts = shownRows(view, rows, ui);
  view.columns = fitColumns(view.state(ui).widths, table.columns, inside.width);
  paintHeads(inside, view, ui);
  paintRows(inside, view, rows, texts, theme, ui.isMasked);
  const { at, top } = view.state(ui);
  if (rows.length > 0) surface.restyle(0, at - top + 1, surface.width, ui.theme.select);
  else inside.text(0, 1, cutText(emptyText(view), inside.width), tones.dim);
  if (foot !== "") inside.text(0, surface.height - 1, fitFoot(foot, inside.width), tones.dim);
}

/** Words are cut; a number that would be is left out. */
function fitFoot(foot: string, width: number): string {
  const cut = cutText(foot, width);
  return cut === foot ? foot : cut.replace(/\S*\d\S*\u2026$/, "\u2026");
}

function emptyText<Row>({ table, count }: TableView<Row>): string {
  if (count === undefined) return "waiting for data";
  return count > 0 ? "no row has these words" : table.empty;
}

/** The texts of the rows by column; widths are noted without the mask, so that it changes none and none tells what it hides. */
function shownRows<Row>(
  view: TableView<Row>,
  rows: readonly Row[],
  ui: Ui,
): ReadonlyMap<FittedColumn<Row>["column"], readonly string[]> {
  const { displayAt, isMasked } = ui;
  const { widths } = view.state(ui);
  return new Map(
    view.table.columns.map((column) => {
      const texts = rows.map((row) => shownText(column, row, displayAt, false));
      for (const text of texts) noteWidth(widths, column, text);
      return [column, isMasked && column.secret ? texts.map(() => MASK) : texts];
    }),
  );
}

function paintHeads<Row>(surface: Surface, view: TableView<Row>, ui: Ui): void {
  const { tones } = ui.theme;
  const { sort } = view.state(ui);
  for (const fitted of view.columns) {
    const { title } = fitted.column;
    if (sort?.title !== title) paintCell(surface, fitted, 0, title, tones.dim);
    else paintCell(surface, fitted, 0, `${title}${sort.isDown ? "▼" : "▲"}`, tones.bright);
  }
}

function paintRows<Row>(
  surface: Surface,
  { columns }: TableView<Row>,
  rows: readonly Row[],
  texts: ReadonlyMap<FittedColumn<Row>["column"], readonly string[]>,
  { tones }: Theme,
  isMasked: boolean,
): void {
  for (const fitted of columns) {
    const { column } = fitted;
    const shown = texts.get(column);
    for (const [i, row] of rows.entries()) {
      // The colour of a number tells its sign, too.
      const tone = isMasked && column.secret ? "plain" : toneOf(column, row);
      paintCell(surface, fitted, i + 1, fitCell(fitted, shown?.[i] ?? ""), tones[tone]);
    }
  }
}

function toneOf<Row>({ tone = "plain" }: Column<Row>, row: Row): Tone {
  return typeof tone === "function" ? tone(row) : tone;
}

function paintCell<Row>(
  surface: Surface,
  { column, x, width }: FittedColumn<Row>,
  y: number,
  text: string,
  style: StyleId,
): void {
  if (column.align === "left" && !column.isWhole) surface.text(x, y, text, style);
  else surface.textRight(x + width, y, text, style);
}
