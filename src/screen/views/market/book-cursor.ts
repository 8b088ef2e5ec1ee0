// The cursor in the order book: a level that the user has chosen, by key or by mouse.

/** A step of the ladder. */
export interface BookLevel {
  readonly side: "bid" | "ask";
  readonly priceTicks: bigint;
}

/** What stands in one row of the ladder. */
export type BookLine = BookLevel | "spread";

/** Its level stays where it is while the book changes. No method throws. */
export class BookCursor {
  #level: BookLevel | undefined;
  #lines: readonly BookLine[] = [];

  /** Undefined while there is no cursor. */
  get level(): BookLevel | undefined {
    return this.#level;
  }

  /** The rows as they are painted, from top to bottom. */
  setLines(lines: readonly BookLine[]): void {
    this.#lines = lines;
  }

  isAt(line: BookLine): boolean {
    if (line === "spread" || this.#level === undefined) return false;
    return line.side === this.#level.side && line.priceTicks === this.#level.priceTicks;
  }

  /** Sets it at the best bid that is shown, or takes it away. */
  toggle(): void {
    const best = this.#lines.find((line) => line !== "spread" && line.side === "bid");
    this.#level = this.#level === undefined && best !== "spread" ? best : undefined;
  }

  clear(): void {
    this.#level = undefined;
  }

  /** Chooses what stands in a row; a row without a level changes nothing. */
  select(row: number): void {
    const line = this.#lines[row];
    if (line !== undefined && line !== "spread") this.#level = line;
  }

  /** Up (negative) or down, over the spread, to the edge of what is shown. */
  move(steps: number): void {
    const levels = this.#lines.filter((line) => line !== "spread");
    const level = this.#level;
    if (level === undefined || levels.length === 0) return;
    const exact = levels.findIndex((each) => this.isAt(each));
    const lower = levels.findIndex(({ priceTicks }) => priceTicks < level.priceTicks);
    // From a level that has gone since, the first step goes to its neighbour.
    const below = (lower < 0 ? levels.length : lower) - (steps > 0 ? 1 : 0);
    const next = (exact < 0 ? below : exact) + steps;
    this.#level = levels[Math.max(0, Math.min(levels.length - 1, next))];
  }
}
