// mark-candles/<market_id>/<interval>: candles of the mark price (sections 2.2, 4.1, 6.3).
import * as z from "zod/mini";
import { MAX_CANDLES } from "../limits.ts";
import { decimal, integer, type Shape, updateFrame } from "../shape.ts";
import type { Update } from "./update.ts";

/** One period of mark prices. */
export interface MarkCandle {
  /** Start of the period, Unix milliseconds. */
  readonly open_time_ms: number;
  /** Prices, decimal text. */
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Count of mark prices seen. */
  readonly samples: number;
}

/** At most two candles: at the turn of a period, the one that ended and the one that began. */
export interface MarkCandlesUpdate extends Update {
  readonly candles: readonly MarkCandle[];
}

/** The schema of its updates (6.3), as strict as the shape says. Never throws. */
export function markCandlesUpdate(shape: Shape): z.ZodMiniType<MarkCandlesUpdate> {
  const candle = shape.record({
    open_time_ms: integer,
    open: decimal,
    high: decimal,
    low: decimal,
    close: decimal,
    samples: integer.check(z.minimum(0)),
  });
  return updateFrame(shape, { candles: z.array(candle).check(z.maxLength(MAX_CANDLES)) });
}
