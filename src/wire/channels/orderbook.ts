// orderbook/<spot|perp>/<market_id>: the order book (sections 2.2, 4.1, 6.3).
import * as z from "zod/mini";
import { type Shape, sequences, updateFrame } from "../shape.ts";
import { type PriceLevel, priceLevel } from "./price-level.ts";
import type { SequencedUpdate } from "./update.ts";

/** Levels of both sides in the order of the wire. Whether they are the whole book or changes is not shown. */
export interface Orderbook {
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
}

/** Levels of both sides; whether all or the changed ones is a reading (docs/adr/0003). */
export interface OrderbookUpdate extends SequencedUpdate {
  readonly orderbook: Orderbook;
}

/** Its schema (6.3), as strict as the shape says. Never throws. */
export function orderbookUpdate(shape: Shape): z.ZodMiniType<OrderbookUpdate> {
  const levels = z.array(priceLevel(shape));
  return updateFrame(shape, {
    ...sequences,
    orderbook: shape.record({ bids: levels, asks: levels }),
  });
}
