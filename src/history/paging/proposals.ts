// Which cursors are worth a try before searching: a field of the last known row plus one, or how far the
// index moved over the last pages. A wrong proposal costs a request, never a row.
import { MAX_CURSOR } from "./bracket.ts";
import type { CursorField } from "./record-reading.ts";

/** A cursor to try, and who proposes it. */
export interface Proposal {
  readonly by: string;
  readonly cursor: bigint;
}

/** What proves pages when no field does: extrapolation and bisection. */
export const SEARCH = "search";

/** A field that was right is asked first from then on; one that was wrong this often more, never again. */
const SCORE_RIGHT = 3;
const SCORE_HOPELESS = -3;
/** How much of a page an extrapolated cursor aims at: the rest overlaps, in case that rows get sparser. */
const AIM_PERCENT = 92n;
/** Shorter and shorter steps after a first one that went too far. */
const EXTRAPOLATIONS = 3;

/** A page that was accepted: its cursor, and the number of its first row among all rows. */
interface Landing {
  readonly cursor: bigint;
  readonly firstRow: number;
  readonly length: number;
}

/** Cursors to try next, the likeliest first. */
export class Proposals<T> {
  readonly #fields: { readonly field: CursorField<T>; score: number }[];
  #landings: readonly Landing[] = [];

  /** @param proven fields that have proven pages in an earlier run */
  constructor(fields: readonly CursorField<T>[], proven: readonly string[] = []) {
    this.#fields = fields.map((field) => ({
      field,
      score: proven.includes(field.name) ? SCORE_RIGHT : 0,
    }));
    this.#sort();
  }

  /** Cursors for the page after this row, the most promising first; each is at least 0 and fits `before`. */
  after(tail: T): readonly Proposal[] {
    const byFields = this.#fields
      .filter(({ score }) => score > SCORE_HOPELESS)
      .flatMap(({ field }) => proposalOf(field, tail) ?? []);
    return [...byFields, ...this.#extrapolate()].filter(({ cursor }) => cursor <= MAX_CURSOR);
  }

  /** Cursors of answers that begin with one of these rows, by fields only, each higher than the last row's own. */
  from(anchors: readonly T[]): readonly Proposal[] {
    return anchors
      .flatMap((row) => this.#fields.flatMap(({ field }) => proposalOf(field, row) ?? []))
      .filter(({ cursor }) => cursor <= MAX_CURSOR);
  }

  /** The cursor after this row by a field that has just been right; undefined when none has. */
  leading(tail: Partial<T>): Proposal | undefined {
    const [best] = this.#fields;
    return best !== undefined && best.score >= SCORE_RIGHT
      ? proposalOf(best.field, tail as T)
      : undefined;
  }

  won({ by }: Proposal): void {
    for (const each of this.#fields) if (each.field.name === by) each.score = SCORE_RIGHT;
    this.#sort();
  }

  lost({ by }: Proposal): void {
    for (const each of this.#fields) if (each.field.name === by) each.score--;
    this.#sort();
  }

  landed(landing: Landing): void {
    this.#landings = [...this.#landings.slice(-1), landing];
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
    const step = (way * BigInt(last.length) * AIM_PERCENT) / (rows * 100n);
    return Array.from({ length: EXTRAPOLATIONS }, (_, i) => step >> BigInt(i))
      .filter((each) => each > 0n && each <= last.cursor)
      .map((each) => ({ by: SEARCH, cursor: last.cursor - each }));
  }
}

function proposalOf<T>({ name, value }: CursorField<T>, row: T): Proposal | undefined {
  const index = value(row);
  // Rows of the same index as the last one are asked again: that is the overlap.
  return index === undefined || index < 0n ? undefined : { by: name, cursor: index + 1n };
}
