// The user's choices in one of the history views: which listing, from what time, and whether it is unfolded.
import { fitTexts } from "../../../select/columns.ts";
import { type PaneStatus, WAITING } from "../../../select/status.ts";
import { textWidth } from "../../../terminal/cells/text-cells.ts";
import { DAY_MS } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Action, KeyContext } from "../../keys.ts";
import type { TitlePart } from "../../panes/frame.tsx";
import { TableModel, TablePane } from "../../table/pane.ts";
import { CARET, endOfText, TextField } from "../../text-field.ts";
import { ACCOUNT_MISSING, type FeedStatus, type Parts, type Typing, type View } from "../view.ts";
import {
  FILLS,
  getListingStatus,
  type HistoryKind,
  type HistoryRows,
  LIQUIDATIONS,
  TRADES,
} from "./listings.ts";
import { FillsStatement } from "./statement.ts";

/** An older page is requested when the selection is this close to the last row: one page ahead. */
const AHEAD_ROWS = 200;

const FOLLOW_MS = 5000;

const JUMP_HINT = "2025-11-21 10:00; empty: the newest";

interface Prompt {
  readonly label: string;
  readonly hint: string;
}

const SCROLLS = new Set<Action>(["scrollDown", "scrollPageDown", "scrollEnd"]);

export class HistoryModel extends TableModel {
  /** Folded and unfolded rows have different columns, and each their own order and filter. */
  readonly #folded: TablePane;
  readonly #unfolded: TablePane;
  readonly #parts: Parts;
  readonly #kind: HistoryKind;
  readonly #keys = new RowKeys();
  #rows: HistoryRows | undefined;
  #subject: string | undefined;
  #untilMs: number | undefined;
  #followAtMs = Number.NEGATIVE_INFINITY;
  #isUnfolded = false;
  #prompt: (Prompt & { readonly field: TextField }) | undefined;
  #message = "";
  readonly #actions: Readonly<Partial<Record<Action, () => void>>> = {
    refresh: () => {
      this.#follow();
      this.#rows?.list.refresh();
    },
    jump: () => this.#ask({ label: "time", hint: JUMP_HINT }, "", (text) => this.#jumpTo(text)),
    unfold: () => {
      if (this.#kind.isUnfolding) this.#isUnfolded = !this.#isUnfolded;
    },
  };

