// Scheduled acts of the exchange itself: it publishes index and mark prices, settles funding, and liquidates accounts with too
// little margin.
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

/** Decimal places of funding rates. */
export const FUNDING_PLACES = 8;
const FUNDING_UNIT = 10 ** FUNDING_PLACES;
/** A premium counts by the hour as if it were to be paid off in eight. */
const PREMIUM_SHARE = 1 / 8;
/** Rate without a premium, and the limits of a rate: 0.00125 % and 0.05 %, in hundred-millionths. */
export const BASE_RATE = 1250;
export const MAX_RATE = 50_000;

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
    premium.sumTicks += market.markTicks - market.indexTicks;
    premium.samples++;
    const average = premium.sumTicks / premium.samples / market.indexTicks;
    const rate = Math.round(average * PREMIUM_SHARE * FUNDING_UNIT) + BASE_RATE;
    market.fundingSequence = exchange.index;
    market.nextFunding = {
      rate: Math.max(-MAX_RATE, Math.min(MAX_RATE, rate)),
      markTicks: market.markTicks,
      indexTicks: market.indexTicks,
      timeUs: (Math.floor(nowUs / fundingUs) + 1) * fundingUs,
      intervalMs: fundingUs / US_PER_MS,
      isSettled: false,
    };
  };
  return (nowUs) => {
    for (const market of exchange.markets) publish(market, nowUs);
    for (const account of exchange.published) if (holdsAny(account)) exchange.touch(account);
    exchange.touch();
    return periodUs;
  };
}

function holdsAny({ positions }: Account): boolean {
  return positions.some(({ lots }) => lots !== 0);
}

/** At the end of each interval, longs pay shorts or vice versa in every market, in one transaction. */
export function settleAllFunding(exchange: Exchange, intervalUs: number): Act {
  return (nowUs) => {
    for (const market of exchange.markets) {
      if (market.nextFunding !== undefined) {
        settleFunding(exchange, market, { ...market.nextFunding, timeUs: nowUs, isSettled: true });
      }
    }
    return intervalUs;
  };
}

/** Only accounts of the published owner pay and receive: nobody sees the others', and so funding never moves the market. */
export function settleFunding(exchange: Exchange, market: Market, settled: FundingRate): void {
  exchange.touch();
  market.keepSettled(settled);
  market.fundingSequence = exchange.index;
  market.premium.sumTicks = 0;
  market.premium.samples = 0;
  for (const account of exchange.published) pay(exchange, account, market, settled);
}

/** More than a first frame contains. */
const MAX_PAYMENTS_KEPT = 200;

function pay(exchange: Exchange, account: Account, market: Market, funding: FundingRate): void {
  const position = account.positions[market.index];
  if (position === undefined || position.lots === 0) return;
  const { lots } = position;
  const value = notionalAtoms(market.spec, funding.markTicks, Math.abs(lots));
  const amountAtoms = ((lots > 0 ? -value : value) * BigInt(funding.rate)) / BigInt(FUNDING_UNIT);
  exchange.touch(account);
  account.quoteAtoms += amountAtoms;
  position.fundingAtoms += amountAtoms;
  account.payments.push({
    index: exchange.index,
    market: market.index,
    funding,
    lots,
    amountAtoms,
  });
  if (account.payments.length > MAX_PAYMENTS_KEPT) account.payments.shift();
}

/** Delay from one liquidation to the next check. */
const NEXT_LIQUIDATION_US = 20_000;

/** Liquidates the first account with too little margin, if any: closes its positions with market orders in the ordinary books. */
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
    const sizeLots = Math.abs(position.lots);
    const request = { isBid: !isLong, priceTicks: 0, sizeLots, terms: "market", clientOrderId: 0 };
    const { remainingLots } = exchange.place(account, market, { ...request, terms: "market" });
    const closedLots = sizeLots - remainingLots;
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
