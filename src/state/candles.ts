// The candles of a market in one interval: the newest record of a period replaces older ones.
import type { Candle } from "../wire/frames.ts";
import { type Fold, NO_FINDINGS } from "./fold.ts";

export interface Candles {
  /** Oldest first. */
  items: Candle[];
  /** Open times of periods that were forming when updates were missed, and have not been sent since. */
  unfinished: number[];
}

/** A day of minutes. */
const MAX_CANDLES = 1440;

export const candlesFold: Fold<Candles, "candles" | "mark-candles"> = {
  empty: () => ({ items: [], unfinished: [] }),
  apply(state, { body: { candles } }, { place }) {
    const forming = state.items.at(-1);
    if (place === "first" && forming !== undefined) state.unfinished.push(forming.open_time_ms);
    for (const candle of candles) if (!isNothing(candle)) putCandle(state, candle);
    if (state.items.length > MAX_CANDLES) state.items.splice(0, state.items.length - MAX_CANDLES);
    const oldest = state.items[0]?.open_time_ms ?? 0;
    if (state.unfinished.length > 0)
      state.unfinished = state.unfinished.filter((time) => time >= oldest);
    return NO_FINDINGS;
  },
};

/** It stands for a period without trades: its prices are none, or only those from before. */
function isNothing({ open, high, low, close, ...counted }: Candle): boolean {
  if (!(Number(open) > 0 && Number(high) > 0 && Number(low) > 0 && Number(close) > 0)) return true;
  const { trades, samples = trades, volume_base = "0" } = counted;
  return samples === 0 && Number(high) === Number(low) && Number(volume_base) === 0;
}

/** Nearly always the newest. */
function putCandle(state: Candles, candle: Candle): void {
  const { items, unfinished } = state;
  let at = items.length;
  while (at > 0 && (items[at - 1]?.open_time_ms ?? 0) > candle.open_time_ms) at--;
  if (items[at - 1]?.open_time_ms === candle.open_time_ms) items[at - 1] = candle;
  else items.splice(at, 0, candle);
  if (unfinished.length > 0)
    state.unfinished = unfinished.filter((time) => time !== candle.open_time_ms);
}
