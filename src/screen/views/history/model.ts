// What the user has chosen in one of the history views: which listing, from what time, what is unfolded.
import type { Verdict } from "../../../listing/paging/verdict.ts";
import { fitWords } from "../../../select/columns.ts";
import { type PaneStatus, WAITING } from "../../../select/status.ts";
import { DAY_MS, formatAge } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { PaneView, type TitlePart } from "../../panes/frame.tsx";
import { signStyle } from "../../panes/pieces.ts";
import { TableModel, TablePane } from "../../table/pane.ts";
import { CARET, TextField } from "../../text-field.ts";
import { ACCOUNT_MISSING, type FeedStatus, type Parts, type Typing, type View } from "../view.ts";
import { FILLS, type HistoryKind, type HistoryRows, LIQUIDATIONS, TRADES } from "./listings.ts";
import { isMarkout } from "./markouts.ts";

/** An older page is asked for when the selection comes so near to the last row: one page ahead. */
const AHEAD_ROWS = 200;

/** Between two looks for newer rows while a listing is shown. */
const FOLLOW_MS = 5000;

const JUMP_HINT = "2025-11-21 10:00; empty: the newest";

/** What stands before and behind a line that is typed. */
interface Prompt {
  readonly label: string;
  readonly hint: string;
}

const SCROLLS = new Set<Action>(["scrollDown", "scrollPageDown", "scrollEnd"]);

/** What the user has chosen in the view of a listing, and the rows that were read. */
export class HistoryModel extends TableModel {
  /** Folded rows and unfolded ones have other columns, and an order and a filter of their own. */
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
  #asked: (Prompt & { readonly field: TextField }) | undefined;
  /** What a jump or an export has to say. */
  #words = "";

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

  get keyWords() {
    return this.#kind.isUnfolding ? {} : { unfold: "" };
  }

  override get typing(): Typing | undefined {
    return this.#asked?.field ?? super.typing;
  }

  override get contexts(): readonly KeyContext[] {
    const { contexts } = this.pane;
    return contexts[0] === "table" ? ["history", ...contexts] : contexts;
  }

