// Prepares the open records of an update for the folds: with exact numbers, and with bounded nesting so that they can safely
// be traversed, compared and serialised.
import { CHANNELS, type ChannelKind, type Updates } from "../wire/channels.ts";
import type { ReceivedUpdate } from "../wire/decode.ts";
import { ExactNumber, parseExact } from "../wire/exact-numbers.ts";
import { isObject } from "../wire/json.ts";
import type { OpenRecord } from "../wire/update.ts";

/** A number that a float might change: long, with a fraction, or with an exponent. May also match inside a string. */
const SUSPECT = /[:,[]\s*-?(?:[0-9]{16}|[0-9]+[.eE])/;
/** Maximum nesting of lists and objects, counted from the record. */
const MAX_DEPTH = 16;
const TOO_DEEP = "(nested too deeply)";

/** The update's frame with its open records prepared; the frame itself if nothing needs to be done. */
export function openFrame<U extends ReceivedUpdate>({ kind, frame, message }: U): U["frame"] {
  const open: readonly string[] = CHANNELS[kind].openFields;
  if (open.length === 0) return frame;
  const fields = open.filter((field) => Object.hasOwn(frame, field));
  const exact = SUSPECT.test(message) ? readExact(message) : undefined;
  const source = exact ?? (frame as unknown as OpenRecord);
  const isDeep = fields.some((field) => !isShallow(source[field], MAX_DEPTH + 1));
  if (exact === undefined && !isDeep) return frame;
  const ready = fields.map((field) => [field, cutDeep(source[field], MAX_DEPTH + 1)] as const);
  return { ...frame, ...Object.fromEntries(ready) };
}

/**
 * Merges the frames of one snapshot: lists are concatenated in order; of all else the last value counts. The frames must be of
 * one channel, at least one.
 */
export function mergeFrames<F extends Updates[ChannelKind]>(frames: readonly F[]): F {
  const [first, ...others] = frames as readonly [F, ...F[]];
  return others.reduce((merged, frame) => mergeValue(merged, frame) as F, first);
}

function mergeValue(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (!isPlain(a) || !isPlain(b)) return b;
  const merged = Object.entries(b).map(([name, value]) => [name, mergeValue(a[name], value)]);
  return { ...a, ...Object.fromEntries(merged) };
}

function isPlain(value: unknown): value is OpenRecord {
  return isObject(value) && !(value instanceof ExactNumber);
}

/** @returns undefined when no number needs to be kept exact, or the text is nested too deeply to be traversed */
function readExact(message: string): OpenRecord | undefined {
  try {
    return parseExact(message) as OpenRecord | undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (left === 0) return false;
  for (const name in value) {
    if (!isShallow((value as OpenRecord)[name], left - 1)) return false;
  }
  return true;
}

/** A copy in which values nested too deeply are replaced by a placeholder text. */
function cutDeep(value: unknown, left: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return value;
  if (left === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => cutDeep(item, left - 1));
  const entries = Object.entries(value).map(([name, item]) => [name, cutDeep(item, left - 1)]);
  return Object.fromEntries(entries);
}
