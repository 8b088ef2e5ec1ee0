// Where to look below the last row before a listing is said to end there: a service may look only so far back from a
// cursor, so that "nothing just below" is not "nothing below".

/** Requests that look below the end at the same time. */
export const AT_ONCE = 8;
/** Each probe lies so much further below than the one before it, in thousandths: 1.5 times, or less where it must. */
const RATIO = 1500n;
const LEAST_RATIO = 1020n;
const RATIO_STEP = 20n;
const UNIT = 1000n;
/** Nearer than the span of a page the steps are wider: what lies there is in reach of answers from above. */
const NEAR_DIVISOR = 4n;
/** Most probes that are nearer than the span of a page. */
const NEAR_MOST = 10;

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
  for (let each = span / NEAR_DIVISOR; each > 0n && near.length < NEAR_MOST; each /= NEAR_DIVISOR) {
    near.unshift(each);
  }
  if (most < NEAR_MOST * 4) near.splice(0, near.length - Math.floor(most / 4));
  const left = Math.max(1, most - near.length - 2);
  let ratio = isDense ? LEAST_RATIO : RATIO;
  while (stepsTo(high, span, ratio) > left) ratio += RATIO_STEP;
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

function stepsTo(high: bigint, span: bigint, ratio: bigint): number {
  return span >= high
    ? 0
    : Math.ceil(Math.log(Number(high) / Number(span)) / Math.log(Number(ratio) / Number(UNIT)));
}