  get feeds(): readonly FeedStatus[] {
    return [{ label: this.#kind.title.toLowerCase(), status: this.status }];
  }

  /** How old the listing is, and what is being asked. A listing is never live: it is as it was when it was asked. */
  get status(): PaneStatus {
    const { shown } = this.#parts;
    const list = this.#rows?.history.list;
    if (list === undefined) return WAITING;
    const { answeredAtMs, error, activity } = list;
    const age = answeredAtMs === undefined ? "" : this.#ageWords(answeredAtMs);
    if (error !== undefined) return { state: "offline", age, note: shown.seen(error) };
    if (answeredAtMs === undefined) return { ...WAITING, note: "asking" };
    const isAsked = activity === "older" || activity === "newer";
    const note = isAsked ? `asking for ${activity} rows` : "";
    return { state: "listed", age, note };
  }

  /** `as of 00:45:52, 6m03s ago`. */
  #ageWords(answeredAtMs: number): string {
    const { shown, listings } = this.#parts;
    const nowMs = listings.feed?.clock.now() ?? shown.now();
    const wallMs = shown.wall() - shown.now() + answeredAtMs;
    return `as of ${shown.display.timeOfDay(wallMs)}, ${formatAge(Math.max(0, nowMs - answeredAtMs))} ago`;
  }

  /** From when on, how it is proven, and how far back it goes. */
  get notes(): readonly TitlePart[] {
    const rows = this.#rows;
    if (rows === undefined) return [];
    const { list } = rows.history;
    const { display } = this.#parts.shown;
    const last = list.rows.at(-1);
    return [
      this.#untilMs === undefined ? "" : `from ${display.dateTime(this.#untilMs)} back`,
      ...formatProof(list),
      last === undefined ? "" : `back to ${display.dateTime(last.timestamp_ms)}`,
      noneOlderWords(list.verdict),
    ];
  }

  /** What stands below the rows: what is typed, what a jump or an export has to say, or those sums that fit whole. */
  #foot(widthCells: number): string {
    const rows = this.#rows;
    if (this.#asked !== undefined) {
      const { label, hint, field } = this.#asked;
      const words = this.#words || hint;
      return `${label} ${field.text}${CARET}${words && ` (${words})`}`;
    }
    if (this.#words !== "" || rows === undefined) return this.#parts.shown.seen(this.#words);
    if (rows.history.list.isFull) return "no more rows are held: X exports them all";
    return this.#parts.shown.isMasked
      ? ""
      : fitWords(rows.totals(this.#parts.shown.display), widthCells);
  }

  onShow(): void {
    this.#follow();
  }

  /** Newer rows come by themselves. */
  tick(): void {
    const { feed } = this.#parts.listings;
    const list = this.#rows?.history.list;
    if (list === undefined || feed === undefined || !this.#isFollowed) return;
    const nowMs = feed.clock.now();
    const dueMs = Math.max(this.#followAtMs, (list.answeredAtMs ?? nowMs) + FOLLOW_MS);
    if (nowMs < dueMs) return;
    this.#followAtMs = nowMs + FOLLOW_MS;
    list.follow();
  }

  /** Not while another view or another time is looked at, nor while the screen stands still. */
  get #isFollowed(): boolean {
    const { shown } = this.#parts;
    return this.#parts.isShown(this) && !shown.isFrozen && this.#untilMs === undefined;
  }

  override perform(action: Action): boolean {
    const act = ACTIONS[action];
    if (act !== undefined && this.contexts[0] === "history") {
      act(this);
      this.#parts.changes.notify();
      return true;
    }
    const isDone = super.perform(action);
    if (SCROLLS.has(action)) this.#lookAhead();
    return isDone;
  }

  refresh(): void {
    this.#follow();
    this.#rows?.history.list.refresh();
  }

  toggleUnfolded(): void {
    if (this.#kind.isUnfolding) this.#isUnfolded = !this.#isUnfolded;
  }

  startJump(): void {
    this.#ask({ label: "time", hint: JUMP_HINT }, "", (text) => this.#jumpTo(text));
  }

  /** @param take false where the text is wrong: it can be mended then */
  #ask(prompt: Prompt, text: string, take: (text: string) => boolean): void {
    this.#words = "";
    const onChange = () => {
      this.#words = "";
      this.#parts.changes.notify();
    };
    const onEnd = (isAccepted: boolean) => {
      this.#asked = undefined;
      this.#words = "";
      if (isAccepted && !take(field.text.trim())) this.#asked = { ...prompt, field };
      this.#parts.changes.notify();
    };
    const field = new TextField({ text, onChange, onEnd });
    this.#asked = { ...prompt, field };
  }

  /** Asks for the file to which all that is listed goes, or what the filter finds. */
  askExport(): void {
    const { feed } = this.#parts.listings;
    if (this.#rows === undefined || feed === undefined) return;
    const filter = this.pane.table.filter.trim();
    const label = filter === "" ? "export to" : `export rows with ${filter} to`;
    this.#ask({ label, hint: "" }, feed.fileName(this.#rows.name), (path) => {
      if (path !== "") this.export(path);
      return true;
    });
  }

  /** Writes all that the service lists, or what the filter finds of it, to a new file. */
  export(path: string): void {
    const rows = this.#rows;
    const { feed } = this.#parts.listings;
    if (rows === undefined || feed === undefined) return;
    const filter = this.pane.table.filter.trim();
    const request = rows.request({ path, filter, isUnfolded: this.#isUnfolded });
    feed.export(request, (words) => {
      const isWarned = request.kind === "fills" && this.#parts.shown.isMasked;
      this.#words = isWarned ? `NOT MASKED in the file: ${words}` : words;
      this.#parts.changes.notify();
    });
  }

  /** Empty text goes back to the newest. False for a text that is no time. */
  #jumpTo(text: string): boolean {
    const ms = text === "" ? undefined : this.#parseInstant(text);
    if (text !== "" && ms === undefined) {
      this.#words = "not a time: 10:00, 2025-11-21 10:00 or Unix ms";
      return false;
    }
    this.#untilMs = ms;
    this.#open();
    return true;
  }

  /** A time of day alone is the last one. */
  #parseInstant(text: string): number | undefined {
    const { display, wall } = this.#parts.shown;
    if (!/^[0-9]{2}:[0-9]{2}/.test(text)) return display.parseInstant(text);
    const ms = display.parseInstant(`${display.dateTime(wall()).slice(0, 10)} ${text}`);
    return ms !== undefined && ms > wall() ? ms - DAY_MS : ms;
  }

  #createTable(isUnfolded: boolean): TablePane {
    const emptyWords = () =>
      this.#untilMs === undefined ? this.#kind.emptyWords : "Nothing is listed before that time";
    return new TablePane(this.#parts, {
      title: this.#kind.title,
      subject: () => this.#kind.subjectWords(this.#parts),
      isFreezable: false,
      status: () => this.status,
      records: () => this.#records(isUnfolded),
      get emptyWords() {
        return emptyWords();
      },
      keyOf: (row) => this.#keys.of(this.#rows?.recordOf?.(row) ?? row),
      lookOf: (row, column) => (isMarkout(column) ? signStyle(String(row[column])) : undefined),
      missingWords: () => this.#missingWords,
      notes: () => this.notes,
      foot: (widthCells) => this.#foot(widthCells),
    });
  }

  /** Why there are no rows yet. The address of a listing may name an owner. */
  get #missingWords(): string {
    const error = this.#rows?.history.list.error;
    if (error !== undefined) return this.#parts.shown.seen(error);
    return (this.#rows === undefined && this.#kind.missing?.(this.#parts)) || "asking …";
  }

  #records(isUnfolded: boolean): readonly OpenRecord[] | undefined {
    const rows = this.#rows;
    if (rows === undefined || rows.history.list.answeredAtMs === undefined) return undefined;
    return rows.rows(isUnfolded);
  }

