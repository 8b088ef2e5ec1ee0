// What a position pays or gets when the newest funding rate is settled, where the service names all that is needed.
// Reading: docs/adr/0017.
import type { OpenRecord } from "../protocol/channels/update.ts";
import type { Aliases } from "../store/aliases.ts";
import { type Decimal, divideInteger, formatDecimal, multiplyDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { readNumber } from "./cells.ts";
import { isSameMarket, type Market, marketOf } from "./market.ts";

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
  const size = sizeOf(position, options);
  const mark = options.mark ?? readNumber(aliases.value(position, "markPrice"));
  const side = size && sideOf(position, size, aliases);
  if (size === undefined || mark === undefined || side === undefined) return undefined;
  const positive = { ...size, mantissa: size.mantissa < 0n ? -size.mantissa : size.mantissa };
  const { mantissa, places } = multiplyDecimal(multiplyDecimal(positive, mark), rate);
  // A positive rate is paid by longs.
  const signed = side === "long" ? -mantissa : mantissa;
  const amount = divideInteger(signed, 10n ** BigInt(places), PLACES);
  return amount && { side, amount: formatDecimal(amount) };
}

function sizeOf(position: OpenRecord, { aliases, scale }: CarryOptions): Decimal | undefined {
  const lots = readNumber(aliases.value(position, "sizeLots"));
  if (lots !== undefined) return scale && multiplyDecimal(lots, scale.lotSize);
  return readNumber(aliases.value(position, "size"));
}

/** A negative size is a short; else the side says it, in whatever words. */
function sideOf(position: OpenRecord, size: Decimal, aliases: Aliases): Carry["side"] | undefined {
  if (size.mantissa < 0n) return "short";
  const word = aliases.text(position, "side") ?? "";
  if (/^(?:long|buy|bid|true)$/i.test(word)) return "long";
  return /^(?:short|sell|ask|false)$/i.test(word) ? "short" : undefined;
}
