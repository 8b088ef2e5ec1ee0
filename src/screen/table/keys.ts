// What the keys and the mouse do in any table.
import type { PointEvent } from "../../terminal/input.ts";
import type { Key } from "../pane.ts";
import type { Ui } from "../ui.ts";
import { exactText, MASK, shownText } from "./table.ts";
import type { TableView } from "./view.ts";

const WHEEL_ROWS = 3;

export function tableKeys<Row>(view: TableView<Row>): readonly Key[] {
  const by = (rows: number) => (ui: Ui) => view.go(ui, view.state(ui).at + rows);
  return [
    ...(view.table.keys ?? []),
    { key: "enter", says: "open the row", hint: "open", run: (ui) => openRow(view, ui) },
    { key: "/", says: "filter by words", hint: "filter", run: (ui) => openFilter(view, ui) },
    { key: "s", says: "sort by the next column", hint: "sort", run: (ui) => sortByNext(view, ui) },
    { key: "down j", says: "next row", run: by(1) },
    { key: "up k", says: "previous row", run: by(-1) },
    { key: "page-down", says: "a page down", run: (ui) => by(view.pageRows)(ui) },
    { key: "page-up", says: "a page up", run: (ui) => by(-view.pageRows)(ui) },
    { key: "home", says: "first row", run: (ui) => view.go(ui, 0) },
    { key: "end", says: "last row", run: (ui) => view.go(ui, view.rows.length - 1) },
    { key: "y", says: "copy the row", run: (ui) => copyRows(view, ui, [view.row(ui)]) },
    { key: "Y", says: "copy the whole table", run: (ui) => copyRows(view, ui, view.rows) },
  ];
}

/** @param event y 0 for the heads of the columns */
export function pointAtTable<Row>(
  view: TableView<Row>,
  { action, x, y }: PointEvent,
  ui: Ui,
): void {
  const { at, top } = view.state(ui);
  if (action === "wheel-down") view.go(ui, at + WHEEL_ROWS);
  if (action === "wheel-up") view.go(ui, at - WHEEL_ROWS);
  if (action !== "press") return;
  if (y === 0) view.sortBy(ui, view.columns.findLast((each) => each.x < x)?.column.title);
  else if (top + y - 1 === at) openRow(view, ui);
  else view.go(ui, top + y - 1);
}

function openRow<Row>(view: TableView<Row>, ui: Ui): void {
  const { table } = view;
  const row = view.row(ui);
  if (row === undefined) return;
  if (table.open !== undefined) table.open(row, ui);
  else showDetails(view, row, ui);
}

/** All that is known of a row, over the view; it goes on changing with the row. */
function showDetails<Row>(view: TableView<Row>, opened: Row, ui: Ui): void {
  const { table } = view;
  const id = table.id(opened);
  ui.openPanel(table.title, () => {
    const row = view.find(id) ?? opened;
    return [
      ...table.columns.map(
        (column) => [column.title, shownText(column, row, ui.displayAt, ui.isMasked)] as const,
      ),
      ...(table.details === undefined ? [] : [["", ""] as const]),
      ...(table.details?.(row) ?? []).map(
        ([name, value, secret]) => [name, ui.isMasked && secret ? MASK : value] as const,
      ),
    ];
  });
}

function openFilter<Row>(view: TableView<Row>, ui: Ui): void {
  const state = view.state(ui);
  const set = (text: string) => {
    state.filter = text;
    return undefined;
  };
  ui.ask({
    label: "filter",
    text: state.filter,
    onChange: set,
    onDone: set,
    onCancel: () => set(""),
  });
}

function sortByNext<Row>(view: TableView<Row>, ui: Ui): void {
  const titles = view.table.columns.map(({ title }) => title);
  const { sort } = view.state(ui);
  const title = sort === undefined ? titles[0] : titles[titles.indexOf(sort.title) + 1];
  view.state(ui).sort = undefined;
  view.sortBy(ui, title);
}

function copyRows<Row>(
  { table }: TableView<Row>,
  ui: Ui,
  rows: readonly (Row | undefined)[],
): void {
  const lines = rows
    .filter((row) => row !== undefined)
    .map((row) => table.columns.map((column) => exactText(column, row, ui.isMasked)).join("\t"));
  const head = table.columns.map(({ title }) => title).join("\t");
  ui.copy(lines.length === 1 ? (lines[0] ?? "") : [head, ...lines].join("\n"), table.title);
}
