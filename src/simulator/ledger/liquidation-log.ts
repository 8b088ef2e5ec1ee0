// Liquidations, oldest first.

/** A position as a liquidation found it, and how much of it was closed. */
export interface LiquidatedPosition {
  readonly market: number;
  readonly isLong: boolean;
  readonly closedLots: number;
  /** Margin that was left for it, in quote atoms; negative when the account was bankrupt. */
  readonly marginAtoms: bigint;
}

/** One liquidation of one account. */
export interface Liquidation {
  /** Index of the transaction. */
  readonly index: number;
  readonly timeUs: number;
  /** Index of the account. */
  readonly account: number;
  /** True when only a part of the positions was closed. */
  readonly isPartial: boolean;
  readonly isBankrupt: boolean;
  /** Not empty; a market once at most. */
  readonly positions: readonly LiquidatedPosition[];
}

/** Ids of liquidations count up from here. */
export const FIRST_LIQUIDATION_ID = 4_100_001;
const MAX_LIQUIDATIONS_KEPT = 100_000;

/** The newest liquidations. Never throws. */
export class LiquidationLog {
  /** Oldest first; the first one kept has number `first`. */
  readonly rows: Liquidation[] = [];
  first = 0;

  add(liquidation: Liquidation): void {
    this.rows.push(liquidation);
    if (this.rows.length <= MAX_LIQUIDATIONS_KEPT) return;
    this.rows.shift();
    this.first++;
  }

  /** Liquidations so far, with those that are no longer kept. */
  get end(): number {
    return this.first + this.rows.length;
  }
}
