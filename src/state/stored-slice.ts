// One channel as the store works on it, and what happens to it. What is particular to a kind is in its row of `FOLDS`.

import { type ChannelKind, parseChannel } from "../wire/channels.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import type { Aliases } from "./aliases.ts";
import type { Audits } from "./audits.ts";
import { copyState } from "./copy-state.ts";
import { type Feed, interruptFeed, newFeed } from "./feed.ts";
import { openFrame } from "./open-frame.ts";
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
