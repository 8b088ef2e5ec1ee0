// Two sequences that tell of the same past, each from its own beginning: where does one lie on the other?

/** True when two items are the same item. */
type IsSame<T> = (a: T, b: T) => boolean;

/**
 * The place in `held` at which the first of `listed` lies, so that all that lie over each other are the same; negative
 * where the list reaches further back. The longest overlap that reaches the end of what is held wins, since a list ends with
 * the newest. Undefined when nothing overlaps.
 */
export function overlapOf<T>(
  held: readonly T[],
  listed: readonly T[],
  isSame: IsSame<T>,
): number | undefined {
  let best: number | undefined;
  let longest = 0;
  for (let at = held.length - 1; at > -listed.length; at--) {
    const end = Math.min(held.length, at + listed.length);
    const start = Math.max(0, at);
    if (end < held.length && best !== undefined) break;
    if (end - start <= longest || !liesAt(held, listed, at, isSame)) continue;
    best = at;
    longest = end - start;
  }
  return best;
}

function liesAt<T>(
  held: readonly T[],
  listed: readonly T[],
  at: number,
  isSame: IsSame<T>,
): boolean {
  const end = Math.min(held.length, at + listed.length);
  for (let i = Math.max(0, at); i < end; i++) {
    const [a, b] = [held[i], listed[i - at]];
    if (a === undefined || b === undefined || !isSame(a, b)) return false;
  }
  return true;
}
