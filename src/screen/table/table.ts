// A thing with rows, declared once: the screen, text, copies, the mask, sorting and filtering follow.

import type { DisplayAt } from "../../rows/format.ts";
import type { Moment } from "../../state/moment.ts";
import type { Key } from "../pane.ts";
import type { ShownState } from "../states.ts";
import type { Tone } from "../themes.ts";
import type { Ui } from "../ui.ts";
import type { ColumnWidths } from "./columns.ts";

export interface Column<Row> {
  readonly title: string;
  /** Exact: for text, copies, sorting and filtering. Undefined: not known. */
  value(row: Row): string | undefined;
  /** Of the value, where the screen shows it with the figure: text says it in the title. */
  readonly unit?: "%" | "ms";
  /** On the screen; by default the value. */
  show?(value: string, row: Row, display: DisplayAt): string;
  readonly tone?: Tone | ((row: Row) => Tone);
  /** The mask hides it, sign and colour and all. */
  readonly secret?: true;
  /** A word, not a number: it can be cut, and the filter looks into it. */
  readonly align?: "left";
  /** Such a word is never cut, and ends where the others do: a time. */
  readonly isWhole?: true;
  /** Where there is too little room the highest goes first; by default its place. */
  readonly goes?: number;
  /** A last word that takes all the room behind it. */
  readonly isRest?: true;
}

export interface Table<Row> {
  /** Also the key of its state. */
  readonly name: string;
  readonly title: string;
  channels?(ui: Ui): readonly string[];
  /** The most important first: the last go where there is no room. */
  readonly columns: readonly Column<Row>[];
  /** Undefined while nothing is known. */
  rows(moment: Moment, ui: Ui): readonly Row[] | undefined;
  /** What the cursor follows when rows move. */
  id(row: Row): string;
  /** Enter; by default all that is known of the row, over the view. */
  open?(row: Row, ui: Ui): void;
  /** What Enter shows besides the columns: the fields of the record. */
  details?(row: Row): readonly (readonly [name: string, value: string, secret?: true])[];
  /** It names what it sums. */
  foot?(rows: readonly Row[], moment: Moment, ui: Ui): string;
  /** How current the rows are: it stands in the title, and rows that are not look old. */
  state?(moment: Moment, ui: Ui): ShownState | undefined;
  /** Further words for the title, behind the count. */
  about?(moment: Moment, ui: Ui): readonly string[];
  /** The cursor has come to the last row: there may be more below. */
  more?(ui: Ui): void;
  readonly empty: string;
  readonly keys?: readonly Key[];
}

/** What the user has chosen; plain data. */
export const createTableState = () => ({
  filter: "",
  sort: undefined as { readonly title: string; readonly isDown: boolean } | undefined,
  /** The row under the cursor, and where it was last. */
  id: undefined as string | undefined,
  ...{ at: 0, top: 0 },
  /** On the screen, as last drawn. */
  shown: [] as readonly string[],
  widths: new Map() as ColumnWidths,
});
export type TableState = ReturnType<typeof createTableState>;

/** Whatever is hidden looks the same: no sign, no length. */
export const MASK = "•••";
/** What is not known. */
export const MISSING = "–";

/** As on the screen. */
export function shownText<Row>(
  column: Column<Row>,
  row: Row,
  display: DisplayAt,
  isMasked: boolean,
): string {
  if (isMasked && column.secret) return MASK;
  const value = column.value(row);
  if (value === undefined) return MISSING;
  return column.show?.(value, row, display) ?? value;
}

/** As in a file. */
export function exactText<Row>(column: Column<Row>, row: Row, isMasked: boolean): string {
  return isMasked && column.secret ? MASK : (column.value(row) ?? "");
}
