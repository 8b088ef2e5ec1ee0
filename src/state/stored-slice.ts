// One channel as the store works on it, and what happens to it. What is particular to a kind is in its row of `FOLDS`.

import { CHANNELS, type ChannelKind, parseChannel, type Updates } from "../wire/channels.ts";
import type { ReceivedUpdate } from "../wire/decode.ts";
import { ExactNumber, parseExact } from "../wire/exact-numbers.ts";
import { isObject } from "../wire/json.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases } from "./aliases.ts";
import type { Audits } from "./audits.ts";
import { copyState } from "./copy-state.ts";
import { type Feed, interruptFeed, newFeed } from "./feed.ts";
import { type AnyFold, FOLDS, type Slice, type SliceData } from "./slices.ts";

/** A slice while the store works on it. */
export interface StoredSlice extends Slice {
  feed: Feed;
  data: SliceData[ChannelKind];
  version: number;
  /** Why it contradicts itself or its evidence; undefined while it does not. */
  suspect: string | undefined;
  readonly fold: AnyFold;
  /** The channel for which its updates are evidence. */
  readonly evidenceFor: string | undefined;
}

/** An update as evidence for another channel; undefined when there is none any more. */
export type Evidence = Parameters<NonNullable<AnyFold["applyEvidence"]>>[1];

/** Before anything came. @returns undefined for a name that is of no channel */
export function newSlice(
  channel: string,
  aliases: Aliases,
  version: number,
): StoredSlice | undefined {
  const kind = parseChannel(channel)?.kind;
  if (kind === undefined) return undefined;
  const fold = FOLDS[kind] as AnyFold;
  const { isEvidenceFor } = fold;
  // Written out: what a spread has made is slower at each frame.
  return {
    channel,
    kind,
    fold,
    version,
    feed: newFeed,
    suspect: undefined,
    data: fold.initial(aliases),
    evidenceFor: isEvidenceFor && `${isEvidenceFor}${channel.slice(kind.length)}`,
  };
}

/** Folds in an update. @returns its frame, ready to be evidence for another channel */
export function updateSlice(
  slice: StoredSlice,
  event: Extract<StreamEvent, { type: "update" }>,
  audits: Audits,
): Evidence {
  const { update, atMs } = event;
  const frame = openFrame(update);
  slice.data = slice.fold.apply(slice.data, frame, event, atMs);
  if (audits.isOpen) audits.note(slice.channel, frame, event, atMs);
  return frame as Evidence;
}

/** The connection is lost. @param aliveAtMs monotonic, its last sign of life; undefined when there was none */
export function interruptSlice(slice: StoredSlice, aliveAtMs: number | undefined): void {
  slice.feed = interruptFeed(slice.feed);
  slice.data = slice.fold.interrupt?.(slice.data, aliveAtMs) ?? slice.data;
}

/** A message that nobody could read, and that no number of a later one will show, may have been of this channel. */
export function missSlice(slice: StoredSlice): void {
  slice.data = slice.fold.miss?.(slice.data) ?? slice.data;
}

/** @returns why it should be fetched anew, where that is news */
export function checkSlice(slice: StoredSlice): string | undefined {
  const reason = slice.fold.needsResync?.(slice.data);
  const isNews = slice.suspect === undefined;
  if (isNews || reason === undefined) slice.suspect = reason;
  return isNews ? reason : undefined;
}

export function copySlice(slice: StoredSlice): StoredSlice {
  return { ...slice, data: copyState(slice.data) };
}

// The open records of an update made ready to be held: with exact numbers, and nested no deeper than anything can
// be that is walked through, compared or written as text again.

/** A number that a float might change: long, with a fraction, or with an exponent. May also match inside of text. */
const SUSPECT = /[:,[]\s*-?(?:[0-9]{16}|[0-9]+[.eE])/;
/** Lists and objects inside of each other, from the record on. */
const MAX_DEPTH = 16;
const TOO_DEEP = "(nested too deeply)";

/** The update's frame with its open records ready; the frame itself where nothing has to be done. */
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
 * One frame of those in which a snapshot came: lists joined in order, of everything else the last. The frames must be
 * of one channel, at least one.
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

/** @returns undefined when there is nothing to keep exact, or when the text is nested too deeply to be walked through */
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

/** A copy in which what lies too deep is replaced by words. */
function cutDeep(value: unknown, left: number): unknown {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return value;
  if (left === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => cutDeep(item, left - 1));
  const entries = Object.entries(value).map(([name, item]) => [name, cutDeep(item, left - 1)]);
  return Object.fromEntries(entries);
}
