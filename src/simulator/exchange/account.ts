// Who owns accounts. An owner is known by two unrelated identifiers: one on the stream, one in REST.
import type { Random } from "../../units/random.ts";
import type { SUBACCOUNT_STATUSES } from "../../wire/channels/accounts.ts";
import type { Order } from "../engine/order-book.ts";
import type { FundingPayment } from "./office.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const HEX = "0123456789abcdef";
const BASE58_LENGTH = 44;
const HEX_LENGTH = 40;

/** The two identifiers; neither can be worked out from the other. */
export interface Owner {
  /** Base58, 44 characters: the address in channel names. */
  readonly address: string;
  /** `0x` and 40 hex digits: the address in REST paths and records. */
  readonly owner: string;
}

/** Draws an owner. */
export function createOwner(random: Random): Owner {
  return {
    address: pick(random, BASE58, BASE58_LENGTH),
    owner: `0x${pick(random, HEX, HEX_LENGTH)}`,
  };
}

function pick(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
}

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

/** A position that was never traded. */
export function emptyPosition(): Position {
  return { lots: 0, costAtoms: 0n, realisedAtoms: 0n, fundingAtoms: 0n, feesAtoms: 0n };
}

/**
 * Books a fill: first against the open lots, at their average cost, then as new lots. Where the average cost of a
 * part is no whole number of atoms, the part is cut towards zero and the rest stays with the lots that remain open,
 * so that profit minus cost is always exactly the money that moved.
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

/** Collected while a transaction runs, cleared when it has been told of. */
export class AccountChanges {
  readonly orders = new Set<Order>();
  /** Indexes of perpetual markets whose position changed, in size or in worth. */
  readonly positions = new Set<number>();
  /** Indexes of spot markets whose base currency changed. */
  readonly holdings = new Set<number>();
  /** Rows of the trade table in which the account took part. */
  readonly trades: number[] = [];
  readonly fundingPayments: FundingPayment[] = [];
  readonly leverages = new Set<number>();
  hasQuote = false;
  /** The subaccount itself: status, equity, margin. */
  hasSummary = false;

  clear(): void {
    this.orders.clear();
    this.positions.clear();
    this.holdings.clear();
    this.trades.length = 0;
    this.fundingPayments.length = 0;
    this.leverages.clear();
    this.hasQuote = false;
    this.hasSummary = false;
  }
}

/** Base currency held for a spot market, in lots; `heldLots` of them back open sell orders. */
export interface Holding {
  lots: number;
  heldLots: number;
}

/** Money that moved for another reason than a trade: a deposit, funding, or insurance. In quote atoms or lots. */
export interface CashFlow {
  /** Index of the transaction. */
  readonly index: number;
  readonly kind: "deposit" | "funding" | "insurance";
  /** Index of the market; of no meaning where money is meant for no market. */
  readonly market: number;
  readonly atoms: bigint;
  /** Base currency, for deposits of it. */
  readonly lots: number;
}

/** A status of the interface. */
export type SubaccountStatus = (typeof SUBACCOUNT_STATUSES)[number];

/** What an account is opened with. */
export interface AccountSetup {
  readonly owner: Owner;
  readonly subaccountId: number;
  readonly status: SubaccountStatus;
  /** Simulated microseconds; negative for an account that is older than the simulation. */
  readonly createdAtUs: number;
  /** True for the accounts of the published owner, whose every change is kept for the stream. */
  readonly isPublished: boolean;
}

/** More than a first frame shows. */
const MAX_PAYMENTS_KEPT = 200;
/** A month of funding in two markets, settled every minute. */
const MAX_CASH_FLOWS_KEPT = 100_000;

/** A subaccount as it is after the last transaction. */
export class Account {
  readonly index: number;
  readonly owner: Owner;
  readonly subaccountId: number;
  readonly createdAtUs: number;
  status: SubaccountStatus;
  /** Quote currency, in atoms: free money, collateral of positions and backing of spot bids together. */
  quoteAtoms = 0n;
  /** The part of it that backs open bids in spot markets. */
  heldAtoms = 0n;
  /** By market index: positions of perpetual markets, holdings of spot markets; the others stay empty. */
  readonly positions: readonly Position[];
  readonly holdings: readonly Holding[];
  readonly leverages: number[];
  /** Open orders, in no order. */
  readonly orders: Order[] = [];
  /** Index of the last transaction that changed anything here. */
  sequence = 0;
  /** Its cash flows, oldest first, from number `firstCashFlow` on; none of accounts that are not published. */
  readonly cashFlows: CashFlow[] = [];
  firstCashFlow = 0;
  /** Its newest funding payments, oldest first. */
  readonly fundingPayments: FundingPayment[] = [];
  /** What the current transaction changed; undefined when nobody can ask for it. */
  readonly changes: AccountChanges | undefined;

  constructor(index: number, marketCount: number, setup: AccountSetup) {
    this.index = index;
    this.owner = setup.owner;
    this.subaccountId = setup.subaccountId;
    this.status = setup.status;
    this.createdAtUs = setup.createdAtUs;
    this.positions = Array.from({ length: marketCount }, emptyPosition);
    this.holdings = Array.from({ length: marketCount }, () => ({ lots: 0, heldLots: 0 }));
    this.leverages = Array.from({ length: marketCount }, () => 1);
    this.changes = setup.isPublished ? new AccountChanges() : undefined;
  }

  noteCash(flow: CashFlow): void {
    if (this.changes === undefined) return;
    this.cashFlows.push(flow);
    if (this.cashFlows.length > MAX_CASH_FLOWS_KEPT) {
      this.cashFlows.shift();
      this.firstCashFlow++;
    }
    if (flow.kind === "deposit" && flow.lots !== 0) this.changes.holdings.add(flow.market);
    else this.changes.hasQuote = true;
    this.changes.hasSummary = true;
  }

  notePayment(payment: FundingPayment): void {
    if (this.changes === undefined) return;
    this.changes.positions.add(payment.market);
    this.changes.fundingPayments.push(payment);
    this.fundingPayments.push(payment);
    if (this.fundingPayments.length > MAX_PAYMENTS_KEPT) this.fundingPayments.shift();
  }

  openOrder(order: Order): void {
    order.slot = this.orders.length;
    this.orders.push(order);
  }

  closeOrder(order: Order): void {
    const last = this.orders.pop();
    if (last !== undefined && last !== order) {
      this.orders[order.slot] = last;
      last.slot = order.slot;
    }
    order.slot = -1;
  }
}

/** A right to act for one subaccount. Times in simulated microseconds, negative before the simulation began. */
export interface Delegation {
  readonly subaccountId: number;
  readonly delegate: string;
  readonly permissions: readonly string[];
  readonly expiresAtUs: number | undefined;
  readonly name: string | undefined;
}

/** What the stream tells of the published owner. */
export interface Catalogue {
  readonly owner: Owner;
  /** By subaccount id, from 0. */
  readonly accounts: readonly Account[];
  /** Never fewer than before: a delegation that ends has expired, it does not vanish. */
  readonly delegations: Delegation[];
  /** Index of the last transaction that changed a delegation, and its place in the list. */
  sequence: number;
  changed: number;
}
