// Applies a recorded run to a store again, line by line, as the live run did.
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { formatIsoMs } from "../units/time.ts";
import { createDecoder, type ReceivedUpdate } from "../wire/decode.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { type Acceptance, type Changed, type Entry, getPlace, type Made } from "./entry.ts";

type ReplayedStore = Pick<Store, "dispatch" | "pass" | "restore" | "restoreSession">;

/** One run through a recording, from its first line on. */
export class Replay {
  readonly #store: ReplayedStore;
  readonly #scales: Scales | undefined;
  readonly #decoder = createDecoder(false);
  #received = "";
  /** Frames that were made, until the channel that they are of is taken up. */
  #made: ReceivedUpdate[] = [];
  /** Lines that could not be applied: the file was changed after it was recorded. */
  unreadable = 0;

  /** @param scales undefined: those of the session, which do not change in time */
  constructor(store: ReplayedStore, scales?: Scales) {
    this.#store = store;
    this.#scales = scales;
  }

  /** Applies one line. A file comes from outside, and may say anything: what cannot be applied is counted. */
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
    if ("pass" in entry) this.#store.pass(entry.t);
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
      this.#store.restoreSession({ ...made.session, words: formatMadeWords(entry) }, entry.t);
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
    const place = getPlace(acceptance);
    this.#store.dispatch({ type: "update", atMs, channel, update, ...place, lagMs: lag });
    return channel;
  }
}

/** What a recording that does not begin with its session says of its first state. */
export function formatMadeWords({ w }: Pick<Entry, "w">): string {
  return `the recording begins with a state made from memory, not received: that of ${formatIsoMs(w)}`;
}

// A recording gone through beside the one that is played: what some channels have said, from its first line to the last that
// is applied there.

/** Lines, and their text, that are read before they are needed. */
const MAX_AHEAD = 4000;
const MAX_CHARS_AHEAD = 4 * 1024 * 1024;
/** A recording has far more lines than what is kept of a session: it is gone through in larger steps. */
const LINES_FACTOR = 8;

interface RecordingWalkOptions {
  /** An empty one, to be filled. */
  readonly store: Store;
  /** Where the recording begins, monotonic milliseconds of its machine. */
  readonly startMs: number;
  readonly channels: readonly string[];
  /** Reads the recording from its start. */
  readonly open: () => Promise<AsyncIterable<Entry>>;
  /** How many of its lines have been applied where it is played: less than before after going back. */
  readonly applied: () => number;
}

/** From the start of a recording on, as fast as it is asked to. */
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
  /** Of the lines to go through, when it went on last. */
  #end: number;
  #wake = () => {};

  constructor({ store, startMs, channels, open, applied }: RecordingWalkOptions) {
    this.store = store;
    this.startMs = startMs;
    this.#channels = new Set(channels);
    this.#applied = applied;
    this.#replay = new Replay(store);
    this.#end = applied();
    // What cannot be read fails where it is played.
    this.#read(open)
      .catch(() => {})
      .finally(() => {
        this.#isReading = false;
      });
  }

  /** How much of it is gone through, 0 to 1. */
  get share(): number {
    const all = this.#applied();
    return this.#next >= all ? 1 : this.#next / all;
  }

  /** @returns `more` is left; `end`: it is where the recording is played; `failed`: the rest cannot be read */
  go(lines: number): "more" | "end" | "failed" {
    const end = this.#applied();
    // It has to come nearer to its end, however fast that moves away.
    const grown = 2 * Math.max(0, end - this.#end);
    this.#end = end;
    const count = Math.max(0, Math.min(lines * LINES_FACTOR + grown, end - this.#next));
    const taken = this.#ahead.splice(0, count);
    for (const entry of taken) if (this.#isOfChannels(entry)) this.#replay.apply(entry);
    this.#next += taken.length;
    for (const entry of taken) this.#charsAhead -= countChars(entry);
    this.#wake();
    if (this.#next >= end) return "end";
    return this.#isReading || this.#ahead.length > 0 ? "more" : "failed";
  }

  /** It is not gone through any further. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  get #isFull(): boolean {
    return this.#ahead.length >= MAX_AHEAD || this.#charsAhead >= MAX_CHARS_AHEAD;
  }

  /** Updates of a channel that was never subscribed reach nothing. */
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
