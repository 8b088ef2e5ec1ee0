// The last minutes of a live session in memory: segments of lines, each with a copy of the store before its first line. Nothing is
// folded a second time until the user looks back.
import { copyStore, type Store } from "../state/store.ts";
import type { Stamp } from "./entry.ts";
import type { Recorder } from "./recorder.ts";
import type { Segment, Track } from "./track.ts";

/** Of lines; at 50 updates a second about ten minutes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The oldest one is dropped as a whole. More make going back quicker, but hold more copies. */
const SEGMENTS = 8;

interface Held extends Segment {
  readonly store: Store;
  /** Of one that is full: one block, which the garbage collector does not look into. */
  packed: Buffer | undefined;
  readonly fresh: string[];
  bytes: number;
  count: number;
}

export interface History extends Track {
  close(): void;
}

export function createHistory(recorder: Recorder, maxBytes = MAX_BYTES): History {
  const segments: Held[] = [];
  let endMs = 0;

  function begin(start: Stamp): Held {
    const last = segments.at(-1);
    if (last !== undefined) {
      last.packed = Buffer.from(last.fresh.join("\n"));
      last.fresh.length = 0;
    }
    const segment: Held = {
      ...{
        number: (last?.number ?? -1) + 1,
        start,
        firstLine: 0,
        store: copyStore(recorder.store),
      },
      ...{ packed: undefined, fresh: [], bytes: 0, count: 0 },
      lines() {
        // A copy: a cursor may still read it when it is packed.
        return segment.packed?.toString().split("\n") ?? [...segment.fresh];
      },
    };
    segments.push(segment);
    if (segments.length > SEGMENTS + 1) segments.shift();
    return segment;
  }

  let newest = begin(recorder.settle());
  const stop = recorder.give({
    line(text, { t }) {
      newest.fresh.push(text);
      newest.count++;
      newest.bytes += text.length + 1;
      endMs = t;
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
      return Math.max(endMs, newest.start.t);
    },
    segment: (number) => segments[number - oldest().number],
    nearest: (ms) => segments.findLast(({ start }) => start.t <= ms) ?? oldest(),
    close: stop,
  };
}
