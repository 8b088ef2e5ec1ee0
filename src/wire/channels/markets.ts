// markets: the list of markets (sections 2.3, 4.1, 6.3).
import * as z from "zod/mini";
import { openRecord, type Shape, sequences, updateFrame } from "../shape.ts";
import type { OpenRecord, SequencedUpdate } from "./update.ts";

/** Market records; their fields (Market, MarginTier) are not shown. */
export interface MarketsUpdate extends SequencedUpdate {
  readonly markets: readonly OpenRecord[];
}

/** The schema of its updates (6.3), as strict as the shape says. Never throws. */
export function marketsUpdate(shape: Shape): z.ZodMiniType<MarketsUpdate> {
  return updateFrame(shape, { ...sequences, markets: z.array(openRecord) });
}
