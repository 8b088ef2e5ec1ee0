// Owners and their accounts: money, positions, open orders. Only the exchange changes them. Throughout the simulator `…Us` are
// Unix microseconds, or a span of them, `…Atoms` quote atoms (`money.ts`), and `market` and `account` are indexes in the
// exchange's lists.
import type { Random } from "../../units/random.ts";
import type { TradeRow } from "./log.ts";
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

/** Signed lots at an average cost, and accumulated results. */
export interface Position {
  lots: number;
  /** Cost of the open lots in quote atoms, with the sign of `lots`. */
  costAtoms: bigint;
  /** In quote atoms: profit of closed lots, funding received (paid: negative), fees paid. */
  realisedAtoms: bigint;
  fundingAtoms: bigint;
  feesAtoms: bigint;
}

export function emptyPosition(): Position {
  return { lots: 0, costAtoms: 0n, realisedAtoms: 0n, fundingAtoms: 0n, feesAtoms: 0n };
}

/**
 * Books a fill: first against the open lots, at their average cost, then as new lots. If the cost of the closed part is not a whole
 * number of atoms, it is truncated and the remainder stays with the open lots, so that profit minus cost always equals the
 * money that moved.
 * @param signedLots lots bought; negative for lots sold
 * @param lotAtoms price of one lot in quote atoms
 * @returns realised profit in quote atoms
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

/** Amount that an account received, or paid (negative), at a funding settlement. */
export interface FundingPayment {
  /** Of its transaction. */
  readonly index: number;
  readonly market: number;
  readonly funding: FundingRate;
  readonly lots: number;
  readonly amountAtoms: bigint;
}

export interface AccountSetup {
  readonly owner: Owner;
  readonly subaccountId: number;
  readonly status: "active" | "restricted" | "closed";
  readonly createdAtUs: number;
  /** Of the published owner, whose changes the stream shows. */
  readonly isPublished: boolean;
}

export interface Account extends AccountSetup {
  readonly index: number;
  /** Quote currency in atoms, including collateral of positions and backing of spot bids. */
  quoteAtoms: bigint;
  /** By market index, where it has traded. In a spot market `lots` is the base currency held, and the rest stays 0. */
  readonly positions: Position[];
  /** By market index; 1 where there is none. */
  readonly leverages: number[];
  /** Orders resting in a book. */
  readonly orders: Order[];
  /** Index of the last transaction that changed this account. */
  sequence: number;
  /** The newest funding payments, oldest first; empty unless published. */
  readonly payments: FundingPayment[];
  /** Orders placed or changed by the running transaction; undefined unless published. */
  readonly changedOrders: Set<Order> | undefined;
}

export function createAccount(index: number, setup: AccountSetup, quoteAtoms: bigint): Account {
  return {
    ...setup,
    index,
    quoteAtoms,
    positions: [],
    leverages: [],
    orders: [],
    sequence: 0,
    payments: [],
    changedOrders: setup.isPublished ? new Set() : undefined,
  };
}

export function isPartyTo({ index }: Account, { maker, taker }: TradeRow): boolean {
  return maker === index || taker === index;
}
