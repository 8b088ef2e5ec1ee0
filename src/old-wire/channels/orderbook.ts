// orderbook/<spot|perp>/<market_id>: the order book (sections 2.2, 4.1, 6.3).
import type { Infer, Shape } from "../shape.ts";

export const priceLevel = (s: Shape) =>
  s.record({
    /** Price in ticks, digit text. */
    price_ticks: s.unsignedInteger,
    /** Size in base lots, digit text. */
    size_base_lots: s.unsignedInteger,
  });

export type PriceLevel = Infer<typeof priceLevel>;

/** Levels of both sides in wire order. Whether they are a snapshot or a delta is not documented. */
export const orderbookUpdate = (s: Shape) => {
  const levels = s.list(priceLevel(s));
  return s.update({ ...s.sequences, orderbook: s.record({ bids: levels, asks: levels }) });
};

export type OrderbookUpdate = Infer<typeof orderbookUpdate>;
export type Orderbook = OrderbookUpdate["orderbook"];
