// Money of the simulated exchange: whole millionths of the quote currency, far below 2^53 where they are kept.
import type { Account, Position } from "./account.ts";
import type { Market, MarketSpec } from "./market.ts";

/** Of all markets. */
export const QUOTE_ASSET = "USDC";
/** Decimal places of every quote amount: one atom is 0.000001 of the quote currency. */
export const QUOTE_PLACES = 6;
export const ATOMS_PER_QUOTE = 1_000_000;
const PPM = 1_000_000n;
/** In millionths of the traded value; a negative one is a rebate. */
const FEES_PPM = { perp: { maker: -20, taker: 350 }, spot: { maker: 0, taker: 500 } };
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
  const { maker, taker } = FEES_PPM[spec.type];
  return { notional, makerFee: feeAtoms(notional, maker), takerFee: feeAtoms(notional, taker) };
}

/** A position at the mark price, in quote atoms: its unsigned value, the profit from closing it, its initial margin. */
export function valuePosition({ leverages }: Account, market: Market, position: Position) {
  const { index, spec, markTicks } = market;
  const valueAtoms = notionalAtoms(spec, markTicks, Math.abs(position.lots));
  return {
    ...{ market, position, valueAtoms },
    profitAtoms: notionalAtoms(spec, markTicks, position.lots) - position.costAtoms,
    initialAtoms: Math.floor(valueAtoms / (leverages[index] ?? 1)),
  };
}

/** The positions of an account that are open on margin. */
export function openPositions(account: Account, markets: readonly Market[]) {
  const open: ReturnType<typeof valuePosition>[] = [];
  for (const market of markets) {
    const position = market.isPerp ? account.positions[market.index] : undefined;
    if (position !== undefined && position.lots !== 0)
      open.push(valuePosition(account, market, position));
  }
  return open;
}

/** Totals of an account in quote atoms at current mark prices. Equity is quote balance plus unrealised profit. */
export function getMargin(account: Account, markets: readonly Market[]) {
  let [unrealisedAtoms, initialAtoms, valueAtoms] = [0, 0, 0];
  for (const each of openPositions(account, markets)) {
    unrealisedAtoms += each.profitAtoms;
    initialAtoms += each.initialAtoms;
    valueAtoms += each.valueAtoms;
  }
  const maintenanceAtoms = Math.floor(valueAtoms * MAINTENANCE);
  const equityAtoms = account.quoteAtoms + unrealisedAtoms;
  return { equityAtoms, unrealisedAtoms, initialAtoms, maintenanceAtoms };
}

/**
 * The mark price at which equity falls to the maintenance margin, with all other prices constant. Rounded to the tick that
 * liquidates.
 * @returns undefined if no positive price does, as without a position
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
  return lots === 0 || ticks <= 0 ? undefined : lots > 0 ? Math.floor(ticks) : Math.ceil(ticks);
}
