// Publishes index and mark prices, all markets in one transaction, and with them the funding rate to come.

import { divideInteger } from "../../units/decimal.ts";
import type { LiquidatedPosition } from "../ledger/tables.ts";
import type { Account } from "./account.ts";
import { coverDebt, type Exchange, payFunding } from "./exchange.ts";
import type { Market, MarketSpec } from "./market.ts";
import { ATOMS_PER_QUOTE, marginOf, notionalAtoms, positionValue, unrealised } from "./money.ts";
import type { Actor } from "./schedule.ts";

/** The fair price of a market in ticks, as the world outside sees it: the index price. */
export type IndexSource = (market: number) => number;

const US_PER_MS = 1000;
/** The premium of the book over the index is smoothed: each sample moves it by this part of the distance. */
const SMOOTHING = 8;
/** The premium is kept in sixteenths of a tick, so that small ones survive the smoothing. */
const FRACTION = 16;

/** One market's premium, and the sum of its samples since the last settlement. */
interface Premium {
  sixteenths: number;
  sumTicks: bigint;
  samples: number;
}

/** Acts once for each mark price. */
export class Oracle implements Actor {
  readonly #exchange: Exchange;
  readonly #source: IndexSource;
  readonly #periodUs: number;
  readonly #fundingUs: number;
  readonly #premiums: readonly Premium[];

  constructor(exchange: Exchange, source: IndexSource, periodUs: number, fundingUs: number) {
    this.#exchange = exchange;
    this.#source = source;
    this.#periodUs = periodUs;
    this.#fundingUs = fundingUs;
    this.#premiums = exchange.markets.map(() => ({ sixteenths: 0, sumTicks: 0n, samples: 0 }));
  }

  act(nowUs: number): number {
    for (const market of this.#exchange.markets) this.#move(market, nowUs);
    this.#revalue();
    this.#exchange.touch();
    return this.#periodUs;
  }

  /** Forgets the premium samples of an interval that was settled. */
  startInterval(): void {
    for (const premium of this.#premiums) {
      premium.sumTicks = 0n;
      premium.samples = 0;
    }
  }

  #move(market: Market, nowUs: number): void {
    const premium = this.#premiums[market.index];
    if (premium === undefined) return;
    market.indexTicks = this.#source(market.index);
    market.markSequence = this.#exchange.index;
    if (!market.isPerp) return;
    const gap = (market.midTicks - market.indexTicks) * FRACTION - premium.sixteenths;
    premium.sixteenths += Math.trunc(gap / SMOOTHING);
    market.markTicks = market.indexTicks + Math.round(premium.sixteenths / FRACTION);
    market.markCandles.add(nowUs, market.markTicks, 0, 0n);
    premium.sumTicks += BigInt(market.markTicks - market.indexTicks);
    premium.samples++;
    market.fundingSequence = this.#exchange.index;
    market.nextFunding = {
      market: market.index,
      rate: fundingRate(premium.sumTicks, premium.samples, market.indexTicks),
      markTicks: market.markTicks,
      indexTicks: market.indexTicks,
      timeUs: (Math.floor(nowUs / this.#fundingUs) + 1) * this.#fundingUs,
      intervalMs: this.#fundingUs / US_PER_MS,
      isSettled: false,
    };
  }

  /** Positions of published accounts are worth something else now. */
  #revalue(): void {
    const { accounts, markets } = this.#exchange;
    for (const account of accounts) {
      const { changes } = account;
      if (changes === undefined) continue;
      for (const market of markets) {
        if ((account.positions[market.index]?.lots ?? 0) !== 0) changes.positions.add(market.index);
      }
      if (changes.positions.size === 0) continue;
      changes.hasSummary = true;
      this.#exchange.touch(account);
    }
  }
}

/** Funding rates are in hundred-millionths of the position's value for each interval. */
export const FUNDING_PLACES = 8;
const FUNDING_UNIT = 10n ** BigInt(FUNDING_PLACES);
/** No interval costs more than this: 0.05 %, in hundred-millionths. */
const MAX_RATE = 50_000n;

/** One settlement, or the one to come. */
export interface FundingRate {
  readonly market: number;
  /** In hundred-millionths; positive: longs pay shorts. */
  readonly rate: bigint;
  readonly markTicks: number;
  readonly indexTicks: number;
  /** End of the interval, simulated microseconds. */
  readonly timeUs: number;
  readonly intervalMs: number;
  readonly isSettled: boolean;
}

/** What one account paid (negative) or received. */
export interface FundingPayment {
  readonly market: number;
  readonly rate: bigint;
  readonly markTicks: number;
  /** Position at the settlement, signed. */
  readonly lots: number;
  /** In quote atoms. */
  readonly amountAtoms: bigint;
  readonly timeUs: number;
}

/**
 * The rate for an interval, within the limit: the average premium of the mark price over the index price.
 * @param premiumTicks sum of the premiums of `samples` moments
 */
function fundingRate(premiumTicks: bigint, samples: number, indexTicks: number): bigint {
  const divisor = BigInt(indexTicks) * BigInt(samples);
  const rate = divideInteger(premiumTicks * FUNDING_UNIT, divisor, 0)?.mantissa ?? 0n;
  if (rate > MAX_RATE) return MAX_RATE;
  return rate < -MAX_RATE ? -MAX_RATE : rate;
}

/** What a position pays (negative) or receives, in quote atoms, cut towards zero. */
function fundingAmount(spec: MarketSpec, lots: number, markTicks: number, rate: bigint): bigint {
  const value = notionalAtoms(spec, markTicks, Math.abs(lots));
  return ((lots > 0 ? -value : value) * rate) / FUNDING_UNIT;
}

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
