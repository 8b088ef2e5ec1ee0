// Reads a recording line by line, from its start to its last whole line, compressed or not. Apart from how lines are written,
// which every dashboard does for its past: the first frame waits for no schema.
import { pipeline, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { constants, createGunzip } from "node:zlib";
import * as z from "zod";
import type { SliceFacts } from "../state/slices.ts";
import { HOLE_CAUSES } from "../state/trades.ts";
import { GivenFile, type Patience } from "../system/given-file.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { type ChannelKind, parseChannel } from "../wire/channels.ts";
import { isTooDeepToParse, parseJson } from "../wire/json.ts";
import {
  type Entry,
  FORMAT_VERSION,
  type Heading,
  MADE_VERSION,
  type RecordedEvent,
} from "./entry.ts";

/** A frame of the stream is at most 8 MiB; its line may be longer by the escapes. The first line holds settings only. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;
const MAX_HEADING_CHARS = 1024 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b];

export interface RecordingReader {
  readonly heading: Heading;
  /** Every line after the first, once: open the file again to read it again. */
  readonly entries: AsyncIterable<Entry>;
  /** False for a pipe, which can be read once. */
  readonly isRegular: boolean;
  /** Ends the reading before its end. */
  close(): Promise<void>;
}

/**
 * Opens a recording.
 * @param patience how long a pipe may say nothing
 * @throws {UsageError} when it cannot be read or is no recording; the signal's reason when interrupted
 */
