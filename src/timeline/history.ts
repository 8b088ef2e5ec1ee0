// The last minutes of a live session in memory: segments of entries, each with a copy of the store before its first one. Nothing is
// folded a second time until the user looks back.
import { copyStore, type Store } from "../state/store.ts";
import { MonitorError } from "../units/monitor-error.ts";
import type { Entry, Stamp } from "./entry.ts";
import type { Recorder } from "./recorder.ts";
import type { Segment, Track } from "./track.ts";

/** Of the texts, nearly; at 50 updates a second about ten minutes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Of an entry, beside its text. */
const ENTRY_BYTES = 100;
/** The oldest one is dropped as a whole. More make going back quicker, but hold more copies. */
const SEGMENTS = 8;

interface Held extends Segment {
  readonly store: Store;
  readonly entries: Entry[];
  bytes: number;
}

export interface History extends Track {
  close(): void;
}

export function createHistory(recorder: Recorder, maxBytes = MAX_BYTES): History {
  const segments: Held[] = [];

  function begin(start: Stamp): Held {
    const entries: Entry[] = [];
    const segment: Held = {
      ...{ number: (segments.at(-1)?.number ?? -1) + 1, start, entries, bytes: 0 },
      store: copyStore(recorder.store),
      get count() {
        return entries.length;
      },
      entry: (index) => entries[index] as Entry,
      fault: () => new MonitorError("recording", "failed", "the past cannot be shown"),
    };
    segments.push(segment);
    if (segments.length > SEGMENTS + 1) segments.shift();
    return segment;
  }

  let newest = begin(recorder.settle());
  const stop = recorder.give({
    entry(entry) {
      newest.entries.push(entry);
      newest.bytes += (entry.in?.length ?? 0) + ENTRY_BYTES;
    },
    rest() {
      if (newest.bytes > maxBytes / SEGMENTS) newest = begin(recorder.now());
    },
  });
  const oldest = () => segments[0] ?? newest;
  return {
    get startMs() {
      return oldest().start.t;
    },
    get endMs() {
      return newest.entries.at(-1)?.t ?? newest.start.t;
    },
    segment: (number) => segments[number - oldest().number],
    nearest: (ms) => segments.findLast(({ start }) => start.t <= ms) ?? oldest(),
    close: stop,
  };
}
