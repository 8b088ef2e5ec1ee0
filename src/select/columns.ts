// Which columns of a table fit: a number is shown whole or not at all, so columns are dropped, never cut.

/** A column that has room. */
export interface FittedColumn {
  /** Place of the column among those that were asked for. */
  readonly index: number;
  /** First cell, from the left. */
  readonly x: number;
  readonly width: number;
}

/**
 * Lays columns out from the left, as wide as they need to be. Never throws.
 * @param widths in the order shown
 * @param priority indices, the most important first; what does not fit is dropped from the end of this list
 * @returns the columns that fit, in the order shown
 */
export function fitColumns(
  widths: readonly number[],
  priority: readonly number[],
  available: number,
  gap: number,
): readonly FittedColumn[] {
  const kept: number[] = [];
  let used = 0;
  for (const index of priority) {
    const width = (widths[index] ?? 0) + (kept.length === 0 ? 0 : gap);
    if (used + width > available) continue;
    kept.push(index);
    used += width;
  }
  let x = 0;
  return kept
    .sort((a, b) => a - b)
    .map((index) => {
      const width = widths[index] ?? 0;
      const column = { index, x, width };
      x += width + gap;
      return column;
    });
}

/**
 * As many of the pieces, most important first, as fit into a line with a gap between them; in their own order. Never
 * throws.
 */
export function fitPieces<T extends { readonly width: number; readonly priority: number }>(
  pieces: readonly T[],
  available: number,
  gap: number,
): readonly T[] {
  const order = pieces
    .map((_, i) => i)
    .sort((a, b) => priorityOf(pieces, a) - priorityOf(pieces, b));
  const widths = pieces.map(({ width }) => width);
  return fitColumns(widths, order, available, gap).flatMap(({ index }) => pieces[index] ?? []);
}

/**
 * As many of the texts, the first ones first, as fit whole into a line with two cells between them; ASCII only. Never
 * throws.
 */
export function fitWords(texts: readonly string[], available: number): string {
  const pieces = texts.map((text, priority) => ({ text, width: text.length, priority }));
  const fitting = fitPieces(pieces, available, WORD_GAP.length);
  return fitting.map(({ text }) => text).join(WORD_GAP);
}

const WORD_GAP = "  ";

function priorityOf(pieces: readonly { readonly priority: number }[], index: number): number {
  return pieces[index]?.priority ?? 0;
}
