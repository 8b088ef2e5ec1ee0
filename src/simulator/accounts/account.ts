// One subaccount: money, positions, holdings, open orders. The exchange changes it, nobody else.
import type { SUBACCOUNT_STATUSES } from "../../wire/channels/accounts.ts";
import type { Order } from "../engine/order.ts";
import { AccountChanges } from "./account-changes.ts";
import type { FundingPayment } from "./funding.ts";
import type { Owner } from "./owner.ts";
import { emptyPosition, type Position } from "./position.ts";

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

/** A subaccount as it is after the last transaction. Never throws. */
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
