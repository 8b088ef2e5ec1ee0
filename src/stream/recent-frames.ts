// The texts of the newest frames of one channel: only what is remembered here can be called a repeat. References to the
// messages are kept and compared when a frame is not newer than what is held, so that nothing is hashed on the way in.

/**
 * Frames that are remembered. A repeat comes right behind what it repeats, or behind a few of what followed; a transaction
 * in more parts than this is rare. What is forgotten costs a resync when it comes again, never data.
 */
const MAX_FRAMES = 256;
/** Characters of all of them. Longer messages than this are never remembered. */
const MAX_LENGTH = 256 * 1024;

/** Remembers frames of the subscription that is running, and of those before it on the same connection. */
export class RecentFrames {
  #here: string[] = [];
  #length = 0;
  #before: readonly string[] = [];

  /** A new subscription begins: what was noted until now came before it. */
  begin(): void {
    if (this.#here.length > 0) this.#before = [...this.#before, ...this.#here].slice(-MAX_FRAMES);
    this.#here = [];
    this.#length = 0;
  }

  /** A new connection: nothing of before can come on it. */
  clear(): void {
    this.#here = [];
    this.#length = 0;
    this.#before = [];
  }

  note(message: string): void {
    if (message.length > MAX_LENGTH) return;
    this.#length += message.length;
    if (this.#here.push(message) > MAX_FRAMES || this.#length > MAX_LENGTH) this.#trim();
  }

  /** True when this very text came in this subscription. */
  has(message: string): boolean {
    return this.#here.includes(message);
  }

  /** True when it came on this connection before this subscription, folded in or not. */
  hadBefore(message: string): boolean {
    return this.#before.includes(message);
  }

  /** Forgets the older half, so that a message is moved once and not each time. */
  #trim(): void {
    const half = Math.ceil(this.#here.length / 2);
    this.#here = this.#here.slice(half);
    this.#length = this.#here.reduce((sum, { length }) => sum + length, 0);
    while (this.#length > MAX_LENGTH / 2 && this.#here.length > 1) {
      this.#length -= this.#here.shift()?.length ?? 0;
    }
  }
}
