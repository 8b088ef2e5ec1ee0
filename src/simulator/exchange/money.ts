// Money of the simulated exchange: whole millionths of the quote currency in BigInt, never floating point.

import type { MarketSpec } from "../scenario.ts";
import type { Account, Position } from "./account.ts";
import type { Market } from "./market.ts";

/** Decimal places of every quote amount: one atom is 0.000001 of the quote currency. */
export const QUOTE_PLACES = 6;
export const ATOMS_PER_QUOTE = 1_000_000n;
const PPM = 1_000_000n;

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

/** What open spot bids hold back of an account's money. */
export function heldAtoms({ orders }: Account, markets: readonly Market[]): bigint {
  let held = 0n;
  for (const { isBid, market, priceTicks, remainingLots } of orders) {
    const { isPerp, spec } = markets[market] ?? {};
    if (isBid && isPerp === false && spec !== undefined) {
      held += notionalAtoms(spec, priceTicks, remainingLots);
    }
  }
  return held;
}

/** What open asks hold back of its base currency in a spot market. */
export function heldLots({ orders }: Account, { index }: Market): number {
  const asks = orders.filter(({ isBid, market }) => !isBid && market === index);
  return asks.reduce((sum, { remainingLots }) => sum + remainingLots, 0);
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

/** Up to a position value in whole units of quote currency: maximum leverage, and maintenance margin in millionths. */
interface MarginTier {
  readonly maxNotional: number;
  readonly maxLeverage: number;
  readonly maintenancePpm: bigint;
}
/** Of every perpetual market, smallest first; the last one has no upper limit. */
export const MARGIN_TIERS: readonly MarginTier[] = [
  { maxNotional: 2_000_000, maxLeverage: 200, maintenancePpm: 2_500n },
  { maxNotional: 10_000_000, maxLeverage: 50, maintenancePpm: 10_000n },
  { maxNotional: 50_000_000, maxLeverage: 20, maintenancePpm: 25_000n },
];

/** In millionths of the position's value. */
function maintenanceRate(valueAtoms: bigint): bigint {
  const fits = MARGIN_TIERS.find(
    (tier) => valueAtoms <= BigInt(tier.maxNotional) * ATOMS_PER_QUOTE,
  );
  return (fits ?? MARGIN_TIERS.at(-1))?.maintenancePpm ?? 0n;
}

/** Maintenance margin of a position in quote atoms. */
function getMaintenance(market: Market, position: Position): bigint {
  const value = positionValue(market, position);
  return (value * maintenanceRate(value)) / PPM;
}

/** Initial margin of a position at the account's leverage, in quote atoms. */
export function getInitial(account: Account, market: Market, position: Position): bigint {
  return positionValue(market, position) / BigInt(account.leverages[market.index] ?? 1);
}

/** Totals of an account in quote atoms at current mark prices. Equity is quote balance plus unrealised profit. */
export function getMargin(account: Account, markets: readonly Market[]) {
  let unrealisedAtoms = 0n;
  let initialAtoms = 0n;
  let maintenanceAtoms = 0n;
  for (const market of markets) {
    const position = account.positions[market.index];
    if (!market.isPerp || position === undefined || position.lots === 0) continue;
    unrealisedAtoms += unrealised(market, position);
    initialAtoms += getInitial(account, market, position);
    maintenanceAtoms += getMaintenance(market, position);
  }
  const equityAtoms = account.quoteAtoms + unrealisedAtoms;
  return { equityAtoms, unrealisedAtoms, initialAtoms, maintenanceAtoms };
}

/**
 * The mark price at which equity falls to the maintenance margin, with all other prices constant and the position in its current
 * tier. Rounded to the tick that liquidates.
 * @returns undefined if no positive price does
 */
export function liquidationTicks(
  account: Account,
  markets: readonly Market[],
  market: Market,
): bigint | undefined {
  const position = account.positions[market.index];
  if (position === undefined || position.lots === 0) return undefined;
  const { equityAtoms, maintenanceAtoms } = getMargin(account, markets);
  const otherMargin =
    equityAtoms -
    unrealised(market, position) -
    (maintenanceAtoms - getMaintenance(market, position));
  const rate = maintenanceRate(positionValue(market, position));
  const lots = BigInt(position.lots);
  const size = lots < 0n ? -lots : lots;
  // otherMargin + lots × m − cost = size × m × rate, solved for m; numerator and denominator times a million.
  const numerator = (position.costAtoms - otherMargin) * PPM;
  const denominator = BigInt(market.spec.atomsPerTickLot) * (lots * PPM - size * rate);
  const ticks = numerator / denominator;
  if (ticks <= 0n) return undefined;
  return lots < 0n && numerator % denominator !== 0n ? ticks + 1n : ticks;
}
