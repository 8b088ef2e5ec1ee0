// Suggests the known word that a mistyped one probably meant.

/** Maximum edit distance for a typing error. */
const MAX_DISTANCE = 2;

/** @returns the nearest of the words, or undefined if none is near */
export function nearest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = MAX_DISTANCE + 1;
  for (const candidate of words) {
    if (Math.abs(word.length - candidate.length) >= least) continue;
    const apart = distance(word, candidate);
    if (apart < least && apart < candidate.length) {
      best = candidate;
      least = apart;
    }
  }
  return best;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
