// candles/<spot|perp>/<market_id>/<interval>: candles of last prices (sections 2.2, 4.1, 6.3).
import * as z from "zod/mini";
import { MAX_CANDLES } from "../limits.ts";
import { decimal, integer, type Shape, updateFrame } from "../shape.ts";
import type { Update } from "./update.ts";

/** One period of traded prices. */
export interface LastCandle {
  /** Start of the period, Unix milliseconds. */
  readonly open_time_ms: number;
  /** Prices, decimal text. */
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Traded volume in base and in quote currency, decimal text. */
  readonly volume_base: string;
  readonly volume_quote: string;
  /** Count of trades. */
  readonly trades: number;
}

/** At most two candles: at the turn of a period, the one that ended and the one that began. */
export interface CandlesUpdate extends Update {
  readonly candles: readonly LastCandle[];
}

/** The schema of its updates (6.3), as strict as the shape says. Never throws. */
export function candlesUpdate(shape: Shape): z.ZodMiniType<CandlesUpdate> {
  const candle = shape.record({
    open_time_ms: integer,
    open: decimal,
    high: decimal,
    low: decimal,
    close: decimal,
    volume_base: decimal,
    volume_quote: decimal,
    trades: integer.check(z.minimum(0)),
  });
  return updateFrame(shape, { candles: z.array(candle).check(z.maxLength(MAX_CANDLES)) });
}
