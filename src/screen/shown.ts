// What the screen shows: the live session, the session as it was when frozen, or an earlier moment of it.
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

/** A position in time in monotonic milliseconds; `wallMs` is `atMs` in Unix milliseconds. */
export interface Place {
  readonly atMs: number;
  readonly wallMs: number;
  /** The oldest and newest moments, as far as known. */
  readonly startMs: number;
  readonly endMs: number;
}

/** The history buffer of the session, or a recording. */
export interface Timeline extends Place {
  /** The state at that moment; may be a different object after `goTo` or `step`. */
  readonly store: Store;
  /** Goes to a moment, or the nearest available. */
  goTo(ms: number): void;
  /** Goes to just after the next change of one of the channels or of the session, or with -1 to just after the second last. */
  step(by: 1 | -1, channels: readonly string[]): void;
}

export interface SessionPast {
  readonly startMs: number;
  /** Undefined while it cannot be opened yet. */
  open(atMs: number): Timeline | undefined;
  /** Replays channels from a moment on; undefined while that is not yet possible. */
  walk?(fromMs: number, channels: readonly string[]): PastWalk | undefined;
}

/** An incremental replay of the past up to the present. */
export interface PastWalk {
  readonly store: Store;
  readonly startMs: number;
  readonly share: number;
  /**
   * Replays up to this many lines.
   * @returns `more`: lines are left; `end`: it has caught up with the session; `lost`: the next lines were discarded, a new
   *   walk may find later ones; `failed`: the rest cannot be read
   */
  go(lines: number): "more" | "end" | "lost" | "failed";
  close?(): void;
}

export interface Recording extends Timeline {
  readonly words: string;
  readonly isPaused: boolean;
  /** All disconnects and reconnects in it, as far as the file has been read. */
  readonly links?: readonly LinkMoment[] | undefined;
  /** Replays channels from its start to the moment shown. */
  walk?(channels: readonly string[]): PastWalk;
  togglePause(): void;
  changeSpeed(by: 1 | -1): void;
}

/** What a view shows: live, or as it was when the screen was frozen. */
export class Freezable<T> {
  readonly #select: () => T;
  readonly #copy: (live: T) => T;
  #frozen: { readonly data: T } | undefined;

  /** @param copy needed if the data reads the session at each access: makes a copy that does not */
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
  /** Monotonic milliseconds, the clock of store events. */
  readonly now: () => number;
  /** Unix milliseconds, to compare with the service's timestamps. */
  readonly wall: () => number;
  readonly account?: AccountChoice | undefined;
  readonly isMasked?: boolean;
  readonly display?: Display | undefined;
  readonly past?: SessionPast | undefined;
  readonly replay?: Recording | undefined;
}

export class Shown {
  /** Undefined while its symbol is being resolved. */
  market: Market | undefined;
  /** The watched subaccount, or the address whose catalogue is shown. */
  account: AccountChoice | undefined;
  /** True while addresses, sizes, balances and profit of accounts are hidden. */
  isMasked: boolean;
  display: Display;
  /** Why there is nothing to show, such as a symbol not yet resolved. */
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

  get store(): Store {
    return this.#past?.store ?? this.#options.store;
  }

  readonly now = (): number => this.#past?.atMs ?? this.#options.now();

  readonly wall = (): number => this.#past?.wallMs ?? this.#options.wall();

  get subaccount(): Subaccount | undefined {
    return this.account && chosenSubaccount(this.account);
  }

  get ownChannels(): readonly string[] {
    const { subaccount } = this;
    return subaccount === undefined ? [] : [accountChannel(subaccount)];
  }

  /** Masks text such as channel names and service messages, if the mask is on. */
  masked(text: string): string {
    return this.isMasked ? maskText(text, this.account?.address) : text;
  }

  /** True while the screen does not follow the session. */
  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Also true while a recording is paused. */
  get isStopped(): boolean {
    return this.#options.replay?.isPaused ?? this.isFrozen;
  }

  /** True while the frozen screen shows a moment of the timeline. */
  get isPast(): boolean {
    return this.#past !== undefined;
  }

  get hasTimeline(): boolean {
    const { past, replay } = this.#options;
    return replay !== undefined || (this.isFrozen && past !== undefined);
  }

  get place(): Place | undefined {
    const { replay, past, now } = this.#options;
    if (replay !== undefined) return replay;
    if (this.#frozen === undefined || past === undefined) return undefined;
    const atMs = this.#past?.atMs ?? this.#frozen.atMs;
    return { startMs: past.startMs, endMs: now(), atMs, wallMs: this.wallMs };
  }

  /** Unix milliseconds of what is shown: of a frozen screen those of the moment at which it was frozen. */
  get wallMs(): number {
    const { now, wall } = this.#options;
    const stoodMs = this.#frozen === undefined ? 0 : now() - this.#frozen.atMs;
    return this.#past?.wallMs ?? wall() - stoodMs;
  }

  /** Replaces the age of every pane; undefined while live. */
  get frozenText(): string | undefined {
    if (this.#frozen === undefined) return undefined;
    const now = this.#options.now();
    if (this.#past === undefined) return `FROZEN ${formatAge(now - this.#frozen.atMs)}`;
    return `PAST -${formatAge(now - this.#past.atMs)}`;
  }

  /** The moment shown, and how far back the history goes; undefined unless the past is shown. */
  get pastText(): string | undefined {
    if (this.#past === undefined) return undefined;
    const { wallMs, startMs } = this.#past;
    const keptMs = this.#options.now() - startMs;
    return `PAST ${this.display.timeOfDay(wallMs, true)} ${this.display.zoneName(wallMs)}, kept to -${formatAge(keptMs)}`;
  }

  toggleFreeze(data: Freezes | undefined): void {
    const { replay } = this.#options;
    if (replay !== undefined) replay.togglePause();
    else if (this.#frozen !== undefined) this.thaw();
    else {
      data?.freeze();
      this.#frozen = { atMs: this.#options.now(), data };
    }
  }

  /** Follows the live session again. */
  thaw(): void {
    this.#frozen?.data?.thaw();
    this.#frozen = undefined;
    this.#past = undefined;
  }

  /** Moves through the recording, or the past of a frozen screen, if there is one. */
  travel(move: (timeline: Timeline) => void): void {
    const { past, replay } = this.#options;
    if (this.#frozen !== undefined) this.#past ??= past?.open(this.#frozen.atMs);
    const timeline = replay ?? this.#past;
    if (timeline === undefined) return;
    move(timeline);
    this.#frozen?.data?.thaw();
  }
}
