// A pane with a table of open records: what keys do in it, and which of its faces it shows — the rows, all of one row,
// or the list of columns. Views own one for each table; rows may come from the stream or from a listing.

import type { RecordFormat } from "../../select/record-format.ts";
import { humanised } from "../../select/record-format.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { cutText, textWidth, wrapText, wrapWords } from "../../terminal/cells/text-cells.ts";
import { visible } from "../../terminal/visible.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Clipboard } from "../clipboard.ts";
import type { Action, KeyContext } from "../keys.ts";
import type { Inner } from "../panes/frame.tsx";
import { cellLook } from "../panes/pieces.ts";
import { CARET, endOfText, TextField } from "../text-field.ts";
import type { Theme } from "../theme/theme.ts";
import { copiedField, copiedTable } from "../views/market/copied.ts";
import {
  GUTTER,
  paintColumns,
  paintRecord,
  paintWindow,
  type RecordLines,
  recordFields,
  recordLines,
} from "./paint.ts";
import { RecordTable, type RecordTableOptions, type TextMeasure } from "./table.ts";

/** Which rows a table has, and what it says and does with them. */
export interface TablePaneOptions {
  readonly title: string;
  /** The rows as they are now, the same array until they change; undefined while they have never come. */
  readonly records: () => readonly OpenRecord[] | undefined;
  /** How fields are shown: the same object until that changes. */
  readonly format: () => RecordFormat;
  readonly keyOf?: (record: OpenRecord) => string | undefined;
  readonly leading?: RecordTableOptions["leading"];
  /** What is said where there are no rows, and where they have never come. */
  readonly emptyWords?: string;
  readonly missingWords?: () => string;
  /** The row as it came, where a row of the table has been put together from several. */
  readonly original?: (record: OpenRecord) => OpenRecord;
  /** More words for the title, such as what is not held. */
  readonly notes?: () => readonly string[];
  /** True for a row, as it came, that may be wrong, over, or one with another: it is marked. */
  readonly isInQuestion?: (record: OpenRecord) => boolean;
  /** Enter on a row does this instead of showing all of it. */
  readonly onOpen?: (record: OpenRecord) => void;
  /** Where copies go; undefined where there is no terminal that could take them. */
  readonly clipboard: Clipboard | undefined;
  /** What the user sees is different now. */
  readonly onChange: () => void;
}

/** The rows, all of one row, or the list of columns. */
export type Face = "rows" | "record" | "columns";

const MEASURE: TextMeasure = { width: textWidth, cut: cutText, visible };
const CONTEXTS: Readonly<Record<Face, readonly KeyContext[]>> = {
  rows: ["table", "scroll"],
  record: ["record", "scroll"],
  columns: ["columns", "scroll"],
};

/** One table on the screen, and where the user is in it. */
export class TablePane {
  readonly options: TablePaneOptions;
  readonly table: RecordTable;
  #face: Face = "rows";
  #field: TextField | undefined;
  #record: OpenRecord | undefined;
  #lines: (RecordLines & { readonly of: string }) | undefined;
  #linesOf: OpenRecord | undefined;
  /** Lines that are scrolled out of the row's own view; place in the list of columns. */
  #scroll = 0;
  #column = 0;
  /** Rows that a page key moves by: as many as were painted. */
  #page = 1;

  constructor(options: TablePaneOptions) {
    this.options = options;
    const { format, keyOf, leading } = options;
    this.table = new RecordTable({
      measure: MEASURE,
      format,
      ...(keyOf && { keyOf }),
      ...(leading && { leading }),
    });
  }

