// Trading strategies: functions of a trader and the parameters of its style that return what the trader does at each act. In
// styles, `…Ppm` is a distance in millionths of the price, `quote` the size of an order in quote currency, `periodMs` the mean
// time between two acts.
import { US_PER_S } from "../../units/time.ts";
import type { Act } from "../exchange/exchange.ts";
import { ATOMS_PER_QUOTE, getMargin } from "../exchange/money.ts";
import type { Order } from "../exchange/order-book.ts";
import { between } from "./fair-price.ts";
import {
  drawLots,
  inventoryOf,
  lotsWorth,
  type Trader,
  takeUpTo,
  ticksIn,
  waitUs,
} from "./trader.ts";

interface Style {
  readonly quote: number;
  readonly periodMs: number;
}

/**
 * Keeps a passive order at each of some prices, and no others.
 * @param pricesOf those of a side, where `sign` is 1 for bids and -1 for asks; `own` are the orders that are there
 */
function quote(
  trader: Trader,
  style: Style,
  pricesOf: (sign: number, own: ReadonlyMap<number, Order>) => readonly number[],
): Act {
  const { exchange, market, account, random } = trader;
  const lots = lotsWorth(market.spec, style.quote);
  const sides = [1, -1].map((sign) => ({ sign, own: new Map<number, Order>() }));
  const clear = (own: Map<number, Order>, prices: readonly number[]) => {
    for (const [price, order] of own) {
      if (order.level !== undefined && prices.includes(price)) continue;
      exchange.cancel(order);
      own.delete(price);
    }
  };
  const fill = (own: Map<number, Order>, prices: readonly number[], isBid: boolean) => {
    for (const [level, priceTicks] of prices.entries()) {
      if (own.has(priceTicks) || priceTicks <= 0 || market.book.wouldTrade(isBid, priceTicks))
        continue;
      // Deeper orders are larger, up to three times.
      const size = lots * (1 + (2 * level) / prices.length) * (0.4 + 1.2 * random());
      const request = { isBid, priceTicks, sizeLots: Math.max(1, Math.round(size)) };
      own.set(priceTicks, exchange.place(account, market, { ...request, terms: "post-only" }));
    }
  };
  return () => {
    const wanted = sides.map(({ sign, own }) => ({ sign, own, prices: pricesOf(sign, own) }));
    // Both sides are cleared before either is filled, so that new bids do not meet the trader's own old asks.
    for (const { own, prices } of wanted) clear(own, prices);
    for (const { sign, own, prices } of wanted) fill(own, prices, sign > 0);
    return waitUs(trader, style.periodMs);
  };
}

/** Inventory, in orders, at which a ladder is shifted by one gap plus one grid step. */
const FULL_SKEW = 30;

/**
 * A market maker: orders around the fair price, on a grid, so that a small move of the price changes only the ends of the ladder.
 * @param style `gridPpm` from level to level, `gapPpm` from the fair price to the first one
 */
export function ladder(
  trader: Trader,
  style: Style & { readonly levels: number; readonly gridPpm: number; readonly gapPpm: number },
): Act {
  const { spec } = trader.market;
  const grid = ticksIn(spec, style.gridPpm);
  const gap = ticksIn(spec, style.gapPpm);
  const full = lotsWorth(spec, style.quote) * FULL_SKEW;
  return quote(trader, style, (sign) => {
    const skew = Math.round((inventoryOf(trader) / full) * (gap + grid));
    // Rounded down for bids, up for asks.
    const first = Math.floor((sign * (trader.market.fairTicks - skew) - gap) / grid) * grid * sign;
    return Array.from({ length: style.levels }, (_, level) => first - sign * level * grid);
  });
}

/** Spread in ticks that a joiner does not narrow further. */
const NARROW_TICKS = 3;
/** Inventory, in orders, at which it stops adding to a side. */
const FULL_JOIN = 40;

/**
 * Keeps one order on each side at or just inside the best price, which keeps the spread narrow.
 * @param style `limitPpm`: how far beyond the fair price it goes
 */
