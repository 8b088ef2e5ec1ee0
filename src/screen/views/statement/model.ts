// The user's choices in a statement: a day of its calendar, or the fills of that day.
import { type FillsOwner, fillMarketName, fillRow } from "../../../select/listing-rows.ts";
import { MASK } from "../../../select/mask.ts";
import type { PaneStatus } from "../../../select/status.ts";
import type { FillsRead } from "../../../statement/fills.ts";
import { type Statement, StatementFold } from "../../../statement/fold.ts";
import type { Clock } from "../../../units/clock.ts";
import { formatDecimal } from "../../../units/decimal.ts";
import { errorText } from "../../../units/monitor-error.ts";
import { formatIsoMs } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Action, KeyContext } from "../../keys.ts";
import type { FramedPane } from "../../panes/frame.tsx";
import { TablePane } from "../../table/pane.ts";
import { FILLS, formatOwnerMissing, getListingStatus, OWNER_MISSING } from "../history/listings.ts";
import { RowKeys } from "../history/model.ts";
import {
  ACCOUNT_MISSING,
  type FeedStatus,
  type Parts,
  type Typing,
  type View,
  type ViewModel,
} from "../view.ts";
import { type Calendar, dayAfter, paintCalendar, selectCalendar } from "./calendar.ts";

const NOT_DERIVED = "It cannot be derived from an address of the stream.";
const WEEK = 7;
const MONTH = 28;

interface Shown {
  readonly read: FillsRead;
  readonly statement: Statement;
  readonly calendar: Calendar;
  readonly isComplete: boolean;
  readonly atMs: number;
}

/** Statements use UTC days, whatever time zone is shown. */
const utcDay = (ms: number) => formatIsoMs(ms).replace(/T.*$/, "");

