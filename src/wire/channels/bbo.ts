// bbo/<spot|perp>/<market_id>: best bid and offer (sections 2.2, 4.1, 6.3).
import * as z from "zod/mini";
import { type Shape, updateFrame } from "../shape.ts";
import { type PriceLevel, priceLevel } from "./price-level.ts";
import type { Update } from "./update.ts";

/** Best bid and best ask; null where a side is empty. */
export interface Bbo {
  readonly bid: PriceLevel | null;
  readonly ask: PriceLevel | null;
}

/** The best bid and ask of a market; a side without orders is null. */
export interface BboUpdate extends Update {
  readonly bbo: Bbo;
}

/** Its schema (6.3), as strict as the shape says. Never throws. */
export function bboUpdate(shape: Shape): z.ZodMiniType<BboUpdate> {
  const level = z.nullable(priceLevel(shape));
  return updateFrame(shape, { bbo: shape.record({ bid: level, ask: level }) });
}
