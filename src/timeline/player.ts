// Plays a recording on a clock: at its own speed, faster, slower, in steps, from any moment.
import type { Clock } from "../units/clock.ts";
import { type Changed, type Entry, isChangeIn } from "./entry.ts";

const SPEEDS: readonly number[] = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** After this long, applying yields to drawing and keys. */
const TURN_BUDGET_MS = 8;
/** A position further ahead of the lines than this waits for them, instead of their catching up at once. */
const MAX_LATE_MS = 100;
/** Maximum number of changes that can be stepped back to. */
const MAX_CHANGES = 20_000;

export interface PlayerOptions {
  readonly clock: Clock;
  readonly startMs: number;
  readonly open: () => Promise<AsyncIterable<Entry>>;
  readonly apply: (entry: Entry) => Changed;
  /** The state must be reset: lines are applied again from the start. */
  readonly onRestart: () => void;
  /** Pause, speed or position have changed, other than by the passing of time. */
  readonly onChange: () => void;
}

/** Plays from `run` to `stop`. Only `run` throws. */
export class Player {
  readonly #options: PlayerOptions;
  speed = 1;
  isPaused = false;
  isOver = false;
  #isStopped = false;
  /** Time of the last applied line. */
  #lastMs: number;
  #furthestMs: number;
  /** Remaining forward steps; each ends at a change of these channels. */
  #steps = 0;
  #channels: readonly string[] = [];
  /** Applied changes in order; `#read`: number of the line after the last of them. */
  #changes: { readonly t: number; readonly changed: Changed }[] = [];
  #read = 0;
  /** Lines applied since the last restart. */
  applied = 0;
  /** Incremented by each jump back, which invalidates earlier reads. */
  #generation = 0;
  /** Time of the next line to apply. */
  #nextMs: number;
  /** The position, and when it was set; it advances from there unless paused. */
  #placeMs: number;
  #placedAtMs: number;
  #wake = () => {};

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#placeMs = options.startMs;
    this.#nextMs = options.startMs;
    this.#lastMs = options.startMs;
    this.#furthestMs = options.startMs;
    this.#placedAtMs = options.clock.now();
  }

  /** The moment shown, on the monotonic clock of the recording; never beyond lines that are not yet applied. */
  get placeMs(): number {
    return Math.max(this.#placeMs, Math.min(this.#dueMs, this.#nextMs));
  }

  /** Lines up to this moment are due. */
  get #dueMs(): number {
    if (this.isPaused || this.isOver) return this.#placeMs;
    return this.#placeMs + (this.#options.clock.now() - this.#placedAtMs) * this.speed;
  }

  get endMs(): number {
    return Math.max(this.#furthestMs, this.placeMs);
  }

  /** Rejects with errors of reading the recording. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const generation = this.#generation;
      const isCurrent = () => generation === this.#generation && !this.#isStopped;
      await this.#play(await this.#options.open(), isCurrent);
      if (!isCurrent()) continue;
      this.#moveTo(this.#steps > 0 ? this.#lastMs : Math.min(this.placeMs, this.#lastMs));
      this.#steps = 0;
      this.isOver = true;
      this.#options.onChange();
      while (isCurrent()) await this.#waitForUser();
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  togglePause(): void {
    this.#moveTo(this.placeMs);
    this.isPaused = !this.isPaused;
    this.#notify();
  }

  /** Pauses at the next change of one of the channels or of the session, or at the one before the last. */
  step(by: 1 | -1, channels: readonly string[]): void {
    this.#moveTo(this.placeMs);
    this.isPaused = true;
    this.#channels = channels;
    if (by > 0 && !this.isOver) this.#steps++;
    if (by < 0) this.#stepBack();
    this.#notify();
  }

  #stepBack(): void {
    const lastBefore = (isBefore: (t: number) => boolean) =>
      this.#changes.findLast(({ t, changed }) => isBefore(t) && isChangeIn(this.#channels, changed))
        ?.t;
    const last = lastBefore((t) => t <= this.placeMs);
    const before = last === undefined ? undefined : lastBefore((t) => t < last);
    if (before !== undefined) this.goTo(before);
  }

  changeSpeed(steps: 1 | -1): void {
    const next =
      steps > 0
        ? SPEEDS.find((speed) => speed > this.speed)
        : SPEEDS.findLast((speed) => speed < this.speed);
    this.#moveTo(this.placeMs);
    this.speed = next ?? this.speed;
    this.#notify();
  }

  /** Forward, to the end at most, or back, which applies everything from the start again. */
  goTo(ms: number): void {
    if (this.isOver && ms > this.placeMs) return;
    const target = Math.max(this.#options.startMs, ms);
    this.#steps = 0;
    if (target < this.placeMs) {
      this.#generation++;
      this.applied = 0;
      this.isOver = false;
      if (target < (this.#changes[0]?.t ?? target)) {
        this.#changes = [];
        this.#read = 0;
      }
      this.#options.onRestart();
    }
    this.#moveTo(target);
    this.#notify();
  }

  async #play(entries: AsyncIterable<Entry>, isCurrent: () => boolean): Promise<void> {
    let turnEndsAtMs = this.#options.clock.now() + TURN_BUDGET_MS;
    for await (const entry of entries) {
      this.#nextMs = entry.t;
      await this.#waitUntilDue(entry.t, isCurrent);
      if (!isCurrent()) return;
      const isLate = (this.#dueMs - entry.t) / this.speed > MAX_LATE_MS;
      if (isLate && entry.t > this.#placeMs) this.#moveTo(entry.t);
      this.#lastMs = entry.t;
      this.#furthestMs = Math.max(this.#furthestMs, entry.t);
      const changed = this.#options.apply(entry);
      this.#note(this.applied++, entry.t, changed);
      if (this.#options.clock.now() < turnEndsAtMs) continue;
      await new Promise<void>((resolve) => this.#options.clock.soon(resolve));
      turnEndsAtMs = this.#options.clock.now() + TURN_BUDGET_MS;
    }
  }

  /** Counts the line if it completes a step, and remembers its change for stepping back. */
  #note(number: number, t: number, changed: Changed): void {
    if (changed !== undefined && number >= this.#read) {
      this.#changes.push({ t, changed });
      if (this.#changes.length > 2 * MAX_CHANGES) this.#changes = this.#changes.slice(-MAX_CHANGES);
    }
    this.#read = Math.max(this.#read, number + 1);
    if (this.#steps === 0 || t <= this.#placeMs || !isChangeIn(this.#channels, changed)) return;
    this.#steps--;
    this.#moveTo(t);
    this.#options.onChange();
  }

  /** Waits until a moment of the recording is due. */
  async #waitUntilDue(t: number, isCurrent: () => boolean): Promise<void> {
    while (isCurrent() && t > this.#dueMs && this.#steps === 0) {
      await this.#waitForUser(this.isPaused ? undefined : (t - this.#dueMs) / this.speed);
    }
  }

  /** Waits for user input, with a timeout. */
  #waitForUser(timeoutMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel =
        timeoutMs === undefined
          ? () => {}
          : this.#options.clock.after(timeoutMs, () => this.#wake());
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  #moveTo(ms: number): void {
    this.#placeMs = ms;
    this.#placedAtMs = this.#options.clock.now();
  }

  #notify(): void {
    this.#wake();
    this.#options.onChange();
  }
}
