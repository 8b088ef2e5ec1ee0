// Does a response continue the known rows? Whatever `before` means: a response that begins among known rows and runs past the
// last of them leaves nothing out in between. Rows equal in every field can have different indexes, so it must be certain which
// known row the response begins with.
import type { KnownRows } from "./known-rows.ts";
import type { RecordFields } from "./source.ts";
import type { TextCounts } from "./text-counts.ts";

/**
 * Why a response proves nothing. `elsewhere`: it does not begin at a known row; `short`: it ends before the last known row;
 * `ambiguous`: it may begin with other rows that are equal to known ones; `hole`: it contains rows that should be known and are
 * not; `disordered`: its times are not newest first.
 */
export type Refusal = "empty" | "elsewhere" | "short" | "ambiguous" | "hole" | "disordered";

export type Judgement<T> =
  | {
      readonly isProof: true;
      /** Number of known rows in the response. */
      readonly overlap: number;
      /** Newest first; empty when the response ends with the last known row. */
      readonly fresh: readonly T[];
      readonly isReordered: boolean;
    }
  | { readonly isProof: false; readonly refusal: Refusal };

/**
 * Proof is an overlap with the known rows.
 * @param known at least one row
 * @param page as received
 */
export function judge<T extends object>(known: KnownRows<T>, page: readonly T[]): Judgement<T> {
  const [first] = page;
  if (first === undefined) return refuse("empty");
  if (!isNewestFirst(known.fields, page)) return refuse("disordered");
  if (known.positionOf(first) !== "known") return refuse("elsewhere");
  // Rows older than the tail cannot be known.
  const { tailMs } = known;
  const older = page.findIndex((row) => known.fields.timeMs(row) < tailMs);
  const upper = older < 0 ? page : page.slice(0, older);
  const counts = known.countsOf(upper);
  const overlap = matchFromTail(known, counts);
  if (overlap === 0) return refuse("short");
  if (!isPlaced(known, overlap, upper)) return judgeInOrder(known, page, upper.length);
  const { unmatched, isReordered } = pickUnmatched(known, upper, counts);
  if (unmatched.some((row) => known.fields.timeMs(row) > tailMs)) return refuse("hole");
  if (isAnyKnown(known, overlap, unmatched)) return refuse("ambiguous");
  const fresh = older < 0 ? unmatched : [...unmatched, ...page.slice(older)];
  return { isProof: true, overlap, fresh, isReordered };
}

function refuse(refusal: Refusal): { isProof: false; refusal: Refusal } {
  return { isProof: false, refusal };
}

/** True when no row is newer than its predecessor. */
export function isNewestFirst<T>({ timeMs }: RecordFields<T>, page: readonly T[]): boolean {
  let last = Number.POSITIVE_INFINITY;
  for (const row of page) {
    const ms = timeMs(row);
    if (ms > last) return false;
    last = ms;
  }
  return true;
}

/** Removes known rows from the counts, from the tail up, until one is missing. @returns how many were removed */
function matchFromTail<T extends object>(known: KnownRows<T>, counts: TextCounts): number {
  const { rows } = known;
  return rows.length - 1 - rows.findLastIndex((row) => !counts.take(known.textOf(row)));
}

/** Fewer rows of one millisecond are handled by a response that begins above them. */
const LONG_TIES = 8;

/**
 * Is it certain which known rows the response repeats? Yes, if it repeats one of a later time than the tail: all rows of that
 * time are above, and known. Otherwise it must repeat at least two rows of the tail's time, and either ids fall from row to row
 * (an equal row further below would have to rise), or there are many rows, all different.
 */
function isPlaced<T extends object>(
  known: KnownRows<T>,
  overlap: number,
  upper: readonly T[],
): boolean {
  const { rows, fields, tailMs } = known;
  const highest = rows[rows.length - overlap];
  if (highest === undefined || fields.timeMs(highest) > tailMs) return true;
  if (overlap < 2) return false;
  const ties = known.ties();
  const [field] = fields.cursorFields;
  const isFallingInBoth =
    field !== undefined && isFalling(ties, field.value) && isFalling(upper, field.value);
  if (isFallingInBoth) return true;
  return ties.length >= LONG_TIES && isDistinct(known, ties) && isDistinct(known, upper);
}

