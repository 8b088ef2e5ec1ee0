// The last minutes of a live session in memory: segments of lines, compressed, each with a copy of the store before its first one.
// Nothing is folded a second time until the user looks back.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { copyStore, type Store } from "../state/store.ts";
import type { Recorder } from "./recorder.ts";
import { damagedLine, type Segment, type Track } from "./track.ts";

/** Compressed to about a tenth: some seconds at 15,000 updates a second, and so much longer on a calm day. */
const MAX_BYTES = 4 * 1024 * 1024;
/** What a copy of the store holds alone is counted as so much. */
const COPY_BYTES = 64 * 1024;
/** What is compressed at once, in less than a millisecond. */
const CHUNK_BYTES = 64 * 1024;
/** Quickest by far, and nearly as small. */
const LEVEL = 1;
/** A character takes at most so many bytes. */
const UTF8_BYTES = 3;
const LINE_END = 0x0a;

/** Compressed lines. */
interface Chunk {
  /** Number of the first one. */
  readonly first: number;
  readonly bytes: Buffer;
}

interface Held extends Segment {
  readonly store: Store;
  readonly chunks: Chunk[];
  /** Lines, and characters in them. */
  count: number;
  length: number;
}

export interface History extends Track {
  close(): void;
}

export function createHistory(recorder: Recorder, maxBytes = MAX_BYTES): History {
  const segments: Held[] = [];
  /** The newest lines, beside the heap: as strings, thousands a second would keep the collector busy. */
  const open = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let openFirst = 0;
  let used = 0;
  let newest = begin();
  /** The first change of something known: before it nothing could be shown. */
  let beganMs: number | undefined;
  let endMs = newest.start.t;

  function begin(): Held {
    const held: Held = {
      number: (segments.at(-1)?.number ?? -1) + 1,
      start: recorder.settle(),
      store: copyStore(recorder.store),
      ...{ chunks: [], count: 0, length: 0 },
      lines: (from) => linesOf(held, from),
      fault: damagedLine,
    };
    segments.push(held);
    return held;
  }

  function add(line: string, message: string): void {
    const length = line.length + message.length + 1;
    if (used + length * UTF8_BYTES > CHUNK_BYTES) pack(open.subarray(0, used));
    newest.count++;
    newest.length += length;
    if (length * UTF8_BYTES > CHUNK_BYTES) pack(Buffer.from(`${line}${message}\n`));
    else {
      used += open.write(line, used);
      used += open.write(message, used);
      open[used++] = LINE_END;
    }
  }

  function pack(text: Buffer): void {
    // A copy has no more memory than its bytes.
    const bytes = Buffer.from(deflateRawSync(text, { level: LEVEL }));
    if (text.length > 0) newest.chunks.push({ first: openFirst, bytes });
    openFirst = newest.count;
    used = 0;
  }

  function linesOf(held: Held, from: number): readonly string[] {
    const { chunks } = held;
    const at = Math.max(
      0,
      chunks.findLastIndex(({ first }) => first <= from),
    );
    const texts = chunks.slice(at).map(({ bytes }) => inflateRawSync(bytes).toString());
    if (held === newest) texts.push(open.toString("utf8", 0, used));
    const lines = texts.join("").slice(0, -1).split("\n");
    return held.count > from ? lines.slice(from - (chunks[at]?.first ?? 0)) : [];
  }

  function dropOldest(): void {
    let bytes = segments.reduce((sum, held) => sum + bytesOf(held), 0);
    for (let held = newest; bytes > maxBytes && segments.length > 2; bytes -= bytesOf(held))
      held = segments.shift() ?? held;
  }

  const stop = recorder.give({
    line(line, message, t) {
      if (beganMs === undefined && line.includes('"place":"next"')) beganMs = t;
      add(line, message);
      endMs = t;
    },
    rest() {
      // As much text as there are bytes in all: some ten segments.
      if (newest.length < maxBytes) return;
      recorder.settle();
      pack(open.subarray(0, used));
      openFirst = 0;
      newest = begin();
      dropOldest();
    },
  });
  const oldest = () => segments[0] ?? newest;
  return {
    get startMs() {
      return Math.max(oldest().start.t, beganMs ?? 0);
    },
    get endMs() {
      return endMs;
    },
    segment: (number) => segments[number - oldest().number],
    nearest: (ms) => segments.findLast(({ start }) => start.t <= ms) ?? oldest(),
    close: stop,
  };
}

const bytesOf = ({ chunks }: Held) =>
  chunks.reduce((sum, { bytes }) => sum + bytes.length, COPY_BYTES);
