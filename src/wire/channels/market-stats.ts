// market-stats/<spot|perp>[/<market_id>]: figures of one market or of all of a type (2.3, 4.1, 6.3); their fields are not shown.
import type { Shape } from "../shape.ts";

export const marketStatsUpdate = (s: Shape) =>
  s.update({ ...s.sequences, market_stats: s.list(s.openRecord) });
