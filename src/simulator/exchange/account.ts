// Owners and their accounts: money, positions, open orders. Only the exchange changes them. Throughout the simulator `…Us` are
// Unix microseconds, or a span of them, `…Atoms` quote atoms (`money.ts`), and `market` and `account` are indexes in the
// exchange's lists.
import type { Random } from "../../units/random.ts";
import type { FundingRate } from "./market.ts";
import type { Order } from "./order-book.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

export interface Owner {
  /** Base58, 44 characters: the address in channel names. */
  readonly address: string;
  /** `0x` and 40 hex digits: the address in REST paths and records. */
  readonly owner: string;
}

export function createOwner(random: Random): Owner {
  const draw = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  return { address: draw(BASE58, 44), owner: `0x${draw("0123456789abcdef", 40)}` };
}

/** Signed lots at an average cost, and the profit of closed ones. */
export interface Position {
  lots: number;
  /** Cost of the open lots in quote atoms, with the sign of `lots`. */
  costAtoms: number;
  realisedAtoms: number;
  /** Index of the last transaction that changed it. */
  sequence: number;
}

export function emptyPosition(lots = 0): Position {
  return { lots, costAtoms: 0, realisedAtoms: 0, sequence: 0 };
}

/**
 * Books a fill: first against the open lots, at their average cost, then as new lots. The cost of the closed part is rounded, and the
 * remainder stays with the open lots: profit minus cost always equals the money that moved.
 * @param signedLots lots bought; negative for lots sold
 * @param lotAtoms price of one lot in quote atoms
 * @returns realised profit in quote atoms
 */
export function applyFill(position: Position, signedLots: number, lotAtoms: number): number {
  const { lots, costAtoms } = position;
  const isOpposite = lots > 0 !== signedLots > 0;
  const most = isOpposite ? Math.min(Math.abs(signedLots), Math.abs(lots)) : 0;
  const closed = signedLots > 0 ? most : -most;
  const released = closed === -lots ? costAtoms : Math.trunc(costAtoms * -(closed / lots));
  const realised = -closed * lotAtoms - released;
  position.lots = lots + signedLots;
  position.costAtoms = costAtoms - released + (signedLots - closed) * lotAtoms;
  position.realisedAtoms += realised;
  return realised;
}

/** Amount that an account received, or paid (negative), at a funding settlement. */
export interface FundingPayment {
  /** Of its transaction. */
  readonly index: number;
  readonly market: number;
  readonly funding: FundingRate;
  readonly lots: number;
  readonly amountAtoms: number;
}

export interface Account {
  readonly index: number;
  readonly owner: Owner;
  readonly subaccountId: number;
  /** Quote currency in atoms, including collateral of positions and backing of spot bids. */
  quoteAtoms: number;
  /** By market index, where it has traded. In a spot market `lots` is the base currency held, and the rest stays 0. */
  readonly positions: Position[];
  /** By market index, where it trades on margin; only such accounts are ever liquidated. */
  readonly leverages: number[];
  /** Orders resting in a book. */
  readonly orders: Order[];
  /** Index of the last transaction that changed this account. */
  sequence: number;
  /** The newest funding payments, oldest first; empty unless it is of the published owner. */
  readonly payments: FundingPayment[];
}