  constructor(parts: Parts, kind: HistoryKind) {
    super();
    this.#parts = parts;
    this.#kind = kind;
    this.#folded = this.#createTable(false);
    this.#unfolded = this.#createTable(true);
    parts.changes.subscribe(() => this.#follow());
  }

  get channels(): readonly string[] {
    return this.#rows?.channels?.() ?? [];
  }

  get pane(): TablePane {
    return this.#isUnfolded ? this.#unfolded : this.#folded;
  }

  get keyDescriptions() {
    return this.#kind.isUnfolding ? {} : { unfold: "" };
  }

  override get typing(): Typing | undefined {
    return this.#prompt?.field ?? super.typing;
  }

  override get contexts(): readonly KeyContext[] {
    const { contexts } = this.pane;
    return contexts[0] === "table" ? ["history", ...contexts] : contexts;
  }

  get feeds(): readonly FeedStatus[] {
    return [{ label: this.#kind.title.toLowerCase(), status: this.status }];
  }

  get status(): PaneStatus {
    const list = this.#rows?.list;
    if (list === undefined) return WAITING;
    const { respondedAtMs, error, activity } = list;
    const isAsked = activity === "older" || activity === "newer";
    const note = isAsked ? `asking for ${activity} rows` : "";
    return getListingStatus(
      this.#parts,
      respondedAtMs,
      error,
      respondedAtMs === undefined ? "asking" : note,
    );
  }

  get notes(): readonly TitlePart[] {
    const rows = this.#rows;
    if (rows === undefined) return [];
    const { list } = rows;
    const { display } = this.#parts.shown;
    const last = list.rows.at(-1);
    return [
      this.#untilMs === undefined ? "" : `from ${display.dateTime(this.#untilMs)} back`,
      ...formatProof(list),
      last === undefined ? "" : `back to ${display.dateTime(last.timestamp_ms)}`,
    ];
  }

  /** Below the rows: the prompt, the result of a jump or an export, or as many totals as fit whole. */
  #foot(widthCells: number): string {
    const rows = this.#rows;
    if (this.#prompt !== undefined) {
      const { label, hint, field } = this.#prompt;
      const info = this.#message || hint;
      const typed = endOfText(field.text, widthCells - textWidth(`${label} ${CARET}`));
      return `${label} ${typed}${CARET}${info && ` (${info})`}`;
    }
    if (this.#message !== "" || rows === undefined) return this.#parts.shown.masked(this.#message);
    if (rows.list.isFull) return "no more rows are held: X exports them all";
    const { display, isMasked } = this.#parts.shown;
    return isMasked ? "" : fitTexts(rows.totals?.(display) ?? [], widthCells);
  }

  onShow(): void {
    this.#follow();
  }

  tick(): void {
    const { feed } = this.#parts.listings;
    const list = this.#rows?.list;
    if (list === undefined || feed === undefined || !this.#isFollowed) return;
    const nowMs = feed.clock.now();
    const dueMs = Math.max(this.#followAtMs, (list.respondedAtMs ?? nowMs) + FOLLOW_MS);
    if (nowMs < dueMs) return;
    this.#followAtMs = nowMs + FOLLOW_MS;
    list.follow();
  }

  /** Not while another view or an earlier time is shown, nor while the screen is frozen. */
  get #isFollowed(): boolean {
    const { shown } = this.#parts;
    return this.#parts.isShown(this) && !shown.isFrozen && this.#untilMs === undefined;
  }

  override perform(action: Action): boolean {
    const act = this.#actions[action];
    if (act !== undefined && this.contexts[0] === "history") {
      act();
      this.#parts.changes.notify();
      return true;
    }
    const isDone = super.perform(action);
    if (SCROLLS.has(action)) this.#lookAhead();
    return isDone;
  }

  /** @param take returns false if the text is invalid: the user can then correct it */
  #ask(prompt: Prompt, text: string, take: (text: string) => boolean): void {
    this.#message = "";
    const onChange = () => {
      this.#message = "";
      this.#parts.changes.notify();
    };
    const onEnd = (isAccepted: boolean) => {
      this.#prompt = undefined;
      this.#message = "";
      if (isAccepted && !take(field.text.trim())) this.#prompt = { ...prompt, field };
      this.#parts.changes.notify();
    };
    const field = new TextField({ text, onChange, onEnd });
    this.#prompt = { ...prompt, field };
  }

  promptExport(): void {
    const { feed } = this.#parts.listings;
    if (this.#rows === undefined || feed === undefined) return;
    const filter = this.pane.table.filter.trim();
    const label = filter === "" ? "export to" : `export rows with ${filter} to`;
    // The default file name contains the owner.
    const isHidden = this.#kind === FILLS && this.#parts.shown.isMasked;
    const name = isHidden ? "fills" : this.#rows.name;
    this.#ask({ label, hint: "" }, feed.fileName(name), (path) => {
      if (path !== "") this.#export(path, this.pane.table.filter.trim());
      return true;
    });
  }

  #export(path: string, filter: string): void {
    const rows = this.#rows;
    if (rows === undefined) return;
    const part = rows.request(filter, this.#isUnfolded);
    this.#parts.listings.feed?.export({ name: rows.name, path, filter, ...part }, (text) => {
      const isWarned = part.kind === "fills" && this.#parts.shown.isMasked;
      this.#message = isWarned ? `NOT MASKED in the file: ${text}` : text;
      this.#parts.changes.notify();
    });
  }

  /** Empty text returns to the newest rows. False if the text is not a time. */
  #jumpTo(text: string): boolean {
    const ms = text === "" ? undefined : this.#parseInstant(text);
    if (text !== "" && ms === undefined) {
      this.#message = "not a time: 10:00, 2025-11-21 10:00 or Unix ms";
      return false;
    }
    this.#untilMs = ms;
    this.#open();
    return true;
  }

  /** A time of day alone means its last occurrence. */
  #parseInstant(text: string): number | undefined {
    const { display, wall } = this.#parts.shown;
    if (!/^[0-9]{2}:[0-9]{2}/.test(text)) return display.parseInstant(text);
    const ms = display.parseInstant(`${display.dateTime(wall()).slice(0, 10)} ${text}`);
    return ms !== undefined && ms > wall() ? ms - DAY_MS : ms;
  }

  #createTable(isUnfolded: boolean): TablePane {
    return new TablePane(this.#parts, {
      title: this.#kind.title,
      subject: () => this.#kind.subjectText(this.#parts),
      isFreezable: false,
      status: () => this.status,
      records: () => this.#records(isUnfolded),
      emptyText: () =>
        this.#untilMs === undefined ? this.#kind.emptyText : "Nothing is listed before that time",
      keyOf: (row) => this.#keys.of(this.#rows?.recordOf?.(row) ?? row),
      missingText: () => this.#missingText,
      notes: () => this.notes,
      foot: (widthCells) => this.#foot(widthCells),
    });
  }

  /** Why there are no rows yet. Masked, since the URL of a listing may contain an owner. */
  get #missingText(): string {
    const error = this.#rows?.list.error;
    if (error !== undefined) return this.#parts.shown.masked(error);
    return (this.#rows === undefined && this.#kind.missing?.(this.#parts)) || "asking …";
  }

  #records(isUnfolded: boolean): readonly OpenRecord[] | undefined {
    const rows = this.#rows;
    if (rows === undefined || rows.list.respondedAtMs === undefined) return undefined;
    return rows.rows(isUnfolded);
  }

  #follow(): void {
    if (!this.#parts.isShown(this)) return;
    const { feed } = this.#parts.listings;
    const subject = feed && this.#kind.subject(this.#parts);
    if (subject === this.#subject) return;
    this.#subject = subject;
    this.#untilMs = undefined;
    this.#open();
  }

  #open(): void {
    this.#rows?.list.close();
    this.#message = "";
    let isFirstPage = true;
    this.#rows = this.#kind.open(this.#parts, {
      untilMs: this.#untilMs,
      onChange: () => {
        const list = this.#rows?.list;
        // The second page is requested right after the first: it proves where the first one ended.
        if (isFirstPage && list?.activity === "nothing" && list.error === undefined) {
          isFirstPage = false;
          list.loadOlder();
        }
        this.#parts.changes.notify();
      },
    });
    this.#rows?.list.loadOlder();
  }

  #lookAhead(): void {
    const { rows, selected } = this.pane.table;
    const at = selected === undefined ? 0 : rows.lastIndexOf(selected);
    if (rows.length - at <= AHEAD_ROWS) this.#rows?.list.loadOlder();
  }
}

