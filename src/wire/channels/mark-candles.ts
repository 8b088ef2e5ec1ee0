// mark-candles/<market_id>/<interval>: candles of the mark price (sections 2.2, 4.1, 6.3).
import { MAX_CANDLES } from "../limits.ts";
import type { Infer, Shape } from "../shape.ts";
import { candlePrices } from "./candles.ts";

const markCandle = (s: Shape) =>
  s.record({
    ...candlePrices(s),
    /** Count of mark prices seen. */
    samples: s.count,
  });

/** One period of mark prices. */
export type MarkCandle = Infer<typeof markCandle>;

/** At most two candles: at the turn of a period, the one that ended and the one that began. */
export const markCandlesUpdate = (s: Shape) =>
  s.update({ candles: s.list(markCandle(s), MAX_CANDLES) });
