// A multiset of texts: equal rows differ only in how often they occur.

export class TextCounts {
  readonly #counts = new Map<string, number>();
  /** Including duplicates. */
  size = 0;

  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.add(text);
  }

  has(text: string): boolean {
    return this.#counts.has(text);
  }

  add(text: string): void {
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
    this.size++;
  }

  /** Removes one occurrence. @returns false when there is none */
  take(text: string): boolean {
    const count = this.#counts.get(text);
    if (count === undefined) return false;
    if (count === 1) this.#counts.delete(text);
    else this.#counts.set(text, count - 1);
    this.size--;
    return true;
  }

  countCommon(other: TextCounts): number {
    let common = 0;
    for (const [text, count] of this.#counts) {
      common += Math.min(count, other.#counts.get(text) ?? 0);
    }
    return common;
  }
}
