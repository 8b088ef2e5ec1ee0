// Simulated time as the rest of the world counts it.

const US_PER_MS = 1000;

/** Turns simulated microseconds into Unix times. */
export class WallTime {
  /** Unix milliseconds at simulated time 0. */
  readonly epochMs: number;

  constructor(epochMs: number) {
    this.epochMs = epochMs;
  }

  /** Unix nanoseconds, digit text. The simulated clock counts microseconds: the last three digits are zeros. */
  ns(timeUs: number): string {
    return `${this.epochMs * US_PER_MS + timeUs}000`;
  }

  /** Unix milliseconds, cut. */
  ms(timeUs: number): number {
    return this.epochMs + Math.floor(timeUs / US_PER_MS);
  }
}