  get contexts(): readonly KeyContext[] {
    return CONTEXTS[this.#face];
  }

  /** Defined while a filter is typed. */
  get typing(): TextField | undefined {
    return this.#field;
  }

  /** What stands in the frame: name, how many rows, filter and sort. */
  title(): readonly string[] {
    this.#takeRows();
    const { rows, filter, sort, choice } = this.table;
    const { title, records, notes } = this.options;
    const total = records()?.length;
    const count = total === undefined || total === rows.length ? `${total ?? ""}` : "";
    const order = sort && `${humanised(sort.column)}${sort.isDescending ? "▼" : "▲"}`;
    return [
      `${title} ${count}`.trimEnd(),
      filter === "" ? "" : `${rows.length} of ${total ?? 0} for /${visible(filter)}`,
      ...(notes?.() ?? []),
      order === undefined ? "" : `by ${visible(order)}`,
      choice.hasHidden ? "columns hidden" : "",
    ];
  }

  /** Does what a key asks for; false when it is nothing of a table's. */
  perform(action: Action): boolean {
    const act = TABLE_ACTIONS[this.#face][action];
    if (act === undefined) return false;
    this.#takeRows();
    const isDone = act(this) !== false;
    if (isDone) this.options.onChange();
    return isDone;
  }

  paint(surface: Surface, inner: Inner, theme: Theme, isFocused: boolean): void {
    this.#takeRows();
    const paint = { surface, inner, theme };
    if (this.#face === "record") {
      const { lines } = this.linesFor(inner.width);
      this.#page = Math.max(1, inner.height - 1);
      this.#scroll = Math.max(0, Math.min(this.#scroll, lines.length - inner.height));
      paintRecord(paint, this.linesFor(inner.width), this.#scroll);
    } else if (this.#face === "columns") {
      this.#page = Math.max(1, inner.height - 1);
      paintColumns(paint, this.#listed, this.#column);
    } else this.#paintRows(surface, inner, theme, isFocused);
  }

  /** Name and exact value of each field of the row that is open. */
  fields(): readonly (readonly string[])[] {
    const record = this.#newest;
    const original = record && (this.options.original?.(record) ?? record);
    return recordFields(original ?? {}, this.options.format());
  }

  /** All of the row that is open, in lines of this width. */
  linesFor(width: number): RecordLines {
    const record = this.#newest;
    const format = this.options.format();
    const of = `${width} ${format.isMasked}`;
    if (this.#linesOf !== record || this.#lines?.of !== of || this.#lines === undefined) {
      this.#linesOf = record;
      const original = record && (this.options.original?.(record) ?? record);
      this.#lines = { ...recordLines(original ?? {}, format, width), of };
    }
    return this.#lines;
  }

  showRows(): void {
    this.#face = "rows";
  }

  openRow(): void {
    const { selected } = this.table;
    if (selected === undefined) return;
    if (this.options.onOpen !== undefined) {
      this.options.onOpen(selected);
      return;
    }
    this.showRecord();
  }

  /** All fields of the selected row. */
  showRecord(): void {
    const { selected } = this.table;
    if (selected === undefined) return;
    this.#record = selected;
    this.#scroll = 0;
    this.#face = "record";
  }

  chooseColumns(): void {
    const { found } = this.table;
    this.#column = Math.max(0, this.table.choice.ordered(found).indexOf(this.table.column ?? ""));
    this.#face = "columns";
  }

  startFilter(): void {
    const before = this.table.filter;
    const set = (text: string) => {
      this.table.setFilter(text);
      this.options.onChange();
    };
    const onEnd = (isKept: boolean) => {
      this.#field = undefined;
      set(isKept ? this.table.filter : "");
    };
    this.#field = new TextField({ text: before, onChange: set, onEnd });
  }

  /** Moves within the face that is shown; pages are as high as what was painted. */
  scrollBy(rows: number, pages = 0): void {
    const step = rows + pages * this.#page;
    if (this.#face === "rows") this.table.moveBy(step);
    else if (this.#face === "record") this.#scroll = Math.max(0, this.#scroll + step);
    else {
      const last = this.#listed.length - 1;
      this.#column = Math.max(0, Math.min(last, this.#column + step));
    }
  }

  toggleColumn(): void {
    const listed = this.#listed[this.#column];
    const { columns, choice } = this.table;
    const isLast = listed?.isHidden === false && columns.length === 1;
    if (listed !== undefined && !isLast) choice.toggle(listed.name);
  }

  moveListed(steps: number): void {
    const { choice, found } = this.table;
    const name = this.#listed[this.#column]?.name;
    if (name === undefined) return;
    choice.move(found, choice.ordered(found), name, steps);
    this.#column = choice.ordered(found).indexOf(name);
  }

  get #listed() {
    const { choice, found } = this.table;
    return choice.ordered(found).map((name) => ({ name, isHidden: choice.isHidden(name) }));
  }

  /** The open row as it is now; as it was last where it is gone. */
  get #newest(): OpenRecord | undefined {
    const { keyOf } = this.options;
    const key = this.#record && keyOf?.(this.#record);
    const now =
      key === undefined || keyOf === undefined
        ? undefined
        : this.options.records()?.find((row) => keyOf(row) === key);
    this.#record = now ?? this.#record;
    return this.#record;
  }

  #takeRows(): void {
    this.table.update(this.options.records() ?? NONE);
  }

  #paintRows(surface: Surface, inner: Inner, theme: Theme, isFocused: boolean): void {
    const hasFilterLine = this.#field !== undefined && inner.height > 1;
    const height = inner.height - (hasFilterLine ? 1 : 0);
    const window = this.table.window(inner.width - GUTTER, height);
    this.#page = Math.max(1, height - 1);
    const { aliases } = this.options.format();
    const { isInQuestion, original } = this.options;
    paintWindow(
      { surface, inner: { ...inner, height }, theme },
      window,
      isFocused,
      (column, cell) => cellLook(aliases, column, cell),
      (record) => isInQuestion?.(original?.(record) ?? record) ?? false,
    );
    if (window.found === 0 && height > 1) {
      this.#paintNothing(surface, { ...inner, height }, theme);
    }
    if (hasFilterLine) {
      const text = `/${visible(this.#field?.text ?? "")}${CARET}`;
      const isWhole = textWidth(text) <= inner.width;
      const shown = isWhole ? text : `…${endOfText(text, inner.width - 1)}`;
      surface.text(inner.x, inner.y + height, shown, theme.key);
    }
  }

  /** Text of the service may be in it: it is told whole, as far as there is room. */
  #paintNothing(surface: Surface, { x, y, width, height }: Inner, theme: Theme): void {
    const lines = wrapWords(visible(this.#nothing()), width).flatMap((line) =>
      wrapText(line, width),
    );
    for (const [i, line] of lines.slice(0, height - 1).entries()) {
      surface.text(x, y + 1 + i, line, theme.dim);
    }
  }

  #nothing(): string {
    const { records, emptyWords = "none", missingWords } = this.options;
    const rows = records();
    if (rows === undefined) return missingWords?.() ?? "no data yet";
    return rows.length === 0 ? emptyWords : "no row has all of these words";
  }
}

const NONE: readonly OpenRecord[] = [];

/** Answers false where the key is not for the table now. */
type Act = (pane: TablePane) => unknown;

const SCROLL: Readonly<Partial<Record<Action, Act>>> = {
  scrollUp: (pane) => pane.scrollBy(-1),
  scrollDown: (pane) => pane.scrollBy(1),
  scrollPageUp: (pane) => pane.scrollBy(0, -1),
  scrollPageDown: (pane) => pane.scrollBy(0, 1),
  scrollHome: (pane) => pane.scrollBy(Number.MIN_SAFE_INTEGER),
};

/** Escape takes the filter away; without one, it is not for the table. */
function clearFilter({ table }: TablePane): boolean {
  if (table.filter === "") return false;
  table.setFilter("");
  return true;
}

const copy =
  (act: (pane: TablePane, clipboard: Clipboard) => void): Act =>
  (pane) => {
    const { clipboard } = pane.options;
    if (clipboard !== undefined) act(pane, clipboard);
  };

const copyValue = copy(({ table: { selected, column }, options }, clipboard) => {
  const isThere = selected !== undefined && column !== undefined;
  clipboard.copyValue(isThere ? copiedField(options.format(), selected, column) : "");
});

const copyRow = copy(({ table: { selected, columns }, options }, clipboard) => {
  const cells = (row: typeof selected & object) =>
    columns.map((column) => copiedField(options.format(), row, column));
  clipboard.copyRows({ rows: selected === undefined ? [] : [cells(selected)], hasTitles: false });
});

const copyTable = copy(({ table: { rows, columns }, options }, clipboard) =>
  clipboard.copyRows({ rows: copiedTable(options.format(), rows, columns), hasTitles: true }),
);

const copyFields = copy((pane, clipboard) =>
  clipboard.copyRows({ rows: pane.fields(), hasTitles: false }),
);

/** By the face that is shown and the action of the key. */
const TABLE_ACTIONS: Readonly<Record<Face, Readonly<Partial<Record<Action, Act>>>>> = {
  rows: {
    ...SCROLL,
    scrollEnd: (pane) => pane.scrollBy(Number.MAX_SAFE_INTEGER),
    back: clearFilter,
    filter: (pane) => pane.startFilter(),
    openRow: (pane) => pane.openRow(),
    showRecord: (pane) => pane.showRecord(),
    sort: ({ table }) => table.column !== undefined && table.sortBy(table.column),
    columnNext: ({ table }) => table.moveColumnBy(1),
    columnPrevious: ({ table }) => table.moveColumnBy(-1),
    chooseColumns: (pane) => pane.chooseColumns(),
    hideColumn: ({ table }) => table.hideColumn(),
    columnLater: ({ table }) => table.shiftColumn(1),
    columnEarlier: ({ table }) => table.shiftColumn(-1),
    copyValue,
    copyRow,
    copyTable,
  },
  record: {
    ...SCROLL,
    back: (pane) => pane.showRows(),
    closeRow: (pane) => pane.showRows(),
    copyRow: copyFields,
  },
  columns: {
    ...SCROLL,
    back: (pane) => pane.showRows(),
    closeColumns: (pane) => pane.showRows(),
    toggleColumn: (pane) => pane.toggleColumn(),
    columnLater: (pane) => pane.moveListed(1),
    columnEarlier: (pane) => pane.moveListed(-1),
    resetColumns: ({ table }) => table.choice.reset(),
  },
};
