// What a pass over a listing has seen, in a few bytes: enough to say whether another pass saw the same rows.
import { createHash } from "node:crypto";
import { canonicalText } from "./identity.ts";
import type { RecordReading } from "./record-reading.ts";

const MODULUS = 1n << 256n;

/** A digest as plain values, for a journal. */
export interface DigestState {
  readonly count: number;
  readonly sum: string;
  readonly headMs: number | undefined;
  readonly head: readonly string[];
  readonly tailMs: number | undefined;
  readonly tail: readonly string[];
}

/**
 * A digest of rows as a multiset: the order of rows does not count, their number does. The rows of the first and of the last
 * millisecond are kept apart, because two passes may cut through them at different places.
 */
export class RowDigest<T> {
  readonly #timeMs: (row: T) => number;
  #count: number;
  #sum: bigint;
  #headMs: number | undefined;
  readonly #head: string[];
  #tailMs: number | undefined;
  #tail: string[];

  /** @param state where an earlier run was */
  constructor({ timeMs }: RecordReading<T>, state?: DigestState) {
    this.#timeMs = timeMs;
    this.#count = state?.count ?? 0;
    this.#sum = BigInt(`0x${state?.sum ?? "0"}`);
    this.#headMs = state?.headMs;
    this.#head = [...(state?.head ?? [])];
    this.#tailMs = state?.tailMs;
    this.#tail = [...(state?.tail ?? [])];
  }

  get count(): number {
    return this.#count;
  }

  /** Unix milliseconds of the first and of the last row; undefined while there is none. */
  get headMs(): number | undefined {
    return this.#headMs;
  }

  get tailMs(): number | undefined {
    return this.#tailMs ?? this.#headMs;
  }

  get state(): DigestState {
    return {
      count: this.#count,
      sum: this.#sum.toString(16),
      headMs: this.#headMs,
      head: [...this.#head],
      tailMs: this.#tailMs,
      tail: [...this.#tail],
    };
  }

  /** @param rows newest first, following those that were added before */
  add(rows: readonly T[]): void {
    for (const row of rows) this.#addOne(row);
  }

  /**
   * True when another pass saw the same rows. It may have seen more of the first millisecond, as rows can have
   * come since; and more of the last one where this pass was `cut` there by its limit.
   */
  isSeenBy(other: RowDigest<T>, cut: boolean): boolean {
    if (!isWithin(this.#head, other.#head)) return false;
    if (this.#tailMs !== other.#tailMs || this.#sum !== other.#sum) return false;
    const isTailWithin = isWithin(this.#tail, other.#tail);
    return isTailWithin && (cut || this.#tail.length === other.#tail.length);
  }

  #addOne(row: T): void {
    this.#count++;
    const ms = this.#timeMs(row);
    const digest = createHash("sha256").update(canonicalText(row)).digest("hex");
    this.#headMs ??= ms;
    if (ms === this.#headMs) {
      this.#head.push(digest);
      return;
    }
    if (ms !== this.#tailMs) this.#fold();
    this.#tailMs = ms;
    this.#tail.push(digest);
  }

  /** The last millisecond is a whole one: it goes into the sum. */
  #fold(): void {
    for (const digest of this.#tail) this.#sum = (this.#sum + BigInt(`0x${digest}`)) % MODULUS;
    this.#tail = [];
  }
}

/** True when each of some digests is among others, as often as it is there. */
function isWithin(some: readonly string[], others: readonly string[]): boolean {
  const left = [...others].sort();
  const wanted = [...some].sort();
  let at = 0;
  for (const digest of wanted) {
    while (at < left.length && (left[at] ?? "") < digest) at++;
    if (left[at] !== digest) return false;
    at++;
  }
  return true;
}
