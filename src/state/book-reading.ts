// How are order book frames to be read? The document does not say whether a frame is the whole book or
// changes of it, so three readings are folded side by side, and the best bid and offer, which the service
// sends on a channel of its own, is the judge. Reading: docs/adr/0003.
import type { OrderbookUpdate } from "../wire/channels/orderbook.ts";
import type { AuditDifference } from "./audit.ts";
import { type BboWitness, confirms } from "./bbo-witness.ts";
import { Book, type Depth, isSameTop, type Top } from "./book.ts";
import { shapeEvidence } from "./book-shape.ts";

/**
 * `whole`: each frame is the book. `changes`: the first frame is the book, later ones set absolute sizes.
 * `changes-or-whole`: the same, but a frame with a null previous sequence is the book again.
 */
export type BookReading = "whole" | "changes" | "changes-or-whole";

const READINGS: readonly BookReading[] = ["whole", "changes", "changes-or-whole"];

/** Decided at 10,000 : 1. */
const DECISION = Math.log(10_000);
/** The two readings that take changes differ only at a null previous: a small lead chooses between them. */
const PREFERENCE = 2;
const IF_CONFIRMED = Math.log(0.97);
const IF_CONTRADICTED = Math.log(0.03);
/**
 * What one audit by snapshot counts: two that agree decide. A book that agrees as far as it goes, and does not go as
 * far as the snapshot, explains less than one that does.
 */
const IF_REFUTED = -DECISION / 2;
const IF_SHALLOW = IF_REFUTED / 2;
/** Server times closer than this may belong to one transaction. */
const MARGIN_NS = 1_000_000n;
/** Frames that may wait for the witness; with more, the oldest is judged early. */
const MAX_PENDING = 512;

/** Logarithm of how well a reading explains one snapshot. */
type Verdicts = ReadonlyMap<BookReading, number>;

/** What comes of comparing the books with a snapshot. */
export interface BookAuditResult {
  /** Of the book that was shown. */
  readonly differences: readonly AuditDifference[];
  /** Two audits agree: another reading is shown now. */
  readonly isChanged: boolean;
  /** Two audits agree that the book is wrong, and no reading explains both. */
  readonly isRefuted: boolean;
}

/** A frame that waits for the witness: what each reading showed after it. */
interface Pending {
  readonly atMs: number;
  readonly sequence: string | null;
  readonly timestampNs: bigint;
  readonly tops: ReadonlyMap<BookReading, Top>;
}

/** One book for each reading, until the evidence leaves one of them. */
export class BookReadings {
  readonly #witness: BboWitness;
  /** The book under each reading that is in question; readings that agree so far share one. */
  #books = new Map<BookReading, Book>();
  /** Logarithms of how well each reading explains what was seen, the best at 0. */
  #scores = new Map<BookReading, number>();
  #pending: Pending[] = [];
  /** Frames have come that name another, or that do not. */
  #hasChained = false;
  #hasUnchained = false;
  #reading: BookReading = "changes-or-whole";
  #isDecided = false;
  #judged = 0;
  /** What the last audit said of each reading, while it spoke against the one that is shown. */
  #against: Verdicts | undefined;
  #deepest: Depth = { bids: 0, asks: 0 };

  constructor(witness: BboWitness) {
    this.#witness = witness;
    this.forget();
  }

