// One line of a recording, and how it is written and read. The file is NDJSON: a first line that says what it is,
// then one line for each thing that happened, in order. Format: docs/recordings.md.
import * as z from "zod";
import { isTooDeepToParse, parseJson } from "../protocol/json.ts";
import type { StreamEvent, UpdatePlace } from "../protocol/stream-event.ts";

/** Version of the format. A reader refuses another one. */
export const FORMAT_VERSION = 1;

/** What is known of the run that was recorded. Values of headers are never part of it. */
export interface RecordingSettings {
  readonly program: string;
  /** Words of the command line without its options. */
  readonly command: string;
  readonly ws_url: string | null;
  readonly base_url: string | null;
  /** Names only. */
  readonly headers: readonly string[];
  readonly channels: readonly string[];
  readonly interval: string | null;
  readonly strict: boolean;
  readonly simulated: boolean;
  readonly redacted: boolean;
  /** Scales that the config gave, by market. */
  readonly scales: Readonly<
    Record<string, { readonly tick_size: string; readonly lot_size: string }>
  >;
}

/** `t`: monotonic milliseconds of the recording machine; `w`: its wall clock, Unix milliseconds. */
export interface Stamp {
  readonly t: number;
  readonly w: number;
}

/** The first line. */
export interface Heading extends Stamp {
  readonly recording: number;
  readonly settings: RecordingSettings;
}

/** How an accepted update was told; `snapshot` and `part` are absent where they are false. */
export interface Acceptance {
  readonly first: boolean;
  /** Its transaction is a snapshot; of a first one that goes without saying. */
  readonly snapshot?: true | undefined;
  /** It continues the transaction of the one before. */
  readonly part?: true | undefined;
  readonly lag?: number | undefined;
}

/** What is written of an accepted update. */
export function acceptanceOf(event: Extract<StreamEvent, { type: "update" }>): Acceptance {
  const { isFirst, isSnapshot, continues, lagMs } = event;
  return {
    first: isFirst,
    snapshot: isSnapshot && !isFirst ? true : undefined,
    part: continues ? true : undefined,
    lag: lagMs,
  };
}

/** The place of an update, as it was written. */
export function placeOf({ first, snapshot, part }: Acceptance): UpdatePlace {
  return { isFirst: first, isSnapshot: first || snapshot === true, continues: part === true };
}

type Told = Exclude<StreamEvent, { type: "update" }>;

/** Everything after the first line. */
export type Entry = Stamp &
  (
    | { readonly in: string; readonly update?: Acceptance | undefined }
    /** The frame of the last `in` was accepted as an update. */
    | { readonly update: Acceptance }
    | { readonly out: string }
    | { readonly wire: "open" | "ping" | "pong" | "binary" | "end"; readonly detail?: string }
    | { readonly event: Told }
    /** Time passed for what waits for it. */
    | { readonly pass: true }
    /** What is known of a market's scale has changed: trades that the listing told, or why it could not. */
    | { readonly listing: string; readonly trades: readonly object[] }
    | { readonly listing: string; readonly obstacle: string }
    /** The view was printed as it was at `t`. */
    | { readonly shown: true }
  );

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
    scales: z.record(z.string(), size),
  }),
});

const events = [
  "link",
  "subscribing",
  "probing",
  "confirmed",
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
] as const satisfies readonly Told["type"][];

/** Enough to tell the lines apart; events were made by this program and are taken as they are. */
const entry = z.union([
  z.object({ ...stamp, in: z.string(), update: acceptance.optional() }),
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

/** Reads the first line. @returns undefined when it is none. Never throws. */
export function decodeHeading(line: string): Heading | undefined {
  const { success, data } = heading.safeParse(parseLine(line));
  return success ? data : undefined;
}

/** Reads a later line. @returns undefined when it is none. Never throws. */
export function decodeEntry(line: string): Entry | undefined {
  const { success, data } = entry.safeParse(parseLine(line));
  return success ? (data as unknown as Entry) : undefined;
}

function parseLine(line: string): unknown {
  return isTooDeepToParse(line) ? undefined : parseJson(line);
}

/** One line, without its end. Never throws. */
export function encodeLine(line: Heading | Entry): string {
  return JSON.stringify(line);
}