/** Keys by identity: no field of a listing is sure to be unique. */
class RowKeys {
  readonly #keys = new WeakMap<object, string>();
  #last = 0;

  of(row: object): string {
    const key = this.#keys.get(row) ?? `${++this.#last}`;
    this.#keys.set(row, key);
    return key;
  }
}

function formatProof({ verdict, pages, joinedBy }: HistoryRows["list"]): readonly TitlePart[] {
  if (verdict?.isComplete === false) return [`NOT PROVEN: ${verdict.why}`];
  const joined = `${pages} ${pages === 1 ? "page" : "pages"}, no gap`;
  return [
    ...(verdict === undefined ? [] : ["all of it"]),
    ...(pages > 1 ? [[`${joined} (by ${joinedBy})`, joined, "no gap"]] : []),
  ];
}

/** Own fills: the listing, or its sums by day and market in its place. */
class FillsModel extends HistoryModel {
  readonly statement: FillsStatement;
  readonly #parts: Parts;
  #isStatement = false;

  constructor(parts: Parts) {
    super(parts, FILLS);
    this.#parts = parts;
    this.statement = new FillsStatement(parts);
    parts.changes.subscribe(() => this.#follow());
  }

  override get pane(): TablePane {
    return this.#isStatement ? this.statement.pane : super.pane;
  }

  override get typing(): Typing | undefined {
    return this.#isStatement ? this.statement.pane.typing : super.typing;
  }

  override get contexts(): readonly KeyContext[] {
    const { contexts, isRecordOpen } = this.pane;
    if (isRecordOpen) return contexts;
    return this.#isStatement ? ["statement", ...contexts] : [...super.contexts, "fills"];
  }

  override get feeds(): readonly FeedStatus[] {
    if (!this.#isStatement) return super.feeds;
    return [{ label: "statement", status: this.statement.status }];
  }

  override perform(action: Action): boolean {
    if (!this.#isStatement && action !== "statement") return super.perform(action);
    if (action === "refresh") this.statement.refresh();
    else if (this.#isStatement && this.pane.perform(action)) return true;
    else if (this.#parts.listings.feed?.readFills === undefined)
      this.#parts.showNotice("there is no statement here");
    else if (action === "statement" || action === "back") this.#isStatement = !this.#isStatement;
    else return false;
    this.#parts.changes.notify();
    return true;
  }

  #follow(): void {
    if (this.#isStatement && this.#parts.isShown(this)) this.statement.follow();
  }
}

// The three history views.

function historyView<Model extends HistoryModel>(
  name: string,
  action: Action,
  kind: HistoryKind,
  createModel: (parts: Parts) => Model,
): View<Model> {
  return {
    name,
    title: kind.title,
    action,
    isOfListings: true,
    isAvailable: (parts) =>
      parts.listings.feed !== undefined &&
      (kind.subject(parts) ?? kind.missing?.(parts)) !== undefined,
    ...(kind === FILLS ? { missing: ACCOUNT_MISSING } : {}),
    createModel,
  };
}

export const tradesView = historyView(
  "trades",
  "showTrades",
  TRADES,
  (parts) => new HistoryModel(parts, TRADES),
);
export const liquidationsView = historyView(
  "liquidations",
  "showLiquidations",
  LIQUIDATIONS,
  (parts) => new HistoryModel(parts, LIQUIDATIONS),
);
export const fillsView = historyView("fills", "showFills", FILLS, (parts) => new FillsModel(parts));
