// A pane with a table of open records: what keys do in it, and which of its faces it shows — the rows, all of one row,
// or the list of columns. Views own one for each table; rows may come from the stream or from a listing.

import {
  copiedField,
  copiedTable,
  humanised,
  ScaledFormat,
  type ScaledFormatOptions,
} from "../../select/record-format.ts";
import { type PaneStatus, WAITING } from "../../select/status.ts";
import type { PaneState } from "../../state/pane-state.ts";
import type { Store } from "../../state/store.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import { cutText, textWidth, wrapText, wrapWords } from "../../terminal/cells/text-cells.ts";
import { visible } from "../../terminal/visible.ts";
import { Remembered } from "../../units/remembered.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Changes } from "../changes.ts";
import type { Clipboard } from "../clipboard.ts";
import type { Action, KeyContext } from "../keys.ts";
import type { FramedPane, Inner, TitlePart } from "../panes/frame.tsx";
import type { Shown } from "../shown.ts";
import { CARET, endOfText, paintTyped, TextField } from "../text-field.ts";
import type { StyleName, Theme } from "../theme/theme.ts";
import type { FeedStatus, Typing, ViewModel } from "../views/view.ts";
import {
  getGutter,
  paintColumns,
  paintRecord,
  paintWindow,
  type RecordLines,
  recordFields,
  recordLines,
} from "./paint.ts";
import { RecordTable, type RecordTableOptions, type WindowStart } from "./table.ts";

/** What every table is given of the dashboard. */
export interface TableParts {
  readonly shown: Pick<Shown, "isMasked" | "display"> & { readonly store: Pick<Store, "aliases"> };
  /** Where copies go; undefined where there is no terminal that could take them. */
  readonly clipboard: Clipboard | undefined;
  readonly changes: Pick<Changes, "notify">;
}

export interface TablePaneOptions extends Omit<RecordTableOptions, "format"> {
  /** How its fields are shown: as in `ScaledFormat`, or in a way of its own. */
  readonly fields?: Omit<ScaledFormatOptions, "aliases">;
  readonly format?: RecordTableOptions["format"];
  /** True where the mask hides nothing: the rows hide themselves what others must not see. */
  readonly isPublic?: boolean;
  readonly title: string;
  /** Whose or of what the rows are, where the title does not say so. */
  readonly subject?: () => string;
  readonly channels?: () => readonly string[];
  readonly status?: () => PaneStatus;
  /** Always, where nothing is said. */
  readonly isFocused?: () => boolean;
  /** As in `FramedPane`. */
  readonly isFreezable?: boolean;
  readonly isAlwaysCurrent?: boolean;
  /** The rows as they are now, the same array until they change; undefined while they have never come. */
  readonly records: () => readonly OpenRecord[] | undefined;
  /** What is said where there are no rows, and where they have never come. */
  readonly emptyWords?: string;
  readonly missingWords?: () => string;
  /** The row as it came, where a row of the table has been put together from several. */
  readonly original?: (record: OpenRecord) => OpenRecord;
  /** More words for the title, such as what is not held. */
  readonly notes?: () => readonly TitlePart[];
  /** True for a row, as it came, that may be wrong, over, or one with another: it is marked. */
  readonly isInQuestion?: (record: OpenRecord) => boolean;
  /** Of the feed that fills a row, where rows have states of their own. */
  readonly stateOf?: ((record: OpenRecord) => PaneState) | undefined;
  /** The look of a cell; that of its meaning without it. */
  readonly lookOf?: ((record: OpenRecord, column: string) => StyleName | undefined) | undefined;
  /** Enter on a row does this instead of showing all of it. */
  readonly onOpen?: (record: OpenRecord) => void;
  /** Words below the rows, in so many cells; empty for none. */
  readonly foot?: (widthCells: number) => string;
  /** It is painted so often, whatever comes. */
  readonly paintEveryMs?: number;
}

type Face = "rows" | "record" | "columns";

/** What was painted: how far the rows are scrolled, rows that a page key moves by, and the last line to scroll to. */
export interface PaintedTable extends WindowStart {
  readonly page: number;
  readonly end: number;
}

const NO_END = Number.MAX_SAFE_INTEGER;
const UNPAINTED: PaintedTable = { first: 0, before: 0, page: 1, end: NO_END };
const CONTEXTS: Readonly<Record<Face, readonly KeyContext[]>> = {
  rows: ["table", "scroll"],
  record: ["record", "scroll"],
  columns: ["columns", "scroll"],
};

export class TablePane implements FramedPane<PaintedTable> {
  readonly options: TablePaneOptions;
  readonly table: RecordTable;
  readonly format: RecordTableOptions["format"];
  readonly isFreezable: boolean;
  readonly isAlwaysCurrent: boolean;
  painted: PaintedTable | undefined;
  readonly #parts: TableParts;
  #face: Face = "rows";
  #field: TextField | undefined;
  #record: OpenRecord | undefined;
  readonly #lines = new Remembered<RecordLines>();
  /** Lines that are scrolled out of the row's own view; place in the list of columns. */
  #scroll = 0;
  #column = 0;

