// Best bid and offer: each frame has all of it.
import { isZero } from "../units/uint.ts";
import type { Level } from "../wire/frames.ts";
import { type Fold, NO_FINDINGS } from "./fold.ts";

export interface BestPrices {
  bid: Level | null;
  ask: Level | null;
}

export const bboFold: Fold<BestPrices, "bbo"> = {
  empty: () => ({ bid: null, ask: null }),
  apply(state, { body: { bbo } }) {
    state.bid = levelOf(bbo.bid);
    state.ask = levelOf(bbo.ask);
    return NO_FINDINGS;
  },
};

/** A side without orders may come as a level of nothing. */
function levelOf(level: Level | null): Level | null {
  return level === null || isZero(level.price_ticks) || isZero(level.size_base_lots) ? null : level;
}
