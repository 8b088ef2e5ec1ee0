// Counts the program's connections: attempts that come too soon, two at once, dead ones that are found too late.
import type { OpenSocket } from "../../src/stream/socket.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";

/** A dead connection is found within the time from one ping to the end of the wait for its pong, and a watch period. */
const MAX_DETECTION_MS = 21_000;
const MIN_GAP_MS = 250;

/** Counts attempts, and connections that are open at once. */
export class SocketWatch {
  readonly faults: string[] = [];
  attempts = 0;
  readonly #clock: VirtualClock;
  #attemptedAtMs = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #deadSinceMs: number | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  noteDeath(): void {
    if (this.#isOpen) this.#deadSinceMs ??= this.#clock.now();
  }

  watch(open: OpenSocket): OpenSocket {
    return (handlers) => {
      const now = this.#clock.now();
      this.attempts++;
      if (this.#isOpen) this.faults.push(`a second connection at ${now} ms`);
      if (now - this.#attemptedAtMs < MIN_GAP_MS) this.faults.push(`too soon again at ${now} ms`);
      this.#attemptedAtMs = now;
      this.#isOpen = true;
      const socket = open({
        ...handlers,
        onEnd: (fault) => {
          this.#ended();
          handlers.onEnd(fault);
        },
      });
      return {
        ...socket,
        terminate: () => {
          this.#ended();
          socket.terminate();
        },
      };
    };
  }

  #ended(): void {
    this.#isOpen = false;
    const deadMs = this.#clock.now() - (this.#deadSinceMs ?? this.#clock.now());
    this.#deadSinceMs = undefined;
    if (deadMs > MAX_DETECTION_MS) this.faults.push(`dead for ${deadMs} ms`);
  }
}
