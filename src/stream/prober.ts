// Quiet or lost? No frame acknowledges a subscribe, but a second subscribe that is answered by 409 proves
// that the first one stands. Decides when a silent channel is asked so, and stops where asking does harm.
// Reading: docs/adr/0020.

/** A channel as the prober sees it. Times are monotonic milliseconds. */
export interface Probed {
  readonly channel: string;
  /** Since when the channel could be asked: silent for long enough, and not asked lately, or in doubt; undefined if not. */
  probeDueAtMs(nowMs: number, isDoubted: boolean): number | undefined;
  /** True while a command of the channel may still be answered. */
  isOpenAt(nowMs: number): boolean;
  readonly isProbing: boolean;
  probe(): void;
}

/** A connection that ends this soon after an answer may have been ended by the question. */
const HARM_WITHIN_MS = 10_000;
/** Once can be chance. */
const MAX_HARMS = 2;
/** Questions that nothing at all answered, of a service that has never answered one. */
const MAX_IGNORED = 2;

/** Decides for all channels of a stream when one is asked. */
export class Prober {
  readonly #onOff: (reason: string) => void;
  readonly #confirmed = new Set<string>();
  /** Channels that an error may have been about, and that have not spoken since. */
  readonly #doubted = new Set<string>();
  #lastAnswerAtMs = Number.NEGATIVE_INFINITY;
  #hasAnswered = false;
  #harms = 0;
  #ignored = 0;
  #isOff = false;

  /** @param onOff told once, when the service turns out not to bear questions */
  constructor(onOff: (reason: string) => void) {
    this.#onOff = onOff;
  }

  /** Call it about once a second: asks at most one channel, and only while no command waits for an answer. */
  tick(channels: Iterable<Probed>, nowMs: number): void {
    if (this.#isOff) return;
    let next: Probed | undefined;
    let nextDueAtMs = Number.POSITIVE_INFINITY;
    for (const channel of channels) {
      if (channel.isProbing || channel.isOpenAt(nowMs)) return;
      const dueAtMs = channel.probeDueAtMs(nowMs, this.#doubted.has(channel.channel));
      if (dueAtMs === undefined || dueAtMs >= nextDueAtMs) continue;
      next = channel;
      nextDueAtMs = dueAtMs;
    }
    next?.probe();
  }

  /** Nothing says any more that the channel stands. */
  onDoubted(channel: string): void {
    this.#doubted.add(channel);
  }

  /** The channel was found to stand. */
  onConfirmed(channel: string, nowMs: number): void {
    this.#hasAnswered = true;
    this.#lastAnswerAtMs = nowMs;
    this.#confirmed.add(channel);
    this.#doubted.delete(channel);
  }

  /** The channel has spoken since it was confirmed. */
  onSpoken(channel: string): void {
    this.#confirmed.delete(channel);
    this.#doubted.delete(channel);
  }

  /** The channel was found lost. That it stood at the last question, and has not spoken since, is suspicious. */
  onLost(channel: string): void {
    if (this.#confirmed.delete(channel)) this.#harm("channels are lost after it");
  }

  /** A question was answered by nothing at all. */
  onIgnored(): void {
    this.#ignored++;
    if (this.#hasAnswered || this.#ignored < MAX_IGNORED) return;
    this.#turnOff("a second subscribe is never answered");
  }

  onConnectionDown(nowMs: number): void {
    this.#confirmed.clear();
    this.#doubted.clear();
    if (nowMs - this.#lastAnswerAtMs < HARM_WITHIN_MS) this.#harm("connections end after it");
    this.#lastAnswerAtMs = Number.NEGATIVE_INFINITY;
  }

  #harm(what: string): void {
    if (++this.#harms >= MAX_HARMS)
      this.#turnOff(`a second subscribe disturbs the service: ${what}`);
  }

  #turnOff(reason: string): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#onOff(reason);
  }
}
