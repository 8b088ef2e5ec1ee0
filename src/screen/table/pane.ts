// A pane with a table of open records: what its keys do, and whether it shows rows or all fields of one. Rows come from the
// stream or from a listing.
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
import { Memo } from "../../units/memo.ts";
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
  paintRecord,
  paintWindow,
  type RecordLines,
  recordFields,
  recordLines,
} from "./paint.ts";
import { RecordTable, type RecordTableOptions, type WindowStart } from "./table.ts";

export interface TableParts {
  readonly shown: Pick<Shown, "isMasked" | "display"> & { readonly store: Pick<Store, "aliases"> };
  readonly clipboard: Clipboard | undefined;
  readonly changes: Pick<Changes, "notify">;
}

export interface TablePaneOptions extends Omit<RecordTableOptions, "format"> {
  /** How fields are formatted: as in `ScaledFormat`, or by `format`. */
  readonly fields?: Omit<ScaledFormatOptions, "aliases">;
  readonly format?: RecordTableOptions["format"];
  /** True if the mask hides nothing here: the rows hide private values themselves. */
  readonly isPublic?: boolean;
  readonly title: string;
  /** Whose rows these are; follows the title. */
  readonly subject?: () => string;
  readonly channels?: () => readonly string[];
  readonly status?: () => PaneStatus;
  readonly isFocused?: () => boolean;
  readonly isFreezable?: boolean;
  readonly isAlwaysCurrent?: boolean;
  /** The same array until they change; undefined while none have been received. */
  readonly records: () => readonly OpenRecord[] | undefined;
  /** `emptyText` is shown if there are no rows, `missingText` if none were ever received. */
  readonly emptyText?: string | (() => string);
  readonly missingText?: () => string;
  /** The row as received, if a row of the table combines several. */
  readonly original?: (record: OpenRecord) => OpenRecord;
  readonly notes?: () => readonly TitlePart[];
  /** True for an original row that may be wrong, has ended or is a duplicate: it is marked. */
  readonly isInQuestion?: (record: OpenRecord) => boolean;
  /** Set if each row has its own feed. */
  readonly stateOf?: ((record: OpenRecord) => PaneState) | undefined;
  /** Style of a cell; by default that of its meaning. */
  readonly styleOf?: ((record: OpenRecord, column: string) => StyleName | undefined) | undefined;
  /** Enter on a row; by default shows all its fields. */
  readonly onOpen?: (record: OpenRecord) => void;
  /** A line below the rows; empty for none. */
  readonly foot?: (widthCells: number) => string;
  readonly paintEveryMs?: number;
}

type Face = "rows" | "record";

/** Scroll position, rows that a page key moves by, and the highest scroll offset. */
export interface PaintedTable extends WindowStart {
  readonly page: number;
  readonly end: number;
}

/** They return false if the key is not for the table now. */
type Actions = Readonly<Partial<Record<Action, () => unknown>>>;

