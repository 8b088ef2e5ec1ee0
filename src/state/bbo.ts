// Best bid and offer: each frame has all of it.
import type { Level } from "../wire/frames.ts";
import { type Fold, NOTHING } from "./fold.ts";

export interface BestPrices {
  bid: Level | null;
  ask: Level | null;
}

export const bboFold: Fold<BestPrices, "bbo"> = {
  empty: () => ({ bid: null, ask: null }),
  apply(state, { body: { bbo } }) {
    state.bid = bbo.bid;
    state.ask = bbo.ask;
    return NOTHING;
  },
};
