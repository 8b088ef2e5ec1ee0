// Tells a quiet channel from a lost one. No frame acknowledges a subscribe, but a second subscribe that is answered by 409 proves
// that the first one stands. Also decides when to stop such probes, because they do harm. Interpretation: docs/adr/0020.
import type { Clock } from "../units/clock.ts";

/** How long the answer to a command is waited for, before the command counts as never answered. */
const ANSWER_WAIT_MS = 10_000;
/** A subscribed channel that is silent for this long is probed; one that has never spoken, sooner. */
const SILENT_AFTER_MS = 30_000;
const UNHEARD_AFTER_MS = 10_000;
/** A channel is not probed more often than this, unless an error left open which command it answers. */
const PROBE_PERIOD_MS = 300_000;
/** A connection that ends this soon after an answer may have been ended by the probe. */
const HARM_WITHIN_MS = 10_000;
/** Once can be chance. */
const MAX_HARMS = 2;
/** Probes that nothing at all answered, of a service that has never answered one. */
const MAX_IGNORED = 2;

/** The commands of one channel: which may still be answered, and when it is to be probed. Times are monotonic milliseconds. */
export class Probe {
  readonly #clock: Clock;
  #commandAtMs = Number.NEGATIVE_INFINITY;
  /** Last time at which the channel was subscribed or spoke. */
  #activeAtMs = Number.NEGATIVE_INFINITY;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  /** True when an update was received since the second subscribe went out. */
  hasReceived = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True from the second subscribe until it is answered or given up. */
  get isOpen(): boolean {
    return this.#cancel !== undefined;
  }

  isAnswerableAt(nowMs: number, withinMs = ANSWER_WAIT_MS): boolean {
    return nowMs - this.#commandAtMs < withinMs;
  }

  /**
   * Since when the channel may be probed; undefined while it may not.
   * @param isActive it has spoken since its subscribe
   * @param isSuspect it is probed as soon as possible: the longer it has been silent, the sooner
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

/** What the probes of all channels of a stream have shown: which channels stand, and whether the service bears it. */
export class ProbeResults {
  readonly #onOff: (reason: string) => void;
  readonly #confirmed = new Set<string>();
  /** Channels that an error may have been about, and that have not spoken since. */
  readonly #suspect = new Set<string>();
  #lastAnswerAtMs = Number.NEGATIVE_INFINITY;
  #hasAnswered = false;
  #harms = 0;
  #ignored = 0;
  isOff = false;

  /** @param onOff called once, when the service turns out not to bear probes */
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
    this.#hasAnswered = true;
    this.#lastAnswerAtMs = nowMs;
    this.#confirmed.add(channel);
    this.#suspect.delete(channel);
  }

  onSpoken(channel: string): void {
    this.#confirmed.delete(channel);
    this.#suspect.delete(channel);
  }

  /** The channel was found lost. That it stood at the last probe, and has not spoken since, is suspicious. */
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
