// Decides how order book frames are to be interpreted. The document does not say whether a frame is a snapshot or a delta, so
// both interpretations are folded side by side until evidence decides: the shape of frames, the best bid and offer (a separate
// channel), and audits by snapshot.
import { isZero, stripZeros } from "../units/uint.ts";
import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { Orderbook, OrderbookUpdate, PriceLevel } from "../wire/channels/orderbook.ts";
import type { AuditDifference } from "./audits.ts";
import { getTop, type Quote } from "./bbo.ts";
import { Book, type Depth, isSameTop, type SideName, type Top } from "./book.ts";
import { copyState } from "./copy-state.ts";
import type { BookFacts } from "./facts-schema.ts";

/**
 * `whole`: each frame is a full book. `changes`: later frames are deltas with absolute sizes. Under both, a snapshot, as
 * identified by the sequence chain, is a full book.
 */
export type BookInterpretation = "whole" | "changes";

const INTERPRETATIONS: readonly BookInterpretation[] = ["whole", "changes"];

/** Decided at odds of 10,000 : 1. */
const DECISION = Math.log(10_000);
const IF_CONFIRMED = Math.log(0.97);
const IF_CONTRADICTED = Math.log(0.03);
/**
 * Log odds of one audit by snapshot: two that agree decide. A book that agrees but is less deep than the snapshot is a weaker
 * explanation than one that is as deep.
 */
const IF_REFUTED = -DECISION / 2;
const IF_SHALLOW = IF_REFUTED / 2;
/**
 * Server times of the two channels may differ by this much for the same change. Quotes within this time after the last one
 * judged add no evidence.
 */
const MARGIN_NS = 100_000_000n;
/** Frames and quotes kept; the oldest are dropped unjudged. */
const MAX_FRAMES = 512;

/** Maximum rivals tracked at once: frames taken as deltas that may have been full books. */
const MAX_RIVALS = 32;
/** Levels per side that may vanish at once from a small book. */
const MAX_GONE = 2;

type Verdicts = ReadonlyMap<BookInterpretation, number>;

export interface BookAuditResult {
  readonly differences: readonly AuditDifference[];
  /** Two audits agree: the interpretation shown has changed. */
  readonly isChanged: boolean;
  /** Two audits agree that the book is wrong, and no interpretation explains both. */
  readonly isRefuted: boolean;
}

interface Shown {
  readonly sequence: string | null;
  readonly timestampNs: bigint;
  readonly tops: Readonly<Record<BookInterpretation, Top>>;
  /** False if both interpretations show the same top. */
  readonly differs: boolean;
}

/** One book per interpretation, until the evidence leaves one. */
export class BookInterpretations {
  /** The book under each interpretation still possible; interpretations that agree so far share one. */
  private books = new Map<BookInterpretation, Book>();
  /** Log likelihood of each interpretation, the best at 0. */
  private scores = new Map<BookInterpretation, number>();
  /** Tops after the newest frames, in order of arrival; `quotes`: BBO tops not judged yet, because no later frame has arrived. */
  private shown: Shown[] = [];
  private differing = 0;
  private quotes: Quote[] = [];
  private hasEvidence = false;
  private judgedNs: bigint | undefined;
  /** A frame other than a snapshot was received: the interpretations treat it differently. */
  private hasLater = false;
  /** The interpretation shown: `changes` until `whole` is decided. */
  interpretation: BookInterpretation = "changes";
  isDecided = false;
  /** Observations that favour one interpretation: frame shapes, best bids and offers, audits. */
  judged = 0;
  /**
   * A frame with a null previous sequence looked like the excluded interpretation: some frames are full books and others deltas,
   * and each is treated as what it looks like. Final: this is never decided.
   */
  isMixed = false;
  /** The book before a null-previous frame so small that it may be no full book; kept until a frame repeats most of a book. */
  private shrunk: Book | undefined;
  /** Books that result if a null-previous frame, taken as a delta, was in fact a full book; kept until refuted. */
  private rivals: Book[] = [];
  /** Server time of the newest frame; and the last BBO update. */
  private timestampNs = "0";
  private quoted: BboUpdate | undefined;
  /** Whether null-previous frames have looked like a full book, and like a delta, while undecided. */
  private looks = { whole: false, changes: false };
  /** Verdict of the last audit on each interpretation, if it contradicted the one shown. */
  private against: Verdicts | undefined;
  private deepest: Depth = { bids: 0, asks: 0 };
  private wholeSize = 0;

