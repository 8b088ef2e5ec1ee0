// The sequence chain of one channel: classifies each frame relative to the frames before it.
import { compareUint, stripZeros } from "../units/uint.ts";
import type { SequencedUpdate } from "../wire/update.ts";
import type { Numbering } from "./numbering.ts";

/**
 * The position of a frame in its chain.
 * `start`: it restarts the chain: its previous is null, or no numbered frame came before it.
 * `next`: it follows the frame before. `part`: it belongs to the transaction of the frame before.
 * `unsure`: it is not known yet whether it is a snapshot, or follows the first frame of the subscription.
 * `unnumbered`: its sequence is null, so its position is unknown.
 * `repeat`: identical to an earlier frame. `late`: its content is included in the first frame of the subscription.
 * `gap`: frames before it were missed. `stray`: it is not newer than the held one, without explanation.
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

/** One channel, across its subscriptions on one connection. Sequences have no leading zeros. */
export class SequenceChain {
  readonly #numbering: Numbering;
  readonly #frames = new RecentFrames();
  /** Last transaction applied; undefined until a numbered frame is received in this subscription. */
  #held: string | undefined;
  /** The transaction before it, and the previous sequence named by its first frame. */
  #heldBefore: string | undefined;
  #named: string | null | undefined;
  #parts = 0;
  /** True while the held transaction is a snapshot. */
  #isWhole = false;
  /** Sequence of the newest snapshot, which includes everything up to it; and its server time. */
  #base: string | undefined;
  #baseNs = "0";
  /** The first frame of the subscription is identical to one received before. */
  #isSentAgain = false;
  /** Consecutive unseen frames skipped as older than the snapshot. */
  #stale = 0;
  /**
   * Sequence of a snapshot that was followed by frames too many, or too new, to be older than it; and the server time of the last
   * of them.
   */
  #suspect: string | undefined;
  #suspectNs = "0";
  /** They were older by their server time. */
  #isSuspectOlder = false;
  /** A frame was accepted as the next although it names another previous: valid only if previous counts transactions. */
  #hasJumped = false;
  /** For an unnumbered first frame: the newest sequence from before, and the server time of that first frame. */
  #floor: string | undefined;
  #sinceNs: string | undefined;
  /** The newest unnumbered frame, which may be repeated after its successors; and whether nothing has followed it. */
  #unnumbered: string | undefined;
  #isBehindUnnumbered = false;
  /** Only the first frame of the subscription was received, and it was unnumbered. */
  #isBehindFirst = false;
  /** The subscription that is ending has had its first frame, with a number. */
  #hadFirst = false;

  constructor(numbering: Numbering) {
    this.#numbering = numbering;
  }

  /** Digit text; undefined before the first numbered frame of the subscription. */
  get held(): string | undefined {
    return this.#held;
  }

  /** True while the next frame would show that frames before it were missed. */
  get showsGaps(): boolean {
    return this.#held !== undefined && this.#numbering.isChained;
  }

  /** True when the last transaction applied is a snapshot: what it does not contain no longer exists. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** True when a frame was accepted under an interpretation of previous that has been refuted. */
  get isRefuted(): boolean {
    return this.#hasJumped && this.#numbering.isChained;
  }

  restart(): void {
    this.#floor = this.#held ?? this.#floor;
    this.#hadFirst = this.#held !== undefined;
    this.#forget();
  }

  /** A new connection: nothing from before can arrive on it. */
  reset(): void {
    this.#forget();
    this.#hadFirst = false;
    this.#floor = undefined;
    this.#frames.clear();
  }

