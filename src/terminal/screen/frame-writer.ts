// Sends frames to the terminal, one at a time. A frame is only made once the previous one is sent, so a slow terminal gets fewer
// and newer frames, and the event loop never blocks on it.
import type { FrameTimer } from "./frame-clock.ts";

/**
 * Starts writing bytes and calls back once, synchronously or later, with the number accepted. The bytes must not be retained
 * after the callback.
 */
export type WriteBytes = (
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

export interface FrameWriterOptions {
  readonly write: WriteBytes;
  readonly timer: Pick<FrameTimer, "after">;
  /** A frame was sent, and the next one may be made. @param isRefused part of it had to wait */
  readonly onReady: (isRefused: boolean) => void;
  /** The terminal no longer accepts output (EPIPE, EIO and the like). Called once. */
  readonly onError: (error: NodeJS.ErrnoException) => void;
}

/** Delay after the first refusal, and the maximum: too short to notice, too infrequent to cost anything. */
const FIRST_RETRY_MS = 2;
const LAST_RETRY_MS = 32;
const TRY_AGAIN = new Set(["EAGAIN", "EWOULDBLOCK", "EINTR"]);

/** At most one frame is in flight. */
export class FrameWriter {
  readonly #options: FrameWriterOptions;
  #rest: Uint8Array | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isRefused = false;
  #isClosed = false;
  /** Callbacks of writes of an older generation are ignored. */
  #generation = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(options: FrameWriterOptions) {
    this.#options = options;
  }

  /** False while a frame is in flight, and after the end. */
  get isReady(): boolean {
    return this.#rest === undefined && !this.#isClosed;
  }

  /** Sends a frame; only when ready. The bytes must not change until the next `onReady`. */
  send(bytes: Uint8Array): void {
    this.#rest = bytes;
    this.#isRefused = false;
    this.#retryMs = FIRST_RETRY_MS;
    this.#writeRest();
  }

  /** Discards what was not accepted yet, and is ready again. The terminal may have received part of a frame. */
  abandon(): void {
    this.#generation++;
    this.#rest = undefined;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
  }

  /** Discards what was not accepted yet and sends nothing more. */
  close(): void {
    this.#isClosed = true;
    this.abandon();
  }

  #writeRest(): void {
    const bytes = this.#rest;
    if (bytes === undefined) return;
    const generation = this.#generation;
    this.#options.write(bytes, (error, written) => {
      if (generation !== this.#generation) return;
      if (error && !TRY_AGAIN.has(error.code ?? "")) this.#fail(error);
      else this.#advance(bytes, error ? 0 : written);
    });
  }

  #advance(bytes: Uint8Array, written: number): void {
    if (written >= bytes.length) {
      this.#rest = undefined;
      this.#options.onReady(this.#isRefused);
      return;
    }
    this.#rest = bytes.subarray(written);
    if (written > 0) {
      this.#retryMs = FIRST_RETRY_MS;
      this.#writeRest();
      return;
    }
    this.#isRefused = true;
    this.#cancelRetry = this.#options.timer.after(this.#retryMs, () => this.#writeRest());
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
  }

  #fail(error: NodeJS.ErrnoException): void {
    this.close();
    this.#options.onError(error);
  }
}
