// What two runs that end beside each other have kept, made one: neither loses what the other has added.

/** One value as it was before this run changed it, as this run has it, and as it is in the file now: untrusted. */
export interface Versions {
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** Answers what is to be written. Never throws. */
export type Merge = (versions: Versions) => unknown;

/** What this run has set, whatever is there. */
export const ourOwn: Merge = ({ ours }) => ours;

/**
 * Makes lists one: without what this run has taken out, with what it has added or changed; in our order where nobody
 * else has changed anything. Never throws.
 * @param keyOf what an entry is told apart by; undefined for what is none
 */
export function listMerge(keyOf: (entry: unknown) => string | undefined): Merge {
  return ({ base, ours, theirs }) => {
    if (!Array.isArray(theirs) || !Array.isArray(ours) || isSame(base, theirs)) return ours;
    const before = byKey(base, keyOf);
    const now = byKey(ours, keyOf);
    const isTakenOut = (key: string) => before.has(key) && !now.has(key);
    const isChanged = (key: string) => now.has(key) && !isSame(before.get(key), now.get(key));
    const kept = [...byKey(theirs, keyOf)]
      .filter(([key]) => !isTakenOut(key))
      .map(([key, entry]) => (isChanged(key) ? now.get(key) : entry));
    const there = new Set(kept.map(keyOf));
    const added = [...now].filter(([key]) => isChanged(key) && !there.has(key));
    return [...kept, ...added.map(([, entry]) => entry)];
  };
}

/** An entry that is text is its own key. Never throws. */
export function textKey(entry: unknown): string | undefined {
  return typeof entry === "string" ? entry : undefined;
}

function byKey(
  list: unknown,
  keyOf: (entry: unknown) => string | undefined,
): ReadonlyMap<string, unknown> {
  const entries = (Array.isArray(list) ? list : []).flatMap((entry): [string, unknown][] => {
    const key = keyOf(entry);
    return key === undefined ? [] : [[key, entry]];
  });
  return new Map(entries);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
