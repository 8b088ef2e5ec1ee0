// market-stats/<spot|perp>[/<market_id>]: figures of one market or of all of a type (2.3, 4.1, 6.3).
import * as z from "zod/mini";
import { openRecord, type Shape, sequences, updateFrame } from "../shape.ts";
import type { OpenRecord, SequencedUpdate } from "./update.ts";

/** MarketStats records; their fields are not shown. */
export interface MarketStatsUpdate extends SequencedUpdate {
  readonly market_stats: readonly OpenRecord[];
}

/** The schema of its updates (6.3), as strict as the shape says. Never throws. */
export function marketStatsUpdate(shape: Shape): z.ZodMiniType<MarketStatsUpdate> {
  return updateFrame(shape, { ...sequences, market_stats: z.array(openRecord) });
}
