// Entries in segments, in memory or in a file, and a cursor in them: a store of its own at one moment. Forward it applies entries;
// back it begins again from the state before a segment.
import { noteHeat, passHeat } from "../rows/heat.ts";
import type { Moment } from "../rows/moment.ts";
import { copyStore, createStore, reduce, type Store } from "../state/store.ts";
import { noteFrame } from "../stream/status.ts";
import type { Clock } from "../units/clock.ts";
import type { MonitorError } from "../units/monitor-error.ts";
import { decode } from "../wire/decode.ts";
import { applyChanges } from "./changes.ts";
import type { Entry, Stamp } from "./entry.ts";

export interface Segment {
  readonly number: number;
  readonly start: Stamp;
  /** Before its first entry; undefined where it is not kept. Never changed. */
  readonly store: Store | undefined;
  /** The newest segment may still grow. */
  readonly count: number;
  /** @throws {MonitorError} for a damaged line */
  entry(index: number): Entry;
  /** What is wrong with an entry that cannot be applied. */
  fault(index: number): MonitorError;
}

/** Times are those of the machine that recorded. */
export interface Track {
  readonly startMs: number;
  readonly endMs: number;
  segment(number: number): Segment | undefined;
  /** The newest known segment with a store that begins at or before a time, or the oldest. */
  nearest(ms: number): Segment;
  /** Takes note of the store before a segment. */
  keep?(number: number, store: Store): void;
}

/** When to stop for now. */
export interface Budget {
  readonly clock: Pick<Clock, "now">;
  readonly untilMs: number;
}

const LOOK_AFTER_LINES = 50;

export class Cursor {
  /** Replaced by another one when going back. */
  store: Store;
  /** Called with each entry that was applied. */
  onEntry: ((entry: Entry) => void) | undefined;
  readonly #track: Track;
  #segment: Segment;
  /** Entries of the segment that are applied, and the next one. */
  #applied = 0;
  #ahead: Entry | undefined;
  #last: Stamp;
  #text = { text: "", t: 0 };
  #atMs: number;

  /** At the beginning. */
  constructor(track: Track) {
    this.#track = track;
    this.#segment = track.nearest(track.startMs);
    this.#last = this.#segment.start;
    this.#atMs = this.#last.t;
    this.store = storeBefore(this.#segment);
  }

  get moment(): Moment {
    const { t, w } = this.#last;
    return { store: this.store, nowMs: this.#atMs, wallMs: w + (this.#atMs - t) };
  }

  /**
   * Goes to a time, or as far as there are entries.
   * @returns false if the budget was used up before
   * @throws {MonitorError} at a damaged line
   */
  goTo(ms: number, budget?: Budget): boolean {
    const nearest = this.#track.nearest(ms);
    if (ms < this.#atMs || nearest.number > this.#segment.number + 1) this.#begin(nearest);
    for (let steps = 1; ; steps++) {
      const next = this.#peek();
      if (next === undefined || next.t > ms) break;
      this.#apply(next);
      if (budget && steps % LOOK_AFTER_LINES === 0 && budget.clock.now() >= budget.untilMs) {
        this.#atMs = this.#last.t;
        return false;
      }
    }
    this.#atMs = Math.max(this.#last.t, Math.min(ms, this.#track.endMs));
    this.#pass(this.#atMs);
    return true;
  }

  /** Those that are not applied yet. */
  *rest(): Generator<Entry> {
    let segment: Segment | undefined = this.#segment;
    for (let from = this.#applied; segment !== undefined; from = 0) {
      for (let i = from; i < segment.count; i++) yield segment.entry(i);
      segment = this.#track.segment(segment.number + 1);
    }
  }

  #begin(segment: Segment): void {
    this.store = storeBefore(segment);
    this.#enter(segment);
    this.#last = segment.start;
  }

  #enter(segment: Segment): void {
    this.#segment = segment;
    this.#applied = 0;
    this.#ahead = undefined;
  }

  #peek(): Entry | undefined {
    if (this.#ahead !== undefined) return this.#ahead;
    while (this.#applied >= this.#segment.count) {
      const next = this.#track.segment(this.#segment.number + 1);
      if (next === undefined) return undefined;
      if (next.store === undefined) this.#track.keep?.(next.number, this.store);
      this.#enter(next);
    }
    this.#ahead = this.#segment.entry(this.#applied);
    return this.#ahead;
  }

  #apply(entry: Entry): void {
    try {
      this.#pass(entry.t);
      this.#change(entry);
    } catch {
      throw this.#segment.fault(this.#applied);
    }
    this.#ahead = undefined;
    this.#applied++;
    this.#last = entry;
    this.#atMs = entry.t;
    this.onEntry?.(entry);
  }

  #change(entry: Entry): void {
    const { state, in: text, changes } = entry;
    if (state !== undefined) this.store = checkStore(state);
    if (text !== undefined) {
      this.#text = { text, t: entry.t };
      this.store.link.aliveAtMs = entry.t;
    }
    if (entry.place !== undefined) this.#fold(entry);
    if (changes !== undefined) applyChanges(this.store, changes);
  }

  /** As the session does. */
  #fold({ place = "next", isContinuous, w }: Entry): void {
    const { store } = this;
    const { text, t } = this.#text;
    const update = decode(text);
    if (update.type !== "update") throw new Error("folded, but no update");
    const status = store.channels.get(update.channel);
    if (status === undefined) throw new Error("folded, but not subscribed");
    noteFrame(status, t);
    const { dialect } = store;
    reduce(store, update, { dialect, place, isContinuous: isContinuous === true, nowMs: t });
    noteHeat({ store, nowMs: t, wallMs: w }, update, place);
  }

  /** The book goes on standing while nothing comes. */
  #pass(ms: number): void {
    const { t, w } = this.#last;
    passHeat({ store: this.store, nowMs: ms, wallMs: w + ms - t }, w);
  }
}

function storeBefore({ store }: Segment): Store {
  if (store === undefined) throw new Error("a segment without its state");
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

/** The time of the next entry of a kind, or of the one before. */
export function findTime(
  track: Track,
  { ms, by }: { readonly ms: number; readonly by: 1 | -1 },
  isWanted: (entry: Entry) => boolean,
): number | undefined {
  const isFound = (entry: Entry) => (by > 0 ? entry.t > ms : entry.t < ms) && isWanted(entry);
  let segment: Segment | undefined = segmentOf(track, ms);
  for (; segment !== undefined; segment = track.segment(segment.number + by)) {
    for (let i = by > 0 ? 0 : segment.count - 1; i >= 0 && i < segment.count; i += by) {
      const entry = segment.entry(i);
      if (isFound(entry)) return entry.t;
    }
  }
  return undefined;
}

function segmentOf(track: Track, ms: number): Segment {
  let segment: Segment = track.nearest(ms);
  for (;;) {
    const next = track.segment(segment.number + 1);
    if (next === undefined || next.start.t > ms) return segment;
    segment = next;
  }
}
