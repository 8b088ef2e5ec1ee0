// Do two views of one listing agree where they overlap? A section is what a page or a part of a file shows of it: all rows of
// the times between two, and perhaps only a part of some times.
import type { RowKey } from "./known-rows.ts";
import { TextCounts } from "./text-counts.ts";

/** Unix milliseconds, both ends included. */
export interface Span {
  readonly oldestMs: number;
  /** Infinity where nothing newer is listed. */
  readonly newestMs: number;
}

export interface Section extends Span {
  readonly rows: readonly RowKey[];
  /** There may be more rows of this time than shown. */
  isPartOf(ms: number): boolean;
  /** Both sections show some rows of this time, and must share one. */
  readonly sharedMs?: number;
}

export interface Agreement {
  /** Rows of the first section that were found in the second one. */
  readonly rows: number;
  /** The times that were compared; undefined where there are none. */
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

/** Rows of one time may change their order. */
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
