// Do two sights of one listing agree, where both show it? A section is what a page, or a stretch of a file, shows of it: all
// rows of the times between two, and of some of those times perhaps a part.

/** A row as it is compared: by its time and its text. */
export interface SeenRow {
  /** Unix milliseconds. */
  readonly ms: number;
  readonly text: string;
}

/** A stretch of a listing. Times are Unix milliseconds, both ends included. */
export interface Section {
  readonly rows: readonly SeenRow[];
  readonly oldestMs: number;
  /** Infinity where nothing newer is listed. */
  readonly newestMs: number;
  /** True for a time of which there may be more rows than these. */
  isPartOf(ms: number): boolean;
  /** A time of whose rows both sections show some, and one at least must be in both. */
  readonly sharedMs?: number;
}

/** What a comparison has come to. Times are Unix milliseconds. */
export interface Agreement {
  /** Rows of the first section that were found in the second one. */
  readonly rows: number;
  /** Between which times both were compared; undefined where nothing could be. */
  readonly span: { readonly oldestMs: number; readonly newestMs: number } | undefined;
  /** The newest time at which they differ. */
  readonly differsAtMs: number | undefined;
}

/**
 * What a page shows: it may end in the middle of the rows of a time.
 * @param rows newest first
 * @param isCutAbove whether more rows of the time of the first one may stand above it; otherwise nothing newer is listed
 */
export function pageSection(rows: readonly SeenRow[], isCutAbove: boolean): Section | undefined {
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
  const oldestMs = Math.max(held.oldestMs, shown.oldestMs);
  const newestMs = Math.min(held.newestMs, shown.newestMs);
  if (oldestMs > newestMs) return { rows: 0, span: undefined, differsAtMs: undefined };
  const span = { oldestMs, newestMs };
  const [heldGroups, shownGroups] = [groupsOf(held, span), groupsOf(shown, span)];
  const times = [...new Set([...heldGroups.keys(), ...shownGroups.keys()])].sort((x, y) => y - x);
  let rows = 0;
  for (const ms of times) {
    const [one, other] = [heldGroups.get(ms) ?? NO_ROWS, shownGroups.get(ms) ?? NO_ROWS];
    const common = countCommon(one, other);
    const isShared = ms === held.sharedMs && one.size > 0 && other.size > 0;
    const isSame =
      !(isShared && common === 0) &&
      (shown.isPartOf(ms) || common === sizeOf(one)) &&
      (held.isPartOf(ms) || common === sizeOf(other));
    if (!isSame) return { rows, span, differsAtMs: ms };
    rows += common;
  }
  return { rows, span, differsAtMs: undefined };
}

/** How often each text is there. */
type Group = ReadonlyMap<string, number>;
const NO_ROWS: Group = new Map();

function groupsOf(
  { rows }: Section,
  span: { readonly oldestMs: number; readonly newestMs: number },
): ReadonlyMap<number, Group> {
  const groups = new Map<number, Map<string, number>>();
  for (const { ms, text } of rows) {
    if (ms < span.oldestMs || ms > span.newestMs) continue;
    const group = groups.get(ms) ?? new Map<string, number>();
    groups.set(ms, group.set(text, (group.get(text) ?? 0) + 1));
  }
  return groups;
}

function countCommon(one: Group, other: Group): number {
  let common = 0;
  for (const [text, count] of one) common += Math.min(count, other.get(text) ?? 0);
  return common;
}

function sizeOf(group: Group): number {
  let size = 0;
  for (const count of group.values()) size += count;
  return size;
}