export async function openRecording(path: string, patience: Patience): Promise<RecordingReader> {
  const file = await GivenFile.open(path, patience).catch(refuse);
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

/** What a recording holds as a whole. */
export interface RecordingSummary {
  /** Time of its last whole line, monotonic milliseconds of its machine; undefined when it has none. */
  readonly endMs: number | undefined;
  /** Losses and returns of its connection. */
  readonly links: readonly { readonly atMs: number; readonly isOpen: boolean }[];
}

/** Looks through all of a recording, without reading what was received. @throws {UsageError} when it cannot be read */
export async function summarizeRecording(
  path: string,
  patience: Patience,
): Promise<RecordingSummary> {
  const links: { readonly atMs: number; readonly isOpen: boolean }[] = [];
  let last = "";
  for await (const line of readLines(
    await GivenFile.open(path, patience).catch(refuse),
    patience,
  )) {
    last = line;
    if (!line.includes('"type":"link"')) continue;
    const entry = decodeEntry(line);
    if (entry === undefined || !("event" in entry) || entry.event.type !== "link") continue;
    const { state } = entry.event.link;
    // One that is being opened was lost before; the last one is closed, not lost.
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

/** Whole lines only: a file that was cut ends with its last whole one. */
async function* readLines(
  file: GivenFile,
  { interrupt }: Patience,
): AsyncGenerator<string, void, void> {
  // What a line has so far, in pieces: joining them each time would take the square of its length.
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
    // The end of a compressed file may be missing or torn: what came before it is whole.
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

async function* textOf(file: GivenFile): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  for await (const bytes of bytesOf(file)) yield decoder.write(bytes);
}

/** What the file holds, unpacked where it is compressed. */
async function* bytesOf(file: GivenFile): AsyncGenerator<Buffer> {
  const chunks = file.chunks();
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const all = rejoin(first, chunks);
  if (!GZIP_MAGIC.every((byte, i) => first[i] === byte)) {
    yield* all;
    return;
  }
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  // Errors are met where the text is read; the file is closed when nobody reads on.
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

const heading = z.object({
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
    strict: z.boolean(),
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
] as const satisfies readonly RecordedEvent["type"][];

const digits = z.string().regex(/^[0-9]+$/);
const whole = z.string().regex(/^-?[0-9]+$/);
const sums = [whole, whole, z.number()] as const;
const span = { afterNs: digits, untilNs: digits };
const trade = z.looseObject({
  timestamp_ns: digits,
  price_ticks: digits,
  size_base_lots: digits,
  taker_is_bid: z.boolean(),
});
const flow = z.object({
  sinceMs: z.number().optional(),
  newestNs: digits.optional(),
  aside: z.array(z.union([z.number(), trade])),
  minutes: z.array(
    z.object({
      openMs: z.number(),
      sums: z.tuple(sums),
      value: whole,
      grouping: digits,
      last: z.string(),
      lastNs: z.string(),
      cells: z.array(z.tuple([digits, ...sums])),
      seconds: z.array(z.tuple([z.number(), ...sums, z.string(), z.string()])).optional(),
    }),
  ),
});
const tape = z.object({
  total: z.number(),
  filledTotal: z.number(),
  isNewestFirst: z.boolean(),
  holes: z.array(z.object({ ...span, cause: z.enum(HOLE_CAUSES), next: z.number().optional() })),
  listed: z.array(z.number()),
  filled: z.array(z.object(span)),
  healed: z.array(z.object(span)),
  releasedHoles: z.array(
    z.object({ span: z.object(span), before: z.array(trade), behind: z.array(trade) }),
  ),
  releasedNs: digits,
  requestedMs: z.number().optional(),
  firstNs: digits.optional(),
  pastUntilNs: digits,
  hasMissed: z.boolean(),
  cause: z.enum(HOLE_CAUSES).optional(),
  ahead: z.number(),
  firstFrameNs: digits.optional(),
  lastFrameNs: digits,
  liveUntilMs: z.number().optional(),
  clock: z.object({ offsetMs: z.number(), atMs: z.number() }).optional(),
  flow,
});
const score = z.number().nullable();
const book = z.object({
  scores: z.object({ whole: score, changes: score }),
  judged: z.number(),
  isMixed: z.boolean(),
  hasLater: z.boolean(),
  suspect: z.string().optional(),
});
const records = z.object({
  interpretation: z.enum(["changes", "fields", "whole"]),
  isCut: z.boolean(),
  hasChained: z.boolean(),
});
const names = z.array(z.string());
const each = <T extends z.ZodType>(of: T) => z.object({ rows: of, markets: of, whole: of });
const list = z.object({
  interpretations: z.object({
    hints: z.number(),
    proof: each(z.number()),
    isMixed: z.boolean(),
    observations: z.number(),
    possible: each(z.boolean()),
  }),
  key: z.object({
    refuted: names,
    added: names,
    dropped: names,
    isProven: z.boolean(),
    isSideState: z.boolean(),
  }),
  rows: z.array(
    z.object({
      named: z.number(),
      mayBeNamed: z.number(),
      question: z.enum(["end", "omitted", "key", "old", "audit"]).optional(),
    }),
  ),
  newest: z.number(),
  touched: z.array(z.tuple([z.string(), z.number()])),
  leftOut: z.number(),
  missing: z.number(),
  splitAtMs: z.number().optional(),
  mutable: names,
  changing: names,
  trusted: z.number(),
  isReused: z.boolean(),
});
const hole = z.enum(["gap", "equal"]).optional();
const log = z.object({
  total: z.number(),
  interpretation: z.enum(["append", "window"]),
  isDecided: z.boolean(),
  hasForgotten: z.boolean(),
  end: hole,
  isNewestFirst: z.boolean(),
  marks: z.array(
    z.tuple([
      z.number(),
      z.object({ mayRepeat: z.enum(["list", "backlog"]).optional(), behind: hole }),
    ]),
  ),
});
const FACTS: { readonly [K in ChannelKind]: z.ZodType<SliceFacts[K]> } = {
  bbo: z.undefined(),
  orderbook: book,
  trades: tape,
  candles: z.object({ unfinished: z.array(z.number()) }),
  "mark-candles": z.object({ unfinished: z.array(z.number()) }),
  markets: records,
  "market-stats": records,
  "funding-rates": records,
  accounts: z.object({
    changes: z.array(
      z.tuple([z.number(), z.object({ from: z.string(), to: z.string(), timestampNs: digits })]),
    ),
    isCut: z.boolean(),
  }),
  account: z.object({
    lists: z.object({
      positions: list.optional(),
      orders: list.optional(),
      balances: list.optional(),
      leverages: list.optional(),
    }),
    logs: z.object({ fills: log.optional(), funding_payments: log.optional() }),
    suspect: z.string().optional(),
    isAudited: z.boolean(),
  }),
};

const feed = z.looseObject({
  phase: z.enum(["waiting", "receiving", "suspect", "resync", "unavailable", "refused", "left"]),
  frames: z.number(),
  lastFrameAtMs: z.number().optional(),
  confirmedAtMs: z.number().optional(),
  sequence: digits.nullable().optional(),
  lagMs: z.number().optional(),
  gaps: z.number(),
  resyncs: z.number(),
  rejected: z.number(),
  late: z.number(),
  drifts: z.number(),
  reason: z.string().optional(),
});
const made = z.union([
  z
    .object({ channel: z.string(), feed, facts: z.unknown().optional() })
    .refine(({ channel, facts }) => {
      const kind = parseChannel(channel)?.kind;
      return kind !== undefined && (facts === undefined || FACTS[kind].safeParse(facts).success);
    }),
  z.object({
    session: z.object({
      link: z.looseObject({ state: z.string(), reconnects: z.number() }).optional(),
      counts: z.looseObject({ rejected: z.number(), numbering: z.looseObject({}) }),
    }),
  }),
  z.object({
    scale: z.object({
      market: z.string(),
      tickSize: z.string().optional(),
      lotSize: z.string().optional(),
      pairs: z.number(),
      prices: z.array(whole),
      needed: z.number(),
      contradictions: z.number(),
      contradiction: z.string().optional(),
      obstacle: z.string(),
    }),
  }),
]);

/** Enough to distinguish the lines; events were made by this program and are taken as they are. */
const entry = z.union([
  z.object({ ...stamp, in: z.string(), update: acceptance.optional(), made: flag }),
  z.object({ ...stamp, made }),
  z.object({ ...stamp, update: acceptance }),
  z.object({ ...stamp, out: z.string() }),
  z.object({
    ...stamp,
    wire: z.enum(["open", "ping", "pong", "binary", "end"]),
    detail: z.string().optional(),
  }),
  z.object({ ...stamp, event: z.looseObject({ type: z.enum(events), atMs: z.number() }) }),
  z.object({ ...stamp, pass: z.literal(true) }),
  z.object({ ...stamp, listing: z.string(), trades: z.array(z.looseObject({})) }),
  z.object({ ...stamp, listing: z.string(), obstacle: z.string() }),
  z.object({ ...stamp, shown: z.literal(true) }),
]);

export function decodeHeading(line: string): Heading | undefined {
  const { success, data } = heading.safeParse(parseLine(line));
  return success ? data : undefined;
}

export function decodeEntry(line: string): Entry | undefined {
  const { success, data } = entry.safeParse(parseLine(line));
  return success ? (data as unknown as Entry) : undefined;
}

function parseLine(line: string): unknown {
  return isTooDeepToParse(line) ? undefined : parseJson(line);
}
