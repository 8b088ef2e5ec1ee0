// The store: folds stream events into one slice per channel. Listeners are notified of a change at most once until `settle`
// (drawn). Independent of React, clock and socket.

import { CHANNELS, type ChannelKind, parseChannel } from "../wire/channels.ts";
import type { ReceivedUpdate } from "../wire/decode.ts";
import type { Link, StreamEvent } from "../wire/stream-event.ts";
import { type Aliases, defaultAliases } from "./aliases.ts";
import { type AuditJournal, type AuditResult, Audits } from "./audits.ts";
import { copyState } from "./copy-state.ts";
import { EventLog, logLine } from "./event-log.ts";
import type { SliceFacts } from "./facts-schema.ts";
import {
  addFaults,
  type FaultCounts,
  type Feed,
  interruptFeed,
  NO_COUNTS,
  newFeed,
  reduceCounts,
  reduceFeed,
  type StreamCounts,
} from "./feed.ts";
import { mergeFrames, openFrame } from "./open-frame.ts";
import { type PaneState, paneStateAt } from "./pane-state.ts";
import { type AnyFold, FOLDS, type Slice, type SliceData } from "./slices.ts";

const NO_SUSPECTS: ReadonlyMap<string, string> = new Map();

/** Provides the store that is shown: another one while viewing the past. */
export interface StoreSource {
  readonly store: Store;
}

/** Pseudo-channel for the connection itself. No channel has this name. */
export const LINK = "link";

export interface HeldChannel {
  readonly channel: string;
  readonly feed: Partial<Feed>;
  /** Undefined if the frames contain everything. */
  readonly facts?: SliceFacts[ChannelKind] | undefined;
  readonly updates: readonly ReceivedUpdate[];
}

/** State of a store apart from channels; `words` describe what it was made from. */
export interface HeldSession {
  readonly link: Link | undefined;
  readonly counts: Partial<StreamCounts>;
  readonly words: string;
}

/** A slice, mutable within the store. */
export interface StoredSlice extends Slice {
  feed: Feed;
  data: SliceData[ChannelKind];
  version: number;
  /** Why it contradicts itself or its evidence; undefined if it does not. */
  suspect: string | undefined;
  readonly fold: AnyFold;
  /** The channel for which its updates are evidence. */
  readonly evidenceFor: string | undefined;
}

/** An update as evidence for another channel; undefined when evidence is lost. */
type Evidence = Parameters<NonNullable<AnyFold["applyEvidence"]>>[1];

