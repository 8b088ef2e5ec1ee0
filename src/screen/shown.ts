// What is shown, and of what: the session as it is, as it was when the screen was frozen, or as it was before that.
import {
  type AccountChoice,
  accountChannel,
  chosenSubaccount,
  type Subaccount,
} from "../select/account.ts";
import { Display } from "../select/display.ts";
import type { Market } from "../select/market.ts";
import { maskText } from "../select/mask.ts";
import type { LinkMoment } from "../select/timeline.ts";
import type { Store } from "../state/store.ts";
import { formatAge } from "../units/time.ts";

/** What has happened, as it is gone through: the last minutes of the session, or a recording. */
export interface Timeline {
  /** Everything as it was at the moment; may be another one after going somewhere. */
  readonly store: Store;
  /** The moment that is shown: monotonic milliseconds, and Unix milliseconds. */
  readonly atMs: number;
  readonly wallMs: number;
  /** The oldest moment that is kept now, and the newest, as far as that is known. */
  readonly startMs: number;
  readonly endMs: number;
  /** Shows a moment, or the nearest that is kept. */
  goTo(ms: number): void;
  /** Goes right behind the next change of one of the channels or of the session, or behind the one before the last. */
  step(by: 1 | -1, channels: readonly string[]): void;
}

/** Where in time the screen is, monotonic milliseconds; and the same moment in Unix milliseconds. */
export type Place = Pick<Timeline, "startMs" | "endMs" | "atMs" | "wallMs">;

export interface SessionPast {
  /** The oldest moment of it. */
  readonly startMs: number;
  /** Opens it at a moment; undefined while that cannot be done yet. */
  open(atMs: number): Timeline | undefined;
  /** Goes through what some channels have said since a moment; undefined while that cannot be done yet. */
  walk?(fromMs: number, channels: readonly string[]): PastWalk | undefined;
}

/** A way through the past until now. */
export interface PastWalk {
  /** What it fills, with those channels only. */
  readonly store: Store;
  readonly startMs: number;
  readonly share: number;
  /**
   * Goes on by so many lines.
   * @returns `more` are left; `end`: it is where the session is; `lost`: the next are not kept any more, another walk may
   *   find later ones; `failed`: the rest is not to be had
   */
  go(lines: number): "more" | "end" | "lost" | "failed";
  /** It is not gone through any further. */
  close?(): void;
}

/** A recording: it goes on by itself. */
export interface Recording extends Timeline {
  /** How it moves: `▶ ×10`. */
  readonly words: string;
  readonly isPaused: boolean;
  /** All losses and returns of its connection, as far as the file has been looked through. */
  readonly links?: readonly LinkMoment[] | undefined;
  /** Goes through what some channels have said, from its start to what is shown. */
  walk?(channels: readonly string[]): PastWalk;
  togglePause(): void;
  changeSpeed(by: 1 | -1): void;
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

export type Freezes = Pick<Freezable<unknown>, "freeze" | "thaw">;

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
  readonly past?: SessionPast | undefined;
  /** Defined when a recording is shown, in the place of a session. */
  readonly replay?: Recording | undefined;
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
  #past: Timeline | undefined;

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

  readonly wall = (): number => this.#past?.wallMs ?? this.#options.wall();

  /** The subaccount that is watched, and its channel, where one is chosen. */
  get subaccount(): Subaccount | undefined {
    return this.account && chosenSubaccount(this.account);
  }

  get ownChannels(): readonly string[] {
    const { subaccount } = this;
    return subaccount === undefined ? [] : [accountChannel(subaccount)];
  }

  /** Text of the session, such as channel names and messages of the service, as others may see it. */
  seen(text: string): string {
    return this.isMasked ? maskText(text, this.account?.address) : text;
  }

  /** True while the screen does not follow the session. */
  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** True while time stands still on the screen. */
  get isStopped(): boolean {
    return this.#options.replay?.isPaused ?? this.isFrozen;
  }

  /** True while a moment before the freeze is shown. */
  get isPast(): boolean {
    return this.#past !== undefined;
  }

  get hasTimeline(): boolean {
    const { past, replay } = this.#options;
    return replay !== undefined || (this.isFrozen && past !== undefined);
  }

  get place(): Place | undefined {
    const { replay, past, now, wall } = this.#options;
    if (replay !== undefined) return replay;
    if (this.#frozen === undefined || past === undefined) return undefined;
    const endMs = now();
    const atMs = this.#past?.atMs ?? this.#frozen.atMs;
    const wallMs = this.#past?.wallMs ?? wall() - (endMs - atMs);
    return { startMs: past.startMs, endMs, atMs, wallMs };
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

  /** Stops what is shown, or lets it go on. */
  toggleFreeze(data: Freezes | undefined): void {
    const { replay } = this.#options;
    if (replay !== undefined) replay.togglePause();
    else if (this.#frozen !== undefined) {
      this.thaw();
    } else {
      data?.freeze();
      this.#frozen = { atMs: this.#options.now(), data };
    }
  }

  /** Goes on with the session, wherever the screen stands. */
  thaw(): void {
    this.#frozen?.data?.thaw();
    this.#frozen = undefined;
    this.#past = undefined;
  }

  /** Moves through the recording, or through the past, which is opened where the screen was frozen; not where there is none. */
  travel(move: (timeline: Timeline) => void): void {
    const { past, replay } = this.#options;
    if (this.#frozen !== undefined) this.#past ??= past?.open(this.#frozen.atMs);
    const timeline = replay ?? this.#past;
    if (timeline === undefined) return;
    move(timeline);
    this.#frozen?.data?.thaw();
  }
}