  constructor(parts: TableParts, options: TablePaneOptions) {
    const { shown } = parts;
    const { fields, isPublic, keyOf, first, leading } = options;
    const scaled = new ScaledFormat({ aliases: shown.store.aliases, ...fields });
    this.options = options;
    this.#parts = parts;
    this.format =
      options.format ??
      (() => scaled.now(isPublic ? { isMasked: false, display: shown.display } : shown));
    this.table = new RecordTable({ format: this.format, keyOf, first, leading });
    this.isFreezable = options.isFreezable ?? true;
    this.isAlwaysCurrent = options.isAlwaysCurrent ?? false;
  }

  channels(): readonly string[] {
    return this.options.channels?.() ?? [];
  }

  status(): PaneStatus {
    return this.options.status?.() ?? WAITING;
  }

  isFocused(): boolean {
    return this.options.isFocused?.() ?? true;
  }

  get contexts(): readonly KeyContext[] {
    return CONTEXTS[this.#face];
  }

  get typing(): TextField | undefined {
    return this.#field;
  }

  /** What stands in the frame: name, how many rows, filter and sort. */
  title(): readonly TitlePart[] {
    const total = this.#takeRows()?.length;
    const { rows, filter, sort, choice } = this.table;
    const { title, subject, notes } = this.options;
    const name = [title, visible(subject?.() ?? "")].filter(Boolean).join(" ");
    const count = total === undefined || total === rows.length ? `${total ?? ""}` : "";
    const order = sort && `${humanised(sort.column)}${sort.isDescending ? "▼" : "▲"}`;
    return [
      `${name} ${count}`.trimEnd(),
      filter === "" ? "" : `${rows.length} of ${total ?? 0} for /${visible(filter)}`,
      ...(notes?.() ?? []),
      order === undefined ? "" : `by ${visible(order)}`,
      choice.hasHidden ? "columns hidden" : "",
    ];
  }

  /** Does what a key asks for; false when it is nothing of a table's. */
  perform(action: Action): boolean {
    const act = ACTIONS[this.#face][action];
    if (act === undefined) return false;
    this.#takeRows();
    const isDone = act(this) !== false;
    if (isDone) this.#parts.changes.notify();
    return isDone;
  }

  paint(
    surface: Surface,
    whole: Inner,
    theme: Theme,
    before: PaintedTable = UNPAINTED,
    again: (afterMs: number) => void = () => {},
  ): PaintedTable {
    if (this.options.paintEveryMs !== undefined) again(this.options.paintEveryMs);
    const foot = this.options.foot?.(whole.width) ?? "";
    const hasFoot = foot !== "" && whole.height >= 3;
    const inner = hasFoot ? { ...whole, height: whole.height - 1 } : whole;
    const painted = { ...before, page: Math.max(1, inner.height - 1), end: NO_END };
    if (hasFoot) {
      const text = cutText(visible(foot), inner.width);
      paintTyped(surface, inner.x, inner.y + inner.height, text, theme.key);
    }
    const records = this.#takeRows();
    const paint = { surface, inner, theme };
    if (this.#face === "record") {
      const lines = this.#linesFor(inner.width);
      const end = Math.max(0, lines.lines.length - inner.height);
      paintRecord(paint, lines, Math.min(this.#scroll, end));
      return { ...painted, end };
    }
    if (this.#face === "columns") {
      paintColumns(paint, this.#listed, this.#column);
      return painted;
    }
    return { ...painted, ...this.#paintRows(surface, inner, theme, records, before) };
  }

  exactRows(top: number, bottom: number): readonly (readonly string[])[] | undefined {
    if (this.#face !== "rows") return undefined;
    const { rows, columns } = this.table;
    const { first } = this.painted ?? UNPAINTED;
    // The first line has the titles.
    const selected = rows.slice(first + Math.max(0, top - 1), first + bottom);
    if (selected.length === 0) return undefined;
    const format = this.format();
    return selected.map((row) => columns.map((each) => copiedField(format, row, each)));
  }

  showRows(): void {
    this.#face = "rows";
  }

  openRow(): void {
    const { selected } = this.table;
    if (selected === undefined) return;
    if (this.options.onOpen === undefined) this.showRecord();
    else this.options.onOpen(selected);
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
    const { found, choice, column = "" } = this.table;
    this.#column = Math.max(0, choice.ordered(found).indexOf(column));
    this.#face = "columns";
  }

  startFilter(): void {
    const set = (text: string) => {
      this.table.setFilter(text);
      this.#parts.changes.notify();
    };
    const onEnd = (isAccepted: boolean) => {
      this.#field = undefined;
      set(isAccepted ? this.table.filter : "");
    };
    this.#field = new TextField({ text: this.table.filter, onChange: set, onEnd });
  }

  /** Escape takes the filter away; without one, it is not for the table. */
  clearFilter(): boolean {
    if (this.table.filter === "") return false;
    this.table.setFilter("");
    return true;
  }

  /** Moves within the face that is shown; pages are as high as what was painted. */
  scrollBy(rows: number, pages = 0): void {
    const { page, end } = this.painted ?? UNPAINTED;
    const step = rows + pages * page;
    if (this.#face === "rows") this.table.moveBy(step);
    else if (this.#face === "record")
      this.#scroll = Math.max(0, Math.min(end, this.#scroll) + step);
    else this.#column = Math.max(0, Math.min(this.#listed.length - 1, this.#column + step));
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

  copyValue(): void {
    const { selected, column } = this.table;
    const isThere = selected !== undefined && column !== undefined;
    this.#parts.clipboard?.copyValue(isThere ? copiedField(this.format(), selected, column) : "");
  }

  copyRow(): void {
    const { selected, columns } = this.table;
    const format = this.format();
    const rows =
      selected === undefined ? [] : [columns.map((each) => copiedField(format, selected, each))];
    this.#parts.clipboard?.copyRows({ rows, hasTitles: false });
  }

  copyTable(): void {
    const { rows, columns } = this.table;
    const copied = copiedTable(this.format(), rows, columns);
    this.#parts.clipboard?.copyRows({ rows: copied, hasTitles: true });
  }

  /** Name and exact value of each field of the row that is open. */
  copyFields(): void {
    const rows = recordFields(this.#open, this.format());
    this.#parts.clipboard?.copyRows({ rows, hasTitles: false });
  }

  get #listed() {
    const { choice, found } = this.table;
    return choice.ordered(found).map((name) => ({ name, isHidden: choice.isHidden(name) }));
  }

  /** The open row as it came: as it is now, or as it was last where it is gone. */
  get #open(): OpenRecord {
    const { keyOf, records, original } = this.options;
    const key = this.#record && keyOf?.(this.#record);
    if (key !== undefined) {
      this.#record = records()?.find((row) => keyOf?.(row) === key) ?? this.#record;
    }
    const record = this.#record ?? {};
    return original?.(record) ?? record;
  }

  #linesFor(width: number): RecordLines {
    const format = this.format();
    const record = this.#open;
    return this.#lines.get([record, width, format.isMasked], () =>
      recordLines(record, format, width),
    );
  }

  #takeRows(): readonly OpenRecord[] | undefined {
    const records = this.options.records();
    this.table.update(records ?? NONE);
    return records;
  }

  #paintRows(
    surface: Surface,
    inner: Inner,
    theme: Theme,
    records: readonly OpenRecord[] | undefined,
    before: PaintedTable,
  ) {
    const hasFilterLine = this.#field !== undefined && inner.height > 1;
    const height = inner.height - (hasFilterLine ? 1 : 0);
    const window = this.table.window(
      inner.width - getGutter(this.options.stateOf !== undefined),
      height,
      before,
    );
    const { isInQuestion, original, stateOf, lookOf } = this.options;
    paintWindow({ surface, inner: { ...inner, height }, theme }, window, {
      isFocused: this.isFocused(),
      aliases: this.format().aliases,
      stateOf,
      lookOf,
      isInQuestion: (record) => isInQuestion?.(original?.(record) ?? record) ?? false,
    });
    if (window.found === 0) {
      // Text of the service may be in it: it is shown whole, as far as there is room.
      const lines = wrapWords(visible(this.#nothing(records)), inner.width).flatMap((line) =>
        wrapText(line, inner.width),
      );
      for (const [i, line] of lines.slice(0, Math.max(0, height - 1)).entries()) {
        surface.text(inner.x, inner.y + 1 + i, line, theme.dim);
      }
    }
    if (hasFilterLine) {
      const text = `/${visible(this.#field?.text ?? "")}${CARET}`;
      const isWhole = textWidth(text) <= inner.width;
      const shown = isWhole ? text : `…${endOfText(text, inner.width - 1)}`;
      paintTyped(surface, inner.x, inner.y + height, shown, theme.key);
    }
    return { first: window.first, before: window.before, page: Math.max(1, height - 1) };
  }

  #nothing(records: readonly OpenRecord[] | undefined): string {
    const { emptyWords = "none", missingWords } = this.options;
    if (records === undefined) return missingWords?.() ?? "no data yet";
    return records.length === 0 ? emptyWords : "no row has all of these words";
  }
}

export abstract class TableModel implements ViewModel {
  abstract readonly channels: readonly string[];
  abstract readonly feeds: readonly FeedStatus[];
  abstract readonly pane: TablePane;

  get contexts(): readonly KeyContext[] {
    return this.pane.contexts;
  }

  get typing(): Typing | undefined {
    return this.pane.typing;
  }

  perform(action: Action): boolean {
    return this.pane.perform(action);
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

/** What keys do, by the face that is shown. */
const ACTIONS: Readonly<Record<Face, Readonly<Partial<Record<Action, Act>>>>> = {
  rows: {
    ...SCROLL,
    scrollEnd: (pane) => pane.scrollBy(Number.MAX_SAFE_INTEGER),
    back: (pane) => pane.clearFilter(),
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
    copyValue: (pane) => pane.copyValue(),
    copyRow: (pane) => pane.copyRow(),
    copyTable: (pane) => pane.copyTable(),
  },
  record: {
    ...SCROLL,
    back: (pane) => pane.showRows(),
    closeRow: (pane) => pane.showRows(),
    copyRow: (pane) => pane.copyFields(),
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
