// Does the book that is shown still agree with the best bid and offer? Checked for as long as it is shown:
// a interpretation that was right can be undone by one lost frame that no sequence betrays.
import type { BboEvidence } from "./bbo-evidence.ts";
import { type Book, isCrossed, isLocked, isSameTop, type Top } from "./book.ts";
import { Crossings } from "./crossings.ts";

/** One sample at most in this time, so that the audit costs nothing on a busy market. */
const SAMPLE_PERIOD_MS = 100;
/** The two channels may run this far apart. */
const TOLERANCE_MS = 300;
/** Misses in a row that make a book suspect, when its interpretation is decided and when it is only assumed. */
const MAX_MISSES = 3;
const MAX_MISSES_ASSUMED = 10;
/** So often it has said what the book had shown for a while already, and its silence says nothing. */
const MAX_LATE = 2;
/** A crossed book that does not mend itself in this time is wrong. */
const MAX_CROSSED_MS = 2000;

interface Sample {
  readonly atMs: number;
  readonly top: Top;
  /** Since when the book has had this top. */
  readonly sinceMs: number;
}

/** Compares one book with the bbo for as long as it is shown. */
export class BookAudit {
  private readonly evidence: BboEvidence;
  private samples: Sample[] = [];
  /** When the newest transaction began to come, by our clock. */
  private begunAtMs = 0;
  private misses = 0;
  private crossedAtMs: number | undefined;
  private crossings = new Crossings();
  /** When the best bid and offer last agreed with the top of the book, by our clock. */
  confirmedAtMs: number | undefined;
  /** The top of the book, and since when; over resyncs, for where it is the same it was right. */
  private top: Top = { bid: undefined, ask: undefined };
  private topSinceMs = Number.NEGATIVE_INFINITY;
  /** How often the best bid and offer has said only later what the book had shown all the time. */
  private late = 0;

  constructor(evidence: BboEvidence) {
    this.evidence = evidence;
  }

  /** True while the book that is shown is crossed, or has been for longer than an instant. */
  get isCrossed(): boolean {
    return this.crossedAtMs !== undefined;
  }

  /** True while the best bid and offer has disagreed several times in a row, whether or not that is enough to fetch it anew. */
  get isContradicted(): boolean {
    return this.misses >= MAX_MISSES;
  }

  start(): void {
    this.samples = [];
    this.misses = 0;
    this.crossedAtMs = undefined;
    this.crossings = new Crossings();
  }

  /**
   * Takes note of how a frame of some server time, digit text, has left the book.
   * @param continues it belongs to the transaction of the one before: between them there was no book to look at
   */
  note(book: Book, timestampNs: string, nowMs: number, continues = false): void {
    this.crossings.note(book, timestampNs, nowMs, continues);
    const { top } = book;
    if (!isSameTop(top, this.top)) {
      this.top = top;
      this.topSinceMs = nowMs;
    }
    if (continues) this.samples = this.samples.filter(({ atMs }) => atMs < this.begunAtMs);
    else this.begunAtMs = nowMs;
  }

  /**
   * Takes note that the best bid and offer speaks, before it is asked what it says: a service may publish the best prices seldom. Then
   * it says only late what the book has long shown, and has said nothing else since.
   */
  observe(top: Top, nowMs: number): void {
    const isLate = nowMs - this.topSinceMs > TOLERANCE_MS && isSameTop(top, this.top);
    const { hasQuotes, quotedAtMs } = this.evidence;
    if (isLate && hasQuotes && quotedAtMs < this.topSinceMs && !this.evidence.isInForce(top))
      this.late++;
  }

  /** Looks at the book after a change or after some time. Answers why it is suspect, if it is. */
  check(book: Book, isDecided: boolean, nowMs: number): string | undefined {
    this.checkCrossed(book.top, nowMs);
    this.sample(book, nowMs);
    this.judge(nowMs);
    if (this.misses >= (isDecided ? MAX_MISSES : MAX_MISSES_ASSUMED)) {
      return "the best bid and offer disagree with the book";
    }
    if (isDecided && this.crossings.areSuspect(book, this.evidence, nowMs)) {
      return "a level that crossed the book was never the best";
    }
    const crossedForMs = nowMs - (this.crossedAtMs ?? nowMs);
    return crossedForMs > MAX_CROSSED_MS ? "the book is crossed" : undefined;
  }

  private checkCrossed(top: Top, nowMs: number): void {
    // The document does not say that a bid is below every ask: what the best bid and offer says, too, is so.
    if (isLocked(top) && this.evidence.isInForce(top)) this.crossedAtMs = undefined;
    else if (isCrossed(top)) this.crossedAtMs ??= nowMs;
    // Longer than two halves of one change are apart: a level was wrong, and may lie deeper now, where nothing shows it.
    else if (nowMs - (this.crossedAtMs ?? nowMs) <= TOLERANCE_MS) this.crossedAtMs = undefined;
  }

  private sample(book: Book, nowMs: number): void {
    const last = this.samples.at(-1);
    if (!this.evidence.hasQuotes) return;
    if (last !== undefined && nowMs - last.atMs < SAMPLE_PERIOD_MS) return;
    this.samples.push({ atMs: nowMs, top: book.top, sinceMs: this.topSinceMs });
  }

  private judge(nowMs: number): void {
    for (let sample = this.samples[0]; sample !== undefined; sample = this.samples[0]) {
      if (nowMs - sample.atMs < TOLERANCE_MS) return;
      this.samples.shift();
      if (this.evidence.wasInForce(sample.top, sample.atMs - TOLERANCE_MS)) {
        this.misses = 0;
        this.confirmedAtMs = nowMs;
      } else if (this.late < MAX_LATE || this.evidence.quotedAtMs > sample.sinceMs) this.misses++;
    }
  }
}
