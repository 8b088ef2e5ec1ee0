// A recording to be replayed: read in pieces, as they are needed, so that its size does not matter.
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { createDialect } from "../dialect/dialect.ts";
import { createStore } from "../state/store.ts";
import { errorText, MonitorError } from "../units/monitor-error.ts";
import { decodeHeading, decodeStamp, type Heading } from "./entry.ts";
import type { Track } from "./track.ts";

const PIECE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** In so many a line says when it is of. */
const STAMP_BYTES = 100;
const LINE_END = 0x0a;

/** Bytes that can be read anywhere. */
interface Source {
  readonly size: number;
  read(start: number, end: number): Buffer;
  close(): void;
}

export interface Recording {
  readonly heading: Heading;
  readonly track: Track;
  /** The last line is cut: whoever wrote it was killed. */
  readonly isCut: boolean;
  close(): void;
}

/** @throws {MonitorError} when it cannot be read, is no recording, or one of another format */
export function openRecording(path: string): Recording {
  const source = openSource(path);
  try {
    const begin = endOfLine(source, 0);
    const heading = decodeHeading(source.read(0, Math.min(begin, CHUNK_BYTES)).toString(), path);
    const isCut = source.read(source.size - 1, source.size)[0] !== LINE_END;
    return { heading, track: trackOf(source, heading, begin), isCut, close: source.close };
  } catch (error) {
    source.close();
    throw error;
  }
}

function openSource(path: string): Source {
  try {
    // To open a pipe would wait for its writer.
    if (!statSync(path).isFile()) throw new Error("it is no regular file");
    const fd = openSync(path, "r");
    const { size } = fstatSync(fd);
    return {
      size,
      read(start, end) {
        const bytes = Buffer.alloc(Math.max(0, Math.min(end, size) - start));
        return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    const words = `the recording cannot be read: ${errorText(error)}`;
    throw new MonitorError("recording", "usage", words, {
      advice: "expected: a file of --record or monitor record",
    });
  }
}

/** Behind the end of the line at a place; the end of the file if it has none. */
function endOfLine(source: Source, from: number): number {
  for (let at = from; at < source.size; at += CHUNK_BYTES) {
    const found = source.read(at, at + CHUNK_BYTES).indexOf(LINE_END);
    if (found >= 0) return at + found + 1;
  }
  return source.size;
}

/** A piece is of some mebibyte, from a line that says when it is of. */
function trackOf(source: Source, heading: Heading, begin: number): Track {
  const starts = [{ place: begin, start: stampAt(source, begin) ?? heading }];
  for (let place = begin; place < source.size; ) {
    place = endOfLine(source, place + PIECE_BYTES - 1);
    const start = stampAt(source, place);
    if (start !== undefined) starts.push({ place, start });
  }
  /** The newest that was read. */
  let read = { place: -1, lines: [] as readonly string[] };
  function linesOf(place: number, end = source.size): readonly string[] {
    // What is behind the last end of a line is nothing, or a line that was cut.
    if (read.place !== place)
      read = { place, lines: source.read(place, end).toString().split("\n").slice(0, -1) };
    return read.lines;
  }
  const pieces = starts.map(({ place, start }, i) => ({
    start,
    store: i === 0 ? createStore(createDialect()) : undefined,
    lines: () => linesOf(place, starts[i + 1]?.place),
  }));
  const [{ start }] = starts as [(typeof starts)[0]];
  const last = pieces.at(-1)?.lines().at(-1) ?? "";
  return { pieces, startMs: start.t, endMs: Math.max(start.t, decodeStamp(last).t || 0) };
}

function stampAt(source: Source, place: number) {
  const stamp = decodeStamp(source.read(place, place + STAMP_BYTES).toString());
  return Number.isNaN(stamp.t) ? undefined : stamp;
}
