// What lies beneath a WebSocket, for faults that the frames know nothing of: bytes that do not leave, leave
// slowly, or only in part. Until a fault takes hold of it, it is not in the way.
import type { Socket } from "node:net";
import { type Clock, every } from "../../units/clock.ts";
import { SECOND_MS } from "../../units/time.ts";

/** Bytes that drip are released this often. */
const DRIP_PERIOD_MS = 10;
/** A frame's own head is shorter than this: what is longer is what it carries. */
const MAX_HEAD_BYTES = 10;

/** The bytes of one socket on their way out. */
export class Wire {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #pass: (bytes: Uint8Array) => void;
  #queue: Buffer[] = [];
  /** Bytes that wait to drip. */
  queuedBytes = 0;
  /** Bytes that may leave, fractions of one included. */
  #allowance = 0;
  #stopDrip: (() => void) | undefined;
  isFrozen = false;

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    const write = socket.write.bind(socket);
    this.#pass = (bytes) => write(bytes);
  }

  /** No byte leaves any more. */
  freeze(): void {
    this.isFrozen = true;
    this.#stopDrip?.();
    this.#queue = [];
    this.#divert(() => {});
  }

  /** Bytes leave only this fast; undefined: those that wait leave now, and all others at once. */
  limit(bytesPerSecond: number | undefined): void {
    if (this.isFrozen) return;
    this.#stopDrip?.();
    this.#stopDrip = undefined;
    if (bytesPerSecond === undefined) {
      this.#release(this.queuedBytes);
      this.#divert(this.#pass);
      return;
    }
    const share = (bytesPerSecond * DRIP_PERIOD_MS) / SECOND_MS;
    this.#divert((bytes) => {
      this.#queue.push(Buffer.from(bytes));
      this.queuedBytes += bytes.length;
    });
    this.#stopDrip = every(this.#clock, DRIP_PERIOD_MS, () => {
      this.#allowance = Math.min(this.#allowance + share, Math.max(share, 1));
      const whole = Math.floor(this.#allowance);
      this.#allowance -= whole;
      this.#release(whole);
    });
  }

  /** The next frame leaves in part; then `onCut` is called. */
  cutNext(onCut: () => void): void {
    this.#divert((bytes) => {
      if (bytes.length <= MAX_HEAD_BYTES) {
        this.#pass(bytes);
        return;
      }
      this.#pass(bytes.subarray(0, bytes.length >> 1));
      this.#divert(() => {});
      this.#clock.soon(onCut);
    });
  }

  stop(): void {
    this.#stopDrip?.();
  }

  #release(count: number): void {
    let left = count;
    while (left > 0) {
      const first = this.#queue[0];
      if (first === undefined) return;
      const part = first.subarray(0, left);
      this.#pass(part);
      left -= part.length;
      this.queuedBytes -= part.length;
      if (part.length === first.length) this.#queue.shift();
      else this.#queue[0] = first.subarray(part.length);
    }
  }

  #divert(take: (bytes: Uint8Array) => void): void {
    const write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
      take(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      const done = rest.find((each) => typeof each === "function");
      if (done !== undefined) queueMicrotask(done as () => void);
      return true;
    };
    this.#socket.write = write as Socket["write"];
  }
}
