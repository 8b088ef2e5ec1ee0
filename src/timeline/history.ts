// The last minutes of a live session in memory: segments of entries, each with a copy of the store before its first one. Nothing is
// folded a second time until the user looks back.
import { deflateRaw, inflateRawSync } from "node:zlib";
import { copyStore, type Store } from "../state/store.ts";
import { MonitorError } from "../units/monitor-error.ts";
import type { Entry, Stamp } from "./entry.ts";
import type { Recorder } from "./recorder.ts";
import type { Segment, Track } from "./track.ts";

/** At 50 updates a second more than ten minutes; packed they take a seventh. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The two times of an entry, before its text. */
const STAMP_BYTES = 16;
/** Of any other entry, beside its text. */
const OTHER_BYTES = 100;
/** A character takes at most so many bytes. */
const UTF8_BYTES = 3;
/** The oldest one is dropped as a whole. More make going back quicker, but hold more copies. */
const SEGMENTS = 8;
/** The level of zlib: others take several times as long for a quarter less. */
const QUICKLY = 1;

interface Held extends Segment {
  readonly store: Store;
  readonly isFull: boolean;
  add(entry: Entry): void;
  /** No entry comes any more. @param free is given its buffer back later */
  pack(free: (bytes: Buffer) => void): void;
}

export interface History extends Track {
  close(): void;
}

export function createHistory(recorder: Recorder, maxBytes = MAX_BYTES): History {
  const segments: Held[] = [];
  let spare: Buffer | undefined;

  function begin(start: Stamp): Held {
    const about = { number: (segments.at(-1)?.number ?? -1) + 1, start };
    const bytes = spare ?? Buffer.allocUnsafeSlow(Math.ceil(maxBytes / SEGMENTS));
    spare = undefined;
    const segment = createHeld(about, copyStore(recorder.store), bytes);
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
      if (!newest.isFull) return;
      newest.pack((bytes) => {
        spare = bytes;
      });
      newest = begin(recorder.now());
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
function createHeld(about: Pick<Segment, "number" | "start">, store: Store, buffer: Buffer): Held {
  let bytes = buffer;
  const size = bytes.length;
  /** Where entries begin in it, and where the next one will. */
  const begins = [0];
  const others = new Map<number, Entry>();
  let used = 0;
  let usedByOthers = 0;
  let isPacked = false;
  /** What is packed is read many times in a row, or not at all. */
  let unpacked: WeakRef<Buffer> | undefined;

  function read(): Buffer {
    if (!isPacked) return bytes;
    const known = unpacked?.deref();
    if (known !== undefined) return known;
    const all = inflateRawSync(bytes);
    unpacked = new WeakRef(all);
    return all;
  }

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
    pack(free) {
      deflateRaw(bytes.subarray(0, used), { level: QUICKLY }, (error, packed) => {
        if (error !== null) return;
        free(bytes);
        bytes = packed;
        isPacked = true;
      });
    },
    entry(index) {
      const other = others.get(index);
      if (other !== undefined) return other;
      const all = read();
      const [from = 0, to = 0] = [begins[index], begins[index + 1]];
      const [t, w] = [all.readDoubleLE(from), all.readDoubleLE(from + 8)];
      return { t, w, in: all.toString("utf8", from + STAMP_BYTES, to), place: "next" };
    },
    fault: () => new MonitorError("recording", "failed", "the past cannot be shown"),
  };
}
