// Distinguishes a quiet channel from a lost one. Nothing acknowledges a subscribe, but a 409 response to a second subscribe
// proves that the first one stands. Also decides when to stop probing because it does harm.
import type { Clock } from "../units/clock.ts";

/** How long to wait for the response to a command. */
const ANSWER_WAIT_MS = 10_000;
/** A subscribed channel is probed after this much silence; one without any update yet, sooner. */
const SILENT_AFTER_MS = 30_000;
const UNHEARD_AFTER_MS = 10_000;
/** Minimum time between probes of a channel, unless an ambiguous error may have been the response. */
const PROBE_PERIOD_MS = 300_000;
/** A connection that ends this soon after a response may have been ended by the probe. */
const HARM_WITHIN_MS = 10_000;
/** In a row; one time may be chance. */
const MAX_HARMS = 2;
/** Unanswered probes before giving up on a service that has never responded to one. */
const MAX_IGNORED = 2;

/** The commands of one channel: whether one may still be answered, and when to probe. Times are monotonic milliseconds. */
export class Probe {
  readonly #clock: Clock;
  #commandAtMs = Number.NEGATIVE_INFINITY;
  /** When the channel was last subscribed or updated. */
  #activeAtMs = Number.NEGATIVE_INFINITY;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  /** True when an update was received since the second subscribe was sent. */
  hasReceived = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True from the second subscribe until its response or timeout. */
  get isOpen(): boolean {
    return this.#cancel !== undefined;
  }

  isAnswerableAt(nowMs: number, withinMs = ANSWER_WAIT_MS): boolean {
    return nowMs - this.#commandAtMs < withinMs;
  }

  /**
   * Time since which a probe is due; undefined if it is not.
   * @param isActive an update was received since the subscribe
   * @param isSuspect probe as soon as possible; channels that have been silent longest come first
   */
  dueAtMs(isActive: boolean, isSuspect: boolean, nowMs: number): number | undefined {
    if (isSuspect) return this.#activeAtMs;
    const silentMs = isActive ? SILENT_AFTER_MS : UNHEARD_AFTER_MS;
    const dueAtMs = Math.max(this.#activeAtMs + silentMs, this.#probedAtMs + PROBE_PERIOD_MS);
    return dueAtMs <= nowMs ? dueAtMs : undefined;
  }

  noteCommand(): void {
    this.#commandAtMs = this.#clock.now();
  }

  noteAnswer(): void {
    this.#commandAtMs = Number.NEGATIVE_INFINITY;
  }

  noteSubscribe(): void {
    this.#activeAtMs = this.#clock.now();
  }

  noteUpdate(atMs: number): void {
    this.#activeAtMs = atMs;
    this.hasReceived = true;
  }

  open(onUnanswered: () => void): void {
    this.#probedAtMs = this.#clock.now();
    this.hasReceived = false;
    this.#cancel = this.#clock.after(ANSWER_WAIT_MS, () => {
      this.#cancel = undefined;
      onUnanswered();
    });
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  allowSoon(): void {
    this.#probedAtMs = Number.NEGATIVE_INFINITY;
  }
}

/** Results of the probes of all channels of a stream: which channels stand, and whether the service tolerates probing. */
export class ProbeResults {
  readonly #onOff: (reason: string) => void;
  readonly #confirmed = new Set<string>();
  /** Channels that an error may have concerned, without an update since. */
  readonly #suspect = new Set<string>();
  #lastAnswerAtMs = Number.NEGATIVE_INFINITY;
  #hasAnswered = false;
  #harms = 0;
  #ignored = 0;
  isOff = false;

  /** @param onOff called once, when the service turns out not to tolerate probes */
  constructor(onOff: (reason: string) => void) {
    this.#onOff = onOff;
  }

  isSuspect(channel: string): boolean {
    return this.#suspect.has(channel);
  }

  onSuspect(channel: string): void {
    this.#suspect.add(channel);
  }

  onConfirmed(channel: string, nowMs: number): void {
    // This subscription and this connection survived the last answer: earlier losses after one were chance.
    if (this.#confirmed.has(channel)) this.#harms = 0;
    this.#hasAnswered = true;
    this.#lastAnswerAtMs = nowMs;
    this.#confirmed.add(channel);
    this.#suspect.delete(channel);
  }

  onSpoken(channel: string): void {
    this.#confirmed.delete(channel);
    this.#suspect.delete(channel);
  }

  /** The channel turned out to be lost. If it stood at the last probe, without an update since, the probe is suspect. */
  onLost(channel: string): void {
    if (this.#confirmed.delete(channel)) this.#harm("channels are lost after it");
  }

  onIgnored(): void {
    this.#ignored++;
    if (this.#hasAnswered || this.#ignored < MAX_IGNORED) return;
    this.#turnOff("a second subscribe is never answered");
  }

  onConnectionDown(nowMs: number): void {
    this.#confirmed.clear();
    this.#suspect.clear();
    if (nowMs - this.#lastAnswerAtMs < HARM_WITHIN_MS) this.#harm("connections end after it");
    this.#lastAnswerAtMs = Number.NEGATIVE_INFINITY;
  }

  #harm(what: string): void {
    if (++this.#harms < MAX_HARMS) return;
    this.#turnOff(`a second subscribe disturbs the service: ${what}`);
  }

  #turnOff(reason: string): void {
    if (this.isOff) return;
    this.isOff = true;
    this.#onOff(reason);
  }
}
