// Lines in pieces, in memory or in a file, and a cursor in them: a store of its own at one moment. Forward it applies lines; back
// it begins again from the state before a piece.
import { advanceHeat, foldHeat } from "../state/heat.ts";
import type { Moment } from "../state/moment.ts";
import { copyStore, createStore, reduce, type Store } from "../state/store.ts";
import { noteFrame } from "../stream/status.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { decode } from "../wire/decode.ts";
import { applyChanges } from "./changes.ts";
import { decodeLine, type Entry, type Stamp } from "./entry.ts";

export interface Piece {
  readonly start: Stamp;
  /** Before its first line. Never changed; undefined where it is not kept, or not known yet. */
  store: Store | undefined;
  /** The newest piece of a live session grows. */
  lines(): readonly string[];
}

/** Times are those of the machine that recorded. */
export interface Track {
  readonly startMs: number;
  readonly endMs: number;
  /** Oldest first, at least one; the oldest has a store. */
  readonly pieces: readonly Piece[];
}

const LOOK_AFTER_LINES = 50;
/** Copies of the store that are kept, so that going back does not begin at the beginning. */
const MAX_STORES = 40;

export class Cursor {
  /** Replaced by another one when going back. */
  store: Store;
  /** Called with each entry that was applied. */
  onEntry: ((entry: Entry) => void) | undefined;
  readonly #track: Track;
  #piece: Piece;
  #lines: readonly string[] = [];
  /** The next line of the piece to be applied. */
  #next = 0;
  #ahead: Entry | undefined;
  #last: Stamp;
  #atMs: number;

  /** At the beginning. */
  constructor(track: Track) {
    this.#track = track;
    this.#piece = track.pieces[0] as Piece;
    this.#last = this.#piece.start;
    this.#atMs = this.#last.t;
    this.store = storeBefore(this.#piece);
  }

  get moment(): Moment {
    const { t, w } = this.#last;
    return { store: this.store, nowMs: this.#atMs, wallMs: w + (this.#atMs - t) };
  }

  /**
   * Goes to a time, or as far as there are lines.
   * @param isEnough whether to stop for now, asked from time to time @returns false if it has stopped before
   * @throws {MonitorError} at a damaged line
   */
  goTo(ms: number, isEnough = () => false): boolean {
    const { pieces } = this.#track;
    const nearest = Math.max(
      0,
      pieces.findLastIndex(({ store, start }) => store !== undefined && start.t <= ms),
    );
    const at = this.#at;
    if (ms < this.#atMs || at < 0 || nearest > at + 1) this.#begin(pieces[nearest] as Piece);
    for (let steps = 1; ; steps++) {
      const next = this.#peek();
      if (next === undefined || next.t > ms) break;
      this.#apply(next);
      if (steps % LOOK_AFTER_LINES === 0 && isEnough()) {
        this.#atMs = this.#last.t;
        return false;
      }
    }
    this.#atMs = Math.max(this.#last.t, Math.min(ms, this.#track.endMs));
    this.#pass(this.#atMs);
    return true;
  }

  /** Lines that are not applied yet, piece by piece. */
  *rest(): Generator<readonly string[]> {
    yield this.#piece.lines().slice(this.#next);
    for (const piece of this.#track.pieces.slice(this.#at + 1)) yield piece.lines();
  }

  /** Negative where the piece has been dropped since. */
  get #at(): number {
    return this.#track.pieces.indexOf(this.#piece);
  }

  #begin(piece: Piece): void {
    this.store = storeBefore(piece);
    this.#enter(piece);
    this.#last = piece.start;
  }

  #enter(piece: Piece): void {
    this.#piece = piece;
    this.#lines = [];
    this.#next = 0;
    this.#ahead = undefined;
  }

  #peek(): Entry | undefined {
    if (this.#ahead !== undefined) return this.#ahead;
    const line = this.#nextLine();
    if (line === undefined) return undefined;
    this.#ahead = decodeLine(line);
    if (this.#ahead === undefined) throw this.#damage();
    return this.#ahead;
  }

  #nextLine(): string | undefined {
    const { pieces } = this.#track;
    while (this.#next >= this.#lines.length) {
      this.#lines = this.#piece.lines();
      if (this.#next < this.#lines.length) break;
      const at = this.#at + 1;
      const next = pieces[at];
      if (next === undefined) return undefined;
      if (at % Math.ceil(pieces.length / MAX_STORES) === 0) next.store ??= copyStore(this.store);
      this.#enter(next);
    }
    return this.#lines[this.#next];
  }

  #apply(entry: Entry): void {
    try {
      this.#pass(entry.t);
      this.#change(entry);
    } catch {
      throw this.#damage();
    }
    this.#ahead = undefined;
    this.#next++;
    this.#last = entry;
    this.#atMs = entry.t;
    this.onEntry?.(entry);
  }

  /** Behind the heading, and the lines of the pieces before. */
  #damage(): MonitorError {
    const before = this.#track.pieces.slice(0, this.#at);
    const number = before.reduce((sum, piece) => sum + piece.lines().length, this.#next + 2);
    return new MonitorError("recording", "failed", `line ${number} is damaged`, {
      advice: "what comes before it can be replayed with --for",
    });
  }

  #change({ t, w, state, in: text, place, isContinuous = false, changes }: Entry): void {
    if (state !== undefined) this.store = checkStore(state);
    if (changes !== undefined) applyChanges(this.store, changes);
    const { store } = this;
    if (text !== undefined) store.link.aliveAtMs = t;
    if (text === undefined || place === undefined) return;
    // As the session does.
    const update = decode(text);
    const status = update.type === "update" ? store.channels.get(update.channel) : undefined;
    if (update.type !== "update" || status === undefined) throw new Error("it cannot be folded");
    noteFrame(status, t);
    reduce(store, update, { dialect: store.dialect, place, isContinuous, nowMs: t });
    foldHeat({ store, nowMs: t, wallMs: w }, update, place);
  }

  /** The book goes on standing while nothing comes. */
  #pass(ms: number): void {
    const { t, w } = this.#last;
    advanceHeat({ store: this.store, nowMs: ms, wallMs: w + ms - t }, w);
  }
}

function storeBefore({ store }: Piece): Store {
  if (store === undefined) throw new Error("a piece without its state");
  return copyStore(store);
}

/** @throws when it is none. What it lacks was not held yet by the version that wrote it */
function checkStore(state: Store): Store {
  const store = { ...createStore(state.dialect), ...state };
  const maps = [store.states, store.channels, store.scales, store.drift, store.heat];
  const hasMaps = maps.every((map) => map instanceof Map);
  if (!hasMaps || state.dialect.names === undefined) throw new Error("no state");
  return store;
}
