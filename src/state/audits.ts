// Compares folded state with a snapshot, the first frame of a second subscription, at the same sequence.
import { stripZeros } from "../units/uint.ts";
import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { ChannelKind, Updates } from "../wire/channels.ts";
import type { ReceivedUpdate } from "../wire/decode.ts";
import type { ChainPosition } from "../wire/stream-event.ts";
import { copyState } from "./copy-state.ts";
import { mergeFrames, openFrame } from "./open-frame.ts";
import type { SliceData } from "./slices.ts";
import type { StoredSlice } from "./store.ts";

/** One position where fold and snapshot disagree. */
export interface AuditDifference {
  /** The list or book side, by its wire name. */
  readonly part: string;
  /** The row, as short text: its key or its price. */
  readonly row: string;
  /** `missing` from the fold, `extra` in the fold, or `different` in a field. */
  readonly how: "missing" | "extra" | "different";
}

export interface AuditResult {
  /** Rows of the snapshot that were compared. */
  readonly compared: number;
  readonly differences: readonly AuditDifference[];
  /** What a second, agreeing audit has changed, as text; undefined if nothing. */
  readonly changed?: string | undefined;
}

/** The audits of one channel since the start of the program. Times are monotonic milliseconds. */
export interface ChannelAudits {
  /** Audits that compared something, and how many of them changed the held state. */
  readonly count: number;
  readonly changes: number;
  /** The latest audit that compared something; undefined before the first. */
  readonly last: (AuditResult & { readonly atMs: number }) | undefined;
  /** The latest change, as text. */
  readonly changed: string | undefined;
  /** Why the latest attempt compared nothing; undefined if it did. */
  readonly failure: string | undefined;
}

export const NO_AUDITS: ChannelAudits = {
  count: 0,
  changes: 0,
  last: undefined,
  changed: undefined,
  failure: undefined,
};

export const MAX_EXAMPLES = 100;

/** Audit results of one store. */
export class Audits {
  readonly #sliceOf: (channel: string) => StoredSlice | undefined;
  readonly #results = new Map<string, ChannelAudits>();
  /** One for each channel that is being audited. */
  readonly #journals = new Map<string, AuditJournal>();
  /** Why audits have been switched off, as text; undefined while they are on. */
  off: string | undefined;

  constructor(sliceOf: (channel: string) => StoredSlice | undefined) {
    this.#sliceOf = sliceOf;
  }

  /** Audit results of a channel. */
  of(channel: string): ChannelAudits {
    return this.#results.get(channel) ?? NO_AUDITS;
  }

  /** True when a channel can be compared with a snapshot and has no other evidence. */
  isUseful(channel: string): boolean {
    const slice = this.#sliceOf(channel);
    if (slice === undefined || slice.fold.audit === undefined) return false;
    return slice.fold.needsAudit?.(slice.data) ?? true;
  }

  /** How many rows of a channel are in question. */
  questionsOf(channel: string): number {
    const slice = this.#sliceOf(channel);
    return slice?.fold.questions?.(slice.data) ?? 0;
  }

  /** Records what a channel receives from now on, so that a snapshot can be compared. Ended by `close`. */
  open(channel: string): AuditJournal | undefined {
    const slice = this.#sliceOf(channel);
    if (slice === undefined) return undefined;
    const { sequence } = slice.feed;
    const base = copyState(slice.data);
    const journal = new AuditJournal(channel, base, sequence == null ? null : stripZeros(sequence));
    this.#journals.set(channel, journal);
    return journal;
  }

