// Decides how order book frames are to be interpreted. The document does not say whether a frame is the whole book or a set
// of changes, so both interpretations are folded side by side until evidence decides: the shape of frames, the best bid and
// offer (a channel of its own), and audits by snapshot. Interpretation: docs/adr/0003.
import { isZero, stripZeros } from "../units/uint.ts";
import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { Orderbook, OrderbookUpdate, PriceLevel } from "../wire/channels/orderbook.ts";
import type { AuditDifference } from "./audits.ts";
import { getTop, type Quote } from "./bbo.ts";
import { Book, type Depth, isSameTop, type SideName, type Top } from "./book.ts";
import type { BookFacts } from "./facts-schema.ts";

/**
 * `whole`: each frame is the book. `changes`: later frames set absolute sizes. Either way a snapshot, which the sequence
 * chain knows (docs/adr/0002), is the book.
 */
export type BookInterpretation = "whole" | "changes";

const INTERPRETATIONS: readonly BookInterpretation[] = ["whole", "changes"];

/** Decided at 10,000 : 1. */
const DECISION = Math.log(10_000);
const IF_CONFIRMED = Math.log(0.97);
const IF_CONTRADICTED = Math.log(0.03);
/**
 * What one audit by snapshot counts: two that agree decide. A book that agrees as far as it goes, and does not go as
 * far as the snapshot, explains less than one that does.
 */
const IF_REFUTED = -DECISION / 2;
const IF_SHALLOW = IF_REFUTED / 2;
/**
 * Server times of the two channels may be this far apart for one and the same change. What is said within it of what was
 * judged last says nothing more.
 */
const MARGIN_NS = 100_000_000n;
/** Frames, and best bids and offers, that are kept; of more, the oldest are not looked at. */
const MAX_FRAMES = 512;

/** Frames that may be the book, and were taken for changes, that are followed at once. */
const MAX_RIVALS = 32;
/** Levels of a side that may go at once, in a small book. */
const MAX_GONE = 2;

type Verdicts = ReadonlyMap<BookInterpretation, number>;

export interface BookAuditResult {
  readonly differences: readonly AuditDifference[];
  /** Two audits agree: another interpretation is shown now. */
  readonly isChanged: boolean;
  /** Two audits agree that the book is wrong, and no interpretation explains both. */
  readonly isRefuted: boolean;
}

interface Shown {
  readonly sequence: string | null;
  readonly timestampNs: bigint;
  readonly tops: Readonly<Record<BookInterpretation, Top>>;
  /** False while it does not matter which interpretation is right. */
  readonly differs: boolean;
}

/** One book for each interpretation, until the evidence leaves one of them. */
export class BookInterpretations {
  /** The book under each interpretation that is in question; interpretations that agree so far share one. */
  private books = new Map<BookInterpretation, Book>();
  /** Logarithms of how well each interpretation explains what was seen, the best at 0. */
  private scores = new Map<BookInterpretation, number>();
  /** After the newest frames, in order of arrival; and what the best bid and offer showed that no later frame was received for. */
  private shown: Shown[] = [];
  private differing = 0;
  private quotes: Quote[] = [];
  private hasEvidence = false;
  private judgedNs: bigint | undefined;
  /** A frame was received that is no snapshot: the interpretations take it differently. */
  private hasLater = false;
  /** The interpretation that is shown: changes, until `whole` is decided. */
  interpretation: BookInterpretation = "changes";
  isDecided = false;
  /** Observations that favour one interpretation over the other: frame shapes, best bids and offers, audits. */
  judged = 0;
  /**
   * A frame that names none before it has looked like what was ruled out: some are the book and some are changes, and each is
   * taken for what it looks like. That is never decided.
   */
  isMixed = false;
  /** What was shown before a frame that names none was so small that it may be no book; until one repeats most of a book. */
  private shrunk: Book | undefined;
  /** What changes leave where a frame that was taken for some, and names none, was the book; until what is received shows that it was not. */
  private rivals: Book[] = [];
  /** Server time of the newest frame, and what the best bid and offer showed last. */
  private timestampNs = "0";
  private quoted: BboUpdate | undefined;
  /** Frames that name none, while nothing was decided, have looked like a book, and like changes. */
  private looks = { whole: false, changes: false };
  /** What the last audit said of each interpretation, while it spoke against the one that is shown. */
  private against: Verdicts | undefined;
  private deepest: Depth = { bids: 0, asks: 0 };
  private wholeSize = 0;

