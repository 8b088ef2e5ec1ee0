// Who owns accounts, and what an account is: money, positions, holdings, open orders. The exchange changes it, nobody else.
// Here and wherever the exchange is simulated, `…Us` are microseconds of simulated time, `…Atoms` quote atoms (`money.ts`), and
// `market` and `account` indexes in the exchange's lists.
import type { Random } from "../../units/random.ts";
import type { SUBACCOUNT_STATUSES } from "../../wire/channels/accounts.ts";
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

/** A position in a perpetual market: signed lots at an average cost, and what it has earned so far. */
export interface Position {
  lots: number;
  /** What the open lots cost, in quote atoms, with the sign of `lots`. */
  costAtoms: bigint;
  /** Profit of closed lots, funding received (paid: negative) and fees paid, in quote atoms. */
  realisedAtoms: bigint;
  fundingAtoms: bigint;
  feesAtoms: bigint;
}

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

/** Base currency held for a spot market, in lots; `heldLots` of them back open sell orders. */
interface Holding {
  lots: number;
  heldLots: number;
}

/** Money that moved for another reason than a trade. In quote atoms, or in lots of base currency for deposits of it. */
export interface CashFlow {
  readonly index: number;
  readonly kind: "deposit" | "funding" | "insurance";
  /** Index; of no meaning where money is meant for no market. */
  readonly market: number;
  readonly atoms: bigint;
  readonly lots: number;
}

/** What one account paid (negative) or received at a funding settlement. */
export interface FundingPayment {
  readonly index: number;
  readonly market: number;
  readonly rate: bigint;
  readonly markTicks: number;
  readonly lots: number;
  readonly amountAtoms: bigint;
  readonly timeUs: number;
}

export type SubaccountStatus = (typeof SUBACCOUNT_STATUSES)[number];

export interface AccountSetup {
  readonly owner: Owner;
  readonly subaccountId: number;
  readonly status: SubaccountStatus;
  /** Negative for an account that is older than the simulation. */
  readonly createdAtUs: number;
  /** True for the accounts of the published owner, whose every change is kept for the stream. */
  readonly isPublished: boolean;
}

/** More than a first frame shows. */
const MAX_PAYMENTS_KEPT = 200;
/** A month of funding in two markets, settled every minute. */
const MAX_CASH_FLOWS_KEPT = 100_000;

export class Account {
  readonly index: number;
  readonly setup: AccountSetup;
  /** Quote currency, in atoms: free money, collateral of positions and backing of spot bids together. */
  quoteAtoms = 0n;
  /** The part of it that backs open bids in spot markets. */
  heldAtoms = 0n;
  /** By market index: positions of perpetual markets, holdings of spot markets; the others stay empty. */
  readonly positions: readonly Position[];
  readonly holdings: readonly Holding[];
  readonly leverages: number[];
  /** Those that rest in a book. */
  readonly orders: Order[] = [];
  /** Index of the last transaction that changed anything here. */
  sequence = 0;
  /** Its cash flows, oldest first, from number `firstCashFlow` on; none of accounts that are not published. */
  readonly cashFlows: CashFlow[] = [];
  firstCashFlow = 0;
  /** Its newest funding payments, oldest first; none of accounts that are not published. */
  readonly fundingPayments: FundingPayment[] = [];
  /** Those that the running transaction has placed or changed; undefined for accounts that are not published. */
  readonly changedOrders: Set<Order> | undefined;

  constructor(index: number, marketCount: number, setup: AccountSetup) {
    this.index = index;
    this.setup = setup;
    this.positions = Array.from({ length: marketCount }, emptyPosition);
    this.holdings = Array.from({ length: marketCount }, () => ({ lots: 0, heldLots: 0 }));
    this.leverages = Array.from({ length: marketCount }, () => 1);
    this.changedOrders = setup.isPublished ? new Set() : undefined;
  }

  keepCashFlow(flow: CashFlow): void {
    if (!this.setup.isPublished) return;
    this.cashFlows.push(flow);
    if (this.cashFlows.length <= MAX_CASH_FLOWS_KEPT) return;
    this.cashFlows.shift();
    this.firstCashFlow++;
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

export interface Delegation {
  readonly subaccountId: number;
  readonly delegate: string;
  readonly permissions: readonly string[];
  readonly expiresAtUs: number | undefined;
  readonly name: string | undefined;
}

export interface Catalogue {
  readonly owner: Owner;
  /** By subaccount id, from 0. */
  readonly accounts: readonly Account[];
  /** Never fewer than before: a delegation that ends has expired, it does not vanish. Only the first one ever changes. */
  readonly delegations: Delegation[];
  /** Index of the last transaction that changed it. */
  sequence: number;
}
