// How many want each channel: it is subscribed for the first and given back after the last.

/** Counts users of channels. Never throws. */
export class Users {
  readonly #counts = new Map<string, number>();

  add(channel: string): void {
    this.#counts.set(channel, (this.#counts.get(channel) ?? 0) + 1);
  }

  /** One wants it no more. Answers how many still do. */
  remove(channel: string): number {
    const left = Math.max(0, (this.#counts.get(channel) ?? 0) - 1);
    if (left > 0) this.#counts.set(channel, left);
    else this.#counts.delete(channel);
    return left;
  }
}
