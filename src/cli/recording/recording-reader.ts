// Reads a recording line by line, from its start to its last whole line, compressed or not.
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import {
  decodeEntry,
  decodeHeading,
  type Entry,
  FORMAT_VERSION,
  type Heading,
} from "../../record/entry.ts";
import { ServiceError, UsageError } from "../../units/monitor-error.ts";

/** A frame of the stream is at most 8 MiB; its line may be longer by the escapes. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b];

/** A recording that has begun to be read. */
export interface RecordingReader {
  readonly heading: Heading;
  /** Every line after the first, once: open the file again to read it again. */
  readonly entries: AsyncIterable<Entry>;
}

/**
 * Opens a recording.
 * @throws {UsageError} when it cannot be read or is no recording
 */
export async function openRecording(path: string): Promise<RecordingReader> {
  const lines = readLines(path);
  const first = await lines.next();
  const heading = first.done ? undefined : decodeHeading(first.value);
  if (heading === undefined) {
    throw new UsageError(`${path} is no recording`, "make one with monitor record, or --record");
  }
  if (heading.recording !== FORMAT_VERSION) {
    throw new UsageError(
      `${path} is a recording of version ${heading.recording}, not ${FORMAT_VERSION}`,
      "replay it with the program that made it",
    );
  }
  return { heading, entries: readEntries(path, lines) };
}

async function* readEntries(path: string, lines: AsyncGenerator<string>): AsyncGenerator<Entry> {
  let number = 1;
  for await (const line of lines) {
    number++;
    const entry = decodeEntry(line);
    if (entry === undefined) {
      throw new ServiceError("recording", `${path}:${number}: not a line of a recording`, {
        advice: "the file was changed after it was recorded",
      });
    }
    yield entry;
  }
}

/** Whole lines only: a file that was cut ends with its last whole one. */
async function* readLines(path: string): AsyncGenerator<string> {
  let rest = "";
  try {
    for await (const text of await openText(path)) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MAX_LINE_CHARS) throw new Error("a line is too long");
      yield* lines;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The end of a compressed file may be missing or torn: what came before it is whole.
    if (code?.startsWith("Z_")) return;
    throw new UsageError(
      `the recording cannot be read: ${message}`,
      "name a file of monitor record",
    );
  }
}

async function openText(path: string): Promise<AsyncIterable<string>> {
  const isPressed = await isCompressed(path);
  const file = createReadStream(path);
  if (!isPressed) return file.setEncoding("utf8");
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  // Errors are met where the text is read; the file is closed when nobody reads on.
  pipeline(file, gunzip, () => {});
  return gunzip.setEncoding("utf8");
}

async function isCompressed(path: string): Promise<boolean> {
  for await (const start of createReadStream(path, { end: GZIP_MAGIC.length - 1 })) {
    return GZIP_MAGIC.every((byte, i) => (start as Buffer)[i] === byte);
  }
  return false;
}
