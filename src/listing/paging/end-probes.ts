// Where to look below the last row before a listing is said to end there: a service may look only so far back from a
// cursor, so that "nothing just below" is not "nothing below".

/** Requests that look below the end at the same time. */
export const AT_ONCE = 16;
/** Each probe lies so much further below than the one before it, in thousandths: 1.5 times, or less where it must. */
const RATIO = 1500n;
const LEAST_RATIO = 1020n;
const UNIT = 1000n;
/** Nearer than the span of a page the steps are wider: what lies there is mostly in reach of answers from above. */
const NEAR_DIVISORS = [2n, 2n, 2n, 2n, 4n, 4n, 4n, 4n, 4n, 4n];

interface Ranges {
  /** The cursor whose answer holds the last row; below it none has been found. At least 1. */
  readonly high: bigint;
  /** Index units that a page spans; at least 1. */
  readonly span: bigint;
  /** Most cursors, at least 1. */
  readonly most: number;
  /** Look at as many places as may be: the service is known to look only so far back. */
  readonly isDense?: boolean;
  /** Moves all but the nearest and the last one by this share of a step: two passes look at different places. */
  readonly shift?: boolean;
}

/**
 * Cursors below `high`, the nearest first: one just below it, some within the span of a page, then at distances that
 * grow by half each time, or as slowly as `most` allows, down to 1. Where that would be too many, they grow faster.
 */
export function probeCursors({
  high,
  span,
  most,
  isDense = false,
  shift = false,
}: Ranges): readonly bigint[] {
  const near: bigint[] = [];
  let distance = span;
  for (const divisor of NEAR_DIVISORS.slice(0, most >> 2)) {
    distance /= divisor;
    near.unshift(distance);
  }
  const left = Math.max(1, most - near.length - 2);
  const ratio = bigger(isDense ? LEAST_RATIO : RATIO, ratioOf(high, span, left));
  const far: bigint[] = [];
  for (let each = span; each < high && far.length < left; each = next(each, ratio)) far.push(each);
  const moved = [...near, ...far].map((each) => (shift ? (each * 6n) / 5n : each));
  const distances = [1n, ...moved, high - 1n].filter((each) => each > 0n && each < high);
  return [...new Set(distances)]
    .sort((a, b) => (a < b ? -1 : 1))
    .slice(0, most)
    .map((each) => high - each);
}

function next(distance: bigint, ratio: bigint): bigint {
  const further = (distance * ratio) / UNIT;
  return further > distance ? further : distance + 1n;
}

/** By what distances must grow to get from a span to all that is below within so many steps; in thousandths. */
function ratioOf(high: bigint, span: bigint, steps: number): bigint {
  if (span >= high) return 0n;
  const ratio = Math.exp(Math.log(Number(high) / Number(span)) / steps);
  return BigInt(Math.ceil(ratio * Number(UNIT)));
}

function bigger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
