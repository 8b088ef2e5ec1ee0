// trades/<spot|perp>/<market_id>: public trades (sections 2.2, 4.1, 6.3).
import * as z from "zod/mini";
import { type Shape, sequences, unsignedInteger, updateFrame } from "../shape.ts";
import type { SequencedUpdate } from "./update.ts";

/** One public trade. It has no id. */
export interface Trade {
  /** Unix nanoseconds, digit text. */
  readonly timestamp_ns: string;
  /** Price in ticks, digit text. */
  readonly price_ticks: string;
  /** Size in base lots, digit text. */
  readonly size_base_lots: string;
  /** True when the taker bought. */
  readonly taker_is_bid: boolean;
}

/** Trades of one frame. Their order within the frame is not shown. */
export interface TradesUpdate extends SequencedUpdate {
  readonly trades: readonly Trade[];
}

/** The schema of its updates (6.3), as strict as the shape says. Never throws. */
export function tradesUpdate(shape: Shape): z.ZodMiniType<TradesUpdate> {
  const trade = shape.record({
    timestamp_ns: unsignedInteger,
    price_ticks: unsignedInteger,
    size_base_lots: unsignedInteger,
    taker_is_bid: z.boolean(),
  });
  return updateFrame(shape, { ...sequences, trades: z.array(trade) });
}
