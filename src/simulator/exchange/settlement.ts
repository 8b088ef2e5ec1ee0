// Scheduled acts of the exchange itself: it publishes index and mark prices, settles funding, and liquidates accounts with too
// little margin.
import type { Account } from "./account.ts";
import type { Act, Exchange } from "./exchange.ts";
import type { FundingRate, Market } from "./market.ts";
import { getMargin, notionalAtoms, openPositions } from "./money.ts";

/** Decimal places of funding rates. */
export const FUNDING_PLACES = 8;
const FUNDING_UNIT = 10 ** FUNDING_PLACES;
/** A premium counts by the hour as if it were to be paid off in eight. */
const PREMIUM_SHARE = 1 / 8;
/** Rate without a premium, and the limits of a rate: 0.00125 % and 0.05 %, in hundred-millionths. */
export const BASE_RATE = 1250;
const MAX_RATE = 50_000;

/** Publishes the prices of all markets in one transaction, with the predicted funding rates. */
export function publishPrices(exchange: Exchange, periodUs: number, fundingUs: number): Act {
  const publish = (market: Market, nowUs: number) => {
    market.indexTicks = market.fairTicks;
    market.markSequence = exchange.index;
    if (!market.isPerp) return;
    const [bid, ask] = [market.book.best(true), market.book.best(false)];
    const mid = bid && ask ? (bid.priceTicks + ask.priceTicks) / 2 : market.lastTicks;
    market.markTicks = Math.round((market.indexTicks + mid) / 2);
    market.markCandles.add(exchange, market.markTicks, 0);
    const premium = (market.markTicks / market.indexTicks - 1) * PREMIUM_SHARE * FUNDING_UNIT;
    market.nextFunding = {
      rate: Math.max(-MAX_RATE, Math.min(MAX_RATE, Math.round(premium) + BASE_RATE)),
      markTicks: market.markTicks,
      timeUs: (Math.floor(nowUs / fundingUs) + 1) * fundingUs,
    };
  };
  return (nowUs) => {
    for (const market of exchange.markets) publish(market, nowUs);
    for (const account of exchange.published)
      if (openPositions(account, exchange.markets).length > 0) exchange.touch(account);
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

/** Settled rates and payments stored: the limit of one frame (interface 8), minus the predicted rate. */
export const MAX_SETTLED = 199;

function keep<T>(all: T[], newest: T): void {
  if (all.push(newest) > MAX_SETTLED) all.shift();
}

/** Only accounts of the published owner pay and receive: nobody sees the others', and so funding never moves the market. */
export function settleFunding(exchange: Exchange, market: Market, funding: FundingRate): void {
  const { index, published } = exchange;
  exchange.touch();
  keep(market.settledFunding, funding);
  market.markSequence = index;
  for (const account of published) {
    const lots = account.positions[market.index]?.lots ?? 0;
    if (lots === 0) continue;
    const value = notionalAtoms(market.spec, funding.markTicks, lots);
    const amountAtoms = Math.trunc((-value * funding.rate) / FUNDING_UNIT);
    exchange.touch(account);
    account.quoteAtoms += amountAtoms;
    keep(account.payments, { index, market: market.index, funding, lots, amountAtoms });
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
  const { index, nowUs, liquidations } = exchange;
  const open = openPositions(account, exchange.markets);
  const total = open.reduce((sum, { valueAtoms }) => sum + valueAtoms, 0);
  const { quoteAtoms } = account;
  const { length } = liquidations;
  for (const order of [...account.orders]) exchange.cancel(order);
  for (const { market, position, valueAtoms, profitAtoms } of open) {
    const { lots } = position;
    const order = { isBid: lots < 0, priceTicks: 0, sizeLots: Math.abs(lots) };
    exchange.place(account, market, { ...order, terms: "market" });
    if (position.lots === lots) continue;
    // What was left of its margin: its share of the balance by value, and its own profit.
    const marginAtoms = Math.trunc(quoteAtoms * (valueAtoms / total)) + profitAtoms;
    const closed = lots - position.lots;
    liquidations.add(index, nowUs, market.index, account.index, closed, marginAtoms);
  }
  // An account without positions owes nothing.
  if (open.every(({ position }) => position.lots === 0))
    account.quoteAtoms = Math.max(0, account.quoteAtoms);
  return liquidations.length > length;
}
