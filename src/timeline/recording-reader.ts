// Reads a recording line by line up to its last complete line, compressed or not. Separate from writing lines, which every
// dashboard needs, so that the first frame does not wait for the schema.
import { pipeline, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { constants, createGunzip } from "node:zlib";
import * as z from "zod";
import { InputFile, type ReadLimits } from "../system/input-file.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { isTooDeepToParse, parseJson } from "../wire/json.ts";
import {
  type Entry,
  FORMAT_VERSION,
  type Heading,
  MADE_VERSION,
  type RecordedEvent,
} from "./entry.ts";
import { madeSchema } from "./made-schema.ts";

/** A frame is at most 8 MiB; escapes can make its line longer. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;
const MAX_HEADING_CHARS = 1024 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b];

export interface RecordingReader {
  readonly heading: Heading;
  /** Every line after the heading; can be iterated once. */
  readonly entries: AsyncIterable<Entry>;
  /** False for a pipe, which can be read only once. */
  readonly isRegular: boolean;
  close(): Promise<void>;
}

/**
 * @param patience how long a pipe may be silent
 * @throws {UsageError} when the file cannot be read or is not a recording; the signal's reason when interrupted
 */
export async function openRecording(path: string, patience: ReadLimits): Promise<RecordingReader> {
  const file = await InputFile.open(path, patience).catch(refuse);
  const lines = readLines(file, patience);
  const first = await lines.next();
  const heading = first.done ? undefined : decodeHeading(first.value);
  if (heading === undefined) {
    await lines.return();
    throw new UsageError(`${path} is no recording`, "make one with monitor record, or --record");
  }
  if (heading.recording !== FORMAT_VERSION && heading.recording !== MADE_VERSION) {
    await lines.return();
    throw new UsageError(
      `${path} is a recording of version ${heading.recording}, not ${FORMAT_VERSION} or ${MADE_VERSION}`,
      "replay it with the program that made it",
    );
  }
  return {
    heading,
    entries: readEntries(path, lines),
    isRegular: file.isRegular,
    close: async () => {
      await lines.return();
    },
  };
}

export interface RecordingSummary {
  /** Time of its last complete line, in monotonic milliseconds of its machine. */
  readonly endMs: number | undefined;
  /** When its connection was lost and restored. */
  readonly links: readonly { readonly atMs: number; readonly isOpen: boolean }[];
}

/** Reads all of a recording without decoding frames. @throws {UsageError} when it cannot be read */
export async function summarizeRecording(
  path: string,
  patience: ReadLimits,
): Promise<RecordingSummary> {
  const links: { readonly atMs: number; readonly isOpen: boolean }[] = [];
  let last = "";
  for await (const line of readLines(
    await InputFile.open(path, patience).catch(refuse),
    patience,
  )) {
    last = line;
    if (!line.includes('"type":"link"')) continue;
    const entry = decodeEntry(line);
    if (entry === undefined || !("event" in entry) || entry.event.type !== "link") continue;
    const { state } = entry.event.link;
    // A connection waits only after a loss; the final state is closed, which is not a loss.
    if (state === "open" || state === "waiting")
      links.push({ atMs: entry.t, isOpen: state === "open" });
  }
  return { endMs: decodeEntry(last)?.t, links };
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

/** Complete lines only. */
async function* readLines(
  file: InputFile,
  { interrupt }: ReadLimits,
): AsyncGenerator<string, void, void> {
  // Parts of the current line: concatenating them each time would take quadratic time.
  let parts: string[] = [];
  let length = 0;
  let most = MAX_HEADING_CHARS;
  try {
    for await (const text of textOf(file)) {
      const [begin = "", ...lines] = text.split("\n");
      const rest = lines.pop();
      parts.push(begin);
      length += begin.length;
      if (rest !== undefined) {
        yield parts.join("");
        yield* lines;
        most = MAX_LINE_CHARS;
        parts = [rest];
        length = rest.length;
      }
      if (length > most) throw new Error("a line is too long");
    }
  } catch (error) {
    interrupt?.throwIfAborted();
    // A compressed file may be truncated: everything before counts.
    if ((error as NodeJS.ErrnoException).code?.startsWith("Z_")) return;
    refuse(error);
  } finally {
    await file.close();
  }
}

function refuse(error: unknown): never {
  throw new UsageError(
    `the recording cannot be read: ${(error as Error).message}`,
    "name a file of monitor record",
  );
}

async function* textOf(file: InputFile): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  for await (const bytes of bytesOf(file)) yield decoder.write(bytes);
}