/** The state of everything received: a fold over the events of a stream, without a clock of its own. */
export class Store {
  /** Meanings of the fields of open records. */
  readonly aliases: Aliases;
  readonly audits = new Audits((channel) => this.#slices.get(channel));
  /** Recent events other than updates. */
  log = new EventLog();
  /** The latest state of the connection; undefined before its first event. */
  link: Link | undefined;
  counts = NO_COUNTS;
  /** Incremented by `clear`: slices from before are invalid. */
  epoch = 0;
  readonly #slices = new Map<string, StoredSlice>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #notified = new Set<string>();
  /** Most stores have none. */
  #watchers: readonly ((atMs: number) => void)[] = [];
  /** Channels that became suspect, with reasons, until `takeSuspects`. */
  #newSuspects: ReadonlyMap<string, string> = NO_SUSPECTS;
  /** Version of the latest change. Versions are never reused, not even after `forget`. */
  #version = 0;

  constructor(aliases: Aliases = defaultAliases) {
    this.aliases = aliases;
  }

  /** Faults of every channel ever held, plus those that belong to no channel. */
  get faults(): FaultCounts {
    let sum = this.counts.forgotten;
    for (const { feed } of this.#slices.values()) sum = addFaults(sum, feed);
    return { ...sum, rejected: sum.rejected + this.counts.rejected };
  }

  /** Every channel held, in the order first subscribed. */
  get slices(): readonly Slice[] {
    return [...this.#slices.values()];
  }

  /**
   * The slice of a channel; an empty one before anything is received.
   * @throws {RangeError} when the channel is not of that kind
   */
  slice<K extends ChannelKind>(kind: K, channel: string): Slice<K> {
    const slice = this.#slices.get(channel) ?? this.#add(channel);
    if (slice?.kind !== kind) throw new RangeError(`${channel} is not a ${kind} channel`);
    return slice as Slice as Slice<K>;
  }

  /** The version of a channel's slice; 0 if there is none. */
  versionOf(channel: string): number {
    return this.#slices.get(channel)?.version ?? 0;
  }

  paneState({ kind, data, feed }: Slice, nowMs: number): PaneState {
    const isInconsistent = (FOLDS[kind] as AnyFold).isInconsistent?.(data) ?? false;
    return paneStateAt({ feed, link: this.link, isInconsistent }, nowMs);
  }

  /** Calls back when the channel's slice, or the link, has changed, at most once until `settle`. @returns unsubscribe */
  subscribe(channel: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Calls back before each change, with its time. @returns unsubscribe */
  beforeChange(watcher: (atMs: number) => void): () => void {
    this.#watchers = [...this.#watchers, watcher];
    return () => {
      this.#watchers = this.#watchers.filter((each) => each !== watcher);
    };
  }

  /** Every change so far has been drawn: notify again of the next one. */
  settle(): void {
    this.#notified.clear();
  }

  dispatch(event: StreamEvent): void {
    this.#beforeChange(event.atMs);
    if (event.type === "forgotten") {
      this.forget(event.channel);
      return;
    }
    const line = logLine(this.link, event);
    if (line !== undefined) this.log.add(line);
    if (event.type === "link") this.#onLink(event.link);
    else {
      if (event.type === "rejected") this.#onRejected(event.channel);
      const slice = this.#sliceOf(event);
      if (slice !== undefined) this.#onChannelEvent(slice, event);
      else this.#onStreamEvent(event);
    }
  }

  #onStreamEvent(event: StreamEvent): void {
    this.counts = reduceCounts(this.counts, event);
    if (event.type === "numbering" && event.previous === "frame") this.#markSuspect(event.kind);
  }

  /** Runs time-dependent checks: call it about once a second. */
  advance(nowMs: number): void {
    this.#beforeChange(nowMs);
    for (const slice of this.#slices.values()) {
      const { fold, feed, data } = slice;
      const isReceived = feed.phase === "receiving" && this.link?.state === "open";
      if (fold.advance === undefined || !isReceived) continue;
      fold.advance(data, nowMs);
      this.#checkSuspect(slice);
    }
  }

  get hasSuspects(): boolean {
    return this.#newSuspects.size > 0;
  }

  /** Channels that should be fetched again, with reasons: each once per time that it becomes suspect. */
  takeSuspects(): ReadonlyMap<string, string> {
    const taken = this.#newSuspects;
    this.#newSuspects = NO_SUSPECTS;
    return taken;
  }

  /** Compares a snapshot, as `Audits.compare`; does not touch the channel's feed and counts. */
  audit(
    journal: AuditJournal,
    snapshot: readonly ReceivedUpdate[],
    position: number,
    atMs: number,
  ): AuditResult | undefined {
    this.#beforeChange(atMs);
    const { channel } = journal;
    const result = this.audits.compare(journal, snapshot, position, atMs);
    const slice = this.#slices.get(channel);
    if (result === undefined || slice === undefined) return undefined;
    const detail = result.changed;
    if (detail !== undefined) this.log.add({ atMs, level: "warn", what: "audit", channel, detail });
    this.#checkSuspect(slice);
    this.#changed(slice);
    return result;
  }

  /** An independent store with the same state. */
  copy(): Store {
    const { link, counts, epoch } = this;
    const copy = new Store(this.aliases);
    Object.assign(copy, { link, counts, epoch, log: copyState(this.log) });
    for (const [channel, slice] of this.#slices)
      copy.#slices.set(channel, { ...slice, data: copyState(slice.data) });
    copy.#version = this.#version;
    copy.audits.takeOver(this.audits);
    return copy;
  }

  /**
   * Restores a channel from another store; nothing of it counts as received.
   * @param updates frames with its state, as from `Fold.snapshot`
   * @throws when the facts are malformed
   */
  restore({ channel, feed, facts, updates }: HeldChannel, atMs: number): void {
    this.#beforeChange(atMs);
    const slice = this.#slices.get(channel) ?? this.#add(channel);
    if (slice === undefined) return;
    const { fold } = slice;
    const heldAtMs = feed.lastFrameAtMs ?? atMs;
    const frames = updates.map(openFrame);
    let data = fold.initial(this.aliases);
    for (const [i, frame] of frames.entries()) {
      const position = { isFirst: i === 0, isSnapshot: true, continues: i > 0 };
      data = fold.apply(data, frame, position, heldAtMs);
    }
    const last = frames.at(-1);
    if (last !== undefined && facts !== undefined && fold.restore !== undefined) {
      data = fold.restore(data, facts, mergeFrames(frames));
    }
    slice.data = data;
    slice.feed = { ...newFeed, ...feed };
    if (last !== undefined) this.#applyEvidence(slice, last as Evidence, heldAtMs);
    this.#changed(slice);
  }

  /** Restores another store's state apart from channels, and logs it. */
  restoreSession({ link, counts, words }: HeldSession, atMs: number): void {
    this.#beforeChange(atMs);
    this.link = link;
    this.counts = { ...NO_COUNTS, ...counts };
    this.log.add({ atMs, level: "info", what: "made", channel: undefined, detail: words });
    this.#notify(LINK);
  }

  /** Removes a channel that nothing shows any more; its faults still count. A session dispatches an event, which is recorded. */
  forget(channel: string): void {
    const slice = this.#slices.get(channel);
    if (slice === undefined) return;
    this.counts = { ...this.counts, forgotten: addFaults(this.counts.forgotten, slice.feed) };
    this.#slices.delete(channel);
    this.audits.forget(channel);
  }

  /** Removes everything, so that events can be dispatched from the start. Notifies listeners. */
  clear(): void {
    this.epoch++;
    const channels = [...this.#slices.keys()];
    this.#slices.clear();
    this.#newSuspects = NO_SUSPECTS;
    this.link = undefined;
    this.counts = NO_COUNTS;
    this.audits.clear();
    this.log.clear();
    for (const channel of [...channels, LINK]) this.#notify(channel);
  }

  #beforeChange(atMs: number): void {
    for (const watcher of this.#watchers) watcher(atMs);
  }

  #onLink(link: Link): void {
    const isLost = this.link?.state === "open" && link.state !== "open";
    this.link = link;
    for (const slice of this.#slices.values()) {
      if (isLost) {
        slice.feed = interruptFeed(slice.feed);
        slice.data = slice.fold.interrupt?.(slice.data, link.aliveAtMs) ?? slice.data;
      }
      this.#changed(slice);
    }
    this.#notify(LINK);
  }

  #onChannelEvent(slice: StoredSlice, event: StreamEvent): void {
    slice.feed = reduceFeed(slice.feed, event);
    if (event.type === "update") {
      const { update, atMs } = event;
      const frame = openFrame(update);
      slice.data = slice.fold.apply(slice.data, frame, event, atMs);
      if (this.audits.isOpen) this.audits.note(slice.channel, frame, event, atMs);
      this.#applyEvidence(slice, frame as Evidence, atMs);
      this.#checkSuspect(slice);
    } else if (event.type === "filled") slice.fold.fill?.(slice.data, event);
    else {
      slice.fold.note?.(slice.data, event);
      if (slice.feed.phase !== "receiving") this.#applyEvidence(slice, undefined, event.atMs);
    }
    this.#changed(slice);
  }

  /** Passes an update on as evidence for another channel, if that is held. */
  #applyEvidence({ evidenceFor }: StoredSlice, frame: Evidence, atMs: number): void {
    const slice = evidenceFor === undefined ? undefined : this.#slices.get(evidenceFor);
    if (slice === undefined) return;
    slice.fold.applyEvidence?.(slice.data, frame, atMs);
    if (this.audits.isOpen) this.audits.noteEvidence(slice.channel, frame, atMs);
    if (frame !== undefined) this.#checkSuspect(slice);
  }

  /** If frames of a channel are numbered, the next one reveals whether one is missing; otherwise it may have been missed. */
  #onRejected(channel: string | undefined): void {
    for (const slice of this.#slices.values()) {
      const isNumbered =
        CHANNELS[slice.kind].isSequenced &&
        slice.feed.sequence !== null &&
        (this.counts.numbering[slice.kind]?.previous ?? "frame") === "frame";
      if (!isNumbered && (channel ?? slice.channel) === slice.channel)
        slice.data = slice.fold.miss?.(slice.data) ?? slice.data;
    }
  }

  /** Frames of a kind do name the frame before: conclusions drawn without that were wrong. */
  #markSuspect(kind: ChannelKind): void {
    for (const slice of this.#slices.values()) {
      if (slice.kind !== kind) continue;
      slice.fold.markSuspect?.(slice.data);
      this.#checkSuspect(slice);
    }
  }

