// Owners and their accounts: money, positions, open orders. Only the exchange changes them.
// Throughout the simulator, `…Us` are microseconds of simulated time, `…Atoms` quote atoms (`money.ts`), and `market` and
// `account` are indexes in the exchange's lists.

import type { Random } from "../../units/random.ts";
import type { Order } from "../engine/order-book.ts";
import type { TradeRow } from "../ledger/log.ts";

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
  readonly index: number;
  readonly market: number;
  readonly rate: bigint;
  readonly markTicks: number;
  readonly lots: number;
  readonly amountAtoms: bigint;
  readonly timeUs: number;
}

export type SubaccountStatus = "active" | "restricted" | "closed";

export interface AccountSetup {
  readonly owner: Owner;
  readonly subaccountId: number;
  readonly status: SubaccountStatus;
  /** Negative for an account older than the simulation. */
  readonly createdAtUs: number;
  /** True for accounts of the published owner, whose changes are all recorded for the stream. */
  readonly isPublished: boolean;
}

/** More than a first frame contains. */
const MAX_PAYMENTS_KEPT = 200;

export class Account {
  readonly index: number;
  readonly setup: AccountSetup;
  /** Quote currency in atoms, including collateral of positions and backing of spot bids. */
  quoteAtoms = 0n;
  /** By market index. In a spot market `lots` is the base currency held, and the rest stays 0. */
  readonly positions: readonly Position[];
  readonly leverages: number[];
  /** Orders resting in a book. */
  readonly orders: Order[] = [];
  /** Index of the last transaction that changed this account. */
  sequence = 0;
  /** The newest funding payments, oldest first; empty unless published. */
  readonly fundingPayments: FundingPayment[] = [];
  /** Orders placed or changed by the running transaction; undefined unless published. */
  readonly changedOrders: Set<Order> | undefined;

  constructor(index: number, marketCount: number, setup: AccountSetup) {
    this.index = index;
    this.setup = setup;
    this.positions = Array.from({ length: marketCount }, emptyPosition);
    this.leverages = Array.from({ length: marketCount }, () => 1);
    this.changedOrders = setup.isPublished ? new Set() : undefined;
  }

  keepPayment(payment: FundingPayment): void {
    if (!this.setup.isPublished) return;
    this.fundingPayments.push(payment);
    if (this.fundingPayments.length > MAX_PAYMENTS_KEPT) this.fundingPayments.shift();
  }
}

export function isPartyTo({ index }: Account, { maker, taker }: TradeRow): boolean {
  return maker === index || taker === index;
}

/** The published owner. */
export interface Catalogue {
  readonly owner: Owner;
  /** By subaccount id, from 0. */
  readonly accounts: readonly Account[];
  readonly delegations: readonly {
    readonly subaccountId: number;
    readonly delegate: string;
    readonly permissions: readonly string[];
    readonly expiresAtUs: number | undefined;
    readonly name: string | undefined;
  }[];
}
