// What a market is, apart from what happens in it.

import type { Decimal } from "../../units/decimal.ts";
import type { MarketType } from "../../wire/channels.ts";

/** Up to a value, how far a position may be leveraged and what margin keeps it alive. */
export interface MarginTier {
  /** Largest position value of the tier, in whole units of quote currency. */
  readonly maxNotional: number;
  readonly maxLeverage: number;
  /** Least margin before liquidation, in millionths of the position's value. */
  readonly maintenancePpm: bigint;
}

/** Scale, fees, margin and temper of a market; it never changes. */
export interface MarketSpec {
  readonly type: MarketType;
  /** Unique among the markets of its type only. */
  readonly id: number;
  readonly symbol: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  /** Quote currency in one tick, base currency in one lot. */
  readonly tickSize: Decimal;
  readonly lotSize: Decimal;
  /** Quote atoms in one tick times one lot: a whole number, so that every value is exact. */
  readonly atomsPerTickLot: number;
  readonly startTicks: number;
  /** Fees in millionths of the traded value; a negative one is a rebate. */
  readonly makerFeePpm: bigint;
  readonly takerFeePpm: bigint;
  /** Smallest first; empty for spot. The last one has no upper end. */
  readonly marginTiers: readonly MarginTier[];
  /** How often traders act, relative to a calm large market. */
  readonly activity: number;
  /** How far the fair price moves in a second, in millionths (one standard deviation in calm times). */
  readonly volatilityPpm: number;
}
