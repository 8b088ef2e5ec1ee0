// Scheduled acts of the exchange itself: it publishes index and mark prices, settles funding, and liquidates accounts with too
// little margin.
import type { Account } from "./account.ts";
import type { Exchange } from "./exchange.ts";
import type { FundingRate, Market } from "./market.ts";
import { getMargin, notionalAtoms, positionValue, unrealised } from "./money.ts";
import type { Act } from "./schedule.ts";

/** Each sample moves the premium by one part in this many of the difference. */
const SMOOTHING = 8;
/** Decimal places of funding rates. */
export const FUNDING_PLACES = 8;
const FUNDING_UNIT = 10 ** FUNDING_PLACES;
/** A premium counts by the hour as if it were to be paid off in eight. */
const PREMIUM_SHARE = 1 / 8;
/** Rate without a premium, and the limits of a rate: 0.00125 % and 0.05 %, in hundred-millionths. */
export const BASE_RATE = 1250;
const MAX_RATE = 50_000;

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
    market.premiumTicks += (market.midTicks - market.indexTicks - market.premiumTicks) / SMOOTHING;
    market.markTicks = market.indexTicks + Math.round(market.premiumTicks);
    market.markCandles.add(nowUs, market.markTicks, 0);
    const premium = (market.premiumTicks / market.indexTicks) * PREMIUM_SHARE * FUNDING_UNIT;
    market.fundingSequence = exchange.index;
    market.nextFunding = {
      rate: Math.max(-MAX_RATE, Math.min(MAX_RATE, Math.round(premium) + BASE_RATE)),
      markTicks: market.markTicks,
      timeUs: (Math.floor(nowUs / fundingUs) + 1) * fundingUs,
    };
  };
  return (nowUs) => {
    for (const market of exchange.markets) publish(market, nowUs);
    for (const account of exchange.published)
      if (account.positions.some(({ lots }) => lots !== 0)) exchange.touch(account);
    exchange.touch();
    return periodUs;
  };
}

/** At the end of each interval, longs pay shorts or vice versa in every market, in one transaction. */
export function settleAllFunding(exchange: Exchange, intervalUs: number): Act {
  return (timeUs) => {
    for (const market of exchange.markets) {
      const { nextFunding } = market;
      if (nextFunding !== undefined) settleFunding(exchange, market, { ...nextFunding, timeUs });
    }
    return intervalUs;
  };
}

/** More than a first frame contains. */
const MAX_PAYMENTS_KEPT = 200;

/** Only accounts of the published owner pay and receive: nobody sees the others', and so funding never moves the market. */
export function settleFunding(exchange: Exchange, market: Market, funding: FundingRate): void {
  exchange.touch();
  market.keepSettled(funding);
  market.fundingSequence = exchange.index;
  for (const account of exchange.published) {
    const lots = account.positions[market.index]?.lots ?? 0;
    if (lots === 0) continue;
    const value = notionalAtoms(market.spec, funding.markTicks, Math.abs(lots));
    const amountAtoms = ((lots > 0 ? -value : value) * BigInt(funding.rate)) / BigInt(FUNDING_UNIT);
    exchange.touch(account);
    account.quoteAtoms += amountAtoms;
    const { index } = exchange;
    account.payments.push({ index, market: market.index, funding, lots, amountAtoms });
    if (account.payments.length > MAX_PAYMENTS_KEPT) account.payments.shift();
  }
}

/** Delay from one liquidation to the next check. */
const NEXT_LIQUIDATION_US = 20_000;

/** Liquidates the first account with too little margin, if any: closes its positions with market orders in the ordinary books. */
export function liquidate(exchange: Exchange, periodUs: number): Act {
  return () => {
    for (const account of exchange.accounts) {
      if (account.leverages.length === 0) continue;
      const { equityAtoms, maintenanceAtoms } = getMargin(account, exchange.markets);
      if (equityAtoms < maintenanceAtoms && closeAccount(exchange, account))
        return NEXT_LIQUIDATION_US;
    }
    return periodUs;
  };
}

/** @returns false if the books had nothing to close against */
function closeAccount(exchange: Exchange, account: Account): boolean {
  const open = exchange.markets.flatMap((market) => {
    const position = account.positions[market.index];
    if (!market.isPerp || position === undefined || position.lots === 0) return [];
    const value = positionValue(market, position);
    return { market, position, value, profit: unrealised(market, position) };
  });
  const total = open.reduce((sum, { value }) => sum + value, 0n);
  const { quoteAtoms } = account;
  const { length } = exchange.liquidations;
  for (const order of [...account.orders]) exchange.cancel(order);
  for (const { market, position, value, profit } of open) {
    const { lots } = position;
    const sizeLots = Math.abs(lots);
    const request = { isBid: lots < 0, priceTicks: 0, sizeLots, clientOrderId: 0 };
    exchange.place(account, market, { ...request, terms: "market" });
    if (position.lots === lots) continue;
    exchange.liquidations.add({
      ...{ index: exchange.index, timeUs: exchange.nowUs, market: market.index },
      ...{ account: account.index, lots: lots - position.lots },
      // What was left of its margin: its share of the balance by value, and its own profit.
      marginAtoms: Number((quoteAtoms * value) / total + profit),
    });
  }
  // An account without positions owes nothing.
  const isClosed = open.every(({ position }) => position.lots === 0);
  if (isClosed && account.quoteAtoms < 0n) account.quoteAtoms = 0n;
  return exchange.liquidations.length > length;
}