export class StatementModel implements ViewModel {
  readonly channels: readonly string[] = [];
  readonly #parts: Parts;
  readonly #calendarPane: FramedPane;
  readonly #dayPane: TablePane;
  readonly #keys = new RowKeys();
  #shown: Shown | undefined;
  #day = "";
  #fills: { readonly day: string; readonly rows: readonly OpenRecord[] | undefined } | undefined;
  #of: FillsOwner | undefined;
  #reading: AbortController | undefined;
  #rows = 0;
  #error: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#calendarPane = this.#createCalendar();
    this.#dayPane = this.#createDay();
    parts.changes.subscribe(() => {
      if (parts.isShown(this)) this.#follow();
    });
  }

  get pane(): FramedPane {
    return this.#fills === undefined ? this.#calendarPane : this.#dayPane;
  }

  get contexts(): readonly KeyContext[] {
    return this.#fills === undefined ? ["statement", "scroll"] : this.#dayPane.contexts;
  }

  get typing(): Typing | undefined {
    return this.#fills === undefined ? undefined : this.#dayPane.typing;
  }

  get feeds(): readonly FeedStatus[] {
    return [{ label: "statement", status: this.status }];
  }

  get status(): PaneStatus {
    const note = this.#reading === undefined ? "" : `asking, ${this.#rows} fills so far`;
    return getListingStatus(this.#parts, this.#shown?.atMs, this.#error, note);
  }

  onShow(): void {
    this.#follow();
  }

  perform(action: Action): boolean {
    if (this.#fills !== undefined) {
      if (this.#dayPane.perform(action)) return true;
      if (action !== "back") return false;
      this.#fills = undefined;
      this.#parts.changes.notify();
      return true;
    }
    const steps = STEPS[action];
    if (steps !== undefined) this.#moveBy(steps);
    else if (action === "scrollHome") this.#moveBy(Number.NEGATIVE_INFINITY);
    else if (action === "refresh") this.#read();
    else if (action === "openDay") this.#openDay();
    else return false;
    this.#parts.changes.notify();
    return true;
  }

  #follow(): void {
    const owner = this.#parts.listings.feed?.owner;
    if (owner === this.#of) return;
    this.#of = owner;
    this.#shown = undefined;
    this.#fills = undefined;
    this.#read();
  }

  #read(): void {
    const { feed } = this.#parts.listings;
    const owner = this.#of;
    this.#reading?.abort();
    if (feed?.readFills === undefined || owner === undefined) return;
    const reading = new AbortController();
    this.#reading = reading;
    this.#rows = 0;
    this.#error = undefined;
    const onRows = (rows: number) => {
      this.#rows = rows;
      this.#parts.changes.notify();
    };
    readStatement(feed.readFills(owner, reading.signal, onRows), owner, feed.clock, reading.signal)
      .then(
        (shown) => {
          if (!reading.signal.aborted) this.#take(shown);
        },
        (error: unknown) => {
          if (!reading.signal.aborted) this.#error = errorText(error);
        },
      )
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
        this.#parts.changes.notify();
      });
  }

  #take(shown: Shown): void {
    this.#shown = shown;
    const { months, days } = shown.calendar;
    const isAvailable = months.includes(this.#day.slice(0, 7));
    if (!isAvailable) this.#day = [...days.keys()].at(-1) ?? "";
  }

  #moveBy(days: number): void {
    const { calendar } = this.#shown ?? {};
    if (calendar === undefined || this.#day === "") return;
    this.#day = Number.isFinite(days)
      ? dayAfter(calendar, this.#day, days)
      : ([...calendar.days.keys()].at(-1) ?? this.#day);
  }

  #openDay(): void {
    const { read, calendar } = this.#shown ?? {};
    const [day, owner] = [this.#day, this.#of];
    if (read === undefined || owner === undefined || !calendar?.days.has(day)) return;
    this.#fills = { day, rows: undefined };
    void this.#listDay(read, day, owner).catch((error: unknown) => {
      this.#fills = undefined;
      this.#error = errorText(error);
      this.#parts.changes.notify();
    });
  }

  async #listDay({ pages }: FillsRead, day: string, owner: FillsOwner): Promise<void> {
    const rows: OpenRecord[] = [];
    for await (const fills of pages()) {
      const own = fills.filter(({ timestamp_ms }) => utcDay(timestamp_ms) === day);
      const { store } = this.#parts.shown;
      rows.push(...own.map((fill) => fillRow(fill, owner, fillMarketName(fill, store))));
    }
    if (this.#fills?.day !== day) return;
    this.#fills = { day, rows: rows.reverse() };
    this.#parts.changes.notify();
  }

  /** Most important first: a narrow title keeps that. */
  get #notes(): readonly string[] {
    const owner = FILLS.subjectText(this.#parts);
    if (this.#shown === undefined) return [owner];
    const { statement, isComplete, read } = this.#shown;
    const { display, isMasked } = this.#parts.shown;
    const { realisedQuote, feesQuote, fills } = statement.totals;
    const money = (amount: typeof feesQuote) =>
      isMasked ? MASK : display.money(formatDecimal(amount));
    return [
      isComplete ? "" : `NOT PROVEN: ${this.#parts.shown.masked(read.proof)}`,
      `realised ${money(realisedQuote)}`,
      isComplete ? "proven" : "",
      owner,
      `fees ${money(feesQuote)}`,
      `${fills} fills`,
      "days of UTC, realised less fees",
      ...read.notes.map((note) => this.#parts.shown.masked(note)),
    ];
  }

  #createCalendar(): FramedPane {
    const { shown } = this.#parts;
    return {
      channels: () => [],
      title: () => ["Statement", ...this.#notes],
      status: () => this.status,
      isFocused: () => true,
      isFreezable: false,
      paint: (surface, inner, theme) => {
        const { calendar } = this.#shown ?? {};
        if (calendar === undefined || this.#day === "") {
          const missing = formatOwnerMissing(this.#parts);
          const pending = calendar === undefined ? (this.#error ?? "asking …") : FILLS.emptyText;
          surface.text(inner.x, inner.y, shown.masked(missing ?? pending), theme.dim);
          if (missing === OWNER_MISSING) surface.text(inner.x, inner.y + 1, NOT_DERIVED, theme.dim);
          return;
        }
        const { display, isMasked } = shown;
        paintCalendar({ surface, inner, theme, display, isMasked, calendar, day: this.#day });
      },
    };
  }

  #createDay(): TablePane {
    return new TablePane(this.#parts, {
      title: "Fills of",
      subject: () => this.#fills?.day ?? "",
      isFreezable: false,
      status: () => this.status,
      records: () => this.#fills?.rows,
      missingText: () => "reading …",
      keyOf: (row) => this.#keys.of(row),
    });
  }
}

const STEPS: Readonly<Partial<Record<Action, number>>> = {
  dayNext: 1,
  dayPrevious: -1,
  scrollDown: WEEK,
  scrollUp: -WEEK,
  scrollPageDown: MONTH,
  scrollPageUp: -MONTH,
};

async function readStatement(
  reading: Promise<FillsRead>,
  owner: FillsOwner,
  clock: Clock,
  signal: AbortSignal,
): Promise<Shown> {
  const read = await reading;
  const fold = new StatementFold(owner, utcDay);
  for await (const fills of read.pages()) {
    signal.throwIfAborted();
    // Lets frames and keys in between two pages.
    if (fold.fills > 0) await new Promise<void>((resolve) => clock.soon(resolve));
    for (const fill of fills) fold.add(fill);
  }
  const statement = fold.statement();
  const isComplete = read.isComplete && fold.unassigned === 0;
  const calendar = selectCalendar(statement.days);
  return { read, statement, calendar, isComplete, atMs: clock.now() };
}

export const statementView: View<StatementModel> = {
  name: "statement",
  title: "Statement",
  action: "showStatement",
  isOfListings: true,
  isAvailable: (parts) =>
    parts.listings.feed?.readFills !== undefined &&
    (parts.listings.feed.owner !== undefined || formatOwnerMissing(parts) !== undefined),
  missing: ACCOUNT_MISSING,
  createModel: (parts) => new StatementModel(parts),
};
