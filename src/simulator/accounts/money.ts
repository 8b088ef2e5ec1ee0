// Money of the simulated exchange: whole millionths of the quote currency, in BigInt. Nothing is ever a float.
import type { Decimal } from "../../units/decimal.ts";
import type { MarketSpec } from "../exchange/market-spec.ts";

/** Digits after the point of every quote amount: one atom is 0.000001 of the quote currency. */
export const QUOTE_PLACES = 6;
/** Atoms in one whole unit of the quote currency. */
export const ATOMS_PER_QUOTE = 1_000_000n;
/** Fee rates and margin rates are in millionths (parts per million). */
export const PPM = 1_000_000n;

/** Value of a size at a price, in quote atoms. Exact. Never throws. */
export function notionalAtoms(spec: MarketSpec, priceTicks: number, sizeLots: number): bigint {
  // A product below 2^53 was never rounded on the way, because each factor is a whole number of 1 or more.
  const product = priceTicks * sizeLots * spec.atomsPerTickLot;
  if (Number.isSafeInteger(product)) return BigInt(product);
  return BigInt(priceTicks) * BigInt(sizeLots) * BigInt(spec.atomsPerTickLot);
}

/** Fee on a value, in quote atoms, halves rounded away from zero; negative for a negative rate. Never throws. */
export function feeAtoms(notional: bigint, ratePpm: bigint): bigint {
  const doubled = notional * ratePpm * 2n;
  return (ratePpm < 0n ? doubled - PPM : doubled + PPM) / (PPM * 2n);
}

/** A quote amount as a decimal with QUOTE_PLACES places. Never throws. */
export function quoteDecimal(atoms: bigint): Decimal {
  return { mantissa: atoms, places: QUOTE_PLACES };
}
