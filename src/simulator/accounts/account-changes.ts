// What one transaction changed in one account: the rows that its stream has to send.
import type { Order } from "../engine/order.ts";
import type { FundingPayment } from "./funding.ts";

/** Collected while a transaction runs, cleared when it has been told of. Never throws. */
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