  constructor() {
    this.forget();
  }

  /** True when frames were received that the interpretations treat differently, and it is undecided which is right. */
  get isOpen(): boolean {
    const isSuspect = this.shrunk !== undefined || this.rivals.length > 0;
    return this.hasLater && (!this.isDecided || isSuspect);
  }

  get book(): Book {
    return this.books.get(this.interpretation) ?? noBook;
  }

  facts(): BookFacts {
    const { judged, hasLater } = this;
    // A temporary question becomes permanent: the frames that raised it are not part of the facts.
    const isSuspect = this.isDecided && this.isOpen;
    const isMixed = this.isMixed || isSuspect;
    const scoreOf = (each: BookInterpretation) => {
      if (isSuspect) return 0;
      return this.isRuledOut(each) ? null : this.score(each);
    };
    return {
      judged,
      isMixed,
      hasLater,
      scores: { whole: scoreOf("whole"), changes: scoreOf("changes") },
    };
  }

  /** Restores earlier findings, after the books were started from a frame. */
  restore({ scores, judged, isMixed, hasLater }: BookFacts): void {
    Object.assign(this, { judged, isMixed, hasLater });
    for (const each of INTERPRETATIONS) {
      this.scores.set(each, scores[each] ?? Number.NEGATIVE_INFINITY);
      if (scores[each] === null) this.books.delete(each);
    }
    this.decide();
  }

  /** Restarts the books from a first frame. What was learned about the service stays. */
  start(frame: OrderbookUpdate): void {
    this.clear();
    this.replace(frame);
    this.timestampNs = frame.timestamp_ns;
  }

  /**
   * Applies a later frame under every interpretation still possible. A frame that continues a transaction adds to it under each
   * of them: no part of a transaction is a full book by itself.
   */
  fold(frame: OrderbookUpdate, isSnapshot: boolean, continues = false): void {
    if (continues) {
      this.notePart(frame);
      this.add(frame);
    } else if (isSnapshot) this.replace(frame);
    else this.foldLater(frame);
    // Between two frames of a transaction the book is not complete.
    if (continues && this.shown.at(-1)?.sequence === frame.sequence)
      this.released(this.shown.pop());
    this.remember(frame);
    this.timestampNs = frame.timestamp_ns;
  }

  observe(update: BboUpdate): void {
    this.quoted = update;
    if (this.books.size < 2) return;
    this.hasEvidence = true;
    const { timestamp_ns, bbo } = update;
    const timestampNs = BigInt(timestamp_ns);
    if (this.isJudged(timestampNs)) return;
    if (this.quotes.length >= MAX_FRAMES) this.quotes.shift();
    this.quotes.push({ timestampNs, top: getTop(bbo) });
    this.judge();
  }

  /**
   * Compares the books with a snapshot of the same sequence. Evidence for the interpretation shown counts at once; evidence
   * against it only when a second audit agrees.
   */
  audit(orderbook: OrderbookUpdate["orderbook"]): BookAuditResult {
    const snapshot = Book.of(orderbook);
    this.deepen(snapshot);
    const shown = this.interpretation;
    const differences = new Map<Book, readonly AuditDifference[]>();
    const verdicts = new Map<BookInterpretation, number>();
    for (const [interpretation, book] of this.books) {
      const found = differences.get(book) ?? book.compare(snapshot, this.deepest);
      differences.set(book, found);
      const isDeep = book.isAsDeepAs(snapshot);
      verdicts.set(interpretation, found.length > 0 ? IF_REFUTED : isDeep ? 0 : IF_SHALLOW);
    }
    const shownDifferences = differences.get(this.book) ?? [];
    const before = this.against;
    this.against = undefined;
    let isRefuted = false;
    if (shownDifferences.length === 0) {
      this.judged++;
      this.weigh((interpretation) => verdicts.get(interpretation) ?? 0);
      this.compareSuspects(snapshot);
    } else if (before?.get(shown) !== IF_REFUTED) this.against = verdicts;
    else {
      this.judged += 2;
      this.weigh((interpretation) =>
        sumOfAgreeing(before.get(interpretation), verdicts.get(interpretation)),
      );
      isRefuted = this.interpretation === shown || verdicts.get(this.interpretation) === IF_REFUTED;
    }
    return { differences: shownDifferences, isChanged: this.interpretation !== shown, isRefuted };
  }

