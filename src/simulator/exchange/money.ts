// Money of the simulated exchange: whole millionths of the quote currency, far below 2^53 where they are kept.
import type { Account, Position } from "./account.ts";
import type { Market, MarketSpec } from "./market.ts";

/** Of all markets. */
export const QUOTE_ASSET = "USDC";
/** Decimal places of every quote amount: one atom is 0.000001 of the quote currency. */
export const QUOTE_PLACES = 6;
export const ATOMS_PER_QUOTE = 1_000_000;
const PPM = 1_000_000n;
/** Maintenance margin as a share of a position's value. */
const MAINTENANCE = 0.0025;

/** Of signed or unsigned lots. */
export function notionalAtoms(spec: MarketSpec, priceTicks: number, lots: number): number {
  return priceTicks * lots * spec.atomsPerTickLot;
}

/** Fee on a value in quote atoms, halves rounded away from zero; negative for a negative rate. */
function feeAtoms(notional: number, ratePpm: number): number {
  const doubled = BigInt(notional) * BigInt(ratePpm * 2);
  return Number((ratePpm < 0 ? doubled - PPM : doubled + PPM) / (PPM * 2n));
}

/** Value and fees of a trade, in quote atoms. */
export function priced(spec: MarketSpec, priceTicks: number, takerLots: number) {
  const notional = notionalAtoms(spec, priceTicks, Math.abs(takerLots));
  const makerFee = feeAtoms(notional, spec.makerFeePpm);
  return { notional, makerFee, takerFee: feeAtoms(notional, spec.takerFeePpm) };
}

/** Value of a position at the mark price, unsigned, in quote atoms. */
export function positionValue({ spec, markTicks }: Market, { lots }: Position): number {
  return notionalAtoms(spec, markTicks, Math.abs(lots));
}

/** Profit from closing at the mark price, in quote atoms. */
export function unrealised({ spec, markTicks }: Market, { lots, costAtoms }: Position): number {
  return notionalAtoms(spec, markTicks, lots) - costAtoms;
}

/** Initial margin of a position at the account's leverage, in quote atoms. */
export function getInitial({ leverages }: Account, market: Market, position: Position): number {
  return Math.floor(positionValue(market, position) / (leverages[market.index] ?? 1));
}

/** The positions of an account that are open on margin, with their markets. */
export function openPositions({ positions }: Account, markets: readonly Market[]) {
  const open: { readonly market: Market; readonly position: Position }[] = [];
  for (const market of markets) {
    const position = market.isPerp ? positions[market.index] : undefined;
    if (position !== undefined && position.lots !== 0) open.push({ market, position });
  }
  return open;
}

/** Totals of an account in quote atoms at current mark prices. Equity is quote balance plus unrealised profit. */
export function getMargin(account: Account, markets: readonly Market[]) {
  let [unrealisedAtoms, initialAtoms, valueAtoms] = [0, 0, 0];
  for (const { market, position } of openPositions(account, markets)) {
    unrealisedAtoms += unrealised(market, position);
    initialAtoms += getInitial(account, market, position);
    valueAtoms += positionValue(market, position);
  }
  const maintenanceAtoms = Math.floor(valueAtoms * MAINTENANCE);
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
  { lots, costAtoms }: Position,
): number | undefined {
  const others = markets.filter((each) => each !== market);
  const { equityAtoms, maintenanceAtoms } = getMargin(account, others);
  // spare + lots × m − cost = size × m × rate, solved for m.
  const needed = costAtoms - (equityAtoms - maintenanceAtoms);
  const lotsLeft = lots - Math.abs(lots) * MAINTENANCE;
  const ticks = needed / (lotsLeft * market.spec.atomsPerTickLot);
  return ticks <= 0 ? undefined : lots > 0 ? Math.floor(ticks) : Math.ceil(ticks);
}
