// Which cursors are worth a try before searching: a field of one of the last known rows plus one, or how far the
// index moved over the last pages. A wrong proposal costs a request, never a row.
import { MAX_CURSOR } from "./cursors.ts";
import type { CursorField, RecordFields } from "./source.ts";

/** A cursor to try, and who proposes it. */
export interface Proposal {
  readonly by: string;
  readonly cursor: bigint;
  /** By a field: the cursor of the answer that begins with the last known row, or with one that shares its index. */
  readonly own?: bigint;
}

/** What proves pages when no field does: extrapolation and bisection. */
export const SEARCH = "search";

/** A field that was right is asked first from then on; one that was wrong this often more, never again. */
const SCORE_RIGHT = 3;
const SCORE_HOPELESS = -3;
/** How much of a page an extrapolated cursor aims at: the rest overlaps, in case that rows get sparser. */
const AIM_PERCENT = 92n;
/** The same of a pass that goes another way, and how much of a page its answers overlap at least. */
const OTHER_AIM_PERCENT = 61n;
const OTHER_OVERLAP = 0.31;
/** Last rows of an answer that are looked at for the one with which the next begins. */
const END_ROWS = 12;
/** An answer that overlaps more than this share of a page gets nowhere. */
const MOST_OVERLAP = 0.5;
/** Shorter and shorter steps after a first one that went too far. */
const EXTRAPOLATIONS = 3;

/** A page that was accepted: its cursor, and the number of its first row among all rows. */
interface Landing {
  readonly cursor: bigint;
  readonly firstRow: number;
  readonly length: number;
}

interface ProposalsOptions<T> {
  readonly fields: RecordFields<T>;
  /** Rows of a page. */
  readonly limit: number;
  /** Fields that have proven pages in an earlier run. */
  readonly proven?: readonly string[];
  /** Go from page to page by other cursors than a pass without this. */
  readonly isOtherWay?: boolean | undefined;
}

/** Cursors to try next, the likeliest first. */
export class Proposals<T> {
  readonly #fields: { readonly field: CursorField<T>; score: number }[];
  readonly #timeMs: (row: T) => number;
  readonly #limit: number;
  readonly #isOtherWay: boolean;
  #landings: readonly Landing[] = [];
  /** No field has been right since the search was. */
  #isSearched = false;
  /** Answers must begin with a row of another time: rows of one time could not be distinguished. */
  isBeginningHigher = false;

  constructor({ fields, limit, proven = [], isOtherWay = false }: ProposalsOptions<T>) {
    this.#timeMs = fields.timeMs;
    this.#limit = limit;
    this.#isOtherWay = isOtherWay;
    this.#fields = fields.cursorFields.map((field) => ({
      field,
      score: proven.includes(field.name) ? SCORE_RIGHT : 0,
    }));
    this.#sort();
  }

  /**
   * Cursors for the page after the last of these rows, the most promising first; each is at least 0 and fits `before`.
   * @param rows known ones, newest first
   */
  after(rows: readonly T[]): readonly Proposal[] {
    const byFields = this.#fields
      .filter(({ score }) => score > SCORE_HOPELESS)
      .flatMap(({ field }) => this.#propose(field, rows) ?? []);
    const bySearch = this.#extrapolate();
    const all = this.#isSearched ? [...bySearch, ...byFields] : [...byFields, ...bySearch];
    return all.filter(({ cursor }) => cursor <= MAX_CURSOR);
  }

  /** Cursors of answers that begin with one of these rows, by fields only, each higher than the last row's own. */
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

  /** The cursor after the last of these rows by a field that has just been right; undefined when none has. */
  leading(rows: readonly T[]): Proposal | undefined {
    const [best] = this.#fields;
    return best !== undefined && best.score >= SCORE_RIGHT
      ? this.#propose(best.field, rows)
      : undefined;
  }

  /** The same for an answer that is not read yet. @param end its last rows, as many as are asked for */
  leadingAtEnd(end: (count: number) => readonly Partial<T>[]): Proposal | undefined {
    const [best] = this.#fields;
    if (this.#isOtherWay || best === undefined || best.score < SCORE_RIGHT) return undefined;
    const rows = end(this.isBeginningHigher ? END_ROWS : 2) as readonly T[];
    const isSure = rows.length > 1 && this.#anchorOf(rows) !== undefined;
    return isSure ? this.#propose(best.field, rows) : undefined;
  }

  /** An answer at its cursor has proven itself. */
  won(by: string): void {
    this.#isSearched = by === SEARCH;
    for (const each of this.#fields) if (each.field.name === by) each.score = SCORE_RIGHT;
    this.#sort();
  }

  lost(by: string): void {
    for (const each of this.#fields) if (each.field.name === by) each.score--;
    this.#sort();
  }

  landed(landing: Landing): void {
    this.#landings = [...this.#landings.slice(-1), landing];
  }

  /**
   * How far the field that is the index moves from one row to another.
   * @param index of the lower row
   * @returns undefined where no field is the index
   */
  distance(index: bigint, from: T, to: T): bigint | undefined {
    for (const { field } of this.#fields) {
      const [high, low] = [field.value(from), field.value(to)];
      if (low === index && high !== undefined && high > low) return high - low;
    }
    return undefined;
  }

  /**
   * Cursors below which a row is known to be listed, but far below: those of the rows that stand furthest apart.
   * @param index of the last of these rows
   * @returns at most so many; none where no field is the index
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
   * The known row with which the next answer should begin: one that differs from the last one, so that it is sure where
   * the answer begins, and as near to it as can be; in another way, far above.
   */
  #anchorOf(rows: readonly T[]): T | undefined {
    const tail = rows.at(-1);
    if (tail === undefined) return undefined;
    const least = this.#isOtherWay ? Math.max(1, Math.floor(this.#limit * OTHER_OVERLAP)) : 1;
    const most = Math.max(least, Math.floor(this.#limit * MOST_OVERLAP));
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

  /** Rows for each step of the index, as over the last two pages. */
  #extrapolate(): Proposal[] {
    const [before, last] = this.#landings;
    if (before === undefined || last === undefined) return [];
    const rows = BigInt(last.firstRow - before.firstRow);
    const way = before.cursor - last.cursor;
    if (rows <= 0n || way <= 0n) return [];
    const aim = this.#isOtherWay ? OTHER_AIM_PERCENT : AIM_PERCENT;
    const step = (way * BigInt(last.length) * aim) / (rows * 100n);
    return Array.from({ length: EXTRAPOLATIONS }, (_, i) => step >> BigInt(i))
      .filter((each) => each > 0n && each <= last.cursor)
      .map((each) => ({ by: SEARCH, cursor: last.cursor - each }));
  }
}

function cursorOf<T>({ value }: CursorField<T>, row: T): bigint | undefined {
  const index = value(row);
  // Rows of the same index are asked again: that is the overlap.
  return index === undefined || index < 0n ? undefined : index + 1n;
}