/** Decompressed if necessary. */
async function* bytesOf(file: InputFile): AsyncGenerator<Buffer> {
  const chunks = file.chunks();
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const all = rejoin(first, chunks);
  if (!GZIP_MAGIC.every((byte, i) => first[i] === byte)) {
    yield* all;
    return;
  }
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  // Errors surface where the text is read; the file is closed when the reader stops.
  pipeline(Readable.from(all), gunzip, () => {});
  yield* gunzip;
}

async function* rejoin(first: Buffer, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* chunks;
}

const stamp = { t: z.number(), w: z.number() };
const flag = z.literal(true).optional();
const acceptance = z.object({
  first: z.boolean(),
  snapshot: flag,
  part: flag,
  lag: z.number().optional(),
});
const size = z.object({ tick_size: z.string(), lot_size: z.string() });

export const headingSchema = z.object({
  ...stamp,
  recording: z.number(),
  settings: z.object({
    program: z.string(),
    command: z.string(),
    ws_url: z.string().nullable(),
    base_url: z.string().nullable(),
    headers: z.array(z.string()),
    channels: z.array(z.string()),
    interval: z.string().nullable(),
    simulated: z.boolean(),
    redacted: z.boolean(),
    cause: z.string().optional(),
    scales: z.record(z.string(), size),
  }),
});

const events = [
  "link",
  "subscribing",
  "probing",
  "confirmed",
  "doubted",
  "lost",
  "probing-off",
  "late",
  "numbering",
  "gap",
  "resync",
  "unavailable",
  "refused",
  "unsubscribed",
  "rejected",
  "drift",
  "service-error",
  "filled",
  "since",
  "forgotten",
] as const satisfies readonly RecordedEvent["type"][];

const event = z.object({
  ...stamp,
  event: z.looseObject({ type: z.enum(events), atMs: z.number() }),
});

const listing = { ...stamp, listing: z.string() };
const listed = z.object({ ...listing, trades: z.array(z.looseObject({})) });

/** Every line after the heading, except events and listed trades. */
export const LINE_SCHEMAS = [
  z.object({ ...stamp, in: z.string(), update: acceptance.optional(), made: flag }),
  z.object({ ...stamp, made: madeSchema }),
  z.object({ ...stamp, update: acceptance }),
  z.object({ ...stamp, out: z.string() }),
  z.object({
    ...stamp,
    wire: z.enum(["open", "ping", "pong", "binary", "end"]),
    detail: z.string().optional(),
  }),
  z.object({ ...stamp, pass: z.literal(true) }),
  z.object({ ...listing, obstacle: z.string() }),
  z.object({ ...stamp, shown: z.literal(true) }),
] as const;

/** Enough to tell the kinds of lines apart. */
const entry = z.union([...LINE_SCHEMAS, event, listed]);

export function decodeHeading(line: string): Heading | undefined {
  const { success, data } = headingSchema.safeParse(parseLine(line));
  return success ? data : undefined;
}

export function decodeEntry(line: string): Entry | undefined {
  const { success, data } = entry.safeParse(parseLine(line));
  return success ? (data as unknown as Entry) : undefined;
}

function parseLine(line: string): unknown {
  return isTooDeepToParse(line) ? undefined : parseJson(line);
}
