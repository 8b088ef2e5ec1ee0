// The sequence chain of one channel: classifies each frame by its position among the frames before it. Interpretation: docs/adr/0002.
import { compareUint, stripZeros } from "../units/uint.ts";
import type { SequencedUpdate } from "../wire/update.ts";
import type { Numbering } from "./numbering.ts";

/**
 * What a frame is to its chain.
 * `start`: it begins a chain anew: its previous is null, or nothing numbered came before it.
 * `next`: it follows the frame before. `part`: it belongs to the transaction of the frame before.
 * `unsure`: whether it is a snapshot, or follows the first frame of the subscription, is not known yet.
 * `unnumbered`: its sequence is null, so nothing can be said.
 * `repeat`: the very text came before. `late`: what it brings is in the first frame of the subscription.
 * `gap`: frames were missed before it. `stray`: it is not newer than what is held, and nothing explains it.
 */
export type ChainVerdict =
  | "start"
  | "next"
  | "part"
  | "unsure"
  | "unnumbered"
  | "repeat"
  | "late"
  | "gap"
  | "stray";

type Link = Pick<SequencedUpdate, "previous_sequence" | "sequence" | "timestamp_ns">;

/** One channel, over all its subscriptions on one connection. Sequences are held in stripped form. */
export class SequenceChain {
  readonly #numbering: Numbering;
  readonly #frames = new RecentFrames();
  /** Transaction last folded in; undefined while no numbered frame was received in this subscription. */
  #held: string | undefined;
  /** What was held before it, and what its first frame names before it. */
  #heldBefore: string | undefined;
  #named: string | null | undefined;
  #parts = 0;
  /** True while the transaction that is held is one that began with a frame that is whole. */
  #isWhole = false;
  /** Sequence of the newest whole frame: what is not above it is in it. And its server time. */
  #base: string | undefined;
  #baseNs = "0";
  /** The first frame of the subscription was received before, in the same words. */
  #isSentAgain = false;
  /** Unseen frames in a row that were passed over as older than the whole frame. */
  #stale = 0;
  /**
   * Sequence of a whole frame behind which frames came that were too many, or too new, to be older than it; and the server
   * time of the last of them.
   */
  #suspect: string | undefined;
  #suspectNs = "0";
  /** They were older by their server time. */
  #isSuspectOlder = false;
  /** A frame was taken for the next although it names another: true of what previous is thought to count. */
  #hasJumped = false;
  /** For a first frame without a number: the newest sequence of before, and the server time of that first frame. */
  #floor: string | undefined;
  #sinceNs: string | undefined;
  /** The newest frame without a number: it may come again behind what follows it. And whether nothing has followed it. */
  #unnumbered: string | undefined;
  #isBehindUnnumbered = false;
  /** Only the first frame of the subscription was received, and it had no number. */
  #isBehindFirst = false;
  /** The subscription that is to end has had its first frame, with a number. */
  #hadFirst = false;

  constructor(numbering: Numbering) {
    this.#numbering = numbering;
  }

  /** Digit text; undefined before the first numbered frame of the subscription. */
  get held(): string | undefined {
    return this.#held;
  }

  /** True when the transaction last folded in is a snapshot: what it does not hold is not there. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** True when a frame was taken in by what previous was thought to count, and does not. */
  get isRefuted(): boolean {
    return this.#hasJumped && this.#numbering.isChained;
  }

  restart(): void {
    this.#floor = this.#held ?? this.#floor;
    this.#hadFirst = this.#held !== undefined;
    this.#forget();
  }

  /** A new connection: nothing of before can come on it. */
  reset(): void {
    this.#forget();
    this.#hadFirst = false;
    this.#floor = undefined;
    this.#frames.clear();
  }

