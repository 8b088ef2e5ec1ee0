// The commands of one channel in time: which may still be answered, how long the channel has been silent, and
// when its subscription is to be asked for a second time. Reading: docs/adr/0020.
import type { Clock } from "../units/clock.ts";

/** How long the answer to a command is waited for, before the command counts as never answered. */
const ANSWER_WAIT_MS = 10_000;
/** A subscribed channel that is silent for this long is asked whether it still stands; one never heard, sooner. */
const SILENT_AFTER_MS = 30_000;
const UNHEARD_AFTER_MS = 10_000;
/** A channel is not asked more often than this, unless an error left open which command it answers. */
const PROBE_PERIOD_MS = 300_000;

/** The commands of one channel; all times are monotonic milliseconds. Never throws. */
export class Probe {
  readonly #clock: Clock;
  #commandAtMs = Number.NEGATIVE_INFINITY;
  /** Last time at which the channel was asked for or spoke. */
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #probedAtMs = Number.NEGATIVE_INFINITY;
  #hasSpoken = false;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True from the second subscribe until it is answered or given up. */
  get isOpen(): boolean {
    return this.#cancel !== undefined;
  }

  /** True when an update has come since the second subscribe went out. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** True while the last command of the channel may still be answered. */
  isAnswerableAt(nowMs: number): boolean {
    return nowMs - this.#commandAtMs < ANSWER_WAIT_MS;
  }

  /**
   * Since when the channel may be asked; undefined while it may not.
   * @param isDoubted it is asked as soon as possible: the longer it has said nothing, the sooner
   */
  dueAtMs(isHeard: boolean, isDoubted: boolean, nowMs: number): number | undefined {
    if (isDoubted) return this.#saidAtMs;
    const silentMs = isHeard ? SILENT_AFTER_MS : UNHEARD_AFTER_MS;
    const dueAtMs = Math.max(this.#saidAtMs + silentMs, this.#probedAtMs + PROBE_PERIOD_MS);
    return dueAtMs <= nowMs ? dueAtMs : undefined;
  }

  noteCommand(): void {
    this.#commandAtMs = this.#clock.now();
  }

  /** The command was answered. */
  noteAnswer(): void {
    this.#commandAtMs = Number.NEGATIVE_INFINITY;
  }

  /** A subscription begins: its first update is waited for. */
  noteSubscribe(): void {
    this.#saidAtMs = this.#clock.now();
  }

  noteUpdate(): void {
    this.#saidAtMs = this.#clock.now();
    this.#hasSpoken = true;
  }

  open(onUnanswered: () => void): void {
    this.#probedAtMs = this.#clock.now();
    this.#hasSpoken = false;
    this.#cancel = this.#clock.after(ANSWER_WAIT_MS, () => {
      this.#cancel = undefined;
      onUnanswered();
    });
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** The channel may be asked again as soon as it is silent. */
  allowSoon(): void {
    this.#probedAtMs = Number.NEGATIVE_INFINITY;
  }
}