function isDistinct<T extends object>(known: KnownRows<T>, rows: readonly T[]): boolean {
  return new Set(rows.map((row) => known.textOf(row))).size === rows.length;
}

function isFalling<T>(rows: readonly T[], value: (row: T) => bigint | undefined): boolean {
  let last: bigint | undefined;
  for (const row of rows) {
    const id = value(row);
    if (id === undefined || (last !== undefined && id >= last)) return false;
    last = id;
  }
  return true;
}

/**
 * For a tail among too many rows of one time for a response to begin above them: the response must begin with exactly the last
 * known rows, in only one possible alignment, and not within a run of equal rows. At least two of these rows must differ, because
 * a run alone could be a different run; none of them may occur further above, and no equal row may follow except the rest of the
 * tail's run.
 * @param upper number of rows of the page that are not older than the tail
 */
function judgeInOrder<T extends object>(
  known: KnownRows<T>,
  page: readonly T[],
  upper: number,
): Judgement<T> {
  const ties = known.ties();
  if (ties.length < LONG_TIES) return refuse("ambiguous");
  const held = ties.map((row) => known.textOf(row));
  const texts = page.slice(0, upper).map((row) => known.textOf(row));
  const [overlap = 0, ...others] = findAlignments(held, texts);
  const repeated = new Set(texts.slice(0, overlap));
  const isRunCut = held[held.length - overlap - 1] === texts[0];
  if (others.length > 0 || repeated.size < 2 || isRunCut) return refuse("ambiguous");
  if (held.slice(0, -overlap).some((text) => repeated.has(text))) return refuse("ambiguous");
  const fresh = page.slice(overlap);
  const isTwin = texts.slice(overlap).some((text) => text !== held.at(-1) && repeated.has(text));
  if (isTwin || isAnyKnown(known, overlap, fresh)) return refuse("ambiguous");
  return { isProof: true, overlap, fresh, isReordered: false };
}

/** Lengths of suffixes of `some` that are prefixes of `others`. */
function findAlignments(some: readonly string[], others: readonly string[]): number[] {
  const most = Math.min(some.length, others.length);
  return Array.from({ length: most }, (_, i) => i + 1).filter((count) => {
    const start = some.length - count;
    return others.every((text, i) => i >= count || text === some[start + i]);
  });
}

/**
 * True if an unmatched row equals a known row of the tail's time above the overlap. It may be that very row, if each response
 * holds a different part of a large group.
 */
function isAnyKnown<T extends object>(
  known: KnownRows<T>,
  overlap: number,
  unmatched: readonly T[],
): boolean {
  if (unmatched.length === 0) return false;
  const ties = known.ties();
  const above = known.countsOf(ties.slice(0, Math.max(0, ties.length - overlap)));
  return above.size > 0 && unmatched.some((row) => above.has(known.textOf(row)));
}

/** Consumes the counts. @returns the unmatched rows; of equal rows, the older ones */
function pickUnmatched<T extends object>(
  known: KnownRows<T>,
  rows: readonly T[],
  counts: TextCounts,
): { unmatched: T[]; isReordered: boolean } {
  const unmatched: T[] = [];
  const matched: string[] = [];
  let isReordered = false;
  for (const row of rows.toReversed()) {
    const text = known.textOf(row);
    if (counts.take(text)) {
      unmatched.push(row);
      // A known row is below it.
      isReordered ||= matched.length > 0;
    } else matched.push(text);
  }
  isReordered ||= matched.some((text, i) => {
    const row = known.rows.at(-1 - i);
    return row !== undefined && known.textOf(row) !== text;
  });
  return { unmatched: unmatched.reverse(), isReordered };
}
