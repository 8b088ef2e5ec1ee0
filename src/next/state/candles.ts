// The candles of a market in one interval.
import type { Candle } from "../wire/frames.ts";

export interface Candles {
  /** Oldest first. */
  items: Candle[];
  /** Open times of periods that were forming when updates were missed, and have not been sent since. */
  unfinished: number[];
}
