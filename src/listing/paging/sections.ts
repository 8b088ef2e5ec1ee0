// Do two sights of one listing agree, where both show it? A section is what a page, or a part of a file, shows of it: all
// rows of the times between two, and of some of those times perhaps a part.
import type { RowKey } from "./known-rows.ts";
import { TextCounts } from "./text-counts.ts";

/** A time span of a listing. Unix milliseconds, both ends included. */
export interface Span {
  readonly oldestMs: number;
  /** Infinity where nothing newer is listed. */
  readonly newestMs: number;
}

export interface Section extends Span {
  readonly rows: readonly RowKey[];
  /** True for a time of which there may be more rows than these. */
  isPartOf(ms: number): boolean;
  /** A time of whose rows both sections show some, and one at least must be in both. */
  readonly sharedMs?: number;
}

/** What a comparison has come to. */
export interface Agreement {
  /** Rows of the first section that were found in the second one. */
  readonly rows: number;
  /** Between which times both were compared; undefined where nothing could be. */
  readonly span: Span | undefined;
  readonly differsAtMs: number | undefined;
}

/**
 * What a page shows: it may end in the middle of the rows of a time.
 * @param rows newest first
 * @param isCutAbove whether more rows of the time of the first one may stand above it; otherwise nothing newer is listed
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

/** Rows of one time may be in another order each time. */
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
