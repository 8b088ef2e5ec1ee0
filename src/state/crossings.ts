// A book that was crossed held a level that no book has. Where nothing takes it out it lies deeper after a while, and the
// best bid and offer cannot tell any more: so they are asked whether it ever was the best. Interpretation: docs/adr/0003.
import type { BboEvidence } from "./bbo-evidence.ts";
import { type Book, isCrossed, type SideName, type Top } from "./book.ts";

/** The best bid and offer of a moment have come after this time, by our clock. */
const WAIT_MS = 300;
/** The two channels may say the same this far apart, in server time. */
const MARGIN_NS = 300_000_000n;
/** Of one crossing, and crossings that wait: what comes beyond that is not looked at. */
const MAX_TOPS = 16;
const MAX_WAITING = 16;

interface Crossing {
  readonly ns: bigint;
  readonly tops: readonly Top[];
}

interface Ended {
  readonly tops: readonly Top[];
  /** Server times of the first frame that crossed the book and of the one that ended it. */
  readonly sinceNs: bigint;
  readonly untilNs: bigint;
  readonly atMs: number;
}

const SIDES = ["bid", "ask"] as const satisfies readonly SideName[];

export class Crossings {
  private since: Crossing | undefined;
  private ended: readonly Ended[] = [];
  /** Both as they were before the newest transaction. */
  private sinceBefore: Crossing | undefined;
  private endedBefore: readonly Ended[] = [];

  /**
   * Takes note of how a frame has left the book.
   * @param timestampNs server time of the frame, digit text
   * @param nowMs our clock
   * @param continues it belongs to the transaction of the one before: what was between them was no book
   */
  note({ top }: Book, timestampNs: string, nowMs: number, continues = false): void {
    if (continues) {
      this.since = this.sinceBefore;
      this.ended = this.endedBefore;
    } else {
      this.sinceBefore = this.since;
      this.endedBefore = this.ended;
    }
    const since = this.since;
    if (isCrossed(top)) {
      const { ns = BigInt(timestampNs), tops = [] } = since ?? {};
      if (tops.length < MAX_TOPS) this.since = { ns, tops: [...tops, top] };
    } else if (since !== undefined) {
      const { ns: sinceNs, tops } = since;
      const ended = { tops, sinceNs, untilNs: BigInt(timestampNs), atMs: nowMs };
      this.ended = [...this.ended, ended].slice(-MAX_WAITING);
      this.since = undefined;
    }
  }

  /** True when the book still holds a level that has crossed it and that the best bid and offer never called the best. */
  areSuspect(book: Book, evidence: BboEvidence, nowMs: number): boolean {
    const [ended] = this.ended;
    if (ended === undefined || nowMs - ended.atMs < WAIT_MS) return false;
    this.ended = this.ended.slice(1);
    return isSuspect(ended, book, evidence) || this.areSuspect(book, evidence, nowMs);
  }
}

function isSuspect({ tops, sinceNs, untilNs }: Ended, book: Book, evidence: BboEvidence): boolean {
  const said = evidence.inForceBetween(sinceNs - MARGIN_NS, untilNs + MARGIN_NS);
  if (said.length === 0) return false;
  return SIDES.some((side) => {
    const best = new Set(said.map((top) => top[side]));
    return tops.some(({ [side]: price }) => book.has(side, price) && !best.has(price));
  });
}
