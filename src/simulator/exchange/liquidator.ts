// Watches margins and closes what can no longer be kept, with market orders in the same books as everybody's.
import type { Account } from "../accounts/account.ts";
import { marginOf, positionValue, unrealised } from "../accounts/margin.ts";
import { ATOMS_PER_QUOTE } from "../accounts/money.ts";
import type { LiquidatedPosition } from "../ledger/liquidation-log.ts";
import { coverDebt } from "./cash-desk.ts";
import type { Exchange } from "./exchange.ts";
import type { Market } from "./market.ts";
import type { Actor } from "./schedule.ts";

/** After a liquidation the next account is looked at this soon. */
const NEXT_US = 20_000;
/** Positions worth more than this, in quote atoms, are halved while two thirds of the margin are left. */
const PARTIAL_ABOVE = 150_000n * ATOMS_PER_QUOTE;

/** Liquidates one account each time that it acts. */
export class Liquidator implements Actor {
  readonly #exchange: Exchange;
  readonly #periodUs: number;

  /** @param periodUs how often margins are looked at: as often as mark prices move */
  constructor(exchange: Exchange, periodUs: number) {
    this.#exchange = exchange;
    this.#periodUs = periodUs;
  }

  /** Liquidates the first account that has too little margin, if there is one. */
  act(): number {
    for (const account of this.#exchange.accounts) {
      const { equityAtoms, maintenanceAtoms } = marginOf(account, this.#exchange.markets);
      if (equityAtoms >= maintenanceAtoms) continue;
      const hasMostOfIt = equityAtoms * 3n >= maintenanceAtoms * 2n;
      const isPartial = hasMostOfIt && this.#value(account) > PARTIAL_ABOVE;
      if (this.#liquidate(account, isPartial)) return NEXT_US;
    }
    return this.#periodUs;
  }

  /** @returns false when the books had nothing to close against */
  #liquidate(account: Account, isPartial: boolean): boolean {
    const isBankrupt = marginOf(account, this.#exchange.markets).equityAtoms < 0n;
    for (const order of [...account.orders]) this.#exchange.cancel(order);
    const margins = this.#marginShares(account);
    const positions = this.#exchange.markets.flatMap((market) =>
      this.#close(account, market, isPartial, margins[market.index] ?? 0n),
    );
    // An account without positions owes nothing: the insurance pays what is missing.
    const isClosed = account.positions.every(({ lots }) => lots === 0);
    if (isClosed && account.quoteAtoms < 0n) coverDebt(this.#exchange, account);
    if (positions.length === 0) return false;
    this.#exchange.liquidations.add({
      index: this.#exchange.index,
      timeUs: this.#exchange.nowUs,
      account: account.index,
      isPartial,
      isBankrupt,
      positions,
    });
    return true;
  }

  #close(
    account: Account,
    market: Market,
    isPartial: boolean,
    marginAtoms: bigint,
  ): readonly LiquidatedPosition[] {
    const lots = account.positions[market.index]?.lots ?? 0;
    if (lots === 0) return [];
    const isLong = lots > 0;
    const order = this.#exchange.place(account, market, {
      isBid: !isLong,
      priceTicks: 0,
      sizeLots: Math.ceil(Math.abs(lots) / (isPartial ? 2 : 1)),
      terms: "market",
      clientOrderId: 0,
    });
    const closedLots = order.sizeLots - order.remainingLots;
    return closedLots === 0 ? [] : [{ market: market.index, isLong, closedLots, marginAtoms }];
  }

  #value(account: Account): bigint {
    return this.#exchange.markets.reduce((total, market) => {
      const position = account.positions[market.index];
      return position === undefined ? total : total + positionValue(market, position);
    }, 0n);
  }

  /** What is left for each position, by market index: its part of the balance by value, and its own profit. */
  #marginShares(account: Account): readonly bigint[] {
    const { markets } = this.#exchange;
    const open = (market: Market) => {
      const position = account.positions[market.index];
      return position !== undefined && position.lots !== 0 ? position : undefined;
    };
    const values = markets.map((market) => {
      const position = open(market);
      return position === undefined ? 0n : positionValue(market, position);
    });
    const total = values.reduce((sum, value) => sum + value, 0n);
    return markets.map((market, index) => {
      const position = open(market);
      if (position === undefined) return 0n;
      return (account.quoteAtoms * (values[index] ?? 0n)) / total + unrealised(market, position);
    });
  }
}