  /** Another market or another owner is another listing. */
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
    this.#rows?.history.list.close();
    this.#words = "";
    const isFirst = { isIt: true };
    this.#rows = this.#kind.open(this.#parts, {
      untilMs: this.#untilMs,
      onChange: () => {
        const list = this.#rows?.history.list;
        // The second page right after the first: it is what proves where the first one ended.
        if (isFirst.isIt && list?.activity === "nothing" && list.error === undefined) {
          isFirst.isIt = false;
          list.loadOlder();
        }
        this.#parts.changes.notify();
      },
    });
    this.#rows?.history.list.loadOlder();
  }

  #lookAhead(): void {
    const { rows, selected } = this.pane.table;
    const at = selected === undefined ? 0 : rows.lastIndexOf(selected);
    if (rows.length - at <= AHEAD_ROWS) this.#rows?.history.list.loadOlder();
  }
}

/** Rows by themselves: no field of a listing is sure to be unique. */
export class RowKeys {
  readonly #keys = new WeakMap<object, string>();
  #last = 0;

  of(row: object): string {
    const key = this.#keys.get(row) ?? `${++this.#last}`;
    this.#keys.set(row, key);
    return key;
  }
}

const ACTIONS: Readonly<Partial<Record<Action, (model: HistoryModel) => void>>> = {
  refresh: (model) => model.refresh(),
  jump: (model) => model.startJump(),
  unfold: (model) => model.toggleUnfolded(),
  export: (model) => model.askExport(),
};

/** What was proven, in less and less room. */
function formatProof({
  verdict,
  pages,
  provenBy,
}: HistoryRows["history"]["list"]): readonly TitlePart[] {
  if (verdict?.isComplete === false) return [`NOT PROVEN: ${verdict.detail}`];
  const joined = `${pages} ${pages === 1 ? "page" : "pages"}, no gap`;
  const isJoined = pages > 1 && provenBy !== "";
  return [
    ...(verdict === undefined ? [] : ["all of it"]),
    ...(isJoined ? [[`${joined} (by ${provenBy})`, joined, "no gap"]] : []),
  ];
}

/** What the end rests on, in little room. */
function noneOlderWords(verdict: Verdict | undefined): readonly string[] {
  if (verdict?.isComplete !== true || verdict.nothingBelow === undefined) return [];
  const { probes, isRefused } = verdict.nothingBelow;
  if (isRefused) return ["requests for older rows are refused", "older refused"];
  const requests = `${probes} ${probes === 1 ? "request" : "requests"}`;
  return [`no older row in ${requests}`, "none older"];
}

// The three history views.

function historyView(name: string, action: Action, kind: HistoryKind): View<HistoryModel> {
  return {
    name,
    title: kind.title,
    action,
    isOfListings: true,
    isThere: (parts) =>
      parts.listings.feed !== undefined &&
      (kind.subject(parts) ?? kind.missing?.(parts)) !== undefined,
    ...(kind === FILLS ? { missing: ACCOUNT_MISSING } : {}),
    createModel: (parts) => new HistoryModel(parts, kind),
    Component: PaneView,
  };
}

export const tradesView = historyView("trades", "showTrades", TRADES);
export const liquidationsView = historyView("liquidations", "showLiquidations", LIQUIDATIONS);
export const fillsView = historyView("fills", "showFills", FILLS);
