// Lines in segments, in memory or in a file, and a cursor in them: a store of its own at one moment. Forward it applies lines; back
// it begins again from the state before a segment.
import { advanceHeat, foldHeat } from "../state/heat.ts";
import type { Moment } from "../state/moment.ts";
import { copyStore, createStore, reduce, type Store } from "../state/store.ts";
import { noteFrame } from "../stream/status.ts";
import type { Clock } from "../units/clock.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { decode } from "../wire/decode.ts";
import { applyChanges } from "./changes.ts";
import { decodeLine, decodeStamp, type Entry, type Stamp } from "./entry.ts";

export interface Segment {
  readonly number: number;
  readonly start: Stamp;
  /** Before its first line; undefined where it is not kept. Never changed. */
  readonly store: Store | undefined;
  /** From one on. The newest segment of a live session grows. */
  lines(from: number): readonly string[];
  /** What is wrong with a line that cannot be applied. */
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

export function damagedLine(index: number): MonitorError {
  return new MonitorError("recording", "failed", `line ${index + 1} is damaged`, {
    advice: "what comes before it can be replayed with --for",
  });
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
  #lines: readonly string[] = [];
  /** The line in the segment that is the first of these, and the next one to be applied. */
  #first = 0;
  #next = 0;
  #ahead: Entry | undefined;
  #last: Stamp;
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
   * Goes to a time, or as far as there are lines.
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

  /** Lines that are not applied yet, segment by segment. */
  *rest(): Generator<readonly string[]> {
    let segment: Segment | undefined = this.#segment;
    for (let from = this.#next; segment !== undefined; from = 0) {
      yield segment.lines(from);
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
    this.#lines = [];
    this.#first = 0;
    this.#next = 0;
    this.#ahead = undefined;
  }

  #peek(): Entry | undefined {
    if (this.#ahead !== undefined) return this.#ahead;
    const line = this.#nextLine();
    if (line === undefined) return undefined;
    this.#ahead = decodeLine(line);
    if (this.#ahead === undefined) throw this.#segment.fault(this.#next);
    return this.#ahead;
  }

  #nextLine(): string | undefined {
    while (this.#next - this.#first >= this.#lines.length) {
      this.#first = this.#next;
      this.#lines = this.#segment.lines(this.#next);
      if (this.#lines.length > 0) break;
      const next = this.#track.segment(this.#segment.number + 1);
      if (next === undefined) return undefined;
      if (next.store === undefined) this.#track.keep?.(next.number, this.store);
      this.#enter(next);
    }
    return this.#lines[this.#next - this.#first];
  }

  #apply(entry: Entry): void {
    try {
      this.#pass(entry.t);
      this.#change(entry);
    } catch {
      throw this.#segment.fault(this.#next);
    }
    this.#ahead = undefined;
    this.#next++;
    this.#last = entry;
    this.#atMs = entry.t;
    this.onEntry?.(entry);
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

/** The time of the next line of a kind, or of the one before. */
export function findTime(
  track: Track,
  { ms, by }: { readonly ms: number; readonly by: 1 | -1 },
  isWanted: (line: string) => boolean,
): number | undefined {
  const isFound = (line: string) => isWanted(line) && (decodeStamp(line).t - ms) * by > 0;
  let segment: Segment | undefined = segmentOf(track, ms);
  for (; segment !== undefined; segment = track.segment(segment.number + by)) {
    const lines = segment.lines(0);
    const found = by > 0 ? lines.find(isFound) : lines.findLast(isFound);
    if (found !== undefined) return decodeStamp(found).t;
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
