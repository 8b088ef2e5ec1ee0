// The order book of one market: its frames under the reading in force, watched by the best bid and offer.
import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { OrderbookUpdate, PriceLevel } from "../wire/channels/orderbook.ts";
import type { AuditResult } from "./audits.ts";
import { BboWitness, topOf } from "./bbo-witness.ts";
import { BookAudit } from "./book-audit.ts";
import { type BookInterpretation, BookInterpretations } from "./book-interpretation.ts";

/** Two doubts within this time mean that the reading is wrong, and not only the book. */
const REPEATED_DOUBT_MS = 300_000;

/** What an audit may have changed the reading to. */
const WORDS: Readonly<Record<BookInterpretation, string>> = {
  whole: "whole books",
  changes: "changes",
};

/** The book as it stands: immutable, made when somebody looks. */
export interface OrderbookView {
  /** Best first, each with its wire text. */
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
}

/** The order book of one market under its readings. Only the fold changes it. */
export class OrderbookState {
  #witness = new BboWitness();
  #readings = new BookInterpretations();
  #audit = new BookAudit(this.#witness);
  #sequence: string | null = null;
  #hasBook = false;
  #doubt: string | undefined;
  #doubtedAtMs = Number.NEGATIVE_INFINITY;
  /** The reading itself is in doubt: with the next whole state, all of them are weighed anew. */
  #mustForget = false;

  /** The same book with all that was learned of it; later frames of this one do not reach it. */
  copy(): OrderbookState {
    const copy = new OrderbookState();
    copy.#witness = this.#witness.copy();
    copy.#readings = this.#readings.copy();
    copy.#audit = this.#audit.copy(copy.#witness);
    copy.#sequence = this.#sequence;
    copy.#hasBook = this.#hasBook;
    copy.#doubt = this.#doubt;
    copy.#doubtedAtMs = this.#doubtedAtMs;
    copy.#mustForget = this.#mustForget;
    return copy;
  }

  /** Sequence of the last frame folded in, digit text; null where the service gave none. */
  get sequence(): string | null {
    return this.#sequence;
  }

  get reading(): BookInterpretation {
    return this.#readings.reading;
  }

  /** True once the witness has decided for the reading; until then it is assumed. */
  get isDecided(): boolean {
    return this.#readings.isDecided;
  }

  /** True while it matters which interpretation is right, and is not decided. */
  get isOpen(): boolean {
    return this.#readings.isOpen;
  }

  /** What has spoken for one interpretation and against the other: frames by their shape, words of the witness, audits. */
  get judged(): number {
    return this.#readings.judged;
  }

  /** When the best bid and offer last agreed with the top of the book, by our clock. */
  get confirmedAtMs(): number | undefined {
    return this.#audit.confirmedAtMs;
  }

  /** Why the book must be fetched anew; undefined while it is believed. */
  get doubt(): string | undefined {
    return this.#doubt;
  }

  /** True when the book must not be shown as live. */
  get isUntrue(): boolean {
    return this.#doubt !== undefined || this.#audit.isCrossed || this.#audit.isContradicted;
  }

  get hasBook(): boolean {
    return this.#hasBook;
  }

  /** The best `count` levels of each side; all of them without a count. */
  depth(count = Number.POSITIVE_INFINITY): OrderbookView {
    return this.#readings.book.depth(count);
  }

  /**
   * Folds in an update of the book's own channel.
   * @param continues it belongs to the transaction of the one before
   * @param isSnapshot it is the whole book, by the sequence chain
   */
  update(
    frame: OrderbookUpdate,
    isFirst: boolean,
    atMs: number,
    continues = false,
    isSnapshot = false,
  ): void {
    this.#sequence = frame.sequence;
    this.#hasBook = true;
    if (isFirst) {
      this.#doubt = undefined;
      this.#audit.start();
      if (this.#mustForget) this.#readings.forget();
      this.#mustForget = false;
      this.#readings.start(frame);
    } else this.#readings.fold(frame, isSnapshot, continues);
    this.#audit.note(this.#readings.book, frame.timestamp_ns, atMs, continues);
    this.pass(atMs);
  }

  /** Compares the book with a snapshot of the same sequence. Interpretation: docs/adr/0050. */
  audit({ orderbook }: OrderbookUpdate, atMs: number): AuditResult {
    const compared = orderbook.bids.length + orderbook.asks.length;
    if (!this.#hasBook) return { compared: 0, differences: [] };
    const { differences, isChanged, isRefuted } = this.#readings.audit(orderbook);
    if (isRefuted) {
      this.#doubt ??= "two snapshots disagree with the book";
      this.#doubtedAtMs = atMs;
      this.#mustForget = true;
      return { compared, differences, changed: "no interpretation of its frames holds" };
    }
    const changed = isChanged ? `its frames are taken as ${WORDS[this.reading]}` : undefined;
    return { compared, differences, changed };
  }

  /** True while the best bid and offer watch the book. */
  get hasWitness(): boolean {
    return this.#witness.hasSpoken;
  }

  /** Observes an update of the best bid and offer of the same market. */
  observe(frame: BboUpdate, atMs: number): void {
    this.#audit.observe(topOf(frame.bbo), atMs);
    this.#witness.add(frame, atMs);
    this.#readings.observe(frame);
    if (this.#hasBook) this.pass(atMs);
  }

  /** The best bid and offer are not received any more: what they said last proves nothing. */
  loseWitness(): void {
    this.#witness.clear();
    this.#audit.start();
  }

  /** Lets time pass: what was shown is held against the witness. */
  pass(nowMs: number): void {
    const doubt = this.#audit.check(this.#readings.book, this.#readings.isDecided, nowMs);
    if (doubt === undefined || this.#doubt !== undefined) return;
    this.#doubt = doubt;
    this.#mustForget = nowMs - this.#doubtedAtMs < REPEATED_DOUBT_MS;
    this.#doubtedAtMs = nowMs;
  }
}
