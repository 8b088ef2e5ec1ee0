// Applies a recording to a store, line by line, as the live run did.
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { formatIsoMs } from "../units/time.ts";
import { createDecoder, type ReceivedUpdate } from "../wire/decode.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { type Acceptance, type Changed, type Entry, getPosition, type Made } from "./entry.ts";

type ReplayedStore = Pick<Store, "dispatch" | "advance" | "restore" | "restoreSession">;

export class Replay {
  readonly #store: ReplayedStore;
  readonly #scales: Scales | undefined;
  readonly #decoder = createDecoder();
  #received = "";
  /** Frames made from memory, until their channel is restored. */
  #made: ReceivedUpdate[] = [];
  /** Number of lines that could not be applied. */
  unreadable = 0;

  /** @param scales undefined: lines about scales are ignored, because the session's are used */
  constructor(store: ReplayedStore, scales?: Scales) {
    this.#store = store;
    this.#scales = scales;
  }

  /** A file from outside may contain anything: lines that cannot be applied are counted. */
  apply(entry: Entry): Changed {
    try {
      return this.#apply(entry);
    } catch {
      this.unreadable++;
      return undefined;
    }
  }

  #apply(entry: Entry): Changed {
    if ("made" in entry && entry.made !== undefined) return this.#takeMade(entry, entry.made);
    if ("in" in entry) this.#received = entry.in;
    if ("update" in entry && entry.update !== undefined) {
      return this.#update(entry.t, entry.update);
    }
    if ("event" in entry) {
      this.#store.dispatch(entry.event);
      return "channel" in entry.event ? entry.event.channel : "";
    }
    if ("pass" in entry) this.#store.advance(entry.t);
    else if ("trades" in entry) {
      this.#scales?.observe(entry.listing, entry.trades as readonly TradeRecord[]);
    } else if ("obstacle" in entry) this.#scales?.markUnavailable(entry.listing, entry.obstacle);
    return undefined;
  }

  #takeMade(entry: Entry, made: Made | true): Changed {
    if (made === true) {
      const decoded = "in" in entry ? this.#decoder.decode(entry.in) : undefined;
      if (decoded?.ok && decoded.received.type === "update") this.#made.push(decoded.received);
      else this.unreadable++;
      return undefined;
    }
    if ("scale" in made) this.#scales?.restore(made.scale);
    else if ("session" in made) {
      this.#store.restoreSession({ ...made.session, words: formatMade(entry) }, entry.t);
      return "";
    } else {
      const updates = this.#made.filter(({ frame }) => frame.channel === made.channel);
      this.#made = [];
      this.#store.restore({ ...made, updates }, entry.t);
      return made.channel;
    }
    return undefined;
  }

  #update(atMs: number, acceptance: Acceptance): Changed {
    const decoded = this.#decoder.decode(this.#received);
    if (!decoded.ok || decoded.received.type !== "update") {
      this.unreadable++;
      return undefined;
    }
    const update = decoded.received;
    const { channel } = update.frame;
    const { lag } = acceptance;
    const position = getPosition(acceptance);
    this.#store.dispatch({ type: "update", atMs, channel, update, ...position, lagMs: lag });
    return channel;
  }
}

/** Describes the initial state of a recording that was saved from memory. */
export function formatMade({ w }: Pick<Entry, "w">): string {
  return `the recording begins with a state made from memory, not received: that of ${formatIsoMs(w)}`;
}

// Reads a recording a second time in parallel with the player, for some channels only, from its first line to the last one that
// the player has applied.

/** Maximum lines to read ahead, and their characters. */
const MAX_AHEAD = 4000;
const MAX_CHARS_AHEAD = 4 * 1024 * 1024;
/** A recording has far more lines than a history buffer, so steps are larger. */
const LINES_FACTOR = 8;

interface RecordingWalkOptions {
  readonly store: Store;
  /** Monotonic milliseconds of the recording machine. */
  readonly startMs: number;
  readonly channels: readonly string[];
  readonly open: () => Promise<AsyncIterable<Entry>>;
  /** Lines applied by the player; decreases when it goes back. */
  readonly applied: () => number;
}

/** Starts at the beginning of a recording. */
export class RecordingWalk {
  readonly store: Store;
  readonly startMs: number;
  readonly #channels: ReadonlySet<string>;
  readonly #applied: () => number;
  readonly #replay: Replay;
  #ahead: Entry[] = [];
  #charsAhead = 0;
  #isReading = true;
  #isClosed = false;
  #next = 0;
  /** Number of lines to process, as of the last call. */
  #end: number;
  #wake = () => {};

  constructor({ store, startMs, channels, open, applied }: RecordingWalkOptions) {
    this.store = store;
    this.startMs = startMs;
    this.#channels = new Set(channels);
    this.#applied = applied;
    this.#replay = new Replay(store);
    this.#end = applied();
    // An unreadable recording is reported by the player.
    this.#read(open)
      .catch(() => {})
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** Progress, 0 to 1. */
  get share(): number {
    const all = this.#applied();
    return this.#next >= all ? 1 : this.#next / all;
  }

  /** @returns `end`: it has caught up with the player; `failed`: the rest cannot be read */
  go(lines: number): "more" | "end" | "failed" {
    const end = this.#applied();
    // Catches up even while the end moves away.
    const grown = 2 * Math.max(0, end - this.#end);
    this.#end = end;
    const count = Math.max(0, Math.min(lines * LINES_FACTOR + grown, end - this.#next));
    const entries = this.#ahead.splice(0, count);
    for (const entry of entries) if (this.#isOfChannels(entry)) this.#replay.apply(entry);
    this.#next += entries.length;
    for (const entry of entries) this.#charsAhead -= countChars(entry);
    this.#wake();
    if (this.#next >= end) return "end";
    return this.#isReading || this.#ahead.length > 0 ? "more" : "failed";
  }

  /** Stops reading. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  get #isFull(): boolean {
    return this.#ahead.length >= MAX_AHEAD || this.#charsAhead >= MAX_CHARS_AHEAD;
  }

  /** Updates of a channel that was never subscribed have no effect. */
  #isOfChannels(entry: Entry): boolean {
    if (!("event" in entry) || !("channel" in entry.event)) return true;
    const { channel } = entry.event;
    return channel === undefined || this.#channels.has(channel);
  }

  async #read(open: RecordingWalkOptions["open"]): Promise<void> {
    for await (const entry of await open()) {
      this.#ahead.push(entry);
      this.#charsAhead += countChars(entry);
      while (this.#isFull && !this.#isClosed) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#isClosed) return;
    }
  }
}

function countChars(entry: Entry): number {
  return "in" in entry ? entry.in.length : 0;
}
