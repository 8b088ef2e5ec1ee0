// Folds the order book of one market under the interpretation in force, and checks it against the best bid and offer.
import { stripZeros } from "../units/uint.ts";
import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { OrderbookUpdate, PriceLevel } from "../wire/channels/orderbook.ts";
import type { AuditResult } from "./audits.ts";
import { BboEvidence, getTop } from "./bbo.ts";
import { type Book, isCrossed, isLocked, isSameTop, type SideName, type Top } from "./book.ts";
import { type BookInterpretation, BookInterpretations } from "./book-interpretation.ts";
import { BookWindow, type PastBook } from "./book-window.ts";
import type { BookFacts } from "./facts-schema.ts";

/** If a book is suspect twice within this time, its interpretation is wrong, not only the book. */
const REPEATED_SUSPECT_MS = 300_000;

/** Levels of both sides, best first, as on the wire. */
export type OrderbookView = Readonly<Record<"bids" | "asks", readonly PriceLevel[]>>;

/** The order book of one market under its interpretations. Only the fold changes it. */
export class OrderbookState {
  private evidence = new BboEvidence();
  private interpretations = new BookInterpretations();
  private bboCheck = new BookAudit(this.evidence);
  /** Sequence of the last frame applied, digit text; null if it had none. */
  sequence: string | null = null;
  hasBook = false;
  /** Why the book must be fetched again; undefined while it is accepted. */
  suspect: string | undefined;
  private suspectAtMs = Number.NEGATIVE_INFINITY;
  private window = new BookWindow();
  /** Server time of the last frame, nanoseconds as digit text; empty before the first. */
  timestampNs = "";
  /** The interpretation itself is suspect: with the next snapshot, all of them are weighed again. */
  private mustForget = false;

  get interpretation(): BookInterpretation {
    return this.interpretations.interpretation;
  }

  get isDecided(): boolean {
    return this.interpretations.isDecided;
  }

  /** True while it matters which interpretation is right and this is undecided. */
  get isOpen(): boolean {
    return this.interpretations.isOpen;
  }

  /** Observations that favour one interpretation: frame shapes, best bids and offers, audits. */
  get judged(): number {
    return this.interpretations.judged;
  }

  /** When the BBO last agreed with the top of the book, by our clock. */
  get confirmedAtMs(): number | undefined {
    return this.bboCheck.confirmedAtMs;
  }

  get isInconsistent(): boolean {
    return this.suspect !== undefined || this.bboCheck.isCrossed || this.bboCheck.isContradicted;
  }

  /** The best `count` levels of each side; all of them without a count. */
  depth(count = Number.POSITIVE_INFINITY): OrderbookView {
    return this.interpretations.book.depth(count);
  }

  /**
   * Applies an update of the book's own channel.
   * @param continues it belongs to the same transaction as the frame before
   * @param isSnapshot it is a full book according to the sequence chain
   */
  update(
    frame: OrderbookUpdate,
    isFirst: boolean,
    atMs: number,
    continues = false,
    isSnapshot = false,
  ): this {
    if (!continues) this.keep(isFirst, atMs);
    this.sequence = frame.sequence;
    this.timestampNs = frame.timestamp_ns;
    this.hasBook = true;
    if (isFirst) this.begin(frame);
    else this.interpretations.fold(frame, isSnapshot, continues);
    const isWhole = isFirst || isSnapshot || (this.isDecided && this.interpretation === "whole");
    const mayRepeat = isWhole && !continues && !this.interpretations.book.isOrdered;
    if (mayRepeat && hasTwice(frame.orderbook)) this.suspect = TWICE;
    this.bboCheck.note(this.interpretations.book, frame.timestamp_ns, atMs, continues);
    this.advance(atMs);
    return this;
  }

  private begin(frame: OrderbookUpdate): void {
    this.suspect = undefined;
    this.bboCheck.start();
    if (this.mustForget) this.interpretations.forget();
    this.mustForget = false;
    this.interpretations.start(frame);
  }

  snapshot(): Pick<OrderbookUpdate, "timestamp_ns" | "orderbook"> | undefined {
    if (!this.hasBook) return undefined;
    const { bids, asks } = this.depth();
    return { timestamp_ns: this.timestampNs, orderbook: { bids: [...bids], asks: [...asks] } };
  }

