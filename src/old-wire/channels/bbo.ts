// bbo/<spot|perp>/<market_id>: best bid and offer (sections 2.2, 4.1, 6.3).
import type { Infer, Shape } from "../shape.ts";
import { priceLevel } from "./orderbook.ts";

export const bboUpdate = (s: Shape) => {
  /** Null where the side is empty. */
  const level = s.nullable(priceLevel(s));
  return s.update({ bbo: s.record({ bid: level, ask: level }) });
};

export type BboUpdate = Infer<typeof bboUpdate>;
/** Best bid and best ask; null where a side is empty. */
export type Bbo = BboUpdate["bbo"];
