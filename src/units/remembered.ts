// Answers that stay the same objects as long as what they were made from is the same.

export function areSame(a: readonly unknown[] | undefined, b: readonly unknown[]): boolean {
  if (a?.length !== b.length) return false;
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The list before, where the next one has the same things in the same places. */
export function keepSame<T>(before: readonly T[], next: readonly T[]): readonly T[] {
  return areSame(before, next) ? before : next;
}

/** One answer: made anew when anything that it is made from is another one. */
export class Remembered<T> {
  #of: readonly unknown[] | undefined;
  #answer: T | undefined;

  get(of: readonly unknown[], make: () => T): T {
    if (!areSame(this.#of, of)) {
      this.#answer = make();
      this.#of = of;
    }
    return this.#answer as T;
  }
}
