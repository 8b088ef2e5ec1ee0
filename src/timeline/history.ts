// The last minutes of a live session in memory: pieces of compressed lines, each with a copy of the store before its first one.
// Nothing is folded a second time until the user looks back.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { copyStore } from "../state/store.ts";
import type { Recorder } from "./recorder.ts";
import type { Piece, Track } from "./track.ts";

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

interface Held extends Piece {
  /** Compressed lines. */
  readonly chunks: Buffer[];
  /** Characters. */
  length: number;
}

export interface History extends Track {
  close(): void;
}

export function createHistory(recorder: Recorder, maxBytes = MAX_BYTES): History {
  const pieces: Held[] = [];
  /** The newest lines, beside the heap: as strings, thousands a second would keep the collector busy. */
  const open = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let used = 0;
  let newest = begin();
  /** The first change of something known: before it nothing could be shown. */
  let beganMs: number | undefined;
  let endMs = newest.start.t;

  function begin(): Held {
    const held: Held = {
      ...{ start: recorder.settle(), store: copyStore(recorder.store), chunks: [], length: 0 },
      lines: () => linesOf(held),
    };
    pieces.push(held);
    return held;
  }

  function add(line: string, message: string): void {
    const length = line.length + message.length + 1;
    newest.length += length;
    if (used + length * UTF8_BYTES > CHUNK_BYTES) pack();
    if (length * UTF8_BYTES > CHUNK_BYTES) newest.chunks.push(packed(`${line}${message}\n`));
    else {
      used += open.write(line, used);
      used += open.write(message, used);
      open[used++] = LINE_END;
    }
  }

  function pack(): void {
    if (used > 0) newest.chunks.push(packed(open.subarray(0, used)));
    used = 0;
  }

  function linesOf(held: Held): readonly string[] {
    const texts = held.chunks.map((bytes) => inflateRawSync(bytes).toString());
    if (held === newest) texts.push(open.toString("utf8", 0, used));
    return texts.join("").split("\n").slice(0, -1);
  }

  function dropOldest(): void {
    let bytes = pieces.reduce((sum, held) => sum + bytesOf(held), 0);
    for (let held = newest; bytes > maxBytes && pieces.length > 2; bytes -= bytesOf(held))
      held = pieces.shift() ?? held;
  }

  const stop = recorder.give({
    line(line, message, t, place) {
      if (place === "next") beganMs ??= t;
      add(line, message);
      endMs = t;
    },
    rest() {
      // As much text as there are bytes in all: some ten pieces.
      if (newest.length < maxBytes) return;
      recorder.settle();
      pack();
      newest = begin();
      dropOldest();
    },
  });
  return {
    pieces,
    get startMs() {
      return Math.max(pieces[0]?.start.t ?? 0, beganMs ?? 0);
    },
    get endMs() {
      return endMs;
    },
    close: stop,
  };
}

/** A copy has no more memory than its bytes. */
const packed = (text: Buffer | string) => Buffer.from(deflateRawSync(text, { level: LEVEL }));

const bytesOf = ({ chunks }: Held) => chunks.reduce((sum, bytes) => sum + bytes.length, COPY_BYTES);
