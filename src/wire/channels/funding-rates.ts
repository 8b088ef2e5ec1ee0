// funding-rates/<market_id>: funding rates of a perpetual market (sections 2.3, 4.1, 6.3); their fields are not shown.
import { MAX_FUNDING_RATES } from "../limits.ts";
import type { Shape } from "../shape.ts";

export const fundingRatesUpdate = (s: Shape) =>
  s.update({ ...s.sequences, funding_rates: s.list(s.openRecord, MAX_FUNDING_RATES) });
