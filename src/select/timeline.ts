// A time range as a line of cells: where the position is, and what happened when.

/** Marks: an outage of the connection, an own fill, an alert that fired. In a cell, a later kind covers an earlier one. */
export type TimeMarkKind = "outage" | "fill" | "alert";

const ORDER: readonly TimeMarkKind[] = ["outage", "fill", "alert"];

export interface TimeMark {
  readonly kind: TimeMarkKind;
  readonly fromMs: number;
  readonly toMs: number;
}

/** From the oldest moment to the newest, milliseconds of any clock. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** The cell of a moment, from 0, clamped to the range. */
export function cellOfMoment({ startMs, endMs }: TimeRange, width: number, ms: number): number {
  const length = endMs - startMs;
  // Multiplied first: a fraction of the length, times the width, can end just below the cell that begins there.
  const cell = length > 0 ? Math.floor(((ms - startMs) * width) / length) : 0;
  return Math.max(0, Math.min(width - 1, cell));
}

/** A moment within the cell: the oldest for the first cell, the newest for the last. */
export function momentOfCell({ startMs, endMs }: TimeRange, width: number, cell: number): number {
  if (cell <= 0 || width < 2) return startMs;
  return cell >= width - 1 ? endMs : startMs + ((endMs - startMs) * (cell + 0.5)) / width;
}

/** The mark in each cell; marks outside of the range are dropped. */
export function selectTimeCells(
  range: TimeRange,
  width: number,
  marks: readonly TimeMark[],
): readonly (TimeMarkKind | undefined)[] {
  const cells = new Array<TimeMarkKind | undefined>(width).fill(undefined);
  const inOrder = [...marks].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  for (const { kind, fromMs, toMs } of inOrder) {
    if (toMs < range.startMs || fromMs > range.endMs) continue;
    const last = cellOfMoment(range, width, toMs);
    cells.fill(kind, cellOfMoment(range, width, fromMs), last + 1);
  }
  return cells;
}

export interface LinkMoment {
  readonly atMs: number;
  readonly isOpen: boolean;
}

/** From each loss of the connection until it was restored; before the first connection there is no outage. */
export function selectOutages(moments: readonly LinkMoment[], endMs: number): readonly TimeMark[] {
  const outages: TimeMark[] = [];
  let lostAtMs: number | undefined;
  let wasOpen = false;
  for (const { atMs, isOpen } of moments) {
    if (wasOpen && !isOpen) lostAtMs = atMs;
    if (isOpen && lostAtMs !== undefined) {
      outages.push({ kind: "outage", fromMs: lostAtMs, toMs: atMs });
      lostAtMs = undefined;
    }
    wasOpen = isOpen;
  }
  if (lostAtMs === undefined) return outages;
  return [...outages, { kind: "outage", fromMs: lostAtMs, toMs: Math.max(lostAtMs, endMs) }];
}