  /** After a snapshot that agrees with the book down to the depth of both. */
  private compareSuspects(snapshot: Book): void {
    if (this.book.isAsDeepAs(snapshot)) this.shrunk = undefined;
    const levels = snapshot.depth(snapshot.size);
    this.rivals = this.rivals.filter((rival) => rival.countHeld(levels, 0) === snapshot.size);
  }

  private deepen(snapshot: Book): void {
    const { bids, asks } = snapshot.levels;
    this.deepest = {
      bids: Math.max(this.deepest.bids, bids),
      asks: Math.max(this.deepest.asks, asks),
    };
  }

  /** Discards what was learned, because the interpretation in force was contradicted. The next frame must be a first one. */
  forget(): void {
    this.clear();
    this.hasLater = false;
    this.against = undefined;
    this.looks = { whole: false, changes: false };
    for (const interpretation of INTERPRETATIONS) this.scores.set(interpretation, 0);
    this.decide();
  }

  /** Applies a frame that is a full book under any interpretation. */
  private replace(frame: OrderbookUpdate): void {
    const book = Book.of(frame.orderbook);
    this.deepen(book);
    this.wholeSize = book.size;
    this.trust();
    for (const interpretation of INTERPRETATIONS)
      if (!this.isRuledOut(interpretation)) this.books.set(interpretation, book);
  }

  private add(frame: OrderbookUpdate): void {
    for (const book of new Set([...this.books.values(), ...this.rivals]))
      book.apply(frame.orderbook);
  }

  private foldLater(frame: OrderbookUpdate): void {
    this.hasLater = true;
    if (this.rivals.length > 0) this.judgeRivals(frame);
    if (frame.previous_sequence === null && !this.isMixed) this.suspectBoth(frame.orderbook);
    if (!this.isDecided) this.weighShape(frame);
    if (this.isMixed) this.foldMixed(frame);
    else this.foldAlike(frame);
  }

  private foldMixed(frame: OrderbookUpdate): void {
    if (this.shapeOf(frame) > 0) this.replace(frame);
    else this.add(frame);
  }

  private foldAlike(frame: OrderbookUpdate): void {
    const changes = this.books.get("changes");
    changes?.apply(frame.orderbook);
    for (const rival of this.rivals) rival.apply(frame.orderbook);
    if (changes !== undefined && this.rivals.length > 0)
      this.rivals = this.rivals.filter((rival) => !isSameBook(rival, changes));
    if (this.books.has("whole")) this.books.set("whole", Book.of(frame.orderbook));
  }

  /** Records the tops after a frame, to compare with BBO updates for that time. */
  private remember({ sequence, timestamp_ns }: OrderbookUpdate): void {
    if (this.books.size < 2 || !this.hasEvidence) return;
    const tops = { whole: this.topUnder("whole"), changes: this.topUnder("changes") };
    const differs = !isSameTop(tops.whole, tops.changes);
    if (this.shown.length >= MAX_FRAMES) this.released(this.shown.shift());
    this.shown.push({ sequence, timestampNs: BigInt(timestamp_ns), tops, differs });
    if (differs) this.differing++;
    this.judge();
  }

  private topUnder(interpretation: BookInterpretation): Top {
    return (this.books.get(interpretation) ?? noBook).top;
  }

  private released(shown: Shown | undefined): void {
    if (shown?.differs) this.differing--;
  }

  /** Judges by quotes for times up to which every frame has been received. */
  private judge(): void {
    const newest = this.shown.at(-1);
    if (newest === undefined || this.quotes.length === 0) return;
    const untilNs = newest.timestampNs - MARGIN_NS;
    for (let quote = this.quotes[0]; quote !== undefined; quote = this.quotes[0]) {
      if (quote.timestampNs >= untilNs) return;
      this.quotes.shift();
      this.judgeBy(quote);
    }
  }