  facts(): BookFacts {
    return { ...this.interpretations.facts(), suspect: this.suspect };
  }

  restore({ suspect, ...facts }: BookFacts): this {
    this.interpretations.restore(facts);
    this.suspect = suspect;
    return this;
  }

  /** A view shows changes: past books are kept from now on. @returns milliseconds until they can be compared */
  watchChanges(nowMs: number): number {
    return this.window.watch(nowMs);
  }

  /** The book of `WINDOW_MS` ago, or the oldest kept; undefined if it cannot be compared with the current one. */
  before(nowMs: number): PastBook | undefined {
    if (!this.hasBook || !this.isDecided || this.isOpen || this.isInconsistent) return undefined;
    if (this.window.missingMs(nowMs) > 0) return undefined;
    const { timestampNs } = this;
    return this.window.before(nowMs) ?? { ...this.depth(), isCut: false, timestampNs };
  }

  /** Compares the book with a snapshot of the same sequence. */
  audit({ orderbook }: OrderbookUpdate, atMs: number): AuditResult {
    const compared = orderbook.bids.length + orderbook.asks.length;
    if (!this.hasBook) return { compared: 0, differences: [] };
    const { differences, isChanged, isRefuted } = this.interpretations.audit(orderbook);
    if (isChanged || isRefuted) this.window.clear();
    if (isRefuted) {
      this.suspect ??= "two snapshots disagree with the book";
      this.suspectAtMs = atMs;
      this.mustForget = true;
      return { compared, differences, changed: "no interpretation of its frames holds" };
    }
    const words = this.interpretation === "whole" ? "whole books" : "changes";
    return {
      compared,
      differences,
      changed: isChanged ? `its frames are taken as ${words}` : undefined,
    };
  }

  /** Frames were misinterpreted: conclusions drawn from them are void. */
  markSuspect(): void {
    if (this.judged === 0) return;
    this.suspect ??= "what its frames follow was taken wrongly";
    this.mustForget = true;
    this.interpretations.isMixed = false;
  }

  get hasEvidence(): boolean {
    return this.evidence.hasQuotes;
  }

  observe(frame: BboUpdate, atMs: number): void {
    this.bboCheck.observe(getTop(frame.bbo), frame.timestamp_ns, atMs);
    this.evidence.add(frame, atMs);
    this.interpretations.observe(frame);
    if (this.hasBook) this.advance(atMs);
  }

  /** BBO updates have stopped: the last one no longer counts as evidence. */
  loseEvidence(): this {
    this.evidence.clear();
    this.bboCheck.start();
    return this;
  }

  /** Advances time: compares recent tops with those of the BBO. */
  advance(nowMs: number): void {
    const { book, isDecided } = this.interpretations;
    const suspect = this.bboCheck.check(book, isDecided, nowMs);
    if (suspect === undefined || this.suspect !== undefined) return;
    this.suspect = suspect;
    this.mustForget = nowMs - this.suspectAtMs < REPEATED_SUSPECT_MS;
    this.suspectAtMs = nowMs;
  }

  /** Records the book before it changes. */
  private keep(isFirst: boolean, atMs: number): void {
    const isWatched = this.window.isWatched(atMs);
    if (isFirst || !isWatched || !this.isDecided || this.isOpen) this.window.clear();
    else if (this.window.isDue(atMs))
      this.window.add((count) => this.depth(count), this.timestampNs, atMs);
  }
}

const TWICE = "a price stands twice on one side: which size it has is not known";

/** True when a price of a side has two sizes: they may be two orders, or successive sizes. */
function hasTwice({ bids, asks }: OrderbookUpdate["orderbook"]): boolean {
  return [bids, asks].some((levels) => {
    const sizes = new Map<string, string>();
    return levels.some(({ price_ticks, size_base_lots }) => {
      const [price, size] = [stripZeros(price_ticks), stripZeros(size_base_lots)];
      const held = sizes.get(price);
      sizes.set(price, size);
      return held !== undefined && held !== size;
    });
  });
}

// Does the book shown still agree with the best bid and offer? Checked for as long as it is shown, because even under the right
// interpretation the book can be corrupted by one lost frame that no sequence reveals.

