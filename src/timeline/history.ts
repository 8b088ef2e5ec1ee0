// The last minutes of a live session in memory: segments of entries, each with a copy of the store before its first one. Nothing is
// folded a second time until the user looks back.
import { copyStore, type Store } from "../state/store.ts";
import { MonitorError } from "../units/monitor-error.ts";
import type { Entry, Stamp } from "./entry.ts";
import type { Recorder } from "./recorder.ts";
import type { Segment, Track } from "./track.ts";

/** At 50 updates a second more than ten minutes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The two times of an entry, before its text. */
const STAMP_BYTES = 16;
/** Of any other entry, beside its text. */
const OTHER_BYTES = 100;
/** A character takes at most so many bytes. */
const UTF8_BYTES = 3;
/** The oldest one is dropped as a whole. More make going back quicker, but hold more copies. */
const SEGMENTS = 8;

interface Held extends Segment {
  readonly store: Store;
  readonly isFull: boolean;
  add(entry: Entry): void;
}

export interface History extends Track {
  close(): void;
}

export function createHistory(recorder: Recorder, maxBytes = MAX_BYTES): History {
  const segments: Held[] = [];

  function begin(start: Stamp): Held {
    const about = { number: (segments.at(-1)?.number ?? -1) + 1, start };
    const segment = createHeld(about, copyStore(recorder.store), Math.ceil(maxBytes / SEGMENTS));
    segments.push(segment);
    if (segments.length > SEGMENTS + 1) segments.shift();
    return segment;
  }

  let newest = begin(recorder.settle());
  /** The first change of something known: before it nothing could be shown. */
  let beganMs: number | undefined;
  const stop = recorder.give({
    entry(entry) {
      if (entry.place === "next") beganMs ??= entry.t;
      newest.add(entry);
    },
    rest() {
      if (newest.isFull) newest = begin(recorder.now());
    },
  });
  const oldest = () => segments[0] ?? newest;
  return {
    get startMs() {
      return Math.max(oldest().start.t, beganMs ?? 0);
    },
    get endMs() {
      return newest.count > 0 ? newest.entry(newest.count - 1).t : newest.start.t;
    },
    segment: (number) => segments[number - oldest().number],
    nearest: (ms) => segments.findLast(({ start }) => start.t <= ms) ?? oldest(),
    close: stop,
  };
}

/**
 * Usual entries, messages that were folded next, are bytes beside the heap: thousands a second that live for seconds would keep
 * the collector busy. All others stay as they are.
 */
function createHeld(about: Pick<Segment, "number" | "start">, store: Store, size: number): Held {
  const bytes = Buffer.allocUnsafeSlow(size);
  /** Where entries begin in it, and where the next one will. */
  const begins = [0];
  const others = new Map<number, Entry>();
  let used = 0;
  let usedByOthers = 0;
  return {
    ...{ ...about, store },
    get isFull() {
      return used + usedByOthers > size;
    },
    get count() {
      return begins.length - 1;
    },
    add(entry) {
      const { t, w, in: text = "", place, isContinuous, changes } = entry;
      const isOther = isContinuous !== undefined || changes !== undefined || place !== "next";
      const isUsual = text !== "" && !isOther;
      if (isUsual && used + STAMP_BYTES + text.length * UTF8_BYTES <= size) {
        bytes.writeDoubleLE(t, used);
        bytes.writeDoubleLE(w, used + 8);
        used += STAMP_BYTES + bytes.write(text, used + STAMP_BYTES);
      } else {
        others.set(begins.length - 1, entry);
        usedByOthers += OTHER_BYTES + text.length;
      }
      begins.push(used);
    },
    entry(index) {
      const other = others.get(index);
      if (other !== undefined) return other;
      const [from = 0, to = 0] = [begins[index], begins[index + 1]];
      const [t, w] = [bytes.readDoubleLE(from), bytes.readDoubleLE(from + 8)];
      return { t, w, in: bytes.toString("utf8", from + STAMP_BYTES, to), place: "next" };
    },
    fault: () => new MonitorError("recording", "failed", "the past cannot be shown"),
  };
}
