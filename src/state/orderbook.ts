// The order book of one market: its frames under the interpretation in force, checked by the best bid and offer.
import { stripZeros } from "../units/uint.ts";
import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { OrderbookUpdate, PriceLevel } from "../wire/channels/orderbook.ts";
import type { AuditResult } from "./audits.ts";
import { BboEvidence, getTop } from "./bbo-evidence.ts";
import { BookAudit } from "./book-audit.ts";
import {
  type BookFacts,
  type BookInterpretation,
  BookInterpretations,
} from "./book-interpretation.ts";
import { BookWindow, type PastBook } from "./book-window.ts";

/** Suspect twice within this time means that the interpretation is wrong, and not only the book. */
const REPEATED_SUSPECT_MS = 300_000;

const MISTAKEN = "what its frames follow was taken wrongly";

/** What an audit may have changed the interpretation to. */
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

/** The order book of one market under its interpretations. Only the fold changes it. */
export class OrderbookState {
  private evidence = new BboEvidence();
  private interpretations = new BookInterpretations();
  private bboCheck = new BookAudit(this.evidence);
  /** Sequence of the last frame folded in, digit text; null where the service gave none. */
  sequence: string | null = null;
  hasBook = false;
  /** Why the book must be fetched anew; undefined while it is accepted. */
  suspect: string | undefined;
  private suspectAtMs = Number.NEGATIVE_INFINITY;
  private window = new BookWindow();
  /** Server time of the last frame, nanoseconds in digit text; empty before the first. */
  timestampNs = "";
  /** The interpretation itself is suspect: with the next snapshot, all of them are weighed anew. */
  private mustForget = false;

  get interpretation(): BookInterpretation {
    return this.interpretations.interpretation;
  }

  /** True once evidence has decided for the interpretation; until then it is assumed. */
  get isDecided(): boolean {
    return this.interpretations.isDecided;
  }

  /** True while it matters which interpretation is right, and is not decided. */
  get isOpen(): boolean {
    return this.interpretations.isOpen;
  }

  /** Observations for one interpretation and against the other: frames by their shape, words of the best bid and offer, audits. */
  get judged(): number {
    return this.interpretations.judged;
  }

  /** When the best bid and offer last agreed with the top of the book, by our clock. */
  get confirmedAtMs(): number | undefined {
    return this.bboCheck.confirmedAtMs;
  }

  /** True when the book must not be shown as live. */
  get isInconsistent(): boolean {
    return this.suspect !== undefined || this.bboCheck.isCrossed || this.bboCheck.isContradicted;
  }

  /** The best `count` levels of each side; all of them without a count. */
  depth(count = Number.POSITIVE_INFINITY): OrderbookView {
    return this.interpretations.book.depth(count);
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
  ): this {
    if (!continues) this.keep(isFirst, atMs);
    this.sequence = frame.sequence;
    this.timestampNs = frame.timestamp_ns;
    this.hasBook = true;
    if (isFirst) {
      this.suspect = undefined;
      this.bboCheck.start();
      if (this.mustForget) this.interpretations.forget();
      this.mustForget = false;
      this.interpretations.start(frame);
      if (hasTwice(frame.orderbook)) this.suspect = TWICE;
    } else {
      this.interpretations.fold(frame, isSnapshot, continues);
      const isWhole = isSnapshot || (this.isDecided && this.interpretation === "whole");
      if (
        isWhole &&
        !continues &&
        !this.interpretations.book.isOrdered &&
        hasTwice(frame.orderbook)
      )
        this.suspect = TWICE;
    }
    this.bboCheck.note(this.interpretations.book, frame.timestamp_ns, atMs, continues);
    this.pass(atMs);
    return this;
  }

  /** The book as a frame that brings it; undefined before the first. */
  snapshot(): Pick<OrderbookUpdate, "timestamp_ns" | "orderbook"> | undefined {
    if (!this.hasBook) return undefined;
    const { bids, asks } = this.depth();
    return { timestamp_ns: this.timestampNs, orderbook: { bids: [...bids], asks: [...asks] } };
  }

  facts(): BookFacts & { readonly suspect?: string | undefined } {
    return { ...this.interpretations.facts(), suspect: this.suspect };
  }

  restore({ suspect, ...facts }: ReturnType<OrderbookState["facts"]>): this {
    this.interpretations.restore(facts);
    this.suspect = suspect;
    return this;
  }

  /** Somebody looks at what changes, which is kept from now on. @returns milliseconds until it is known */
  watchChanges(nowMs: number): number {
    return this.window.watch(nowMs);
  }

  /** The book of `WINDOW_MS` ago, or the first since; undefined while it cannot be compared with that of now. */
  before(nowMs: number): PastBook | undefined {
    if (!this.hasBook || !this.isDecided || this.isOpen || this.isInconsistent) return undefined;
    if (this.window.missingMs(nowMs) > 0) return undefined;
    const { timestampNs } = this;
    return this.window.before(nowMs) ?? { ...this.depth(), isCut: false, timestampNs };
  }

  /** Compares the book with a snapshot of the same sequence. Interpretation: docs/adr/0050. */
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
    const changed = isChanged ? `its frames are taken as ${WORDS[this.interpretation]}` : undefined;
    return { compared, differences, changed };
  }

  /** Frames were taken for what they are not: what was concluded from them is wrong, or right by chance. */
  markSuspect(): void {
    if (this.judged === 0) return;
    this.suspect ??= MISTAKEN;
    this.mustForget = true;
    this.interpretations.isMixed = false;
  }

  /** True while the best bid and offer watch the book. */
  get hasEvidence(): boolean {
    return this.evidence.hasQuotes;
  }

  /** Observes an update of the best bid and offer of the same market. */
  observe(frame: BboUpdate, atMs: number): void {
    this.bboCheck.observe(getTop(frame.bbo), atMs);
    this.evidence.add(frame, atMs);
    this.interpretations.observe(frame);
    if (this.hasBook) this.pass(atMs);
  }

  /** The best bid and offer are not received any more: what they said last proves nothing. */
  loseEvidence(): this {
    this.evidence.clear();
    this.bboCheck.start();
    return this;
  }

  /** Lets time pass: what was shown is held against what the best bid and offer said. */
  pass(nowMs: number): void {
    const suspect = this.bboCheck.check(
      this.interpretations.book,
      this.interpretations.isDecided,
      nowMs,
    );
    if (suspect === undefined || this.suspect !== undefined) return;
    this.suspect = suspect;
    this.mustForget = nowMs - this.suspectAtMs < REPEATED_SUSPECT_MS;
    this.suspectAtMs = nowMs;
  }

  /** What is about to change is what was before. */
  private keep(isFirst: boolean, atMs: number): void {
    const isWatched = this.window.isWatched(atMs);
    if (isFirst || !isWatched || !this.isDecided || this.isOpen) this.window.clear();
    else if (this.window.isDue(atMs)) {
      this.window.add((count) => this.depth(count), this.timestampNs, atMs);
    }
  }
}

const TWICE = "a price stands twice on one side: which size it has is not known";

/** True where one price of a side has two sizes: they may be two orders, or one after the other. */
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