/** Minimum time between samples, so that the check costs nothing on a busy market. */
const SAMPLE_PERIOD_MS = 100;
/** Maximum delay between the two channels. */
const TOLERANCE_MS = 300;
/** Consecutive misses that make a book suspect, if its interpretation is decided and if it is only assumed. */
const MAX_MISSES = 3;
const MAX_MISSES_ASSUMED = 10;
/** After this many quotes that only repeated what the book had long shown, silence of the BBO is no evidence. */
const MAX_LATE = 2;
/** A book crossed for longer than this is wrong. */
const MAX_CROSSED_MS = 2000;

interface Sample {
  readonly atMs: number;
  readonly top: Top;
  /** Since when the book has had this top. */
  readonly sinceMs: number;
}

class BookAudit {
  private readonly evidence: BboEvidence;
  private samples: Sample[] = [];
  /** When the first frame of the newest transaction arrived, by our clock. */
  private begunAtMs = 0;
  private misses = 0;
  private crossedAtMs: number | undefined;
  private crossings = new Crossings();
  private moments = new SharedMoments();
  /** When the BBO last agreed with the top of the book, by our clock. */
  confirmedAtMs: number | undefined;
  /** The top of the book, and since when; kept across resyncs, because an unchanged top was right. */
  private top: Top = { bid: undefined, ask: undefined };
  private topSinceMs = Number.NEGATIVE_INFINITY;
  /** How many quotes only showed, late, what the book had shown all along. */
  private late = 0;

  constructor(evidence: BboEvidence) {
    this.evidence = evidence;
  }

  /** True while the book shown is crossed, or was crossed for longer than an instant. */
  get isCrossed(): boolean {
    return this.crossedAtMs !== undefined;
  }

  /** True when the BBO has disagreed several times in a row, whether or not that is enough for a resync. */
  get isContradicted(): boolean {
    return this.misses >= MAX_MISSES;
  }

  start(): void {
    this.samples = [];
    this.misses = 0;
    this.crossedAtMs = undefined;
    this.crossings = new Crossings();
    this.moments.start();
  }

  /**
   * Notes the state of the book after a frame with a server time (digit text).
   * @param continues it belongs to the same transaction as the frame before: the book in between was not complete
   */
  note(book: Book, timestampNs: string, nowMs: number, continues = false): void {
    this.crossings.note(book, timestampNs, nowMs, continues);
    const { top } = book;
    this.moments.note("book", { timestampNs, top }, continues);
    if (!isSameTop(top, this.top)) {
      this.top = top;
      this.topSinceMs = nowMs;
    }
    if (continues) this.samples = this.samples.filter(({ atMs }) => atMs < this.begunAtMs);
    else this.begunAtMs = nowMs;
  }

  /**
   * Notes a quote before it is used as evidence: a service may publish the BBO rarely. Then a quote shows, late, what the book
   * has long shown, without any other in between.
   */
  observe(top: Top, timestampNs: string, nowMs: number): void {
    this.moments.note("bbo", { timestampNs, top });
    const isLate = nowMs - this.topSinceMs > TOLERANCE_MS && isSameTop(top, this.top);
    const { hasQuotes, quotedAtMs } = this.evidence;
    if (isLate && hasQuotes && quotedAtMs < this.topSinceMs && !this.evidence.isInForce(top))
      this.late++;
  }

