// trades/<spot|perp>/<market_id>: public trades (sections 2.2, 4.1, 6.3).
import type { Infer, Shape } from "../shape.ts";

const trade = (s: Shape) =>
  s.record({
    /** Unix nanoseconds, digit text. */
    timestamp_ns: s.unsignedInteger,
    /** Price in ticks, digit text. */
    price_ticks: s.unsignedInteger,
    /** Size in base lots, digit text. */
    size_base_lots: s.unsignedInteger,
    /** True when the taker bought. */
    taker_is_bid: s.flag,
  });

/** One public trade. It has no id. */
export type Trade = Infer<typeof trade>;

/** Trades of one frame. Their order within the frame is not documented. */
export const tradesUpdate = (s: Shape) => s.update({ ...s.sequences, trades: s.list(trade(s)) });

export type TradesUpdate = Infer<typeof tradesUpdate>;
