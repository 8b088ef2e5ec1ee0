// What a channel held at each of its latest sequences, without a copy for each of them: one copy from before a second
// subscription, and the frames since. A snapshot is older or newer than what is held by the time that it comes; this way
// it is compared with exactly what was held at its own sequence. Interpretation: docs/adr/0050.

import { stripZeros } from "../units/uint.ts";
import type { ChannelKind, Updates } from "../wire/channels.ts";
import type { UpdatePlace } from "../wire/stream-event.ts";
import type { SliceData } from "./slices.ts";

/** Frames that are held; a channel that brings more while a snapshot is waited for is compared another time. */
const MAX_ENTRIES = 10_000;

/** A frame that was folded, as it was. */
export interface JournalEntry {
  readonly frame: Updates[ChannelKind];
  readonly place: UpdatePlace;
  readonly atMs: number;
}

/** One channel from a moment on. Place 0 is what was held then, place n what was held after n frames more. */
export class AuditJournal {
  readonly channel: string;
  /** What was held at place 0; whoever replays it takes it. */
  readonly base: SliceData[ChannelKind];
  readonly entries: JournalEntry[] = [];
  /** True when frames are missing from it. */
  isTooLong = false;
  readonly #baseSequence: string | null;

  constructor(channel: string, base: SliceData[ChannelKind], sequence: string | null) {
    this.channel = channel;
    this.base = base;
    this.#baseSequence = sequence;
  }

  /** The newest place. */
  get end(): number {
    return this.entries.length;
  }

  /** When the newest frame came; undefined before the first. */
  get lastAtMs(): number | undefined {
    return this.entries.at(-1)?.atMs;
  }

  note(entry: JournalEntry): void {
    if (this.entries.length < MAX_ENTRIES) this.entries.push(entry);
    else this.isTooLong = true;
  }

  /** Sequence of the frame that led to a place, digit text without leading zeros; null where it had none. */
  sequenceAt(place: number): string | null {
    if (place === 0) return this.#baseSequence;
    const frame = this.entries[place - 1]?.frame;
    return frame !== undefined && "sequence" in frame && frame.sequence !== null
      ? stripZeros(frame.sequence)
      : null;
  }

  placeOf(sequence: string): number | undefined {
    for (let place = this.end; place >= 0; place--) {
      if (this.sequenceAt(place) === sequence) return place;
    }
    return undefined;
  }
}