const NO_END = Number.MAX_SAFE_INTEGER;
const UNPAINTED: PaintedTable = { first: 0, before: 0, page: 1, end: NO_END };
const CONTEXTS: Readonly<Record<Face, readonly KeyContext[]>> = {
  rows: ["table", "scroll"],
  record: ["record", "scroll"],
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
  readonly #lines = new Memo<RecordLines>();
  /** Scroll offset of the view of one row. */
  #scroll = 0;
  readonly #scrolls: Actions = {
    scrollUp: () => this.#scrollBy(-1),
    scrollDown: () => this.#scrollBy(1),
    scrollPageUp: () => this.#scrollBy(0, -1),
    scrollPageDown: () => this.#scrollBy(0, 1),
    scrollHome: () => this.#scrollBy(Number.MIN_SAFE_INTEGER),
  };
  /** Actions in each mode. */
  readonly #actions: Readonly<Record<Face, Actions>> = {
    rows: {
      ...this.#scrolls,
      scrollEnd: () => this.#scrollBy(Number.MAX_SAFE_INTEGER),
      back: () => this.#clearFilter(),
      filter: () => this.#startFilter(),
      openRow: () => this.#openRow(),
      showRecord: () => this.#showRecord(),
      sort: () => this.table.column !== undefined && this.table.sortBy(this.table.column),
      columnNext: () => this.table.moveColumnBy(1),
      columnPrevious: () => this.table.moveColumnBy(-1),
      copyValue: () => this.#copyValue(),
      copyRow: () => this.#copy(this.#exact(this.table.selected ? [this.table.selected] : [])),
      copyTable: () =>
        this.#copy(copiedTable(this.format(), this.table.rows, this.table.columns), true),
    },
    record: {
      ...this.#scrolls,
      back: () => this.#showRows(),
      closeRow: () => this.#showRows(),
      copyRow: () => this.#copy(recordFields(this.#open, this.format())),
    },
  };

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

  /** True while all fields of one row are shown: these take the whole view. */
  get isRecordOpen(): boolean {
    return this.#face === "record";
  }

  get typing(): TextField | undefined {
    return this.#field;
  }

  title(): readonly TitlePart[] {
    const total = this.#takeRows()?.length;
    const { rows, filter, sort } = this.table;
    const { title, subject, notes } = this.options;
    const name = [title, visible(subject?.() ?? "")].filter(Boolean).join(" ");
    const count = total === undefined || total === rows.length ? `${total ?? ""}` : "";
    const order = sort && `${humanised(sort.column)}${sort.isDescending ? "▼" : "▲"}`;
    return [
      `${name} ${count}`.trimEnd(),
      filter === "" ? "" : `${rows.length} of ${total ?? 0} for /${visible(filter)}`,
      ...(notes?.() ?? []),
      order === undefined ? "" : `by ${visible(order)}`,
    ];
  }

  /** @returns false if the action is not one of the table */
  perform(action: Action): boolean {
    const act = this.#actions[this.#face][action];
    if (act === undefined) return false;
    this.#takeRows();
    const isDone = act() !== false;
    if (isDone) this.#parts.changes.notify();
    return isDone;
  }

  paint(
    surface: Surface,
    whole: Inner,
    theme: Theme,
    before: PaintedTable = UNPAINTED,
    repaintAfter: (afterMs: number) => void = () => {},
  ): PaintedTable {
    if (this.options.paintEveryMs !== undefined) repaintAfter(this.options.paintEveryMs);
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
    return { ...painted, ...this.#paintRows(surface, inner, theme, records, before) };
  }

  /** Moves within the current mode; a page is as high as it was painted last. */
  #scrollBy(rows: number, pages = 0): void {
    const { page, end } = this.painted ?? UNPAINTED;
    const step = rows + pages * page;
    if (this.#face === "rows") this.table.moveBy(step);
    else this.#scroll = Math.max(0, Math.min(end, this.#scroll) + step);
  }

  #showRows(): void {
    this.#face = "rows";
  }

  #openRow(): void {
    const { selected } = this.table;
    if (this.options.onOpen === undefined) this.#showRecord();
    else if (selected !== undefined) this.options.onOpen(selected);
  }

  #showRecord(): void {
    const { selected } = this.table;
    if (selected === undefined) return;
    this.#record = selected;
    this.#scroll = 0;
    this.#face = "record";
  }

  #startFilter(): void {
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

  /** Without a filter, Escape is not for the table. */
  #clearFilter(): boolean {
    if (this.table.filter === "") return false;
    this.table.setFilter("");
    return true;
  }

  #copyValue(): void {
    const { selected, column } = this.table;
    const isAvailable = selected !== undefined && column !== undefined;
    this.#parts.clipboard?.copyValue(
      isAvailable ? copiedField(this.format(), selected, column) : "",
    );
  }

  #copy(rows: readonly (readonly string[])[], hasTitles = false): void {
    this.#parts.clipboard?.copyRows({ rows, hasTitles });
  }

  #exact(rows: readonly OpenRecord[]): readonly (readonly string[])[] {
    const format = this.format();
    const { columns } = this.table;
    return rows.map((row) => columns.map((each) => copiedField(format, row, each)));
  }

  /** The open row as received: its current version, or the last one if it is gone. */
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
    const { isInQuestion, original, stateOf, styleOf } = this.options;
    paintWindow({
      surface,
      inner: { ...inner, height },
      theme,
      window,
      isFocused: this.isFocused(),
      aliases: this.format().aliases,
      stateOf,
      styleOf,
      isInQuestion: (record) => isInQuestion?.(original?.(record) ?? record) ?? false,
    });
    if (window.found === 0) {
      // It may contain text of the service, which is shown in full as far as it fits.
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
    const { emptyText = "none", missingText } = this.options;
    if (records === undefined) return missingText?.() ?? "no data yet";
    if (records.length > 0) return "no row has all of these words";
    return typeof emptyText === "string" ? emptyText : emptyText();
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
