// Money of the simulated exchange: whole millionths of the quote currency in BigInt, never floating point.
import type { Account, Position } from "./account.ts";
import type { Market, MarketSpec } from "./market.ts";

/** Of all markets. */
export const QUOTE_ASSET = "USDC";
/** Decimal places of every quote amount: one atom is 0.000001 of the quote currency. */
export const QUOTE_PLACES = 6;
export const ATOMS_PER_QUOTE = 1_000_000n;
const PPM = 1_000_000n;
/** Maintenance margin in millionths of a position's value. */
const MAINTENANCE_PPM = 2_500n;

export function notionalAtoms(spec: MarketSpec, priceTicks: number, sizeLots: number): bigint {
  // Each factor is an integer of 1 or more, so a product below 2^53 was never rounded on the way.
  const product = priceTicks * sizeLots * spec.atomsPerTickLot;
  if (Number.isSafeInteger(product)) return BigInt(product);
  return BigInt(priceTicks) * BigInt(sizeLots) * BigInt(spec.atomsPerTickLot);
}

/** Fee on a value in quote atoms, halves rounded away from zero; negative for a negative rate. */
export function feeAtoms(notional: bigint, ratePpm: bigint): bigint {
  const doubled = notional * ratePpm * 2n;
  return (ratePpm < 0n ? doubled - PPM : doubled + PPM) / (PPM * 2n);
}

/** Value of a position at the mark price, unsigned, in quote atoms. */
export function positionValue(market: Market, { lots }: Position): bigint {
  return notionalAtoms(market.spec, market.markTicks, Math.abs(lots));
}

/** Profit from closing at the mark price, in quote atoms. */
export function unrealised(market: Market, position: Position): bigint {
  const value = positionValue(market, position);
  return (position.lots < 0 ? -value : value) - position.costAtoms;
}

/** Initial margin of a position at the account's leverage, in quote atoms. */
export function getInitial(account: Account, market: Market, position: Position): bigint {
  return positionValue(market, position) / BigInt(account.leverages[market.index] ?? 1);
}

/** Totals of an account in quote atoms at current mark prices. Equity is quote balance plus unrealised profit. */
export function getMargin(account: Account, markets: readonly Market[]) {
  let unrealisedAtoms = 0n;
  let initialAtoms = 0n;
  let valueAtoms = 0n;
  for (const market of markets) {
    const position = account.positions[market.index];
    if (!market.isPerp || position === undefined || position.lots === 0) continue;
    unrealisedAtoms += unrealised(market, position);
    initialAtoms += getInitial(account, market, position);
    valueAtoms += positionValue(market, position);
  }
  const maintenanceAtoms = (valueAtoms * MAINTENANCE_PPM) / PPM;
  const equityAtoms = account.quoteAtoms + unrealisedAtoms;
  return { equityAtoms, unrealisedAtoms, initialAtoms, maintenanceAtoms };
}

/**
 * The mark price at which equity falls to the maintenance margin, with all other prices constant. Rounded to the tick that
 * liquidates.
 * @returns undefined if no positive price does
 */
export function liquidationTicks(
  account: Account,
  markets: readonly Market[],
  market: Market,
  position: Position,
): bigint | undefined {
  const others = getMargin(
    account,
    markets.filter((each) => each !== market),
  );
  const lots = BigInt(position.lots);
  const size = lots < 0n ? -lots : lots;
  // spare + lots × m − cost = size × m × rate, solved for m; numerator and denominator times a million.
  const spare = others.equityAtoms - others.maintenanceAtoms;
  const numerator = (position.costAtoms - spare) * PPM;
  const denominator = BigInt(market.spec.atomsPerTickLot) * (lots * PPM - size * MAINTENANCE_PPM);
  const ticks = numerator / denominator;
  if (ticks <= 0n) return undefined;
  return lots < 0n && numerator % denominator !== 0n ? ticks + 1n : ticks;
}