  /** The same readings, with a witness of their own. Readings that share a book go on sharing one. */
  copy(witness: BboWitness): BookReadings {
    const copy = new BookReadings(witness);
    const books = new Map([...new Set(this.#books.values())].map((book) => [book, book.copy()]));
    copy.#books = new Map([...this.#books].map(([name, book]) => [name, books.get(book) ?? book]));
    copy.#scores = new Map(this.#scores);
    copy.#pending = [...this.#pending];
    copy.#hasChained = this.#hasChained;
    copy.#hasUnchained = this.#hasUnchained;
    copy.#reading = this.#reading;
    copy.#isDecided = this.#isDecided;
    copy.#judged = this.#judged;
    copy.#against = this.#against;
    copy.#deepest = this.#deepest;
    return copy;
  }

  /** The reading that is shown: one that takes changes, until `whole` is decided. */
  get reading(): BookReading {
    return this.#reading;
  }

  /** True once every reading that would show something different is ruled out. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** Frames of which the witness confirmed one reading and contradicted another. */
  get judged(): number {
    return this.#judged;
  }

  /** The book under the reading that is shown. */
  get book(): Book {
    return this.#books.get(this.#reading) ?? noBook;
  }

  /** Starts the books anew from a first frame. What was learned about the service stays. */
  start(frame: OrderbookUpdate): void {
    this.#pending = [];
    const first = Book.of(frame.orderbook);
    this.#deepen(first);
    for (const reading of READINGS) if (!this.#isRuledOut(reading)) this.#books.set(reading, first);
  }

  /**
   * Folds a later frame into the book of every reading that is in question. One that continues a transaction adds to it,
   * whatever the transaction was: no frame of it is the whole book alone.
   * @param isUnchained its null previous names no frame
   */
  fold(frame: OrderbookUpdate, isUnchained: boolean, continues = false): void {
    if (continues) {
      for (const book of new Set(this.#books.values())) book.apply(frame.orderbook);
      return;
    }
    if (isUnchained) this.#hasUnchained = true;
    else this.#hasChained = true;
    if (!this.#isDecided) this.#weighShape(frame, isUnchained);
    const changed = new Set<Book>();
    for (const [reading, book] of this.#books) {
      if (takesWhole(reading, isUnchained)) this.#books.set(reading, Book.of(frame.orderbook));
      else if (!changed.has(book)) {
        book.apply(frame.orderbook);
        changed.add(book);
      }
    }
  }

  /** Keeps a frame, of which the readings show different tops, until the witness can have spoken of it. */
  remember(frame: OrderbookUpdate, atMs: number, continues = false): void {
    // Between two frames of a transaction the book is no book yet.
    if (continues && this.#pending.at(-1)?.sequence === frame.sequence) this.#pending.pop();
    if (this.#books.size < 2) return;
    const tops = new Map([...this.#books].map(([reading, book]) => [reading, book.top]));
    if (!isDivided(tops)) return;
    if (this.#pending.length >= MAX_PENDING) this.#judgeOldest();
    const { sequence, timestamp_ns } = frame;
    this.#pending.push({ atMs, sequence, timestampNs: BigInt(timestamp_ns), tops });
  }

  /** Judges the frames that have waited long enough. */
  judge(untilMs: number): void {
    while (this.#pending[0] !== undefined && this.#pending[0].atMs <= untilMs) this.#judgeOldest();
  }

  /**
   * Compares the books with a snapshot of the same sequence. What speaks for the reading that is shown counts at once;
   * what speaks against it, when a second audit agrees.
   */
  audit(orderbook: OrderbookUpdate["orderbook"]): BookAuditResult {
    const snapshot = Book.of(orderbook);
    this.#deepen(snapshot);
    const shown = this.reading;
    const differences = new Map<Book, readonly AuditDifference[]>();
    const verdicts = new Map<BookReading, number>();
    for (const [reading, book] of this.#books) {
      const found = differences.get(book) ?? book.compare(snapshot, this.#deepest);
      differences.set(book, found);
      const isDeep = book.isAsDeepAs(snapshot);
      verdicts.set(reading, found.length > 0 ? IF_REFUTED : isDeep ? 0 : IF_SHALLOW);
    }
    const shownDifferences = differences.get(this.book) ?? [];
    const before = this.#against;
    this.#against = undefined;
    let isRefuted = false;
    if (shownDifferences.length === 0) {
      this.#judged++;
      this.#weigh((reading) => verdicts.get(reading) ?? 0);
    } else if (before?.get(shown) !== IF_REFUTED) this.#against = verdicts;
    else {
      this.#judged += 2;
      this.#weigh((reading) => sumOfAgreeing(before.get(reading), verdicts.get(reading)));
      isRefuted = this.reading === shown || verdicts.get(this.reading) === IF_REFUTED;
    }
    return { differences: shownDifferences, isChanged: this.reading !== shown, isRefuted };
  }

  #deepen(snapshot: Book): void {
    const { bids, asks } = snapshot.levels;
    this.#deepest = {
      bids: Math.max(this.#deepest.bids, bids),
      asks: Math.max(this.#deepest.asks, asks),
    };
  }

  /** Forgets what was learned: the reading in force has been contradicted. The next frame must be a first one. */
  forget(): void {
    this.#pending = [];
    this.#hasChained = false;
    this.#hasUnchained = false;
    this.#against = undefined;
    for (const reading of READINGS) this.#scores.set(reading, 0);
    this.#decide();
  }

  #judgeOldest(): void {
    const frame = this.#pending.shift();
    if (frame === undefined) return;
    const said = this.#witness.inForce(frame.timestampNs, MARGIN_NS);
    const confirmed = new Map([...frame.tops].map(([name, top]) => [name, confirms(said, top)]));
    const verdicts = new Set(confirmed.values());
    if (verdicts.size < 2) return;
    this.#judged++;
    this.#weigh((reading) => {
      const isConfirmed = confirmed.get(reading);
      if (isConfirmed === undefined) return 0;
      return isConfirmed ? IF_CONFIRMED : IF_CONTRADICTED;
    });
  }

  /** What the frame looks like by itself, before it is folded in. */
  #weighShape(frame: OrderbookUpdate, isUnchained: boolean): void {
    const book = this.#books.get("changes") ?? this.#books.get("changes-or-whole");
    const evidence = book === undefined ? 0 : shapeEvidence(frame.orderbook, book);
    if (evidence === 0) return;
    this.#weigh((reading) => (takesWhole(reading, isUnchained) ? evidence : 0));
  }

  #weigh(evidence: (reading: BookReading) => number): void {
    for (const [reading, score] of this.#scores) {
      this.#scores.set(reading, score + evidence(reading));
    }
    const best = Math.max(...this.#scores.values());
    for (const [reading, score] of this.#scores) this.#scores.set(reading, score - best);
    this.#decide();
    for (const rival of READINGS) {
      if (this.#differ(this.#reading, rival) && this.#lead(this.#reading, rival) >= DECISION) {
        this.#scores.set(rival, Number.NEGATIVE_INFINITY);
        this.#books.delete(rival);
      }
    }
  }

  #decide(): void {
    const changes =
      this.#lead("changes", "changes-or-whole") >= PREFERENCE ? "changes" : "changes-or-whole";
    const isWhole = this.#differ("whole", changes) && this.#lead("whole", changes) >= DECISION;
    this.#reading = isWhole ? "whole" : changes;
    this.#isDecided =
      isWhole ||
      (this.#differ(changes, "whole") && this.#lead(changes, "whole") >= DECISION) ||
      (this.#hasUnchained && !this.#hasChained && this.#lead(changes, "changes") >= DECISION);
  }

  #lead(reading: BookReading, rival: BookReading): number {
    return this.#score(reading) - this.#score(rival);
  }

  #score(reading: BookReading): number {
    return this.#scores.get(reading) ?? 0;
  }

  #isRuledOut(reading: BookReading): boolean {
    return this.#score(reading) === Number.NEGATIVE_INFINITY;
  }

  /** True when frames have been seen that the two readings take differently. */
  #differ(a: BookReading, b: BookReading): boolean {
    if (a === b) return false;
    const isPair = (x: BookReading, y: BookReading) => (a === x && b === y) || (a === y && b === x);
    if (isPair("whole", "changes-or-whole")) return this.#hasChained;
    if (isPair("changes", "changes-or-whole")) return this.#hasUnchained;
    return this.#hasChained || this.#hasUnchained;
  }
}

const noBook = new Book();

/** Logarithms of odds. Two audits that say something different of a reading say nothing together. */
function sumOfAgreeing(a: number | undefined, b: number | undefined): number {
  return a !== undefined && a === b ? a + b : 0;
}

function takesWhole(reading: BookReading, isUnchained: boolean): boolean {
  return reading === "whole" || (reading === "changes-or-whole" && isUnchained);
}

function isDivided(tops: ReadonlyMap<BookReading, Top>): boolean {
  const [first, ...others] = tops.values();
  return first !== undefined && others.some((top) => !isSameTop(first, top));
}