  /** Takes note of a frame that is not folded in, because the subscription is not whole: what is received later is newer. */
  raiseFloor({ sequence }: Pick<Link, "sequence">, message: string): void {
    this.#frames.note(message);
    if (sequence === null) return;
    const passed = stripZeros(sequence);
    if (this.#floor === undefined || compareUint(passed, this.#floor) > 0) this.#floor = passed;
  }

  /** The same of a frame of a subscription that is to end: what it names says what null says in others. */
  passOver(frame: Link, message: string): void {
    const before = this.#floor;
    this.raiseFloor(frame, message);
    const isNewer = this.#floor !== before;
    if (!this.#hadFirst || !isNewer || frame.previous_sequence === null) return;
    if (stripZeros(frame.previous_sequence) !== this.#floor) this.#numbering.noteName();
  }

  /** Takes the first frame of a subscription, whatever it names before it. */
  begin(frame: Link, message: string): void {
    this.#frames.begin();
    this.#frames.note(message);
    this.#forget();
    this.#isSentAgain = this.#frames.hadBefore(message);
    if (frame.sequence === null) {
      this.#isWhole = true;
      this.#unnumbered = message;
      this.#isBehindUnnumbered = true;
      this.#isBehindFirst = true;
      this.#sinceNs = stripZeros(frame.timestamp_ns);
      return;
    }
    const sequence = stripZeros(frame.sequence);
    if (this.#suspect !== undefined) {
      const hasGoneOn = compareUint(sequence, this.#suspect) >= 0;
      if (hasGoneOn && !isBefore(frame, this.#suspectNs))
        this.#numbering.learnStale(this.#isSuspectOlder);
      this.#suspect = undefined;
    }
    this.#floor = undefined;
    this.#numbering.takeFirstNumber();
    this.#startWhole(sequence, frame);
  }

  /** Judges a later frame, and takes it in unless it is a repeat or late. */
  advance(frame: Link, message: string): ChainVerdict {
    if (frame.sequence === null) return this.#onUnnumbered(frame, message);
    const verdict = this.#judge(stripZeros(frame.sequence), frame, message);
    if (verdict === "repeat") return verdict;
    this.#frames.note(message);
    // What is late stands in no row: a frame that comes again behind it still repeats the one before.
    if (verdict !== "late") this.#isBehindUnnumbered = false;
    return verdict;
  }

  #onUnnumbered(frame: Link, message: string): ChainVerdict {
    if (message === this.#unnumbered) return "repeat";
    // Of the moment of what is held it may be another change with the same words.
    const isOfMoment = stripZeros(frame.timestamp_ns) === (this.#sinceNs ?? this.#baseNs);
    if (!this.#isSentAgain && !isOfMoment && this.#frames.hadBefore(message)) return "late";
    this.#frames.note(message);
    if (this.#held === undefined) this.#sinceNs = stripZeros(frame.timestamp_ns);
    this.#unnumbered = message;
    this.#isBehindUnnumbered = true;
    this.#isBehindFirst = false;
    return "unnumbered";
  }

  #judge(sequence: string, frame: Link, message: string): ChainVerdict {
    const held = this.#held;
    if (held === undefined) return this.#judgeUnanchored(sequence, frame, message);
    const order = compareUint(sequence, held);
    if (order > 0) return this.#judgeNewer(sequence, frame, held);
    if (this.#frames.has(message)) return "repeat";
    if (order === 0 && !this.#isOfBefore(held, message)) {
      if (this.#isPart(frame, held)) {
        this.#parts++;
        return "part";
      }
      if (frame.previous_sequence === null) {
        this.#startWhole(sequence, frame);
        return "start";
      }
    }
    return this.#judgeOlder(sequence, frame, message);
  }

  #judgeNewer(sequence: string, frame: Link, held: string): ChainVerdict {
    if (frame.previous_sequence === null) return this.#judgeNull(sequence, frame);
    const previous = stripZeros(frame.previous_sequence);
    // What it names was there when the whole frame was made: nothing lies between.
    const isInBase = held === this.#base && isUpTo(previous, held);
    const follows = this.#numbering.follows(previous, sequence, held) || isInBase;
    // What was taken for the next, by what previous was thought to count, may have left out others.
    const { isRefuted } = this;
    this.#anchor(sequence, frame);
    if (!follows || isRefuted) {
      this.#hasJumped = false;
      return "gap";
    }
    if (previous !== held && !isInBase) this.#hasJumped = true;
    return "next";
  }

  #judgeNull(sequence: string, frame: Link): ChainVerdict {
    // Behind a frame without a number, null names that.
    const meaning = this.#isBehindUnnumbered ? "nothing" : this.#numbering.takeNull();
    if (meaning === "nothing") {
      this.#anchor(sequence, frame);
      this.#hasJumped ||= !this.#isBehindUnnumbered;
      return "start";
    }
    this.#startWhole(sequence, frame);
    return meaning === "snapshot" ? "start" : "unsure";
  }

  /** Another frame of the transaction that is held: it names that, or what the first frame of it names, or what was before. */
  #isPart({ previous_sequence }: Link, held: string): boolean {
    if (previous_sequence === null) return this.#named === null;
    const previous = stripZeros(previous_sequence);
    if (previous === held || previous === this.#named || previous === this.#heldBefore) return true;
    // It may count the frames of the transaction.
    if (previous === `${this.#parts}` || previous === `${this.#parts - 1}`) return true;
    // A change that led to a whole frame is in it already, or is a part of it: either way it can be taken.
    return held === this.#base;
  }

  /** It was seen before the subscription, which holds it since, and is no part of a snapshot that comes again with the same words. */
  #isOfBefore(held: string, message: string): boolean {
    return held === this.#base && !this.#isSentAgain && this.#frames.hadBefore(message);
  }

  #judgeOlder(sequence: string, frame: Link, message: string): ChainVerdict {
    if (isUpTo(sequence, this.#base)) {
      if (this.#frames.hadBefore(message)) return "late";
      // Changes of before a first frame may come right behind it, but not behind what follows it.
      if (this.#held === this.#base) {
        this.#isSuspectOlder = isBefore(frame, this.#baseNs);
        if (this.#mayBeStale(this.#isSuspectOlder)) return "late";
        this.#suspect = this.#base;
        this.#suspectNs = stripZeros(frame.timestamp_ns);
      }
    }
    return this.#stray();
  }

  #mayBeStale(isOlder: boolean): boolean {
    return ++this.#stale <= this.#numbering.staleAllowance(isOlder);
  }

  /** Nothing numbered was received behind a first frame without a number. */
  #judgeUnanchored(sequence: string, frame: Link, message: string): ChainVerdict {
    const isOlder = isBefore(frame, this.#sinceNs);
    if (isUpTo(sequence, this.#floor)) {
      if (this.#frames.has(message)) return "repeat";
      if (this.#frames.hadBefore(message) || this.#mayBeStale(isOlder)) return "late";
      return this.#stray();
    }
    const isUnsure = [this.#numbering.takeTime(isOlder), this.#takeFirst(frame)].includes("unsure");
    if (isUnsure) this.#startWhole(sequence, frame);
    else this.#anchor(sequence, frame);
    return isUnsure ? "unsure" : "start";
  }

  #takeFirst({ previous_sequence }: Link): "nothing" | "next" | "unsure" {
    // A name is no evidence of frames without a number, however many came before.
    if (previous_sequence !== null && this.#unnumbered !== undefined)
      return this.#numbering.takeFirstName();
    return this.#isBehindFirst ? this.#numbering.takeFirstNull() : "nothing";
  }

  /** What is held and what was received cannot both be right: nothing of it is known any more. */
  #stray(): ChainVerdict {
    this.#forget();
    this.#floor = undefined;
    return "stray";
  }

  #startWhole(sequence: string, frame: Link): void {
    this.#anchor(sequence, frame);
    this.#setBase(sequence, frame);
    this.#isWhole = true;
    this.#hasJumped = false;
  }

  #anchor(sequence: string, { previous_sequence }: Link): void {
    this.#heldBefore = this.#held;
    this.#held = sequence;
    this.#named = previous_sequence === null ? null : stripZeros(previous_sequence);
    this.#parts = 1;
    this.#isWhole = false;
    this.#sinceNs = undefined;
  }

  #setBase(sequence: string, { timestamp_ns }: Link): void {
    this.#base = sequence;
    this.#baseNs = stripZeros(timestamp_ns);
    this.#stale = 0;
  }

  #forget(): void {
    this.#held = undefined;
    this.#heldBefore = undefined;
    this.#named = undefined;
    this.#isWhole = false;
    this.#base = undefined;
    this.#stale = 0;
    this.#hasJumped = false;
    this.#sinceNs = undefined;
    this.#unnumbered = undefined;
    this.#isBehindUnnumbered = false;
    this.#isBehindFirst = false;
  }
}

function isBefore({ timestamp_ns }: Link, sinceNs: string | undefined): boolean {
  return sinceNs !== undefined && compareUint(stripZeros(timestamp_ns), sinceNs) < 0;
}

function isUpTo(sequence: string, bound: string | undefined): boolean {
  return bound !== undefined && compareUint(sequence, bound) <= 0;
}

/** While a second subscribe is unanswered: may this be the first frame of a new subscription? */
export function mayBeFirst(
  verdict: ChainVerdict,
  { previous_sequence }: Pick<SequencedUpdate, "previous_sequence">,
): boolean {
  return (
    previous_sequence === null ||
    verdict === "start" ||
    verdict === "gap" ||
    verdict === "unnumbered"
  );
}

// Texts of the newest frames of one channel, packed in memory that the collector of garbage neither looks into nor moves: as
// strings they would live just long enough to be moved twice.

/**
 * Frames that are remembered at least. A repeat comes right behind what it repeats, or behind a few of what followed; a
 * transaction in more parts than this is rare. What is forgotten costs a resync when it comes again, never data.
 */
const MAX_FRAMES = 256;
/** Bytes of a page, of which there are two; fewer frames are remembered where they need more. */
const PAGE_BYTES = 128 * 1024;
/** Longer messages, in bytes, are never remembered; one that is longer than a page has one of its own. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** Bytes that a character of a text takes at most. */
const CHARACTER_BYTES = 3;

/**
 * Those of the subscription that is running and of those before it on the same connection: only what is remembered here can be
 * called a repeat. They are compared when a frame is not newer than what is held, so that nothing is hashed on the way in.
 */
export class RecentFrames {
  readonly #here = new PackedTexts();
  readonly #before = new PackedTexts();

  /** A new subscription begins: what was noted until now came before it. */
  begin(): void {
    for (const text of this.#here.all) this.#before.add(text);
    this.#here.clear();
  }

  /** A new connection: nothing of before can come on it. */
  clear(): void {
    this.#here.clear();
    this.#before.clear();
  }

  note(message: string): void {
    this.#here.add(message);
  }

  has(message: string): boolean {
    return this.#here.has(message);
  }

  /** True when it came on this connection before this subscription, folded in or not. */
  hadBefore(message: string): boolean {
    return this.#before.has(message);
  }
}

/** The newest texts: a page that fills, and the full one before it. */
class PackedTexts {
  #page = new Page();
  #full = new Page();

  /** Oldest first. */
  get all(): readonly string[] {
    return [...this.#full.all, ...this.#page.all];
  }

  add(text: string): void {
    if (this.#page.add(text) || Buffer.byteLength(text) > MAX_MESSAGE_BYTES) return;
    [this.#page, this.#full] = [this.#full, this.#page];
    this.#page.clear();
    this.#page.add(text);
  }

  has(text: string): boolean {
    const bytes = Buffer.from(text);
    return this.#page.has(bytes) || this.#full.has(bytes);
  }

  clear(): void {
    this.#page.clear();
    this.#full.clear();
  }
}

class Page {
  #bytes = Buffer.alloc(0);
  readonly #ends = new Uint32Array(MAX_FRAMES);
  #count = 0;

  get all(): readonly string[] {
    return Array.from({ length: this.#count }, (_, i) =>
      this.#bytes.toString("utf8", this.#endOf(i - 1), this.#endOf(i)),
    );
  }

  add(text: string): boolean {
    if (this.#count === MAX_FRAMES) return false;
    const begin = this.#endOf(this.#count - 1);
    const isSurelyRoom = begin + text.length * CHARACTER_BYTES <= this.#bytes.length;
    if (!isSurelyRoom && !this.#makeRoom(begin, Buffer.byteLength(text))) return false;
    this.#ends[this.#count++] = begin + this.#bytes.write(text, begin);
    return true;
  }

  has(bytes: Uint8Array): boolean {
    for (let i = 0, begin = 0; i < this.#count; i++) {
      const end = this.#endOf(i);
      const isAsLong = end - begin === bytes.length;
      if (isAsLong && this.#bytes.compare(bytes, 0, bytes.length, begin, end) === 0) return true;
      begin = end;
    }
    return false;
  }

  clear(): void {
    this.#count = 0;
  }

  #endOf(position: number): number {
    return position < 0 ? 0 : (this.#ends[position] ?? 0);
  }

  #makeRoom(begin: number, length: number): boolean {
    const needed = begin + length;
    if (needed <= this.#bytes.length) return true;
    if (needed > (begin === 0 ? MAX_MESSAGE_BYTES : PAGE_BYTES)) return false;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(PAGE_BYTES, needed * 2)));
    this.#bytes.copy(larger, 0, 0, begin);
    this.#bytes = larger;
    return true;
  }
}
