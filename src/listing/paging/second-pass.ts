// Reads a listing again, by other cursors and with another page size, and compares: the only way to notice that answers
// came from copies of it that lagged behind each other, or that one and the same request would hide the same rows again.
import type { Bounds } from "./bounds.ts";
import { Pager, type PagerOptions } from "./pager.ts";
import type { RequestCounts } from "./requests.ts";
import { RowDigest } from "./row-digest.ts";
import { doubt, type Verdict } from "./verdict.ts";

/** Rows by which the second pass's pages are shorter: no divisor of the usual sizes, so that no cut is made twice. */
const SHORTER_BY = 7;
const LEAST_ROWS = 2;

interface SecondPassOptions<T extends object>
  extends Omit<PagerOptions<T>, "resume" | "bounds" | "listedMs" | "isOtherWay"> {
  readonly bounds?: Bounds;
  /** What the first pass has seen, and how it ended. */
  readonly seen: RowDigest<T>;
  readonly verdict: Verdict;
}

/**
 * Reads once more what a first pass has read.
 * @returns the verdict of both passes, and what the second one cost
 * @throws {HistoryError} when the service fails; the signal's reason when aborted
 */
export async function readAgain<T extends object>({
  seen,
  verdict,
  ...options
}: SecondPassOptions<T>): Promise<{ verdict: Verdict; counts: RequestCounts }> {
  const { limit, reading, bounds = {} } = options;
  const isCut = verdict.isComplete && verdict.reach === "max";
  const pager = new Pager({
    ...options,
    isOtherWay: true,
    listedMs: seen.headMs,
    limit: limit > SHORTER_BY * 2 ? limit - SHORTER_BY : Math.max(LEAST_ROWS, limit + 1),
    bounds: {
      untilMs: earliest(bounds.untilMs, seen.headMs),
      sinceMs: isCut ? seen.tailMs : bounds.sinceMs,
    },
  });
  const again = new RowDigest(reading);
  for await (const rows of pager.pages()) again.add(rows);
  const { counts } = pager;
  if (!verdict.isComplete) return { verdict, counts };
  if (pager.verdict?.isComplete === false) return { verdict: pager.verdict, counts };
  if (!seen.isSeenBy(again, isCut)) {
    return { verdict: doubt("second-pass-differs", again.tailMs, counts.longest), counts };
  }
  return { verdict: { ...verdict, isReadTwice: true }, counts };
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