  /**
   * The BBO channel may be updated rarely, so silence proves nothing: each quote is evidence only for its own time. An
   * interpretation that showed another top all around that time is contradicted.
   */
  private judgeBy({ timestampNs, top }: Quote): void {
    if (this.differing === 0 || this.isJudged(timestampNs)) return;
    const shown = this.shownAt(timestampNs);
    if (!shown.some(({ differs }) => differs)) return;
    const isConfirmed = (interpretation: BookInterpretation) =>
      shown.some(({ tops }) => isSameTop(tops[interpretation], top));
    const confirmed = { whole: isConfirmed("whole"), changes: isConfirmed("changes") };
    if (confirmed.whole === confirmed.changes) return;
    this.judgedNs = timestampNs;
    this.judged++;
    this.weigh((interpretation) => (confirmed[interpretation] ? IF_CONFIRMED : IF_CONTRADICTED));
  }

  private isJudged(timestampNs: bigint): boolean {
    return this.judgedNs !== undefined && timestampNs - this.judgedNs < MARGIN_NS;
  }

  /** Tops at a server time, within the margin; empty if that time is not covered from its start. */
  private shownAt(timestampNs: bigint): readonly Shown[] {
    const inRange: Shown[] = [];
    for (let i = this.shown.length - 1; i >= 0; i--) {
      const shown = this.shown[i];
      if (shown === undefined || shown.timestampNs > timestampNs + MARGIN_NS) continue;
      inRange.push(shown);
      if (shown.timestampNs <= timestampNs - MARGIN_NS) return inRange;
    }
    return [];
  }

  private weighShape(frame: OrderbookUpdate): void {
    const evidence = this.shapeOf(frame);
    if (evidence === 0) return;
    this.judged++;
    if (frame.previous_sequence === null) this.noteLook(evidence);
    this.weigh((interpretation) => (interpretation === "whole" ? evidence : 0));
  }

  /** If some frames look like full books and others like deltas, adding up the evidence decides nothing. */
  private noteLook(evidence: number): void {
    this.looks = { ...this.looks, [evidence > 0 ? "whole" : "changes"]: true };
    if (this.looks.whole && this.looks.changes && !this.isMixed) this.mix(this.book);
  }

  /** The rest of a null-previous transaction that repeats the book is a snapshot after a delta: so there are both. */
  private notePart(frame: OrderbookUpdate): void {
    const isWhole = this.isDecided && this.interpretation === "whole";
    if (isWhole || frame.previous_sequence !== null || this.shapeOf(frame) <= 0) return;
    if (!this.isDecided) this.noteLook(1);
    else if (!this.isMixed) this.mix(this.book);
  }

  /**
   * A frame with a null previous sequence may be a full book or a delta whatever the others are, so their evidence does not apply
   * to it. Each possible interpretation stands only while the frame cannot be what the other one takes it for.
   */
  private suspectBoth(frame: Orderbook): void {
    // Nearly every frame of a service that sends full books: suspecting it would change nothing and would sort each one.
    const isPlain =
      this.shrunk === undefined && this.books.get("whole")?.isClearlyRepeatedBy(frame);
    if (!isPlain && (!this.isDecided || this.interpretation === "whole")) this.suspectWhole(frame);
    if (!this.isMixed && this.interpretation === "changes") this.suspectChanges(frame);
  }

  private suspectChanges(frame: Orderbook): void {
    const { book } = this;
    if (!mayBeAll(frame, book)) return;
    const evidence = shapeEvidence(frame, book, this.isDecided ? book.size : this.wholeSize);
    if (evidence < 0) return;
    const isFollowed = evidence === 0 || !this.isDecided;
    if (isFollowed && this.rivals.length < MAX_RIVALS) this.rivals.push(Book.of(frame));
    else this.mix(book);
  }

  /** If the frame that began a rival was a full book, the rival holds every existing level: drops rivals that lack one. */
  private judgeRivals(frame: OrderbookUpdate): void {
    const { book } = this;
    const quoted = this.quotedBefore(frame);
    const isQuoted = quoted !== undefined && isSameTop(book.top, quoted);
    this.rivals = this.rivals.filter(
      (rival) =>
        !(isQuoted && !isSameTop(rival.top, quoted)) &&
        !removesOther(frame.orderbook, { of: book, not: rival }),
    );
  }