  /** Records a frame that is not applied because the subscription is incomplete: later frames must be newer. */
  raiseFloor({ sequence }: Pick<Link, "sequence">, message: string): void {
    this.#frames.note(message);
    if (sequence === null) return;
    const passed = stripZeros(sequence);
    if (this.#floor === undefined || compareUint(passed, this.#floor) > 0) this.#floor = passed;
  }

  /** The same for a frame of a subscription that is ending: a non-null previous in it shows what null means elsewhere. */
  noteWhileEnding(frame: Link, message: string): void {
    const before = this.#floor;
    this.raiseFloor(frame, message);
    const isNewer = this.#floor !== before;
    if (!this.#hadFirst || !isNewer || frame.previous_sequence === null) return;
    if (stripZeros(frame.previous_sequence) !== this.#floor) this.#numbering.noteName();
  }

  /** Accepts the first frame of a subscription, whatever previous it names. */
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

  /** Classifies a later frame, and advances the chain unless it is a repeat or late. */
  advance(frame: Link, message: string): ChainVerdict {
    if (frame.sequence === null) return this.#onUnnumbered(frame, message);
    const verdict = this.#judge(stripZeros(frame.sequence), frame, message);
    if (verdict === "repeat") return verdict;
    this.#frames.note(message);
    // A late frame does not interrupt the order: a repeat after it still repeats the frame before.
    if (verdict !== "late") this.#isBehindUnnumbered = false;
    return verdict;
  }

  #onUnnumbered(frame: Link, message: string): ChainVerdict {
    if (message === this.#unnumbered) return "repeat";
    // At the server time of the held frame it may be a different change with identical text.
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
    // The previous it names existed when the snapshot was taken: nothing lies in between.
    const isInBase = held === this.#base && isUpTo(previous, held);
    const follows = this.#numbering.follows(previous, sequence, held) || isInBase;
    // A frame accepted because previous was thought to count transactions may have skipped others.
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
    // After an unnumbered frame, null refers to that frame.
    const meaning = this.#isBehindUnnumbered ? "nothing" : this.#numbering.classifyNull();
    if (meaning === "nothing") {
      this.#anchor(sequence, frame);
      this.#hasJumped ||= !this.#isBehindUnnumbered;
      return "start";
    }
    this.#startWhole(sequence, frame);
    return meaning === "snapshot" ? "start" : "unsure";
  }

  /** Another frame of the held transaction: it names that, or the same previous as its first frame, or the one held before. */
  #isPart({ previous_sequence }: Link, held: string): boolean {
    if (previous_sequence === null) return this.#named === null;
    const previous = stripZeros(previous_sequence);
    if (previous === held || previous === this.#named || previous === this.#heldBefore) return true;
    // It may count the frames of the transaction.
    if (previous === `${this.#parts}` || previous === `${this.#parts - 1}`) return true;
    // A delta leading to a snapshot is either included in it or a part of it; both can be applied.
    return held === this.#base;
  }

  /** It was seen before the subscription, which therefore includes it, and is not part of an identical snapshot sent again. */
  #isOfBefore(held: string, message: string): boolean {
    return held === this.#base && !this.#isSentAgain && this.#frames.hadBefore(message);
  }

  #judgeOlder(sequence: string, frame: Link, message: string): ChainVerdict {
    if (isUpTo(sequence, this.#base)) {
      if (this.#frames.hadBefore(message)) return "late";
      // Deltas from before a first frame may arrive directly after it, but not after its successors.
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

  /** Only an unnumbered first frame has been received. */
  #judgeUnanchored(sequence: string, frame: Link, message: string): ChainVerdict {
    const isOlder = isBefore(frame, this.#sinceNs);
    if (isUpTo(sequence, this.#floor)) {
      if (this.#frames.has(message)) return "repeat";
      if (this.#frames.hadBefore(message) || this.#mayBeStale(isOlder)) return "late";
      return this.#stray();
    }
    const isUnsure = [this.#numbering.classifyByTime(isOlder), this.#takeFirst(frame)].includes(
      "unsure",
    );
    if (isUnsure) this.#startWhole(sequence, frame);
    else this.#anchor(sequence, frame);
    return isUnsure ? "unsure" : "start";
  }

  #takeFirst({ previous_sequence }: Link): "nothing" | "next" | "unsure" {
    // A non-null previous is no evidence about unnumbered frames, however many there were.
    if (previous_sequence !== null && this.#unnumbered !== undefined)
      return this.#numbering.classifyFirstPrevious();
    return this.#isBehindFirst ? this.#numbering.classifyFirstNull() : "nothing";
  }

  /** The held and the received frame contradict each other: the position is unknown from here on. */
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

// Texts of a channel's newest frames, packed in buffers that the garbage collector neither scans nor moves: as strings they would
// live just long enough to be copied twice.

/**
 * Minimum number of frames remembered. A repeat follows its original directly or after a few frames; transactions with more parts
 * than this are rare. A repeat of a forgotten frame costs a resync, never data.
 */
const MAX_FRAMES = 256;
/** Bytes per page, of which there are two; long frames reduce the number remembered. */
const PAGE_BYTES = 128 * 1024;
/** Longer messages, in bytes, are never stored; one longer than a page gets a page of its own. */
const MAX_MESSAGE_BYTES = 256 * 1024;
/** Maximum bytes per UTF-16 code unit in UTF-8. */
const CHARACTER_BYTES = 3;

/**
 * Frames of the current subscription and of those before it on the same connection: only a frame stored here can be recognised
 * as a repeat. Compared only when a frame is not newer than the held one, so that nothing is hashed on arrival.
 */
export class RecentFrames {
  readonly #here = new PackedTexts();
  readonly #before = new PackedTexts();

  /** A new subscription begins: frames recorded so far belong to earlier ones. */
  begin(): void {
    for (const text of this.#here.all) this.#before.add(text);
    this.#here.clear();
  }

  /** A new connection: nothing from before can arrive on it. */
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

  /** True when it was received on this connection before this subscription, whether applied or not. */
  hadBefore(message: string): boolean {
    return this.#before.has(message);
  }
}

/** The newest texts: the page being filled, and the full one before it. */
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
