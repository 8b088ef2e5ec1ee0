// The order book of a market.
import type { Level } from "../wire/frames.ts";

/** Two lists of levels in the wire's own records, best first. */
export interface Book {
  sequence: string | null;
  bids: Level[];
  asks: Level[];
}
