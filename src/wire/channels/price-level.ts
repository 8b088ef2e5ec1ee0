// PriceLevel (section 2.2), shared by bbo and orderbook.
import { type Shape, unsignedInteger } from "../shape.ts";

/** One price of a side. */
export interface PriceLevel {
  /** Price in ticks, digit text. */
  readonly price_ticks: string;
  /** Size in base lots, digit text. */
  readonly size_base_lots: string;
}

/** The schema of a level (2.2), as strict as the shape says. Never throws. */
export function priceLevel(shape: Shape) {
  return shape.record({ price_ticks: unsignedInteger, size_base_lots: unsignedInteger });
}
