// A position in a perpetual market: signed lots at an average cost, and what it has earned so far.

/** Signed size and signed cost: negative for a short one. Only applyFill and the exchange change it. */
export interface Position {
  lots: number;
  /** What the open lots cost, in quote atoms, with the sign of `lots`. */
  costAtoms: bigint;
  /** Profit of closed lots, funding received (paid: negative) and fees paid, in quote atoms. */
  realisedAtoms: bigint;
  fundingAtoms: bigint;
  feesAtoms: bigint;
}

/** A position that was never traded. Never throws. */
export function emptyPosition(): Position {
  return { lots: 0, costAtoms: 0n, realisedAtoms: 0n, fundingAtoms: 0n, feesAtoms: 0n };
}

/**
 * Books a fill: first against the open lots, at their average cost, then as new lots. Where the average cost of a
 * part is no whole number of atoms, the part is cut towards zero and the rest stays with the lots that remain open,
 * so that profit minus cost is always exactly the money that moved. Never throws.
 * @param signedLots bought lots, or sold lots as a negative number
 * @param lotAtoms price of one lot in quote atoms
 * @returns the profit that the fill realised, in quote atoms
 */
export function applyFill(position: Position, signedLots: number, lotAtoms: bigint): bigint {
  const { lots, costAtoms } = position;
  const closes = lots !== 0 && lots > 0 !== signedLots > 0;
  if (!closes) {
    position.lots = lots + signedLots;
    position.costAtoms = costAtoms + BigInt(signedLots) * lotAtoms;
    return 0n;
  }
  const closed = Math.min(Math.abs(signedLots), Math.abs(lots));
  const released =
    closed === Math.abs(lots) ? costAtoms : (costAtoms * BigInt(closed)) / BigInt(Math.abs(lots));
  const signedClosed = signedLots > 0 ? closed : -closed;
  const realised = -BigInt(signedClosed) * lotAtoms - released;
  position.lots = lots + signedLots;
  position.costAtoms = costAtoms - released + BigInt(signedLots - signedClosed) * lotAtoms;
  position.realisedAtoms += realised;
  return realised;
}
