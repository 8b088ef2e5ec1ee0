// Columns of a table that changes all the time: they only become wider, so that nobody has to look for a number twice.
import { type FittedColumn, fitColumns } from "./columns.ts";

/** The widths of one live table. */
export class SteadyColumns {
  #of: readonly unknown[] = [];
  #widths: readonly number[] = [];

  /**
   * Lays columns out as `fitColumns` does, as wide as they have ever had to be; of width 0 are those that have been
   * empty so far, which are left out. Never throws.
   * @param of what the table shows; where any of it is another thing than before, widths begin anew
   * @param widths what the cells of now need
   */
  fit(
    of: readonly unknown[],
    widths: readonly number[],
    priority: readonly number[],
    available: number,
    gap: number,
  ): readonly FittedColumn[] {
    const isSame = this.#of.length === of.length && this.#of.every((each, i) => each === of[i]);
    const steady = isSame
      ? widths.map((width, i) => Math.max(width, this.#widths[i] ?? 0))
      : widths;
    const lay = (each: readonly number[]) =>
      fitColumns(
        each,
        priority.filter((index) => each[index] !== 0),
        available,
        gap,
      );
    const [kept, needed] = [lay(steady), lay(widths)];
    // A number that was once long must not cost a column for good.
    const isRoomy = needed.every(({ index }) => kept.some((column) => column.index === index));
    this.#of = of;
    this.#widths = isRoomy ? steady : widths;
    return isRoomy ? kept : needed;
  }
}
