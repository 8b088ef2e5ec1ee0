// Where money goes that belongs to no account, and how much came in from outside: with it, nothing is ever lost.

/** All sums in quote atoms. The exchange changes them. */
export class Treasury {
  /** Fees less rebates. */
  feesAtoms = 0n;
  /** Pays what a liquidated account cannot; its debt is what it paid so far. */
  insuranceAtoms = 0n;
  /** What cutting funding payments to whole atoms left over. */
  fundingResidueAtoms = 0n;
  /** Money and base currency (in lots, by market index) that accounts brought in, less what they took out. */
  depositedAtoms = 0n;
  readonly depositedLots: number[];

  constructor(marketCount: number) {
    this.depositedLots = Array.from({ length: marketCount }, () => 0);
  }
}
