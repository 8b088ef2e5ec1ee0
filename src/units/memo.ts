// Values that are kept as long as what they are made of is the same.

export function areSame(a: readonly unknown[] | undefined, b: readonly unknown[]): boolean {
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

/** The same for each of many things. */
export class MemoOf<Thing extends object, T> {
  readonly #memos = new WeakMap<Thing, Memo<T>>();

  get(thing: Thing, of: readonly unknown[], make: () => T): T {
    const memo = this.#memos.get(thing) ?? new Memo<T>();
    this.#memos.set(thing, memo);
    return memo.get(of, make);
  }
}

interface Folded<T> {
  readonly of: readonly unknown[];
  count: number;
  value: T;
}

/** What is folded over a list that grows at its end: each row is looked at once, and all again when an input changes. */
export class Running<Row, T> {
  readonly #folded = new WeakMap<readonly Row[], Folded<T>>();

  get(
    rows: readonly Row[],
    of: readonly unknown[],
    start: () => T,
    add: (value: T, row: Row, at: number) => T,
  ): T {
    let folded = this.#folded.get(rows);
    if (folded === undefined || !areSame(folded.of, of)) folded = { of, count: 0, value: start() };
    this.#folded.set(rows, folded);
    for (; folded.count < rows.length; folded.count++)
      folded.value = add(folded.value, rows[folded.count] as Row, folded.count);
    return folded.value;
  }
}
