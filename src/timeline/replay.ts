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
