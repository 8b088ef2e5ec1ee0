// Applies a recorded run to a store again, line by line, as the live run did.
import type { ScaleFacts } from "../state/scales.ts";
import type { HeldChannel, HeldSession } from "../state/store.ts";
import { formatIsoMs } from "../units/time.ts";
import { createDecoder, type ReceivedUpdate } from "../wire/decode.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import { type Acceptance, type Changed, type Entry, getPlace, type Made } from "./entry.ts";

/** What the recorded run is applied to. */
export interface ReplayTarget {
  dispatch(event: StreamEvent): void;
  pass(nowMs: number): void;
  /** The listing of a market gave trades, or why it could not. */
  addTrades(market: string, trades: readonly TradeRecord[]): void;
  markUnavailable(market: string, obstacle: string): void;
  /** What was held when the recording began, made from memory. @throws where it has another form */
  restore(channel: HeldChannel, atMs: number): void;
  restoreSession(session: HeldSession, atMs: number): void;
  restoreScale(scale: ScaleFacts): void;
}

/** Scales are those of the session: what was learned of them does not change in time. */
export function replayTo(
  state: Pick<ReplayTarget, "dispatch" | "pass" | "restore" | "restoreSession">,
): Replay {
  return new Replay({
    dispatch: (event) => state.dispatch(event),
    pass: (nowMs) => state.pass(nowMs),
    addTrades: () => {},
    markUnavailable: () => {},
    restore: (channel, atMs) => state.restore(channel, atMs),
    restoreSession: (session, atMs) => state.restoreSession(session, atMs),
    restoreScale: () => {},
  });
}

/** One run through a recording, from its first line on. */
export class Replay {
  readonly #target: ReplayTarget;
  readonly #decoder = createDecoder(false);
  #received = "";
  /** Frames that were made, until the channel that they are of is taken up. */
  #made: ReceivedUpdate[] = [];
  /** Lines that could not be applied: the file was changed after it was recorded. */
  unreadable = 0;

  constructor(target: ReplayTarget) {
    this.#target = target;
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
      this.#target.dispatch(entry.event);
      return "channel" in entry.event ? entry.event.channel : "";
    }
    if ("pass" in entry) this.#target.pass(entry.t);
    else if ("trades" in entry) {
      this.#target.addTrades(entry.listing, entry.trades as readonly TradeRecord[]);
    } else if ("obstacle" in entry) this.#target.markUnavailable(entry.listing, entry.obstacle);
    return undefined;
  }

  #takeMade(entry: Entry, made: Made | true): Changed {
    if (made === true) {
      const decoded = "in" in entry ? this.#decoder.decode(entry.in) : undefined;
      if (decoded?.ok && decoded.received.type === "update") this.#made.push(decoded.received);
      else this.unreadable++;
      return undefined;
    }
    if ("scale" in made) this.#target.restoreScale(made.scale);
    else if ("session" in made) {
      this.#target.restoreSession({ ...made.session, words: formatMadeWords(entry) }, entry.t);
      return "";
    } else {
      const updates = this.#made.filter(({ frame }) => frame.channel === made.channel);
      this.#made = [];
      this.#target.restore({ ...made, updates }, entry.t);
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
    this.#target.dispatch({ type: "update", atMs, channel, update, ...place, lagMs: lag });
    return channel;
  }
}

/** What a recording that does not begin with its session says of its first state. */
export function formatMadeWords({ w }: Pick<Entry, "w">): string {
  return `the recording begins with a state made from memory, not received: that of ${formatIsoMs(w)}`;
}
