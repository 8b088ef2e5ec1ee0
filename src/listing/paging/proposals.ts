// Cursors worth trying before a search: a field of one of the last known rows plus one, or an extrapolation from the last pages.
// A wrong proposal costs a request, never a row.
import { MAX_CURSOR } from "./cursors.ts";
import type { CursorField, RecordFields } from "./source.ts";

/** A cursor and where it comes from. */
export interface Proposal {
  readonly by: string;
  readonly cursor: bigint;
  /** For fields: the cursor of the response that begins with the last known row, or with one that shares its index. */
  readonly own?: bigint;
}

/** Stands for extrapolation and bisection. */
export const SEARCH = "search";

/** The score that makes a field the first choice, and the one that excludes it. */
const SCORE_RIGHT = 3;
const SCORE_HOPELESS = -3;
/** Percentage of a page by which an extrapolation advances: the rest overlaps, in case rows get sparser. */
const AIM_PERCENT = 92n;
/** The same for a pass by other cursors; then its minimum overlap. */
const OTHER_AIM_PERCENT = 61n;
const OTHER_OVERLAP = 0.31;
/** How many last rows of a response are searched for the row to begin the next one with. */
const END_ROWS = 12;
/** Maximum share of a page that may overlap. */
const MAX_OVERLAP = 0.5;
/** Each is half as long as the previous one. */
const EXTRAPOLATIONS = 3;

/** An accepted page; `firstRow` is counted from the first row of the listing. */
interface Landing {
  readonly cursor: bigint;
  readonly firstRow: number;
  readonly length: number;
}

interface ProposalsOptions<T> {
  readonly fields: RecordFields<T>;
  readonly limit: number;
  /** Fields that proved pages in an earlier run. */
  readonly proven?: readonly string[];
  readonly usesOtherCursors?: boolean | undefined;
}

export class Proposals<T> {
  readonly #fields: { readonly field: CursorField<T>; score: number }[];
  readonly #timeMs: (row: T) => number;
  readonly #limit: number;
  readonly #usesOtherCursors: boolean;
  #landings: readonly Landing[] = [];
  /** The search was right last time, not a field. */
  #isSearched = false;
  /** Responses must begin with a row of another time, because rows of one time cannot be distinguished. */
  isBeginningHigher = false;

