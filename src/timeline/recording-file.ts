// A recording to be replayed: read in segments, as they are needed, so that its size does not matter.
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { createDialect } from "../dialect/dialect.ts";
import { copyStore, createStore, type Store } from "../state/store.ts";
import { type ReadLimits, readInputText } from "../system/input-file.ts";
import { errorText, MonitorError } from "../units/monitor-error.ts";
import { decodeHeading, decodeStamp, type Heading, type Stamp } from "./entry.ts";
import { damagedLine, type Segment, type Track } from "./track.ts";

const SEGMENT_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** In so many a line says when it is of. */
const STAMP_BYTES = 100;
/** Of a pipe, which can be read only once. */
const MAX_PIPE_BYTES = 512 * 1024 * 1024;
/** Copies of the store that are kept, so that going back does not begin at the beginning. */
const MAX_STORES = 40;
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
export async function openRecording(path: string, limits: ReadLimits): Promise<Recording> {
  const source = await openSource(path, limits).catch((error) => {
    const words = `the recording cannot be read: ${errorText(error)}`;
    throw new MonitorError("recording", "usage", words, {
      advice: "expected: a file of --record or monitor record",
    });
  });
  try {
    const begin = endOfLine(source, 0);
    const heading = decodeHeading(source.read(0, Math.min(begin, CHUNK_BYTES)).toString(), path);
    const end = Math.max(begin, beginOfLine(source, source.size));
    return {
      heading,
      track: createFileTrack(source, heading, { begin, end }),
      isCut: end < source.size,
      close: source.close,
    };
  } catch (error) {
    source.close();
    throw error;
  }
}

async function openSource(path: string, limits: ReadLimits): Promise<Source> {
  if (!statSync(path).isFile()) {
    const text = await readInputText(path, MAX_PIPE_BYTES, limits);
    const bytes = Buffer.from(text);
    const read = (start: number, end: number) => bytes.subarray(start, end);
    return { size: bytes.length, read, close() {} };
  }
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
}

/** Behind the end of the line at a place; the end of the file if it has none. */
function endOfLine(source: Source, from: number): number {
  for (let at = from; at < source.size; at += CHUNK_BYTES) {
    const found = source.read(at, at + CHUNK_BYTES).indexOf(LINE_END);
    if (found >= 0) return at + found + 1;
  }
  return source.size;
}

/** Where the line begins that a place is in, or ends at. */
function beginOfLine(source: Source, place: number): number {
  for (let end = place; end > 0; end -= CHUNK_BYTES) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const found = source.read(start, end).lastIndexOf(LINE_END);
    if (found >= 0) return start + found + 1;
  }
  return 0;
}

interface Range {
  readonly begin: number;
  readonly end: number;
}

function linesIn(source: Source, from: number, until: number): readonly string[] {
  const text = source.read(from, until).toString();
  return text === "" ? [] : text.slice(0, -1).split("\n");
}

/** A segment is of the lines that begin in its mebibyte. */
function createFileTrack(source: Source, heading: Heading, { begin, end }: Range): Track {
  const last = Math.max(0, Math.ceil((end - begin) / SEGMENT_BYTES) - 1);
  const stores = new Map<number, Store>([[0, createStore(createDialect())]]);
  let read: { readonly number: number; readonly lines: readonly string[] } | undefined;

  const placeOf = (number: number) =>
    number === 0 ? begin : Math.min(end, endOfLine(source, begin + number * SEGMENT_BYTES - 1));

  function linesOf(number: number): readonly string[] {
    if (read?.number !== number)
      read = { number, lines: linesIn(source, placeOf(number), placeOf(number + 1)) };
    return read.lines;
  }

  function stampAt(place: number): Stamp | undefined {
    const stamp = decodeStamp(source.read(place, place + STAMP_BYTES).toString());
    return Number.isNaN(stamp.t) ? undefined : stamp;
  }

  const startOf = (number: number) => stampAt(placeOf(number)) ?? heading;

  function segmentOf(number: number): Segment {
    return {
      ...{ number, start: startOf(number), store: stores.get(number) },
      lines: (from) => linesOf(number).slice(from),
      fault: (index) => damagedLine(1 + linesIn(source, begin, placeOf(number)).length + index),
    };
  }

  return {
    startMs: startOf(0).t,
    endMs: (stampAt(beginOfLine(source, Math.max(begin, end - 1))) ?? startOf(0)).t,
    segment: (number) => (number < 0 || number > last ? undefined : segmentOf(number)),
    nearest(ms) {
      const kept = [...stores.keys()].sort((a, b) => b - a);
      return segmentOf(kept.find((number) => startOf(number).t <= ms) ?? 0);
    },
    keep(number, store) {
      if (stores.size >= MAX_STORES)
        for (const [i, each] of [...stores.keys()].entries()) if (i % 2 === 1) stores.delete(each);
      stores.set(number, copyStore(store));
    },
  };
}
