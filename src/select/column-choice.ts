// Which columns of a table are shown, and in what order: as found, unless the user has chosen otherwise. What is found
// later comes last, so that nothing is lost.

/** Columns are known by their names. No method throws. */
export class ColumnChoice {
  #order: readonly string[] = [];
  readonly #hidden = new Set<string>();

  get hasHidden(): boolean {
    return this.#hidden.size > 0;
  }

  isHidden(column: string): boolean {
    return this.#hidden.has(column);
  }

  /** All of these columns in the order chosen, also the hidden ones. */
  ordered(found: readonly string[]): readonly string[] {
    if (this.#order.length === 0) return found;
    const known = new Set(found);
    const chosen = new Set(this.#order);
    const kept = this.#order.filter((column) => known.has(column));
    return [...kept, ...found.filter((column) => !chosen.has(column))];
  }

  /** The columns that are shown. */
  shown(found: readonly string[]): readonly string[] {
    const ordered = this.ordered(found);
    return this.#hidden.size === 0 ? ordered : ordered.filter((each) => !this.#hidden.has(each));
  }

  /** Hides a column, or shows it again. */
  toggle(column: string): void {
    if (!this.#hidden.delete(column)) this.#hidden.add(column);
  }

  /** Moves a column past its neighbours, among those that `among` says: all, or only the shown ones. */
  move(found: readonly string[], among: readonly string[], column: string, steps: number): void {
    const at = among.indexOf(column);
    const neighbour = at < 0 ? undefined : among[at + steps];
    if (neighbour === undefined) return;
    const order = this.ordered(found).filter((each) => each !== column);
    const place = order.indexOf(neighbour) + (steps > 0 ? 1 : 0);
    this.#order = [...order.slice(0, place), column, ...order.slice(place)];
  }

  /** As found again. */
  reset(): void {
    this.#order = [];
    this.#hidden.clear();
  }
}
