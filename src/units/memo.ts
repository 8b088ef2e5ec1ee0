// Memoised values that keep their identity as long as their inputs are the same.

function areSame(a: readonly unknown[] | undefined, b: readonly unknown[]): boolean {
  if (a?.length !== b.length) return false;
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** A memoised value, recomputed when any of its inputs changes. */
export class Memo<T> {
  #inputs: readonly unknown[] | undefined;
  #value: T | undefined;

  get(of: readonly unknown[], make: () => T): T {
    if (!areSame(this.#inputs, of)) {
      this.#value = make();
      this.#inputs = of;
    }
    return this.#value as T;
  }
}
