// A recording to be replayed: read in segments, as they are needed, so that its size does not matter.
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { createDialect } from "../dialect/dialect.ts";
import { copyStore, createStore, type Store } from "../state/store.ts";
import { type ReadLimits, readInputText } from "../system/input-file.ts";
import { errorText, MonitorError } from "../units/monitor-error.ts";
import { decodeHeading, decodeLine, type Heading } from "./entry.ts";
import type { Segment, Track } from "./track.ts";

const SEGMENT_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** In so many a line says what it is. */
const HEAD_BYTES = 100;
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

function createFileTrack(source: Source, heading: Heading, { begin, end }: Range): Track {
  const empty = createStore(createDialect());
  const known: (Segment & {
    store: Store | undefined;
    readonly end: number;
    readonly firstLine: number;
  })[] = [];
  let read: { readonly number: number; readonly lines: readonly string[] } | undefined;

  /** The segment behind the last known one, if there is more. */
  function discover(): boolean {
    const last = known.at(-1);
    const from = last?.end ?? begin;
    if (from >= end && last !== undefined) return false;
    const until = endOfSegment(source, from, end);
    const lines = linesOf(source, from, until);
    const number = known.length;
    read = { number, lines };
    const firstLine = last === undefined ? 2 : last.firstLine + last.count;
    const fault = (index: number) => damaged(firstLine + index);
    known.push({
      ...{ number, end: until, firstLine, count: lines.length, fault },
      store: last === undefined ? empty : undefined,
      start: decodeLine(lines[0] ?? "") ?? last?.start ?? heading,
      entry(index) {
        if (read?.number !== number) read = { number, lines: linesOf(source, from, until) };
        const entry = decodeLine(read.lines[index] ?? "");
        if (entry === undefined) throw fault(index);
        return entry;
      },
    });
    return true;
  }

  discover();
  const first = known[0] as Segment;
  const lastLine = source.read(beginOfLine(source, Math.max(begin, end - 1)), end).toString();
  return {
    startMs: first.start.t,
    endMs: decodeLine(lastLine)?.t ?? first.start.t,
    segment(number) {
      while (number >= known.length) if (!discover()) return undefined;
      return known[number];
    },
    nearest: (ms) =>
      known.findLast(({ start, store }) => start.t <= ms && store !== undefined) ?? first,
    keep(number, store) {
      const kept = known.filter((each) => each.store !== undefined);
      if (kept.length >= MAX_STORES)
        for (const [i, each] of kept.entries()) if (i % 2 === 1) each.store = undefined;
      const segment = known[number];
      if (segment !== undefined) segment.store = copyStore(store);
    },
  };
}

function damaged(line: number): MonitorError {
  return new MonitorError("recording", "failed", `line ${line} is damaged`, {
    advice: "what comes before it can be replayed with --for",
  });
}

/** Before a message: the lines about one belong together. */
function endOfSegment(source: Source, from: number, end: number): number {
  let until = endOfLine(source, Math.min(end, from + SEGMENT_BYTES) - 1);
  while (until < end && !source.read(until, until + HEAD_BYTES).includes('"in":'))
    until = endOfLine(source, until);
  return Math.min(end, until);
}

function linesOf(source: Source, from: number, until: number): readonly string[] {
  const text = source.read(from, until).toString();
  return text === "" ? [] : text.slice(0, -1).split("\n");
}
