// Settles funding at the end of each interval: every position of every perpetual market, in one transaction.
import type { Account } from "../accounts/account.ts";
import { type FundingRate, fundingAmount } from "../accounts/funding.ts";
import { payFunding } from "./cash-desk.ts";
import type { Exchange } from "./exchange.ts";
import type { Market } from "./market.ts";
import type { Oracle } from "./oracle.ts";
import type { Actor } from "./schedule.ts";

/** Acts once at the end of each interval. */
export class FundingClerk implements Actor {
  readonly #exchange: Exchange;
  readonly #oracle: Oracle;
  readonly #intervalUs: number;

  constructor(exchange: Exchange, oracle: Oracle, intervalUs: number) {
    this.#exchange = exchange;
    this.#oracle = oracle;
    this.#intervalUs = intervalUs;
  }

  act(nowUs: number): number {
    for (const market of this.#exchange.markets) {
      const { nextFunding } = market;
      if (nextFunding !== undefined) {
        this.#settle(market, { ...nextFunding, timeUs: nowUs, isSettled: true });
      }
    }
    this.#oracle.startInterval();
    return this.#intervalUs;
  }

  #settle(market: Market, rate: FundingRate): void {
    this.#exchange.touch();
    market.keepSettled(rate);
    market.fundingSequence = this.#exchange.index;
    for (const account of this.#exchange.accounts) this.#pay(account, market, rate);
  }

  #pay(account: Account, { index, spec }: Market, settled: FundingRate): void {
    const lots = account.positions[index]?.lots ?? 0;
    if (lots === 0) return;
    const { rate, markTicks, timeUs } = settled;
    const amountAtoms = fundingAmount(spec, lots, markTicks, rate);
    payFunding(this.#exchange, account, index, amountAtoms);
    account.notePayment({ market: index, rate, markTicks, lots, amountAtoms, timeUs });
  }
}
