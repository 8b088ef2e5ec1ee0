// Tells a recorded run to a store again, line by line, as the live run was told.
import { createDecoder } from "../wire/decode.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import { type Acceptance, type Entry, placeOf } from "./entry.ts";

/** What the recorded run is told to. */
export interface ReplayTarget {
  dispatch(event: StreamEvent): void;
  pass(nowMs: number): void;
  /** The listing of a market told trades, or says why it cannot. */
  hear(market: string, trades: readonly TradeRecord[]): void;
  obstruct(market: string, obstacle: string): void;
}

/** One telling of a recording, from its first line on. */
export class Replay {
  readonly #target: ReplayTarget;
  readonly #decoder = createDecoder(false);
  #received = "";
  #unreadable = 0;

  constructor(target: ReplayTarget) {
    this.#target = target;
  }

  /** Lines that could not be told: the file was changed after it was recorded. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Tells one line. Never throws: a file comes from outside, and may say anything. */
  tell(entry: Entry): void {
    try {
      this.#tell(entry);
    } catch {
      this.#unreadable++;
    }
  }

  #tell(entry: Entry): void {
    if ("in" in entry) this.#received = entry.in;
    if ("update" in entry && entry.update !== undefined) this.#update(entry.t, entry.update);
    else if ("event" in entry) this.#target.dispatch(entry.event);
    else if ("pass" in entry) this.#target.pass(entry.t);
    else if ("trades" in entry) {
      this.#target.hear(entry.listing, entry.trades as readonly TradeRecord[]);
    } else if ("obstacle" in entry) this.#target.obstruct(entry.listing, entry.obstacle);
  }

  #update(atMs: number, acceptance: Acceptance): void {
    const decoded = this.#decoder.decode(this.#received);
    if (!decoded.ok || decoded.received.type !== "update") {
      this.#unreadable++;
      return;
    }
    const update = decoded.received;
    const { channel } = update.frame;
    const { lag } = acceptance;
    const place = placeOf(acceptance);
    this.#target.dispatch({ type: "update", atMs, channel, update, ...place, lagMs: lag });
  }
}
