// Reads a listing a second time, with other cursors and another page size, and compares: the only way to notice replicas that lag
// behind each other, or rows that the same request would hide again.
import { hash } from "node:crypto";
import { Pager, type PagerOptions } from "./pager.ts";
import type { RequestCounts } from "./requests.ts";
import { canonicalText, type RecordFields } from "./source.ts";
import { TextCounts } from "./text-counts.ts";
import { unproven, type Verdict } from "./verdict.ts";

/** Not a divisor of common sizes, so that no page ends at the same row twice. */
const SHORTER_BY = 7;
const MIN_ROWS = 2;

interface SecondPassOptions<T extends object>
  extends Omit<PagerOptions<T>, "resume" | "listedMs" | "usesOtherCursors"> {
  readonly seen: RowDigest<T>;
  readonly verdict: Verdict;
  /** Unix milliseconds of the newest row of the first pass, wanted or not. */
  readonly asOfMs?: number | undefined;
}

/**
 * @returns the verdict of both passes, and the request counts of the second
 * @throws {HistoryError} when the service fails; the signal's reason when aborted
 */
export async function readAgain<T extends object>({
  seen,
  verdict,
  asOfMs,
  ...options
}: SecondPassOptions<T>): Promise<{ verdict: Verdict; counts: RequestCounts }> {
  const { limit, fields, bounds = {} } = options;
  // What has come since is not compared.
  const newestMs = seen.headMs ?? asOfMs;
  const isCut = verdict.isComplete && verdict.reach === "max";
  const pager = new Pager({
    ...options,
    usesOtherCursors: true,
    isReadThrough: true,
    listedMs: newestMs,
    limit: limit > SHORTER_BY * 2 ? limit - SHORTER_BY : Math.max(MIN_ROWS, limit + 1),
    bounds: {
      untilMs: earliest(bounds.untilMs, newestMs),
      sinceMs: isCut ? seen.tailMs : bounds.sinceMs,
    },
  });
  const again = new RowDigest(fields);
  for await (const rows of pager.pages()) again.add(rows);
  const { counts } = pager;
  if (!verdict.isComplete) return { verdict, counts };
  if (pager.verdict?.isComplete === false) return { verdict: pager.verdict, counts };
  if (!seen.isSeenBy(again, isCut)) {
    return { verdict: unproven("second-pass-differs", again.tailMs, counts.longest), counts };
  }
  return { verdict: { ...verdict, isReadTwice: true }, counts };
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

const MODULUS = 1n << 256n;

export interface DigestState {
  /** Hexadecimal. */
  readonly sum: string;
  readonly headMs: number | undefined;
  readonly head: readonly string[];
  readonly tailMs: number | undefined;
  readonly tail: readonly string[];
}

/**
 * An order-independent digest of rows as a multiset. Rows of the first and the last millisecond are kept separately, because two
 * passes may cut through them at different positions.
 */
export class RowDigest<T> {
  readonly #timeMs: (row: T) => number;
  #sum: bigint;
  headMs: number | undefined;
  readonly #head: string[];
  #tailMs: number | undefined;
  #tail: string[];

  /** @param state from an earlier run */
  constructor({ timeMs }: RecordFields<T>, state?: DigestState) {
    this.#timeMs = timeMs;
    this.#sum = BigInt(`0x${state?.sum ?? "0"}`);
    this.headMs = state?.headMs;
    this.#head = [...(state?.head ?? [])];
    this.#tailMs = state?.tailMs;
    this.#tail = [...(state?.tail ?? [])];
  }

  get tailMs(): number | undefined {
    return this.#tailMs ?? this.headMs;
  }

  get state(): DigestState {
    return {
      sum: this.#sum.toString(16),
      headMs: this.headMs,
      head: [...this.#head],
      tailMs: this.#tailMs,
      tail: [...this.#tail],
    };
  }

  /** @param rows newest first, continuing those of the previous call */
  add(rows: readonly T[]): void {
    for (const row of rows) {
      const ms = this.#timeMs(row);
      const digest = hash("sha256", canonicalText(row));
      this.headMs ??= ms;
      if (ms === this.headMs) {
        this.#head.push(digest);
        continue;
      }
      if (ms !== this.#tailMs) this.#foldTail();
      this.#tailMs = ms;
      this.#tail.push(digest);
    }
  }

  /**
   * The other pass may have seen more rows of the first millisecond, because some may have arrived since, and more of the last
   * one if this pass was `cut` by its row limit.
   */
  isSeenBy(other: RowDigest<T>, cut: boolean): boolean {
    if (!isWithin(this.#head, other.#head)) return false;
    if (this.#tailMs !== other.#tailMs || this.#sum !== other.#sum) return false;
    const isTailWithin = isWithin(this.#tail, other.#tail);
    return isTailWithin && (cut || this.#tail.length === other.#tail.length);
  }

  /** The last millisecond is complete. */
  #foldTail(): void {
    for (const digest of this.#tail) this.#sum = (this.#sum + BigInt(`0x${digest}`)) % MODULUS;
    this.#tail = [];
  }
}

/** Each at least as often in `others` as in `some`. */
function isWithin(some: readonly string[], others: readonly string[]): boolean {
  const left = new TextCounts(others);
  return some.every((digest) => left.take(digest));
}
