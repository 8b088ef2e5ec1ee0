// A recorded session as a store of its own, filled line by line, and what can be shown of it.

import { openScales } from "../../select/scale.ts";
import type { Scales } from "../../state/scales.ts";
import { Store } from "../../state/store.ts";
import type { Entry, RecordingSettings } from "../../timeline/entry.ts";
import { Replay } from "../../timeline/replay.ts";
import { parseDecimal } from "../../units/decimal.ts";
import type { Scale } from "../../units/scale.ts";

/** A store and scales as the recorded session had them when the last line was told. */
export class ReplayedSession {
  readonly store: Store;
  readonly scales: Scales;
  #replay: Replay;
  readonly #start: { readonly t: number; readonly w: number };
  #nowMs: number;
  #wallMs: number;

  constructor(settings: RecordingSettings, start: { t: number; w: number }, store = new Store()) {
    this.store = store;
    this.scales = openScales(store, knownScales(settings));
    this.#start = start;
    this.#nowMs = start.t;
    this.#wallMs = start.w;
    this.#replay = this.#createReplay();
  }

  /** The recording machine's monotonic clock at the last line that was told. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Its wall clock, Unix milliseconds. */
  get wallMs(): number {
    return this.#wallMs;
  }

  /** Lines that could not be told. */
  get unreadable(): number {
    return this.#replay.unreadable;
  }

  /** Nothing has been told yet. Only what was learned of scales stays: it does not change in time. */
  restart(): void {
    this.store.clear();
    this.#nowMs = this.#start.t;
    this.#wallMs = this.#start.w;
    this.#replay = this.#createReplay();
  }

  #createReplay(): Replay {
    const { store, scales } = this;
    return new Replay({
      dispatch: (event) => store.dispatch(event),
      pass: (nowMs) => store.pass(nowMs),
      addTrades: (market, trades) => scales.hear(market, trades),
      markUnavailable: (market, obstacle) => scales.obstruct(market, obstacle),
    });
  }

  tell(entry: Entry): void {
    this.#nowMs = entry.t;
    this.#wallMs = entry.w;
    this.#replay.apply(entry);
  }
}

function knownScales({ scales }: RecordingSettings): Readonly<Record<string, Scale>> {
  const known = Object.entries(scales).flatMap(([market, { tick_size, lot_size }]) => {
    const tickSize = parseDecimal(tick_size);
    const lotSize = parseDecimal(lot_size);
    return tickSize === undefined || lotSize === undefined ? [] : [[market, { tickSize, lotSize }]];
  });
  return Object.fromEntries(known);
}
