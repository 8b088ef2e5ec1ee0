// Repeats of frames that carry no number. Only the very same text again, its time included, is called one.
import type { SequencedUpdate } from "../protocol/channels/update.ts";

/** Remembers the last frame of one channel. Never throws. */
export class Repeats {
  /** The last frame, when it had no number. */
  #last: string | undefined;

  /** Takes note of a frame. True when it repeats the one before. */
  note({ sequence }: Pick<SequencedUpdate, "sequence">, message: string): boolean {
    const isRepeat = sequence === null && message === this.#last;
    this.#last = sequence === null ? message : undefined;
    return isRepeat;
  }
}
