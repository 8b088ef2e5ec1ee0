// A table as a pane. Whatever a table can do, every table can.
import type { Pane, Sheet, View } from "../pane.ts";
import { pointAtTable, tableKeys } from "./keys.ts";
import { paintTable } from "./paint.ts";
import { exactText, type Table } from "./table.ts";
import { TableView } from "./view.ts";

/** Hides the type of the rows, so that tables of all kinds can stand in one view. */
export function tablePane<Row>(table: Table<Row>): Pane {
  const view = new TableView(table);
  return {
    name: table.name,
    keys: tableKeys(view),
    ...(table.channels && { channels: table.channels }),
    title(moment, ui) {
      view.update(moment, ui);
      const { filter, sort } = view.state(ui);
      const count =
        filter === ""
          ? `${view.count ?? ""}`
          : `${view.rows.length} of ${view.count} with ${filter}`;
      const order = sort === undefined ? [] : [`by ${sort.title} ${sort.isDown ? "▼" : "▲"}`];
      const state = table.state?.(moment, ui)?.text ?? "";
      return [table.title, count, state, ...(table.about?.(moment, ui) ?? []), ...order];
    },
    draw: (surface, moment, ui) => paintTable(surface, view, moment, ui),
    point: (event, ui) => pointAtTable(view, event, ui),
    sheet(moment, ui) {
      view.update(moment, ui);
      return tableSheet(table, view.rows, ui.isMasked);
    },
  };
}

/** A view that is one table, and is called as it. */
export function tableView<Row>(table: Table<Row>, key: string, when?: View["when"]): View {
  const pane = tablePane(table);
  const { name, title } = table;
  return {
    ...{ name, title, key, ...(when && { when }) },
    layout: () => ({ pane, grow: 1, min: [30, 4] }),
  };
}

export function tableSheet<Row>(
  { name, columns }: Table<Row>,
  rows: readonly Row[],
  isMasked: boolean,
): Sheet {
  return {
    name,
    columns: columns.map(({ title, unit = "" }) => `${title} ${unit}`.trimEnd()),
    rows: rows.map((row) => columns.map((column) => exactText(column, row, isMasked))),
  };
}