  constructor({ fields, limit, proven = [], usesOtherCursors = false }: ProposalsOptions<T>) {
    this.#timeMs = fields.timeMs;
    this.#limit = limit;
    this.#usesOtherCursors = usesOtherCursors;
    this.#fields = fields.cursorFields.map((field) => ({
      field,
      score: proven.includes(field.name) ? SCORE_RIGHT : 0,
    }));
    this.#sort();
  }

  /** Most promising cursor first; each is at least 0 and fits `before`. @param rows known rows, newest first */
  after(rows: readonly T[]): readonly Proposal[] {
    const byFields = this.#fields
      .filter(({ score }) => score > SCORE_HOPELESS)
      .flatMap(({ field }) => this.#propose(field, rows) ?? []);
    const bySearch = this.#extrapolate();
    const all = this.#isSearched ? [...bySearch, ...byFields] : [...byFields, ...bySearch];
    return all.filter(({ cursor }) => cursor <= MAX_CURSOR);
  }

  /** Proposals by fields, for responses that begin with one of these rows. */
  from(anchors: readonly T[]): readonly Proposal[] {
    return anchors
      .flatMap((row) =>
        this.#fields.flatMap(({ field }) => {
          const cursor = cursorOf(field, row);
          return cursor === undefined ? [] : { by: field.name, cursor };
        }),
      )
      .filter(({ cursor }) => cursor <= MAX_CURSOR);
  }

  /** By the field that was right last time, if any. */
  leading(rows: readonly T[]): Proposal | undefined {
    const [best] = this.#fields;
    return best !== undefined && best.score >= SCORE_RIGHT
      ? this.#propose(best.field, rows)
      : undefined;
  }

  /** The same for an unparsed response. @param end returns its last rows */
  leadingAtEnd(end: (count: number) => readonly Partial<T>[]): Proposal | undefined {
    const [best] = this.#fields;
    if (this.#usesOtherCursors || best === undefined || best.score < SCORE_RIGHT) return undefined;
    const rows = end(this.isBeginningHigher ? END_ROWS : 2) as readonly T[];
    const isSure = rows.length > 1 && this.#anchorOf(rows) !== undefined;
    return isSure ? this.#propose(best.field, rows) : undefined;
  }

  won(by: string): void {
    this.#isSearched = by === SEARCH;
    for (const entry of this.#fields) if (entry.field.name === by) entry.score = SCORE_RIGHT;
    this.#sort();
  }

  lost(by: string): void {
    for (const entry of this.#fields) if (entry.field.name === by) entry.score--;
    this.#sort();
  }

  landed(landing: Landing): void {
    this.#landings = [...this.#landings.slice(-1), landing];
  }

  /**
   * How far the field that is the index moves between two rows.
   * @param index of the lower row
   * @returns undefined if no field is the index
   */
  distance(index: bigint, from: T, to: T): bigint | undefined {
    for (const { field } of this.#fields) {
      const [high, low] = [field.value(from), field.value(to)];
      if (low === index && high !== undefined && high > low) return high - low;
    }
    return undefined;
  }

  /**
   * Cursors above the widest gaps: the row that follows is far below.
   * @param index of the last of these rows
   * @returns at most `most`; none if no field is the index
   */
  widest(index: bigint, rows: readonly T[], most: number): readonly bigint[] {
    const tail = rows.at(-1);
    const best = this.#fields.find(({ field }) => tail && field.value(tail) === index)?.field;
    if (best === undefined) return [];
    const values = rows.map((row) => best.value(row) ?? 0n);
    const gaps = values
      .slice(0, -1)
      .map((cursor, i) => ({ cursor, gap: cursor - (values[i + 1] ?? cursor) }));
    return gaps
      .filter(({ gap }) => gap > 1n)
      .sort((a, b) => (a.gap > b.gap ? -1 : 1))
      .slice(0, most)
      .map(({ cursor }) => cursor);
  }

  /**
   * The known row with which the next response should begin: the nearest one that differs from the last row, so that the
   * beginning is unambiguous; with `usesOtherCursors`, one far above.
   */
  #anchorOf(rows: readonly T[]): T | undefined {
    const tail = rows.at(-1);
    if (tail === undefined) return undefined;
    const least = this.#usesOtherCursors ? Math.max(1, Math.floor(this.#limit * OTHER_OVERLAP)) : 1;
    const most = Math.max(least, Math.floor(this.#limit * MAX_OVERLAP));
    for (let above = least; above <= most && above < rows.length; above++) {
      const row = rows[rows.length - 1 - above] as T;
      if (this.#differs(row, tail)) return row;
    }
    return undefined;
  }

  #differs(row: T, tail: T): boolean {
    if (this.#timeMs(row) !== this.#timeMs(tail)) return true;
    if (this.isBeginningHigher) return false;
    return this.#fields.some(({ field }) => field.value(row) !== field.value(tail));
  }

  #propose(field: CursorField<T>, rows: readonly T[]): Proposal | undefined {
    const tail = rows.at(-1);
    const own = tail === undefined ? undefined : cursorOf(field, tail);
    if (own === undefined) return undefined;
    const anchor = this.#anchorOf(rows);
    const cursor = anchor === undefined ? undefined : cursorOf(field, anchor);
    return { by: field.name, cursor: cursor === undefined || cursor < own ? own : cursor, own };
  }

  #sort(): void {
    this.#fields.sort((a, b) => b.score - a.score);
  }

  /** At the rows per index unit of the last two pages. */
  #extrapolate(): Proposal[] {
    const [before, last] = this.#landings;
    if (before === undefined || last === undefined) return [];
    const rows = BigInt(last.firstRow - before.firstRow);
    const distance = before.cursor - last.cursor;
    if (rows <= 0n || distance <= 0n) return [];
    const aim = this.#usesOtherCursors ? OTHER_AIM_PERCENT : AIM_PERCENT;
    const step = (distance * BigInt(last.length) * aim) / (rows * 100n);
    return Array.from({ length: EXTRAPOLATIONS }, (_, i) => step >> BigInt(i))
      .filter((each) => each > 0n && each <= last.cursor)
      .map((each) => ({ by: SEARCH, cursor: last.cursor - each }));
  }
}

function cursorOf<T>({ value }: CursorField<T>, row: T): bigint | undefined {
  const index = value(row);
  // The next response repeats rows of the same index: that is the overlap.
  return index === undefined || index < 0n ? undefined : index + 1n;
}