  close(journal: AuditJournal): void {
    if (this.#journals.get(journal.channel) === journal) this.#journals.delete(journal.channel);
  }

  note(channel: string, frame: Updates[ChannelKind], position: ChainPosition, atMs: number): void {
    const { isFirst, isSnapshot, continues } = position;
    this.#journals
      .get(channel)
      ?.note({ frame, position: { isFirst, isSnapshot, continues }, atMs });
  }

  /** True while frames must be noted. */
  get isOpen(): boolean {
    return this.#journals.size > 0;
  }

  /** Records evidence from another channel for one that is being audited; without a frame, earlier evidence no longer holds. */
  noteEvidence(channel: string, frame: BboUpdate | undefined, atMs: number): void {
    this.#journals.get(channel)?.noteEvidence({ frame, atMs });
  }

  /**
   * Compares a snapshot, in one or several frames, with the state at a position of the journal, and replaces the slice's data if
   * the audit changes it. Consumes the journal.
   * @returns undefined when nothing could be compared
   */
  compare(
    journal: AuditJournal,
    snapshot: readonly ReceivedUpdate[],
    position: number,
    atMs: number,
  ): AuditResult | undefined {
    const slice = this.#sliceOf(journal.channel);
    const isOpen = this.#journals.get(journal.channel) === journal;
    this.close(journal);
    if (slice?.fold.audit === undefined || !isOpen || journal.isTooLong) return undefined;
    const { fold } = slice;
    const { entries } = journal;
    const isNow = position === entries.length;
    let data = isNow ? slice.data : journal.base;
    const observe = (evidence: readonly Evidence[]) => {
      for (const { frame, atMs } of evidence) fold.applyEvidence?.(data, frame, atMs);
    };
    const replay = (from: number, to: number) => {
      for (const entry of entries.slice(from, to)) {
        data = fold.apply(data, entry.frame, entry.position, entry.atMs);
        observe(entry.evidence);
      }
    };
    if (!isNow) {
      observe(journal.evidence);
      replay(0, position);
    }
    const result = slice.fold.audit(data, mergeFrames(snapshot.map(openFrame)), atMs);
    if (!isNow) replay(position, entries.length);
    slice.data = data;
    const { count, changes, changed } = this.of(slice.channel);
    this.#results.set(slice.channel, {
      count: count + 1,
      changes: changes + (result.changed === undefined ? 0 : 1),
      last: { ...result, differences: result.differences.slice(0, MAX_EXAMPLES), atMs },
      changed: result.changed ?? changed,
      failure: undefined,
    });
    return result;
  }

  noteFailure(channel: string, failure: string): void {
    this.#results.set(channel, { ...this.of(channel), failure });
  }

  forget(channel: string): void {
    this.#results.delete(channel);
    this.#journals.delete(channel);
  }

  clear(): void {
    this.#results.clear();
    this.#journals.clear();
    this.off = undefined;
  }

  /** Copies the results of another store, but not its journals. */
  takeOver(other: Audits): void {
    for (const [channel, results] of other.#results) this.#results.set(channel, results);
    this.off = other.off;
  }
}

// The state of a channel at each of its latest sequences, without a copy for each: one copy from before a second subscription,
// and the frames since. By the time a snapshot arrives, it is older or newer than the current state; with the journal it is
// compared with the state at exactly its own sequence.

/** Maximum frames recorded, evidence included. A channel that receives more while waiting for a snapshot is compared another time. */
const MAX_ENTRIES = 10_000;

/** An update of another channel; `frame` is undefined once that channel is no longer received. */
interface Evidence {
  readonly frame: BboUpdate | undefined;
  readonly atMs: number;
}

/** A folded frame, with its arguments. */
interface JournalEntry {
  readonly frame: Updates[ChannelKind];
  readonly position: ChainPosition;
  readonly atMs: number;
  /** Evidence received between it and the next one. */
  readonly evidence: Evidence[];
}

/** One channel from a moment on. Position 0 is the state then, position n the state n frames later. */
export class AuditJournal {
  readonly channel: string;
  /** The state at position 0; replaying changes it in place. */
  readonly base: SliceData[ChannelKind];
  readonly entries: JournalEntry[] = [];
  /** Evidence received before the first of them. */
  readonly evidence: Evidence[] = [];
  #size = 0;
  /** True when frames were left out. */
  isTooLong = false;
  readonly #baseSequence: string | null;

  constructor(channel: string, base: SliceData[ChannelKind], sequence: string | null) {
    this.channel = channel;
    this.base = base;
    this.#baseSequence = sequence;
  }

  get end(): number {
    return this.entries.length;
  }

  /** When the newest frame arrived; undefined before the first. */
  get lastAtMs(): number | undefined {
    return this.entries.at(-1)?.atMs;
  }

  note(entry: Omit<JournalEntry, "evidence">): void {
    if (this.#hasRoom()) this.entries.push({ ...entry, evidence: [] });
  }

  noteEvidence(evidence: Evidence): void {
    if (this.#hasRoom()) (this.entries.at(-1) ?? this).evidence.push(evidence);
  }

  #hasRoom(): boolean {
    this.isTooLong ||= this.#size >= MAX_ENTRIES;
    this.#size++;
    return !this.isTooLong;
  }

  /** Sequence of the frame that led to a position, digit text without leading zeros; null if it had none. */
  sequenceAt(position: number): string | null {
    if (position === 0) return this.#baseSequence;
    const frame = this.entries[position - 1]?.frame;
    return frame !== undefined && "sequence" in frame && frame.sequence !== null
      ? stripZeros(frame.sequence)
      : null;
  }

  positionOf(sequence: string): number | undefined {
    for (let position = this.end; position >= 0; position--) {
      if (this.sequenceAt(position) === sequence) return position;
    }
    return undefined;
  }
}