  /** The last BBO top, if it clearly falls between the newest frame and this one. */
  private quotedBefore({ timestamp_ns }: OrderbookUpdate): Top | undefined {
    const { quoted } = this;
    if (quoted === undefined) return undefined;
    const atNs = BigInt(quoted.timestamp_ns);
    const isBetween = atNs >= BigInt(this.timestampNs) && atNs + MARGIN_NS < BigInt(timestamp_ns);
    return isBetween ? getTop(quoted.bbo) : undefined;
  }

  private suspectWhole(frame: Orderbook): void {
    const whole = this.books.get("whole") ?? noBook;
    const { shrunk } = this;
    const levels = countLevels(frame);
    if (this.isDecided && levels > 0 && shapeEvidence(frame, whole, whole.size) < 0) {
      this.mix(shrunk ?? whole);
      return;
    }
    const repeated = whole.countHeld(frame, levels);
    const isMost = levels * 2 > (shrunk ?? whole).size;
    if (shrunk !== undefined && isMost && hasReturned(frame, shrunk, whole, repeated))
      this.mix(this.isDecided ? shrunk : this.book);
    else if (isMost && repeated * 2 >= whole.size) this.shrunk = undefined;
    // A copy, since both interpretations may share the book and deltas are still applied to it.
    else this.shrunk ??= copyState(whole);
  }

  private mix(book: Book): void {
    this.clear();
    this.isMixed = true;
    for (const interpretation of INTERPRETATIONS) {
      this.scores.set(interpretation, 0);
      this.books.set(interpretation, book);
    }
    this.decide();
  }

  private shapeOf({ orderbook }: Pick<OrderbookUpdate, "orderbook">): number {
    const book = this.books.get("changes");
    return book === undefined ? 0 : shapeEvidence(orderbook, book, this.wholeSize);
  }

  private weigh(evidence: (interpretation: BookInterpretation) => number): void {
    for (const [interpretation, score] of this.scores) {
      this.scores.set(interpretation, score + evidence(interpretation));
    }
    const best = Math.max(...this.scores.values());
    for (const [interpretation, score] of this.scores)
      this.scores.set(interpretation, score - best);
    this.decide();
    if (!this.isDecided) return;
    for (const rival of INTERPRETATIONS) {
      if (rival === this.interpretation) continue;
      this.scores.set(rival, Number.NEGATIVE_INFINITY);
      this.books.delete(rival);
    }
    if (this.interpretation === "changes") this.shrunk = undefined;
    else this.rivals = [];
    this.clearEvidence();
  }

  private clear(): void {
    this.trust();
    this.clearEvidence();
  }

  private trust(): void {
    this.shrunk = undefined;
    this.rivals = [];
  }

  /** Tops and quotes so far are no longer compared. */
  private clearEvidence(): void {
    this.shown = [];
    this.differing = 0;
    this.quotes = [];
    this.hasEvidence = false;
    this.judgedNs = undefined;
  }

  private decide(): void {
    const lead = this.isMixed ? 0 : this.score("whole") - this.score("changes");
    this.interpretation = this.hasLater && lead >= DECISION ? "whole" : "changes";
    this.isDecided = this.hasLater && Math.abs(lead) >= DECISION;
  }

  private score(interpretation: BookInterpretation): number {
    return this.scores.get(interpretation) ?? 0;
  }

  private isRuledOut(interpretation: BookInterpretation): boolean {
    return this.score(interpretation) === Number.NEGATIVE_INFINITY;
  }
}

function countLevels({ bids, asks }: Orderbook): number {
  return bids.length + asks.length;
}

/**
 * True for a frame that may be a full book. Deltas repeat some levels now and then, but not so many. In a small book, every
 * level may have changed and the last ones may be gone; a large one in which all is new is hardly smaller than before.
 */
function mayBeAll(frame: Orderbook, book: Book): boolean {
  const levels = countLevels(frame);
  if (book.size < MIN_BOOK) return mayBeSmall(frame, book, levels);
  if (levels * 2 < book.size) return isMostOfOneSide(frame, book, levels);
  const isNew = levels * 4 >= book.size * 3 && hasSides(frame, book, 0);
  return isNew || book.countHeld(frame, levels) > 0;
}