  /** Checks the book after a change or after some time. @returns why it is suspect, if it is */
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
    if (this.moments.areContradicted(isDecided)) {
      return "the best bid and offer disagree with the book at one server time";
    }
    const crossedForMs = nowMs - (this.crossedAtMs ?? nowMs);
    return crossedForMs > MAX_CROSSED_MS ? "the book is crossed" : undefined;
  }

  private checkCrossed(top: Top, nowMs: number): void {
    // The document does not say that every bid is below every ask: a locked book that the BBO confirms is valid.
    if (isLocked(top) && this.evidence.isInForce(top)) this.crossedAtMs = undefined;
    else if (isCrossed(top)) this.crossedAtMs ??= nowMs;
    // Otherwise it was crossed for too long to be halfway through a change: a level was wrong, and may now lie hidden deeper.
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

// A crossed book held a level that is in no real book. If nothing removes it, it soon lies deeper, where the BBO no longer
// contradicts it: so check whether it was ever the best price.

/** By our clock, the quotes for a moment have arrived after this time. */
const WAIT_MS = 300;
/** The two channels may show the same this far apart, in server time. */
const MARGIN_NS = 300_000_000n;
/** Maximum tops per crossing, and maximum crossings waiting to be checked. */
const MAX_TOPS = 16;
const MAX_WAITING = 16;

interface Crossing {
  readonly ns: bigint;
  readonly tops: readonly Top[];
}

interface Ended {
  readonly tops: readonly Top[];
  /** Server times of the first frame that crossed the book and of the one that uncrossed it. */
  readonly sinceNs: bigint;
  readonly untilNs: bigint;
  readonly atMs: number;
}

const SIDES = ["bid", "ask"] as const satisfies readonly SideName[];

class Crossings {
  private since: Crossing | undefined;
  private ended: readonly Ended[] = [];
  /** Both as before the newest transaction. */
  private sinceBefore: Crossing | undefined;
  private endedBefore: readonly Ended[] = [];

  /**
   * Notes the state of the book after a frame.
   * @param timestampNs server time of the frame, digit text
   * @param nowMs our clock
   * @param continues it belongs to the same transaction as the frame before: the book in between was not complete
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

  /** True when the book still holds a level that crossed it and that was never the best in the BBO. */
  areSuspect(book: Book, evidence: BboEvidence, nowMs: number): boolean {
    const [ended] = this.ended;
    if (ended === undefined || nowMs - ended.atMs < WAIT_MS) return false;
    this.ended = this.ended.slice(1);
    return isSuspect(ended, book, evidence) || this.areSuspect(book, evidence, nowMs);
  }
}

function isSuspect({ tops, sinceNs, untilNs }: Ended, book: Book, evidence: BboEvidence): boolean {
  const quoted = evidence.inForceBetween(sinceNs - MARGIN_NS, untilNs + MARGIN_NS);
  if (quoted.length === 0) return false;
  return SIDES.some((side) => {
    const best = new Set(quoted.map((top) => top[side]));
    return tops.some(({ [side]: price }) => book.has(side, price) && !best.has(price));
  });
}

// A wrong level that the market crosses at once appears in no sample. If both channels have always agreed at equal server
// times, a server time at which they differ reveals it.

/** Consecutive server times with agreement needed before a disagreement counts; quadrupled after each one that does. */
const MIN_AGREED = 20;

/** A channel's best prices at a server time (digit text). */
interface TopAt {
  readonly timestampNs: string;
  readonly top: Top;
}

class SharedMoments {
  /** The newest of each channel; undefined once its time has passed. */
  private bbo: TopAt | undefined;
  private book: TopAt | undefined;
  /** Whether both agreed at the last server time that has passed; undefined once evaluated. */
  private hasAgreed: boolean | undefined;
  /** Consecutive agreements. */
  private agreed = 0;
  private needed = MIN_AGREED;

  /** Another book is shown from now on; the number of agreements still counts. */
  start(): void {
    this.bbo = undefined;
    this.book = undefined;
    this.hasAgreed = undefined;
  }

  /** @param continues it belongs to the same transaction as the frame before: the book in between was not complete */
  note(channel: "bbo" | "book", at: TopAt, continues = false): void {
    if (this[channel]?.timestampNs !== at.timestampNs) this.end(continues);
    this[channel] = at;
  }

  /** One of the channels has moved on: the time before is complete. */
  private end(continues: boolean): void {
    const { bbo, book } = this;
    if (bbo === undefined || book === undefined || bbo.timestampNs !== book.timestampNs) return;
    this.bbo = undefined;
    this.book = undefined;
    if (!continues) this.hasAgreed = isSameTop(bbo.top, book.top);
  }

  /** True when the channels, after agreeing for long, differed at the last server time common to both. */
  areContradicted(isDecided: boolean): boolean {
    const { hasAgreed } = this;
    this.hasAgreed = undefined;
    if (hasAgreed === undefined || !isDecided) return false;
    const isContradicted = !hasAgreed && this.agreed >= this.needed;
    if (isContradicted) this.needed *= 4;
    this.agreed = hasAgreed ? this.agreed + 1 : 0;
    return isContradicted;
  }
}
