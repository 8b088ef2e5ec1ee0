// An amount that a user types, in the units in which the book counts.
//
//   2.5             of the base currency; of lots where it is not known what a lot is worth
//   10000 quote     of the quote currency, or 10000q
import { parseDecimal } from "../units/decimal.ts";
import { type Scale, unitsOf } from "../units/scale.ts";

/** How much is to be taken from the book. */
export interface BookAmount {
  readonly kind: "base" | "quote";
  /** Lots, above zero; or, for quote, ticks times lots, rounded down: nothing where it is less than one of these. */
  readonly units: bigint;
}

/** An amount, or why the words are none. */
export type ParsedAmount = { readonly amount: BookAmount } | { readonly fault: string };

/** Longer text is no amount that any book could have. */
const FORM = /^\s*(\d{1,30}(?:\.\d{1,30})?)\s*(b|base|q|quote)?\s*$/i;

/** Reads an amount. @param scale of the market; without it, amounts are lots. Never throws. */
export function parseAmount(text: string, scale: Scale | undefined): ParsedAmount {
  const [, digits = "", unit = "base"] = FORM.exec(text) ?? [];
  const number = parseDecimal(digits);
  if (number === undefined) return { fault: "not an amount: 2.5, or 10000 quote" };
  if (number.mantissa === 0n) return { fault: "nothing is no amount" };
  if (/^q/i.test(unit)) {
    if (scale === undefined) return { fault: "worth of a tick not known: give lots" };
    const worth = scale.tickSize.mantissa * scale.lotSize.mantissa;
    const places = scale.tickSize.places + scale.lotSize.places;
    const units =
      (number.mantissa * 10n ** BigInt(places)) / (worth * 10n ** BigInt(number.places));
    return { amount: { kind: "quote", units } };
  }
  const lots = unitsOf(number, scale?.lotSize ?? { mantissa: 1n, places: 0 });
  if (lots === undefined) return { fault: "not a whole number of lots" };
  return { amount: { kind: "base", units: lots } };
}