/** True for a frame that repeats most of one side and has no level of the other, all of which may be gone. */
function isMostOfOneSide({ bids, asks }: Orderbook, book: Book, levels: number): boolean {
  if (bids.length > 0 && asks.length > 0) return false;
  const side = bids.length > 0 ? book.levels.bids : book.levels.asks;
  if (levels < MIN_REPEATED || levels * 2 < side) return false;
  return book.countHeld({ bids, asks }, levels / 2) * 2 >= levels;
}

function mayBeSmall(frame: Orderbook, book: Book, levels: number): boolean {
  const repeated = book.countHeld(frame, levels);
  if (repeated === levels) return true;
  return levels * 3 >= book.size && (repeated > 0 || hasSides(frame, book, MAX_GONE));
}

/** True for a frame with levels on each side of the book, except sides so small that they may have emptied. */
function hasSides(frame: Orderbook, { levels }: Book, maxGone: number): boolean {
  return (
    (frame.bids.length > 0 || levels.bids <= maxGone) &&
    (frame.asks.length > 0 || levels.asks <= maxGone)
  );
}

function isSameBook(a: Book, b: Book): boolean {
  return a.size === b.size && a.countHeld(b.depth(b.size), 0) === b.size;
}

/** True for a frame that removes a level which one book has and the other does not. */
function removesOther(frame: Orderbook, books: Readonly<Record<"of" | "not", Book>>): boolean {
  const isOther = (side: SideName) => (level: PriceLevel) => {
    if (!isZero(level.size_base_lots)) return false;
    const price = stripZeros(level.price_ticks);
    return books.of.has(side, price) && !books.not.has(side, price);
  };
  return frame.bids.some(isOther("bid")) || frame.asks.some(isOther("ask"));
}

/**
 * True for a frame with levels exactly as before other frames omitted them, at least as many as it repeats of the frame before:
 * then those frames were deltas.
 * @param repeated levels that the frame shares with the one before it
 */
function hasReturned(frame: Orderbook, before: Book, whole: Book, repeated: number): boolean {
  const levels = countLevels(frame);
  const isPart = whole.size > 0 && before.countHeld(whole.depth(whole.size), 0) === whole.size;
  const returned = before.countHeld(frame, levels) - repeated;
  return !isPart && returned > 0 && returned >= repeated;
}

const noBook = new Book();

/** Log odds. Two audits that disagree on an interpretation together prove nothing. */
function sumOfAgreeing(a: number | undefined, b: number | undefined): number {
  return a !== undefined && a === b ? a + b : 0;
}

// What the shape of an order book frame suggests: a full book, or a delta?

/** Log odds for `whole`. A level of size 0 makes no sense in a full book. */
const IF_REMOVES = -1.5;
/** Most levels are repeated unchanged: a delta would omit them. */
const IF_REPEATS = 3;
/** Few levels compared with the last certain full book, none of them as held: a full book rarely shrinks that much. */
const IF_TOUCHES_FEW = -1.5;
/** Smaller frames and books give no evidence. */
const MIN_REPEATED = 3;
const MIN_BOOK = 8;

/**
 * Evidence from the shape of a frame that it is a full book (positive) or a delta (negative), as log odds.
 * @param held the book with frames applied as deltas: if they were none, it still holds levels that are long gone
 * @param wholeSize levels of the last full book
 */
function shapeEvidence(frame: Orderbook, held: Book, wholeSize: number): number {
  const levels = frame.bids.length + frame.asks.length;
  const removes = (level: { size_base_lots: string }) => isZero(level.size_base_lots);
  if (frame.bids.some(removes) || frame.asks.some(removes)) return IF_REMOVES;
  const isFew = levels * 2 < wholeSize && wholeSize >= MIN_BOOK;
  // Stops counting once more than half are missing; for a frame of few levels it matters whether any is held.
  const repeated = held.countHeld(frame, isFew ? levels : levels / 2);
  if (repeated >= MIN_REPEATED && repeated * 2 >= levels) return IF_REPEATS;
  return isFew && repeated === 0 ? IF_TOUCHES_FEW : 0;
}
