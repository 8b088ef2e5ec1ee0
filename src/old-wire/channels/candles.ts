// candles/<spot|perp>/<market_id>/<interval>: candles of last prices; mark-candles/<market_id>/<interval>: of the mark price
// (sections 2.2, 4.1, 6.3).
import { MAX_CANDLES } from "../../wire/limits.ts";
import type { Infer, Shape } from "../shape.ts";

const candlePrices = (s: Shape) => ({
  /** Start of the period, Unix milliseconds. */
  open_time_ms: s.integer,
  /** Prices, decimal text. */
  open: s.decimal,
  high: s.decimal,
  low: s.decimal,
  close: s.decimal,
});

const lastCandle = (s: Shape) =>
  s.record({
    ...candlePrices(s),
    /** Traded volume in base and in quote currency, decimal text. */
    volume_base: s.decimal,
    volume_quote: s.decimal,
    /** Number of trades. */
    trades: s.count,
  });

/** One period of traded prices. */
export type LastCandle = Infer<typeof lastCandle>;

/** At most two candles: when a period ends, the finished one and the new one. */
export const candlesUpdate = (s: Shape) =>
  s.update({ candles: s.list(lastCandle(s), MAX_CANDLES) });

export type CandlesUpdate = Infer<typeof candlesUpdate>;

const markCandle = (s: Shape) =>
  s.record({
    ...candlePrices(s),
    /** Number of mark prices sampled. */
    samples: s.count,
  });

/** One period of mark prices. */
export type MarkCandle = Infer<typeof markCandle>;

export const markCandlesUpdate = (s: Shape) =>
  s.update({ candles: s.list(markCandle(s), MAX_CANDLES) });