export function join(trader: Trader, style: Style & { readonly limitPpm: number }): Act {
  const { market, random } = trader;
  const limit = ticksIn(market.spec, style.limitPpm);
  const full = lotsWorth(market.spec, style.quote) * FULL_JOIN;
  return quote(trader, style, (sign, own) => {
    const ours = market.book.best(sign > 0)?.priceTicks;
    const theirs = market.book.best(sign < 0)?.priceTicks;
    if (ours === undefined || theirs === undefined) return [];
    const inside = theirs - sign * (1 + Math.floor(random() * NARROW_TICKS));
    const price = own.has(ours) || Math.abs(theirs - ours) <= NARROW_TICKS ? ours : inside;
    const isFair = (price - market.fairTicks) * sign <= limit;
    return isFair && inventoryOf(trader) * sign <= full ? [price] : [];
  });
}

/** Position, in mean orders, at which a taker only reduces it. */
const FULL_TAKE = 120;

/**
 * People who trade at the market, in bursts, and now and then through several levels at once.
 * @param style `burstMs`: mean wait in a burst of up to `burst` orders; `reachPpm`: how far beyond the best price one goes
 */
export function take(
  trader: Trader,
  style: Style & { readonly burstMs: number; readonly burst: number; readonly reachPpm: number },
): Act {
  const { random, market } = trader;
  const lots = lotsWorth(market.spec, style.quote);
  let left = 0;
  let isBid = true;
  return () => {
    if (left === 0) {
      isBid = random() < 0.5 - inventoryOf(trader) / (lots * FULL_TAKE * 2);
      left = 1 + Math.floor(random() * random() * style.burst);
    }
    left--;
    takeUpTo(trader, isBid, drawLots(lots, random), style.reachPpm);
    return waitUs(trader, left > 0 ? style.burstMs : style.periodMs);
  };
}

const CHECK_MS = 2000;
/** Takes profit at this fraction of the margin. */
const TAKE_PROFIT_SHARE = 0.8;
/** Uses this fraction of the possible leverage, so that the first fee does not liquidate it. */
const USED_SHARE = 0.85;
const BET_REACH_PPM = 300;
const MAX_HOLD_S = [600, 3000] as const;
/** From the end of one bet to the next. */
const REST_S = [20, 180] as const;

/**
 * Bets the whole margin on a direction; ends with a profit, at the time limit, or by liquidation.
 * @param style the initial margin of each bet, and its leverage
 */
export function bet(
  trader: Trader,
  { quote, times }: { readonly quote: number; readonly times: number },
): Act {
  const { exchange, market, account, random } = trader;
  const sizeLots = lotsWorth(market.spec, quote * times * USED_SHARE);
  let leaveAtUs = 0;
  account.leverages[market.index] = times;
  return (nowUs) => {
    const lots = inventoryOf(trader);
    if (lots === 0) {
      // What is left of the last bet goes, and the margin of the next one comes in.
      account.quoteAtoms = quote * ATOMS_PER_QUOTE;
      takeUpTo(trader, random() < 0.5, sizeLots, BET_REACH_PPM);
      leaveAtUs = nowUs + between(MAX_HOLD_S, random) * US_PER_S;
      return waitUs(trader, CHECK_MS);
    }
    const { unrealisedAtoms } = getMargin(account, [market]);
    const isWon = unrealisedAtoms >= quote * TAKE_PROFIT_SHARE * ATOMS_PER_QUOTE;
    if (!isWon && nowUs < leaveAtUs) return waitUs(trader, CHECK_MS);
    const request = { isBid: lots < 0, priceTicks: 0, sizeLots: Math.abs(lots) };
    exchange.place(account, market, { ...request, terms: "market" });
    return between(REST_S, random) * US_PER_S;
  };
}

/** Value of the position, and the margin that it has at its best. */
const DANGER = { quote: 60_000, marginAtoms: 1260 * ATOMS_PER_QUOTE };
const ATTEMPTS_US = 3 * US_PER_S;
const WATCH_US = 60 * US_PER_S;

/** Holds a long position with little margin: takes the profit out when it is safe, and begins anew after a liquidation. */
export function endanger(trader: Trader): Act {
  const { account, exchange, market } = trader;
  const lots = lotsWorth(market.spec, DANGER.quote);
  return () => {
    const missing = lots - inventoryOf(trader);
    if (missing > 0) takeUpTo(trader, true, missing, BET_REACH_PPM);
    const { equityAtoms, unrealisedAtoms } = getMargin(account, exchange.markets);
    if (missing <= 0 && equityAtoms < 2 * DANGER.marginAtoms) return WATCH_US;
    account.quoteAtoms = DANGER.marginAtoms - unrealisedAtoms;
    exchange.touch(account);
    return ATTEMPTS_US;
  };
}
