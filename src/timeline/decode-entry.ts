// How the lines of a recording are read. Apart from how they are written, which every dashboard does for its past: the first
// frame waits for no schema.
import * as z from "zod";
import { isTooDeepToParse, parseJson } from "../wire/json.ts";
import type { Entry, Heading, Told } from "./entry.ts";

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
