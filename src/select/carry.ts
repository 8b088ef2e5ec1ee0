// What a position pays or gets when the newest funding rate is settled, where the service names all that is needed.
// Reading: docs/adr/0017.

import type { Aliases } from "../state/aliases.ts";
import {
  absoluteDecimal,
  type Decimal,
  divideInteger,
  formatDecimal,
  multiplyDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { OpenRecord } from "../wire/update.ts";
import { readNumber } from "./cells.ts";
import { isSameMarket, type Market, marketOf } from "./market.ts";
import { positionDirection, positionSize } from "./position-size.ts";

/** What a position is worth, and at which rate. */
export interface CarryOptions {
  readonly positions: readonly OpenRecord[];
  readonly market: Market;
  /** Fraction of 1 for one interval. */
  readonly rate: Decimal;
  /** Mark price in quote currency; where it is not known, the position's own counts. */
  readonly mark: Decimal | undefined;
  readonly scale: Scale | undefined;
  readonly aliases: Aliases;
}

/** In quote currency: positive is what the position gets. */
export interface Carry {
  readonly side: "long" | "short";
  /** Rounded to cents of cents: `-1.2345`. */
  readonly amount: string;
}

const PLACES = 4;

/** Rate × notional of the position in this market; undefined where one of them is not known. Never throws. */
export function selectCarry(options: CarryOptions): Carry | undefined {
  const { positions, market, rate, aliases } = options;
  const position = positions.find((row) => {
    const own = marketOf(row, aliases);
    return own !== undefined && isSameMarket(own, market);
  });
  if (position === undefined) return undefined;
  const size = positionSize(position, aliases, options.scale?.lotSize);
  const mark = options.mark ?? readNumber(aliases.value(position, "markPrice"));
  const side = positionDirection(position, aliases);
  if (size === undefined || mark === undefined || side === undefined) return undefined;
  const { mantissa, places } = multiplyDecimal(multiplyDecimal(absoluteDecimal(size), mark), rate);
  // A positive rate is paid by longs.
  const signed = side === "long" ? -mantissa : mantissa;
  const amount = divideInteger(signed, 10n ** BigInt(places), PLACES);
  return amount && { side, amount: formatDecimal(amount) };
}
