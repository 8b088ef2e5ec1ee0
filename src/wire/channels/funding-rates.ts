// funding-rates/<market_id>: funding rates of a perpetual market (sections 2.3, 4.1, 6.3).
import * as z from "zod/mini";
import { MAX_FUNDING_RATES } from "../limits.ts";
import { openRecord, type Shape, sequences, updateFrame } from "../shape.ts";
import type { OpenRecord, SequencedUpdate } from "./update.ts";

/** At most 200 FundingRate records; their fields are not shown. */
export interface FundingRatesUpdate extends SequencedUpdate {
  readonly funding_rates: readonly OpenRecord[];
}

/** The schema of its updates (6.3), as strict as the shape says. Never throws. */
export function fundingRatesUpdate(shape: Shape): z.ZodMiniType<FundingRatesUpdate> {
  return updateFrame(shape, {
    ...sequences,
    funding_rates: z.array(openRecord).check(z.maxLength(MAX_FUNDING_RATES)),
  });
}
