// A table as it stands on the screen: its rows in their order, the cursor, and what was seen last.
import type { Moment } from "../../state/moment.ts";
import type { Ui } from "../ui.ts";
import type { FittedColumn } from "./columns.ts";
import { RowOrder } from "./order.ts";
import type { Table, TableState } from "./table.ts";

export class TableView<Row> {
  readonly table: Table<Row>;
  rows: readonly Row[] = [];
  /** Of the whole table, without the filter; undefined while nothing is known. */
  count: number | undefined;
  columns: readonly FittedColumn<Row>[] = [];
  /** A page is as long as what was drawn last. */
  pageRows = 1;
  readonly #order: RowOrder<Row>;

  constructor(table: Table<Row>) {
    this.table = table;
    this.#order = new RowOrder(table);
  }

  state(ui: Ui): TableState {
    return ui.table(this.table.name);
  }

  /** Under the cursor. */
  row(ui: Ui): Row | undefined {
    return this.rows[this.state(ui).at];
  }

  /** The row of this id, with the values of now. */
  find(id: string): Row | undefined {
    return this.rows.find((row) => this.table.id(row) === id);
  }

  go(ui: Ui, at: number): void {
    const state = this.state(ui);
    state.at = Math.max(0, Math.min(at, this.rows.length - 1));
    const row = this.row(ui);
    state.id = row === undefined ? undefined : this.table.id(row);
    if (state.at >= this.rows.length - 1) this.table.more?.(ui);
  }

  /** Numbers begin with the largest; the same column again turns round, and a third time the order is the table's own. */
  sortBy(ui: Ui, title: string | undefined): void {
    const state = this.state(ui);
    const column = this.table.columns.find((each) => each.title === title);
    const first = column?.align !== "left";
    if (column === undefined) state.sort = undefined;
    else if (state.sort?.title !== column.title)
      state.sort = { title: column.title, isDown: first };
    else state.sort = state.sort.isDown === first ? { ...state.sort, isDown: !first } : undefined;
  }

  /** Brings rows and cursor up to date. */
  update(moment: Moment, ui: Ui): void {
    const state = this.state(ui);
    const source = this.table.rows(moment, ui);
    this.count = source?.length;
    this.rows = this.#order.of(source ?? [], state, ui.nowMs);
    const isThere = state.id !== undefined && this.isAt(state.id, state.at);
    const at = isThere || state.id === undefined ? state.at : this.#indexOf(state.id);
    // A row that is gone leaves the cursor where it was.
    state.at = Math.max(0, Math.min(at >= 0 ? at : state.at, this.rows.length - 1));
  }

  /** Scrolls no further than the cursor needs. */
  visible(ui: Ui, height: number): readonly Row[] {
    const state = this.state(ui);
    const top = Math.max(state.at - height + 1, Math.min(state.top, state.at));
    state.top = Math.max(0, Math.min(top, this.rows.length - height));
    this.pageRows = height;
    const rows = this.rows.slice(state.top, state.top + height);
    state.shown = rows.map((row) => this.table.id(row));
    return rows;
  }

  isAt(id: string, at: number): boolean {
    const row = this.rows[at];
    return row !== undefined && this.table.id(row) === id;
  }

  #indexOf(id: string): number {
    return this.rows.findIndex((row) => this.table.id(row) === id);
  }
}
