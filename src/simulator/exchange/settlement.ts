// Scheduled acts of the exchange itself: it publishes index and mark prices, settles funding, and liquidates accounts with too
// little margin.
import { divideInteger } from "../../units/decimal.ts";
import { US_PER_MS } from "../../units/time.ts";
import type { Account } from "./account.ts";
import type { Exchange } from "./exchange.ts";
import type { FundingRate, Market } from "./market.ts";
import { getMargin, notionalAtoms, positionValue, unrealised } from "./money.ts";
import type { Act } from "./schedule.ts";

/** Smoothing of the premium: each sample moves it by one part in this many of the difference. */
const SMOOTHING = 8;
/** The premium is stored in sixteenths of a tick, so that small ones survive the smoothing. */
const FRACTION = 16;

/** Funding rates are in hundred-millionths of the position's value for each interval. */
export const FUNDING_PLACES = 8;
const FUNDING_UNIT = 10n ** BigInt(FUNDING_PLACES);
/** Limit of the rate per interval: 0.05 %, in hundred-millionths. */
const MAX_RATE = 50_000n;

/**
 * Publishes the prices of all markets in one transaction, with the predicted funding rates.
 * @param indexOf a market's fair price in ticks, as the outside world sees it
 */
export function publishPrices(
  exchange: Exchange,
  indexOf: (market: Market) => number,
  periodUs: number,
  fundingUs: number,
): Act {
  const publish = (market: Market, nowUs: number) => {
    market.indexTicks = indexOf(market);
    market.markSequence = exchange.index;
    if (!market.isPerp) return;
    const { premium } = market;
    const gap = (market.midTicks - market.indexTicks) * FRACTION - premium.sixteenths;
    premium.sixteenths += Math.trunc(gap / SMOOTHING);
    market.markTicks = market.indexTicks + Math.round(premium.sixteenths / FRACTION);
    market.markCandles.add(nowUs, market.markTicks, 0, 0n);
    premium.sumTicks += BigInt(market.markTicks - market.indexTicks);
    premium.samples++;
    market.fundingSequence = exchange.index;
    market.nextFunding = {
      rate: averageRate(market),
      markTicks: market.markTicks,
      indexTicks: market.indexTicks,
      timeUs: (Math.floor(nowUs / fundingUs) + 1) * fundingUs,
      intervalMs: fundingUs / US_PER_MS,
      isSettled: false,
    };
  };
  return (nowUs) => {
    for (const market of exchange.markets) publish(market, nowUs);
    for (const account of exchange.accounts) if (isRevalued(account)) exchange.touch(account);
    exchange.touch();
    return periodUs;
  };
}

/** The average premium of the mark price over the index price, within the limit. */
function averageRate({ premium: { sumTicks, samples }, indexTicks }: Market): bigint {
  const divisor = BigInt(indexTicks) * BigInt(samples);
  const rate = divideInteger(sumTicks * FUNDING_UNIT, divisor, 0)?.mantissa ?? 0n;
  if (rate > MAX_RATE) return MAX_RATE;
  return rate < -MAX_RATE ? -MAX_RATE : rate;
}

/** True for a published account whose value depends on prices. */
function isRevalued({ setup, positions }: Account): boolean {
  return setup.isPublished && positions.some(({ lots }) => lots !== 0);
}

/** At the end of each interval, longs pay shorts or vice versa, for every position, in one transaction. */
export function settleFunding(exchange: Exchange, intervalUs: number): Act {
  const settle = (market: Market, settled: FundingRate) => {
    exchange.touch();
    market.keepSettled(settled);
    market.fundingSequence = exchange.index;
    market.premium.sumTicks = 0n;
    market.premium.samples = 0;
    for (const account of exchange.accounts) pay(exchange, account, market, settled);
  };
  return (nowUs) => {
    for (const market of exchange.markets) {
      const { nextFunding } = market;
      if (nextFunding !== undefined) {
        settle(market, { ...nextFunding, timeUs: nowUs, isSettled: true });
      }
    }
    return intervalUs;
  };
}

function pay(
  exchange: Exchange,
  account: Account,
  { index, spec }: Market,
  { rate, markTicks, timeUs }: FundingRate,
): void {
  const position = account.positions[index];
  if (position === undefined || position.lots === 0) return;
  const { lots } = position;
  const value = notionalAtoms(spec, markTicks, Math.abs(lots));
  const amountAtoms = ((lots > 0 ? -value : value) * rate) / FUNDING_UNIT;
  exchange.touch(account);
  account.quoteAtoms += amountAtoms;
  position.fundingAtoms += amountAtoms;
  const payment = { market: index, rate, markTicks, lots, amountAtoms, timeUs };
  account.keepPayment({ index: exchange.index, ...payment });
}

/** Delay from one liquidation to the next check. */
const NEXT_LIQUIDATION_US = 20_000;

/**
 * Liquidates the first account with too little margin, if any: closes its positions with market orders in the ordinary books.
 */
export function liquidate(exchange: Exchange, periodUs: number): Act {
  return () => {
    for (const account of exchange.accounts) {
      const { equityAtoms, maintenanceAtoms } = getMargin(account, exchange.markets);
      if (equityAtoms >= maintenanceAtoms) continue;
      if (closeAccount(exchange, account, equityAtoms < 0n)) return NEXT_LIQUIDATION_US;
    }
    return periodUs;
  };
}

/** @returns false if the books had nothing to close against */
function closeAccount(exchange: Exchange, account: Account, isBankrupt: boolean): boolean {
  const open = exchange.markets.flatMap((market) => {
    const position = account.positions[market.index];
    if (!market.isPerp || position === undefined || position.lots === 0) return [];
    const value = positionValue(market, position);
    return { market, position, value, profit: unrealised(market, position) };
  });
  const total = open.reduce((sum, { value }) => sum + value, 0n);
  const { quoteAtoms } = account;
  for (const order of [...account.orders]) exchange.cancel(order);
  const positions = open.flatMap(({ market, position, value, profit }) => {
    const isLong = position.lots > 0;
    const order = exchange.place(account, market, {
      isBid: !isLong,
      priceTicks: 0,
      sizeLots: Math.abs(position.lots),
      terms: "market",
      clientOrderId: 0,
    });
    const closedLots = order.sizeLots - order.remainingLots;
    // What was left of its margin: its share of the balance by value, and its own profit.
    const marginAtoms = (quoteAtoms * value) / total + profit;
    return closedLots === 0 ? [] : [{ market: market.index, isLong, closedLots, marginAtoms }];
  });
  // An account without positions owes nothing.
  const isClosed = open.every(({ position }) => position.lots === 0);
  if (isClosed && account.quoteAtoms < 0n) account.quoteAtoms = 0n;
  if (positions.length === 0) return false;
  const { index, nowUs: timeUs } = exchange;
  exchange.liquidations.add({ index, timeUs, account: account.index, isBankrupt, positions });
  return true;
}
