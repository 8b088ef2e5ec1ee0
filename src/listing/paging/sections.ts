// Do two views of one listing agree where they overlap? A section is the view that a page or part of a file gives: all rows
// between two times, but perhaps only some rows of certain times.
import type { RowKey } from "./known-rows.ts";
import { TextCounts } from "./text-counts.ts";

/** Unix milliseconds, both ends inclusive. */
export interface Span {
  readonly oldestMs: number;
  /** Infinity if nothing newer is listed. */
  readonly newestMs: number;
}

export interface Section extends Span {
  readonly rows: readonly RowKey[];
  /** True if there may be more rows of this time than the section shows. */
  isPartOf(ms: number): boolean;
  /** A time of which both sections show some rows, and must have one in common. */
  readonly sharedMs?: number;
}

export interface Agreement {
  /** Rows of the first section that are also in the second. */
  readonly rows: number;
  /** The range of times compared; undefined if there is none. */
  readonly span: Span | undefined;
  readonly differsAtMs: number | undefined;
}

/**
 * The rows of a page.
 * @param rows newest first
 * @param isCutAbove more rows of the first time may be above; otherwise nothing newer is listed
 */
export function pageSection(rows: readonly RowKey[], isCutAbove: boolean): Section | undefined {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    rows,
    oldestMs: last.ms,
    newestMs: isCutAbove ? first.ms : Number.POSITIVE_INFINITY,
    isPartOf: (ms) => ms === last.ms || (isCutAbove && ms === first.ms),
  };
}

/** Rows of the same time may be in different orders. */
export function compareSections(held: Section, shown: Section): Agreement {
  const span = {
    oldestMs: Math.max(held.oldestMs, shown.oldestMs),
    newestMs: Math.min(held.newestMs, shown.newestMs),
  };
  if (span.oldestMs > span.newestMs) return { rows: 0, span: undefined, differsAtMs: undefined };
  const [heldGroups, shownGroups] = [groupByTime(held, span), groupByTime(shown, span)];
  const times = [...new Set([...heldGroups.keys(), ...shownGroups.keys()])].sort((x, y) => y - x);
  let rows = 0;
  for (const ms of times) {
    const [one, other] = [heldGroups.get(ms) ?? NO_ROWS, shownGroups.get(ms) ?? NO_ROWS];
    const common = one.countCommon(other);
    const isShared = ms === held.sharedMs && one.size > 0 && other.size > 0;
    const isSame =
      !(isShared && common === 0) &&
      (shown.isPartOf(ms) || common === one.size) &&
      (held.isPartOf(ms) || common === other.size);
    if (!isSame) return { rows, span, differsAtMs: ms };
    rows += common;
  }
  return { rows, span, differsAtMs: undefined };
}

const NO_ROWS = new TextCounts();

function groupByTime({ rows }: Section, span: Span): ReadonlyMap<number, TextCounts> {
  const groups = new Map<number, TextCounts>();
  for (const { ms, text } of rows) {
    if (ms < span.oldestMs || ms > span.newestMs) continue;
    const group = groups.get(ms) ?? new TextCounts();
    group.add(text);
    groups.set(ms, group);
  }
  return groups;
}
