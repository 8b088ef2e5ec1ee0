// Does an answer continue what is known? The one rule that holds whatever `before` means: an answer that
// begins among known rows and runs past the last of them leaves nothing out between. Rows that are equal in every field
// can each have an index of their own, so it must be sure which of the known rows it begins with.
import type { KnownRows } from "./known-rows.ts";
import type { RecordFields } from "./source.ts";
import type { TextCounts } from "./text-counts.ts";

/**
 * Why an answer proves nothing. `empty`: it has no rows; `elsewhere`: it does not begin at a known row; `short`: it
 * ends before the last known one; `ambiguous`: it could begin with other rows that are equal to known ones; `hole`:
 * among its rows are unknown ones that should be known; `disordered`: its times are not newest first.
 */
export type Refusal = "empty" | "elsewhere" | "short" | "ambiguous" | "hole" | "disordered";

/** What an answer proves: the rows that follow the last known one, or why it proves nothing. */
export type Judgement<T> =
  | {
      readonly isProof: true;
      /** Known rows that the answer repeats. */
      readonly overlap: number;
      /** Rows that follow the last known one, newest first; none when the answer ends with it. */
      readonly fresh: readonly T[];
      /** True when rows of one transaction came in another order than before. */
      readonly isReordered: boolean;
    }
  | { readonly isProof: false; readonly refusal: Refusal };

/**
 * Judges an answer against the known rows, of which there is at least one: it proves that it goes on where they end
 * when it overlaps them. Interpretation: docs/adr/0012.
 * @param page newest first, as it came
 */
export function judge<T extends object>(known: KnownRows<T>, page: readonly T[]): Judgement<T> {
  const [first] = page;
  if (first === undefined) return refuse("empty");
  if (!isNewestFirst(known.fields, page)) return refuse("disordered");
  if (known.positionOf(first) !== "known") return refuse("elsewhere");
  // Only rows that are not older than the tail can be known ones: the others need no comparison.
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

/** True when no row is newer than the one before it. */
export function isNewestFirst<T>({ timeMs }: RecordFields<T>, page: readonly T[]): boolean {
  let last = Number.POSITIVE_INFINITY;
  for (const row of page) {
    const ms = timeMs(row);
    if (ms > last) return false;
    last = ms;
  }
  return true;
}

/** Takes the known rows, from the last one up, out of the counts for as long as they are there. @returns how many */
function matchFromTail<T extends object>(known: KnownRows<T>, counts: TextCounts): number {
  const { rows } = known;
  return rows.length - 1 - rows.findLastIndex((row) => !counts.take(known.textOf(row)));
}

/** Fewer rows of one millisecond are crossed by an answer that begins above them. */
const LONG_TIES = 8;

/**
 * Is it sure which known rows the answer repeats? So it is where it repeats one of a later time than the tail: all rows
 * of that time stand above, and are known. Among rows of the tail's time, two at least, it is where ids fall from row to
 * row: an equal row further below would have to rise; and where there are many, all of them different.
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
 * The rule for a tail among rows of one time that are too many to begin above them: the answer must begin with the last
 * known rows one by one, in one way only, and not in the middle of a run of equal ones. Two rows at least must differ,
 * because a run alone could be another one; none of them may stand further above, and nothing equal may follow but the
 * rest of the tail's run.
 * @param upper rows of the page that are not older than the tail
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

/** How many texts at the end of some can be those at the beginning of others, for each way in which they can. */
function findAlignments(some: readonly string[], others: readonly string[]): number[] {
  const most = Math.min(some.length, others.length);
  return Array.from({ length: most }, (_, i) => i + 1).filter((count) => {
    const start = some.length - count;
    return others.every((text, i) => i >= count || text === some[start + i]);
  });
}

/**
 * True when an unmatched row equals a known one of the tail's time above the overlap: it may be that row, in an answer
 * that holds some other part of a large group each time.
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

/** The rows that the counts still hold; of equal ones, the older. Empties the counts. */
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
      // A known row stands below it.
      isReordered ||= matched.length > 0;
    } else matched.push(text);
  }
  isReordered ||= matched.some((text, i) => {
    const row = known.rows.at(-1 - i);
    return row !== undefined && known.textOf(row) !== text;
  });
  return { unmatched: unmatched.reverse(), isReordered };
}
