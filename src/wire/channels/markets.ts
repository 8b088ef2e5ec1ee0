// markets: the list of markets (sections 2.3, 4.1, 6.3); fields of Market and MarginTier are not shown.
import type { Shape } from "../shape.ts";

export const marketsUpdate = (s: Shape) =>
  s.update({ ...s.sequences, markets: s.list(s.openRecord) });