  #checkSuspect(slice: StoredSlice): void {
    const reason = slice.fold.needsResync?.(slice.data);
    const wasClean = slice.suspect === undefined;
    if (wasClean || reason === undefined) slice.suspect = reason;
    if (!wasClean || reason === undefined) return;
    this.#newSuspects = new Map([...this.#newSuspects, [slice.channel, reason]]);
    this.#changed(slice);
  }

  /** The slice that an event concerns. Only a subscription creates one: a service could send any channel name. */
  #sliceOf(event: StreamEvent): StoredSlice | undefined {
    const channel = "channel" in event ? event.channel : undefined;
    if (channel === undefined) return undefined;
    const slice = this.#slices.get(channel);
    return slice ?? (event.type === "subscribing" ? this.#add(channel) : undefined);
  }

  /** @returns undefined for a name that is not a channel */
  #add(channel: string): StoredSlice | undefined {
    const kind = parseChannel(channel)?.kind;
    if (kind === undefined) return undefined;
    const fold = FOLDS[kind] as AnyFold;
    const { evidenceForKind } = fold;
    // Written out: objects created by a spread are slower to use for each frame.
    const slice: StoredSlice = {
      channel,
      kind,
      fold,
      version: ++this.#version,
      feed: newFeed,
      suspect: undefined,
      data: fold.initial(this.aliases),
      evidenceFor: evidenceForKind && `${evidenceForKind}${channel.slice(kind.length)}`,
    };
    this.#slices.set(channel, slice);
    return slice;
  }

  #changed(slice: StoredSlice): void {
    slice.version = ++this.#version;
    if (this.#notified.has(slice.channel)) return;
    this.#notified.add(slice.channel);
    this.#notify(slice.channel);
  }

  #notify(channel: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener();
  }
}
