// Which columns of a table fit: numbers are shown in full or not at all, so columns are dropped, never cut.
import { areSame } from "../units/memo.ts";
import type { OpenRecord } from "../wire/update.ts";
import { getFields } from "./fields.ts";

export interface FittedColumn {
  readonly index: number;
  readonly x: number;
  readonly width: number;
}

/**
 * Lays out columns from the left, as wide as they need to be.
 * @param widths in display order
 * @param priority indices, most important first: a column is dropped if it does not fit beside more important ones
 * @returns the columns that fit, in display order
 */
export function fitColumns(
  widths: readonly number[],
  priority: readonly number[],
  available: number,
  gap: number,
): readonly FittedColumn[] {
  const chosen: number[] = [];
  let used = 0;
  for (const index of priority) {
    const width = (widths[index] ?? 0) + (chosen.length === 0 ? 0 : gap);
    if (used + width > available) continue;
    chosen.push(index);
    used += width;
  }
  let x = 0;
  return chosen
    .sort((a, b) => a - b)
    .map((index) => {
      const width = widths[index] ?? 0;
      const column = { index, x, width };
      x += width + gap;
      return column;
    });
}

/** Like `fitColumns`, but once a column does not fit, no less important one takes its place. */
export function fitFirstColumns(...layout: Parameters<typeof fitColumns>): readonly FittedColumn[] {
  const [widths, priority, available, gap] = layout;
  let used = -gap;
  const first = priority.findIndex((index) => {
    used += (widths[index] ?? 0) + gap;
    return used > available;
  });
  return fitColumns(widths, first < 0 ? priority : priority.slice(0, first), available, gap);
}

/** As many pieces, most important first, as fit into a line with a gap between them; in their own order, from cell 0 on. */
export function fitPieces<T extends { readonly width: number; readonly priority: number }>(
  pieces: readonly T[],
  available: number,
  gap: number,
): readonly (T & { readonly x: number })[] {
  const order = [...pieces.entries()]
    .sort(([, a], [, b]) => a.priority - b.priority)
    .map(([i]) => i);
  const widths = pieces.map(({ width }) => width);
  return fitColumns(widths, order, available, gap).map(({ index, x }) => ({
    ...(pieces[index] as T),
    x,
  }));
}

/** As many texts, in order, as fit in full into a line with two cells between them; ASCII only. */
export function fitTexts(texts: readonly string[], available: number): string {
  const pieces = texts.map((text, priority) => ({ text, width: text.length, priority }));
  const fitting = fitPieces(pieces, available, WORD_GAP.length);
  return fitting.map(({ text }) => text).join(WORD_GAP);
}

const WORD_GAP = "  ";

/** Columns of a table that changes all the time, and the state needed to lay them out the next time. */
export interface SteadyColumns {
  readonly fitted: readonly FittedColumn[];
  readonly of: readonly unknown[];
  readonly widths: readonly number[];
}

/** Room to spare before a dropped column comes back, so that one more digit elsewhere does not drop it again. */
const SPARE = 1;

/**
 * Lays out columns at the widest they have ever been, so that numbers keep their places; columns that have been empty so
 * far have width 0 and are left out. A dropped column comes back when there is a cell to spare, which resets all widths.
 * @param of what the table shows; if any of it changes, widths are reset
 * @param widths needed by the current cells
 */
export function steadyColumns(
  before: SteadyColumns | undefined,
  of: readonly unknown[],
  widths: readonly number[],
  priority: readonly number[],
  available: number,
  gap: number,
  fitting = fitColumns,
): SteadyColumns {
  const steady =
    before !== undefined && areSame(before.of, of)
      ? widths.map((width, i) => Math.max(width, before.widths[i] ?? 0))
      : widths;
  const lay = (each: readonly number[], room: number) => {
    const filled = priority.filter((index) => each[index] !== 0);
    return fitting(each, filled, room, gap);
  };
  const [stable, needed] = [lay(steady, available), lay(widths, available)];
  const spared = lay(widths, available - SPARE);
  const has = (columns: readonly FittedColumn[], index: number) =>
    columns.some((column) => column.index === index);
  // A number that was long once must not cost a column for good.
  const isBack = needed.some(({ index }) => !has(stable, index) && has(spared, index));
  return { of, widths: isBack ? widths : steady, fitted: isBack ? needed : stable };
}

/** The columns of a table, collected from its rows in the order first seen. */
export class ColumnSet {
  readonly #columns = new Set<string>();
  readonly #shapes = new Set<string>();
  readonly #seen = new WeakSet<OpenRecord>();
  #last: readonly OpenRecord[] = [];

  get columns(): readonly string[] {
    return [...this.#columns];
  }

  update(records: readonly OpenRecord[]): void {
    if (records === this.#last) return;
    const fresh = freshRows(this.#last, records);
    this.#last = records;
    for (const record of fresh) {
      if (this.#seen.has(record)) continue;
      this.#seen.add(record);
      for (const { path } of this.#isNewShape(record) ? getFields(record) : []) {
        if (this.#columns.size < MAX_COLUMNS) this.#columns.add(path);
      }
    }
  }

  /** Most rows of a list have the same fields: rows of one shape without nested values are inspected once. */
  #isNewShape(record: OpenRecord): boolean {
    const names = Object.keys(record);
    for (const name of names) if (typeof record[name] === "object") return true;
    const shape = names.join("\n");
    if (this.#shapes.has(shape)) return false;
    if (this.#shapes.size < MAX_COLUMNS) this.#shapes.add(shape);
    return true;
  }
}

/** Maximum number of columns; further fields of a row appear in its own view. */
const MAX_COLUMNS = 256;

/** Rows from `start` on differ, up to `end` rows before the end of each list. */
export function changedRange(before: readonly unknown[], after: readonly unknown[]) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  const maxEnd = shorter - start;
  while (end < maxEnd && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { start, end };
}

/** Maximum number of rows that a list of a busy account gets at once. */
const MAX_FRESH = 256;

/**
 * Rows that may be new: those at the front of a list that has grown there, and perhaps lost its last rows; else all that
 * differ between the two ends.
 */
export function freshRows<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  const grown = countGrown(before, after);
  if (grown !== undefined) return after.slice(0, grown);
  const { start, end } = changedRange(before, after);
  return after.slice(start, after.length - end);
}

/** @returns undefined if something else has changed, too */
function countGrown(before: readonly unknown[], after: readonly unknown[]): number | undefined {
  if (before.length === 0) return undefined;
  let grown = 0;
  while (grown < MAX_FRESH && after[grown] !== before[0]) grown++;
  for (let i = grown; i < after.length; i++) if (after[i] !== before[i - grown]) return undefined;
  return grown;
}
