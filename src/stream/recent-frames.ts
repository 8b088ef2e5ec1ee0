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

  /** True when this very text came in this subscription. */
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
  /** Where each text ends. */
  readonly #ends = new Uint32Array(MAX_FRAMES);
  #count = 0;

  get all(): readonly string[] {
    return Array.from({ length: this.#count }, (_, i) =>
      this.#bytes.toString("utf8", this.#endOf(i - 1), this.#endOf(i)),
    );
  }

  /** @returns whether there was room */
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

  #endOf(place: number): number {
    return place < 0 ? 0 : (this.#ends[place] ?? 0);
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
