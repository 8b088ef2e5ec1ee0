// Publishes index and mark prices, all markets in one transaction, and with them the funding rate to come.
import { fundingRate } from "../accounts/funding.ts";
import type { Exchange } from "./exchange.ts";
import type { Market } from "./market.ts";
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
