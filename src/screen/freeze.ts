// The screen while it does not follow the session: frozen at one moment, or gone back from there into what is kept.
import type { Store } from "../state/store.ts";
import { formatAge, formatTimeOfDay } from "../units/time.ts";
import type { Action } from "./keys.ts";
import type { ViewModel } from "./views/view.ts";

/** The last minutes of the session, as they are gone through. */
export interface Past {
  /** Everything as it was at the moment; another one after going back. */
  readonly store: Store;
  /** The moment that is shown: monotonic milliseconds, and Unix milliseconds. */
  readonly atMs: number;
  readonly wallMs: number;
  /** The oldest moment that is kept now. */
  readonly startMs: number;
  /** Shows a moment, or the nearest that is kept. */
  goTo(ms: number): void;
  /** Goes right behind the next, or the last, thing that happened to one of the channels or to the link. */
  step(by: 1 | -1, channels: readonly string[]): void;
}

/** Opens the past at a moment; undefined while that cannot be done yet. */
export type OpenPast = (atMs: number) => Past | undefined;

/** Whether the screen stands still, and at which moment. */
export class Standstill {
  readonly #open: OpenPast | undefined;
  readonly #now: () => number;
  #sinceMs: number | undefined;
  #past: Past | undefined;

  /** @param now the session's clock, which goes on */
  constructor(open: OpenPast | undefined, now: () => number) {
    this.#open = open;
    this.#now = now;
  }

  /** Since when the screen stands still; undefined while it is live. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** What is shown instead of the session; undefined while it is live, or only frozen. */
  get past(): Past | undefined {
    return this.#past;
  }

  /** True while there is something to go back to. */
  get hasPast(): boolean {
    return this.#sinceMs !== undefined && this.#open !== undefined;
  }

  /** What every pane says instead of its age: how old what it shows is; undefined while it is live. */
  get words(): string | undefined {
    if (this.#sinceMs === undefined) return undefined;
    if (this.#past === undefined) return `FROZEN ${formatAge(this.#now() - this.#sinceMs)}`;
    return `PAST -${formatAge(this.#now() - this.#past.atMs)}`;
  }

  /** The moment itself, and how far back one can go; undefined while nothing past is shown. */
  get placeWords(): string | undefined {
    if (this.#past === undefined) return undefined;
    const { wallMs, startMs } = this.#past;
    return `PAST ${formatTimeOfDay(wallMs, true)} UTC, kept to -${formatAge(this.#now() - startMs)}`;
  }

  /** Freezes what the model shows, or lets it go on. */
  toggle(model: Pick<ViewModel, "freeze" | "thaw">): void {
    if (this.#sinceMs !== undefined) {
      this.end(model);
      return;
    }
    model.freeze();
    this.#sinceMs = this.#now();
  }

  /** Goes on with the session, wherever the screen stands. */
  end(model: Pick<ViewModel, "thaw">): void {
    if (this.#sinceMs === undefined) return;
    this.#sinceMs = undefined;
    this.#past = undefined;
    model.thaw();
  }

  /** Moves through the past, which is opened where the screen was frozen. False where there is none. */
  goBack(model: Pick<ViewModel, "thaw">, move: (past: Past) => void): boolean {
    if (this.#sinceMs === undefined) return false;
    this.#past ??= this.#open?.(this.#sinceMs);
    if (this.#past === undefined) return false;
    move(this.#past);
    model.thaw();
    return true;
  }
}

/** The recording, as the screen sees it. */
export interface ReplayControl {
  /** Where it is and how it moves: `▶ ×10 2026-01-01 12:00:03 +1m05s`. */
  readonly words: string;
  /** Does what a key asks for. False when it is nothing of a recording's. */
  perform(action: Action): boolean;
}
