// What is shown, and of what: the session as it is, as it was when the screen was frozen, or as it was before that.
import type { AccountChoice } from "../select/account.ts";
import { Display } from "../select/display.ts";
import type { Market } from "../select/market.ts";
import { maskText } from "../select/mask.ts";
import type { Store } from "../state/store.ts";
import { formatAge } from "../units/time.ts";
import type { Action } from "./keys.ts";

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

/** A recording that is played, as the screen sees it. */
export interface ReplayControl {
  /** Where it is and how it moves: `▶ ×10 2026-01-01 12:00:03 +1m05s`. */
  readonly words: string;
  /** Does what a key asks for. False when it is nothing of a recording's. */
  perform(action: Action): boolean;
}

/** What a view shows: as it is, or as it was when the screen was frozen. */
export class Freezable<T> {
  readonly #select: () => T;
  readonly #copy: (live: T) => T;
  #frozen: { readonly data: T } | undefined;

  /** @param copy where the data read the session anew at each access, a copy that does not */
  constructor(select: () => T, copy: (live: T) => T = (live) => live) {
    this.#select = select;
    this.#copy = copy;
  }

  get data(): T {
    return this.#frozen === undefined ? this.#select() : this.#frozen.data;
  }

  freeze(): void {
    this.#frozen = { data: this.#copy(this.#select()) };
  }

  thaw(): void {
    this.#frozen = undefined;
  }
}

/** Whatever the data are. */
export type Freezes = Pick<Freezable<unknown>, "freeze" | "thaw">;

/** Of what something is shown, and when. */
export interface ShownOptions {
  readonly store: Store;
  /** Monotonic milliseconds, the clock of the store's events. */
  readonly now: () => number;
  /** Unix milliseconds, for what the service dates. */
  readonly wall: () => number;
  /** The subaccount that is watched, or the address whose catalogue is shown. */
  readonly account?: AccountChoice | undefined;
  /** True when addresses, sizes, balances and profit of accounts are hidden from the start. */
  readonly isMasked?: boolean;
  /** How numbers and times are shown. */
  readonly display?: Display | undefined;
  /** What was before is kept, and can be gone back to while the screen is frozen. */
  readonly openPast?: OpenPast;
}

/** Only the dashboard changes it: views read it anew each time. */
export class Shown {
  /** Undefined while its symbol is being looked up. */
  market: Market | undefined;
  /** The subaccount that is watched; undefined when none is. */
  account: AccountChoice | undefined;
  /** True while addresses, sizes, balances and profit of accounts are hidden. */
  isMasked: boolean;
  /** How numbers and times are shown. */
  display: Display;
  /** What stands in the way of showing anything, such as a symbol that is not known yet. */
  notice = "";
  readonly #options: ShownOptions;
  #frozen: { readonly atMs: number; readonly data: Freezes | undefined } | undefined;
  #past: Past | undefined;

  constructor(options: ShownOptions) {
    this.#options = options;
    this.account = options.account;
    this.isMasked = options.isMasked ?? false;
    this.display = options.display ?? new Display();
  }

  /** The session's own, or as it was at a moment before. */
  get store(): Store {
    return this.#past?.store ?? this.#options.store;
  }

  /** The moment that is shown, by the clock of the store's events. */
  readonly now = (): number => this.#past?.atMs ?? this.#options.now();

  /** The same in Unix milliseconds. */
  readonly wall = (): number => this.#past?.wallMs ?? this.#options.wall();

  /** Text of the session, such as channel names and messages of the service, as others may see it. */
  seen(text: string): string {
    return this.isMasked ? maskText(text, this.account?.address) : text;
  }

  /** True while the screen does not follow the session. */
  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** True while a moment before the freeze is shown. */
  get isPast(): boolean {
    return this.#past !== undefined;
  }

  /** True while there is something to go back to. */
  get hasPast(): boolean {
    return this.#frozen !== undefined && this.#options.openPast !== undefined;
  }

  /** What every pane says instead of its age: how old what it shows is; undefined while it is live. */
  get frozenText(): string | undefined {
    if (this.#frozen === undefined) return undefined;
    const now = this.#options.now();
    if (this.#past === undefined) return `FROZEN ${formatAge(now - this.#frozen.atMs)}`;
    return `PAST -${formatAge(now - this.#past.atMs)}`;
  }

  /** The moment itself, and how far back one can go; undefined while nothing past is shown. */
  get pastText(): string | undefined {
    if (this.#past === undefined) return undefined;
    const { wallMs, startMs } = this.#past;
    const keptMs = this.#options.now() - startMs;
    return `PAST ${this.display.timeOfDay(wallMs, true)} ${this.display.zoneName(wallMs)}, kept to -${formatAge(keptMs)}`;
  }

  /** Freezes what is shown, or lets it go on. */
  toggleFreeze(data: Freezes | undefined): void {
    if (this.#frozen !== undefined) {
      this.thaw();
      return;
    }
    data?.freeze();
    this.#frozen = { atMs: this.#options.now(), data };
  }

  /** Goes on with the session, wherever the screen stands. */
  thaw(): void {
    this.#frozen?.data?.thaw();
    this.#frozen = undefined;
    this.#past = undefined;
  }

  /** Moves through the past, which is opened where the screen was frozen. False where there is none. */
  goBack(move: (past: Past) => void): boolean {
    if (this.#frozen === undefined) return false;
    this.#past ??= this.#options.openPast?.(this.#frozen.atMs);
    if (this.#past === undefined) return false;
    move(this.#past);
    this.#frozen.data?.thaw();
    return true;
  }
}
