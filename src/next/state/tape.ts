// The trades of a market.
import type { Trade } from "../wire/frames.ts";

/** Trades that were missed. Times are nanoseconds of the service. */
export interface Hole {
  after_ns: string;
  until_ns: string;
  readonly cause: "connection" | "gap" | "renewed";
  healed: boolean;
  /** Index in `trades` of the first trade behind it. */
  at: number;
}

export interface Tape {
  sequence: string | null;
  /** Oldest first. */
  trades: Trade[];
  holes: Hole[];
}
