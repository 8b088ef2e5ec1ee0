// How are order book frames to be taken? The document does not say whether a frame is the whole book or
// changes of it, so two interpretations are folded side by side, and the best bid and offer, which the service
// sends on a channel of its own, is the judge. Interpretation: docs/adr/0003.
import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { Orderbook, OrderbookUpdate } from "../wire/channels/orderbook.ts";
import type { AuditDifference } from "./audits.ts";
import { getTop } from "./bbo-evidence.ts";
import { Book, type Depth, isSameTop, type Top } from "./book.ts";
import { MIN_BOOK, shapeEvidence } from "./book-shape.ts";

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
/** Frames, and words of the best bid and offer, that are kept; of more, the oldest are not looked at. */
const MAX_FRAMES = 512;

/** Logarithm of how well a interpretation explains one snapshot. */
type Verdicts = ReadonlyMap<BookInterpretation, number>;

/** What comes of comparing the books with a snapshot. */
export interface BookAuditResult {
  /** Of the book that was shown. */
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

/** What the best bid and offer said, and when by the server's clock. */
interface Quote {
  readonly timestampNs: bigint;
  readonly top: Top;
}

/** What the frames of a book have shown of how they are taken, as plain values. */
export interface BookFacts {
  /** Logarithms; null for what is ruled out. */
  readonly scores: Readonly<Record<BookInterpretation, number | null>>;
  readonly judged: number;
  readonly isMixed: boolean;
  readonly hasLater: boolean;
}

/** One book for each interpretation, until the evidence leaves one of them. */
export class BookInterpretations {
  /** The book under each interpretation that is in question; interpretations that agree so far share one. */
  private books = new Map<BookInterpretation, Book>();
  /** Logarithms of how well each interpretation explains what was seen, the best at 0. */
  private scores = new Map<BookInterpretation, number>();
  /** After the newest frames, in order of arrival; and what the best bid and offer said that no later frame has come for. */
  private shown: Shown[] = [];
  /** How many of them differ. */
  private differing = 0;
  private quotes: Quote[] = [];
  /** The best bid and offer was observed since the first frame. */
  private hasEvidence = false;
  /** Server time of what was judged last. */
  private judgedNs: bigint | undefined;
  /** A frame has come that is no snapshot: the interpretations take it differently. */
  private hasLater = false;
  /** The interpretation that is shown: changes, until `whole` is decided. */
  interpretation: BookInterpretation = "changes";
  isDecided = false;
  /** Observations for one interpretation and against the other: frames by their shape, words of the best bid and offer, audits. */
  judged = 0;
  /**
   * A frame that names none before it has looked like what was ruled out: some are the book and some are changes, and each is
   * taken for what it looks like. That is never decided.
   */
  isMixed = false;
  /** What was shown before a frame that names none was so small that it may be no book; until one repeats most of a book. */
  private shrunk: Book | undefined;
  /** Frames that name none, while nothing was decided, have looked like a book, and like changes. */
  private looks = { whole: false, changes: false };
  /** What the last audit said of each interpretation, while it spoke against the one that is shown. */
  private against: Verdicts | undefined;
  private deepest: Depth = { bids: 0, asks: 0 };
  /** Levels of the newest snapshot. */
  private wholeSize = 0;

  constructor() {
    this.forget();
  }

  /** True while frames have come that the interpretations take differently, and it is not decided which is right. */
  get isOpen(): boolean {
    return this.hasLater && (!this.isDecided || this.shrunk !== undefined);
  }

  get book(): Book {
    return this.books.get(this.interpretation) ?? noBook;
  }

  facts(): BookFacts {
    const { judged, isMixed, hasLater } = this;
    const scoreOf = (each: BookInterpretation) => (this.isRuledOut(each) ? null : this.score(each));
    return {
      ...{ judged, isMixed, hasLater },
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
  }

  /** Takes note of what the best bid and offer are at a server time. */
  observe({ timestamp_ns, bbo }: BboUpdate): void {
    if (this.books.size < 2) return;
    this.hasEvidence = true;
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
    for (const interpretation of INTERPRETATIONS)
      if (!this.isRuledOut(interpretation)) this.books.set(interpretation, book);
  }

  private add(frame: OrderbookUpdate): void {
    for (const book of new Set(this.books.values())) book.apply(frame.orderbook);
  }

  private foldLater(frame: OrderbookUpdate): void {
    this.hasLater = true;
    if (!this.isDecided) this.weighShape(frame);
    else if (frame.previous_sequence === null) this.doubtBy(frame.orderbook);
    if (this.isMixed) this.foldMixed(frame);
    else this.foldAlike(frame);
  }

  private foldMixed(frame: OrderbookUpdate): void {
    if (this.shapeOf(frame) > 0) this.replace(frame);
    else this.add(frame);
  }

  private foldAlike(frame: OrderbookUpdate): void {
    this.books.get("changes")?.apply(frame.orderbook);
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

  /** Judges by what the best bid and offer has said of times for which every frame has come. */
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

  /** True for a time that is too near to what was judged last. */
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

  /** What the frame looks like by itself, before it is folded in. */
  private weighShape(frame: OrderbookUpdate): void {
    const evidence = this.shapeOf(frame);
    if (evidence === 0) {
      const { orderbook, previous_sequence } = frame;
      const held = this.books.get("changes") ?? noBook;
      if (previous_sequence !== null) return;
      if (mayBeAll(orderbook, held)) this.noteLook(1);
      return;
    }
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

  /** A frame that names none before it may be what is ruled out, although none was until now. */
  private doubtBy(frame: Orderbook): void {
    const { book } = this;
    const evidence = shapeEvidence(frame, book, book.size);
    if (this.interpretation === "whole") {
      const levels = countLevels(frame);
      this.doubtWhole(frame, { evidence, levels, repeated: book.countHeld(frame, levels) });
    } else if (evidence >= 0 && mayBeAll(frame, book)) this.mix(book);
  }

  private doubtWhole(
    frame: Orderbook,
    { evidence, levels, repeated }: Readonly<Record<"evidence" | "levels" | "repeated", number>>,
  ): void {
    const { book, shrunk } = this;
    if (evidence > 0) this.shrunk = undefined;
    else if (evidence < 0 && levels > 0) this.mix(shrunk ?? book);
    else if (shrunk !== undefined && shapeEvidence(frame, shrunk, shrunk.size) > 0)
      this.mix(shrunk);
    else if (levels * 2 < book.size || (repeated === 0 && levels > 0)) this.shrunk ??= book;
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

  private shapeOf({ orderbook }: OrderbookUpdate): number {
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
    this.clear();
  }

  /** What was shown and said so far is not held against each other any more. */
  private clear(): void {
    this.shrunk = undefined;
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
 * True of a frame that may be the book. Changes repeat some levels now and then, but not in so many; and every level of a small
 * book may have changed since it was shown.
 */
function mayBeAll(frame: Orderbook, book: Book): boolean {
  const { bids, asks } = frame;
  const levels = countLevels(frame);
  if (levels * 2 < book.size) return false;
  const mayAllBeNew = book.size < MIN_BOOK && bids.length > 0 && asks.length > 0;
  return mayAllBeNew || book.countHeld(frame, levels) > 0;
}

const noBook = new Book();

/** Logarithms of odds. Two audits that say something different of a interpretation say nothing together. */
function sumOfAgreeing(a: number | undefined, b: number | undefined): number {
  return a !== undefined && a === b ? a + b : 0;
}