  constructor() {
    this.forget();
  }

  /** True while frames were received that the interpretations take differently, and it is not decided which is right. */
  get isOpen(): boolean {
    const isSuspect = this.shrunk !== undefined || this.rivals.length > 0;
    return this.hasLater && (!this.isDecided || isSuspect);
  }

  get book(): Book {
    return this.books.get(this.interpretation) ?? noBook;
  }

  facts(): BookFacts {
    const { judged, hasLater } = this;
    // What is in question for a while stays so: the frames that began it are no part of the facts.
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

  /** Takes up what an earlier state had found, behind the frame with which the books were started. */
  restore({ scores, judged, isMixed, hasLater }: BookFacts): void {
    Object.assign(this, { judged, isMixed, hasLater });
    for (const each of INTERPRETATIONS) {
      this.scores.set(each, scores[each] ?? Number.NEGATIVE_INFINITY);
      if (scores[each] === null) this.books.delete(each);
    }
    this.decide();
  }

  /** Starts the books anew from a first frame. What was learned about the service stays. */
  start(frame: OrderbookUpdate): void {
    this.clear();
    this.replace(frame);
    this.timestampNs = frame.timestamp_ns;
  }

  /**
   * Folds a later frame into the book of every interpretation that is in question. One that continues a transaction adds to it,
   * whatever the transaction was: no frame of it is the whole book alone.
   */
  fold(frame: OrderbookUpdate, isSnapshot: boolean, continues = false): void {
    if (continues) {
      this.notePart(frame);
      this.add(frame);
    } else if (isSnapshot) this.replace(frame);
    else this.foldLater(frame);
    // Between two frames of a transaction the book is no book yet.
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
   * Compares the books with a snapshot of the same sequence. What speaks for the interpretation that is shown counts at once;
   * what speaks against it, when a second audit agrees.
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

  /** Behind a snapshot that agrees with the book as far as both go. */
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

  /** Forgets what was learned: the interpretation in force has been contradicted. The next frame must be a first one. */
  forget(): void {
    this.clear();
    this.hasLater = false;
    this.against = undefined;
    this.looks = { whole: false, changes: false };
    for (const interpretation of INTERPRETATIONS) this.scores.set(interpretation, 0);
    this.decide();
  }

  /** A frame that is the book, whatever the interpretation. */
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

  /** Keeps what the interpretations show after a frame, for what the best bid and offer says of that time. */
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

  /** Judges by what the best bid and offer has shown of times for which every frame was received. */
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
   * The best bid and offer may speak seldom, so that silence says nothing: only of the time at which it speaks it knows the top. A
   * interpretation that has shown another all around that time is contradicted.
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

  /** What was shown at a server time, or within the margin of it; nothing where that time is not known from its beginning. */
  private shownAt(timestampNs: bigint): readonly Shown[] {
    const found: Shown[] = [];
    for (let i = this.shown.length - 1; i >= 0; i--) {
      const shown = this.shown[i];
      if (shown === undefined || shown.timestampNs > timestampNs + MARGIN_NS) continue;
      found.push(shown);
      if (shown.timestampNs <= timestampNs - MARGIN_NS) return found;
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

  /** Where some look like the book and some like changes, no sum of both decides for one. */
  private noteLook(evidence: number): void {
    this.looks[evidence > 0 ? "whole" : "changes"] = true;
    if (this.looks.whole && this.looks.changes && !this.isMixed) this.mix(this.book);
  }

  /** The rest of a transaction that names none, and repeats the book, is a snapshot behind a change: then there are both. */
  private notePart(frame: OrderbookUpdate): void {
    const isWhole = this.isDecided && this.interpretation === "whole";
    if (isWhole || frame.previous_sequence !== null || this.shapeOf(frame) <= 0) return;
    if (!this.isDecided) this.noteLook(1);
    else if (!this.isMixed) this.mix(this.book);
  }

  /**
   * A frame that names none before it is the book or changes, whatever the others are: the evidence of those says nothing of it. So each
   * interpretation that is possible holds only while the frame cannot be what the other one takes it for.
   */
  private suspectBoth(frame: Orderbook): void {
    // Nearly every frame of a service of whole books: to suspect it would change nothing, and sort each of them.
    const isPlain = this.shrunk === undefined && this.books.get("whole")?.isRepeatedAtSight(frame);
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

  /** Had the frame that began a rival been the book, the rival would hold every level that is there. */
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

  /** What the best bid and offer showed last, where that was clearly between the newest frame and this one. */
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
    else this.shrunk ??= whole;
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

  /** What was shown and said so far is not held against each other any more. */
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
 * True of a frame that may be the book. Changes repeat some levels now and then, but not in so many; every level of a small book may
 * have changed since it was shown, and its last ones may have gone; and a large one where all is new is hardly smaller than it was.
 */
function mayBeAll(frame: Orderbook, book: Book): boolean {
  const levels = countLevels(frame);
  if (book.size < MIN_BOOK) return mayBeSmall(frame, book, levels);
  if (levels * 2 < book.size) return isMostOfOneSide(frame, book, levels);
  const isNew = levels * 4 >= book.size * 3 && hasSides(frame, book, 0);
  return isNew || book.countHeld(frame, levels) > 0;
}

/** True of a frame that repeats most of one side and names no level of the other, all of which may have gone. */
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

/** True of a frame with levels of each side of the book, but for those that have so few that all may have gone. */
function hasSides(frame: Orderbook, { levels }: Book, maxGone: number): boolean {
  return (
    (frame.bids.length > 0 || levels.bids <= maxGone) &&
    (frame.asks.length > 0 || levels.asks <= maxGone)
  );
}

function isSameBook(a: Book, b: Book): boolean {
  return a.size === b.size && a.countHeld(b.depth(b.size), 0) === b.size;
}

/** True of a frame that removes a level of one book that another has not. */
function removesOther(frame: Orderbook, books: Readonly<Record<"of" | "not", Book>>): boolean {
  const isOther = (side: SideName) => (level: PriceLevel) => {
    if (!isZero(level.size_base_lots)) return false;
    const price = stripZeros(level.price_ticks);
    return books.of.has(side, price) && !books.not.has(side, price);
  };
  return frame.bids.some(isOther("bid")) || frame.asks.some(isOther("ask"));
}

/**
 * True of a frame with levels just as they were before others left them out, and as many as it has of those: then these were changes.
 * @param repeated levels that the frame has of the one before it
 */
function hasReturned(frame: Orderbook, before: Book, whole: Book, repeated: number): boolean {
  const levels = countLevels(frame);
  const isPart = whole.size > 0 && before.countHeld(whole.depth(whole.size), 0) === whole.size;
  const returned = before.countHeld(frame, levels) - repeated;
  return !isPart && returned > 0 && returned >= repeated;
}

const noBook = new Book();

/** Logarithms of odds. Two audits that say something different of a interpretation say nothing together. */
function sumOfAgreeing(a: number | undefined, b: number | undefined): number {
  return a !== undefined && a === b ? a + b : 0;
}

// What an order book frame looks like by itself: the whole book, or changes of it?

/** Logarithms of odds for "whole". A level of size 0 makes no sense in a whole book. */
const IF_REMOVES = -1.5;
/** Most levels are repeated unchanged: changes would leave them out. */
const IF_REPEATS = 3;
/** Few levels beside the last that was surely whole, none of them as held: a whole book rarely shrinks to that. */
const IF_TOUCHES_FEW = -1.5;
/** Smaller frames and books show no shape. */
const MIN_REPEATED = 3;
const MIN_BOOK = 8;

/**
 * Evidence that a frame, seen beside the book held so far, is whole (positive) or changes (negative): the logarithm
 * of its odds.
 * @param held what changes have made of the last whole book: were they none, it holds levels that are long gone
 * @param wholeSize levels of the last whole book
 */
function shapeEvidence(frame: Orderbook, held: Book, wholeSize: number): number {
  const levels = frame.bids.length + frame.asks.length;
  const removes = (level: { size_base_lots: string }) => isZero(level.size_base_lots);
  if (frame.bids.some(removes) || frame.asks.some(removes)) return IF_REMOVES;
  const isFew = levels * 2 < wholeSize && wholeSize >= MIN_BOOK;
  // When more than half are not held, how many are is of no interest, but for a frame of few: whether any is.
  const repeated = held.countHeld(frame, isFew ? levels : levels / 2);
  if (repeated >= MIN_REPEATED && repeated * 2 >= levels) return IF_REPEATS;
  return isFew && repeated === 0 ? IF_TOUCHES_FEW : 0;
}
