// Funding: at the end of each interval longs pay shorts, or shorts longs, in proportion to their positions.
import { divideInteger } from "../../units/decimal.ts";
import type { MarketSpec } from "../exchange/market-spec.ts";
import { notionalAtoms } from "./money.ts";

/** Funding rates are in hundred-millionths of the position's value for each interval. */
export const FUNDING_PLACES = 8;
const FUNDING_UNIT = 10n ** BigInt(FUNDING_PLACES);
/** No interval costs more than this: 0.05 %, in hundred-millionths. */
const MAX_RATE = 50_000n;

/** One settlement, or the one to come. */
export interface FundingRate {
  readonly market: number;
  /** In hundred-millionths; positive: longs pay shorts. */
  readonly rate: bigint;
  readonly markTicks: number;
  readonly indexTicks: number;
  /** End of the interval, simulated microseconds. */
  readonly timeUs: number;
  readonly intervalMs: number;
  readonly isSettled: boolean;
}

/** What one account paid (negative) or received. */
export interface FundingPayment {
  readonly market: number;
  readonly rate: bigint;
  readonly markTicks: number;
  /** Position at the settlement, signed. */
  readonly lots: number;
  /** In quote atoms. */
  readonly amountAtoms: bigint;
  readonly timeUs: number;
}

/**
 * The rate for an interval, within the limit: the average premium of the mark price over the index price. Never
 * throws.
 * @param premiumTicks sum of the premiums of `samples` moments
 */
export function fundingRate(premiumTicks: bigint, samples: number, indexTicks: number): bigint {
  const divisor = BigInt(indexTicks) * BigInt(samples);
  const rate = divideInteger(premiumTicks * FUNDING_UNIT, divisor, 0)?.mantissa ?? 0n;
  if (rate > MAX_RATE) return MAX_RATE;
  return rate < -MAX_RATE ? -MAX_RATE : rate;
}

/** What a position pays (negative) or receives, in quote atoms, cut towards zero. Never throws. */
export function fundingAmount(
  spec: MarketSpec,
  lots: number,
  markTicks: number,
  rate: bigint,
): bigint {
  const value = notionalAtoms(spec, markTicks, Math.abs(lots));
  return ((lots > 0 ? -value : value) * rate) / FUNDING_UNIT;
}
