// Trading strategies: functions of a trader and the parameters of its style that return what the trader does at each act. In
// styles, `…Ppm` is a distance in millionths of the price, `quote` the size of an order in quote currency, `periodMs` the mean
// time between two acts.
import { US_PER_S } from "../../units/time.ts";
import { ATOMS_PER_QUOTE, getMargin } from "../exchange/money.ts";
import { isLive, type Order } from "../exchange/order-book.ts";
import type { Act } from "../exchange/schedule.ts";
import { between } from "./fair-price.ts";
import { drawLots, type Trader } from "./trader.ts";

interface Style {
  readonly quote: number;
  readonly periodMs: number;
}

export interface LadderStyle extends Style {
  readonly levels: number;
  /** Distance between levels, and from the fair price to the first one. */
  readonly gridPpm: number;
  readonly gapPpm: number;
}
/** Inventory, in orders, at which a ladder is shifted by one gap plus one grid step. */
const FULL_SKEW = 30;
/** An order with less than this fraction of its size left is replaced. */
const WORN = 1 / 3;

/**
 * A market maker: orders on both sides of the fair price, on a grid, so that a small move of the price changes only the ends of
 * the ladder. Deeper orders are larger, up to three times.
 */
export function ladder(trader: Trader, style: LadderStyle): Act {
  const { levels, periodMs } = style;
  const grid = trader.ticksOf(style.gridPpm);
  const gap = trader.ticksOf(style.gapPpm);
  const lots = trader.lotsOf(style.quote);
  /** By price of the grid, of each side. */
  const bids = new Map<number, Order>();
  const asks = new Map<number, Order>();

  const clear = (orders: Map<number, Order>, firstTicks: number, step: number) => {
    for (const [price, order] of orders) {
      const level = (price - firstTicks) / step;
      const isWorn = order.remainingLots < order.sizeLots * WORN;
      if (isLive(order) && level >= 0 && level < levels && !isWorn) continue;
      trader.venue.exchange.cancel(order);
      orders.delete(price);
    }
  };
  const fill = (orders: Map<number, Order>, firstTicks: number, step: number) => {
    for (let level = 0; level < levels; level++) {
      const price = firstTicks + level * step;
      if (orders.has(price)) continue;
      const size = lots * (1 + (2 * level) / levels) * (0.4 + 1.2 * trader.random());
      const order = trader.rest(step < 0, price, size);
      if (order !== undefined) orders.set(price, order);
    }
  };

  return () => {
    const load = trader.inventoryLots / (lots * FULL_SKEW);
    const centre = trader.fairTicks - Math.round(load * (gap + grid));
    const firstBid = Math.floor((centre - gap) / grid) * grid;
    const firstAsk = Math.ceil((centre + gap) / grid) * grid;
    // Both sides are cleared before either is filled, so that new bids do not meet the trader's own old asks.
    clear(bids, firstBid, -grid);
    clear(asks, firstAsk, grid);
    fill(bids, firstBid, -grid);
    fill(asks, firstAsk, grid);
    return trader.waitUs(periodMs);
  };
}

export interface JoinStyle extends Style {
  /** Limit of its prices beyond the fair price. */
  readonly limitPpm: number;
}
/** Spread in ticks that a joiner does not narrow further. */
const NARROW_TICKS = 3;
/** Inventory, in orders, at which it stops adding to a side. */
const FULL_JOIN = 40;

/** Keeps one order on each side at or just inside the best price, which keeps the spread narrow. */
export function join(trader: Trader, style: JoinStyle): Act {
  const { book } = trader.venue.market;
  const limit = trader.ticksOf(style.limitPpm);
  const lots = trader.lotsOf(style.quote);
  const isFair = (price: number, sign: number) => (price - trader.fairTicks) * sign <= limit;
  const keeps = (order: Order | undefined, ours: number | undefined, sign: number) =>
    order !== undefined && isLive(order) && order.priceTicks === ours && isFair(ours, sign);
  const place = (isBid: boolean, sign: number) => {
    const [ours, theirs] = [book.best(isBid), book.best(!isBid)];
    if (ours === undefined || theirs === undefined) return undefined;
    const inside = theirs - sign * (1 + Math.floor(trader.random() * NARROW_TICKS));
    const price = Math.abs(theirs - ours) <= NARROW_TICKS ? ours : inside;
    if (trader.inventoryLots * sign > lots * FULL_JOIN || !isFair(price, sign)) return undefined;
    return trader.rest(isBid, price, lots * (0.3 + 1.4 * trader.random()));
  };
  const renew = (order: Order | undefined, isBid: boolean) => {
    const sign = isBid ? 1 : -1;
    if (keeps(order, book.best(isBid), sign)) return order;
    if (order !== undefined) trader.venue.exchange.cancel(order);
    return place(isBid, sign);
  };
  let bid: Order | undefined;
  let ask: Order | undefined;
  return () => {
    bid = renew(bid, true);
    ask = renew(ask, false);
    return trader.waitUs(style.periodMs);
  };
}

export interface TakeStyle extends Style {
  /** Mean wait between bursts; `burstMs`: between the orders of one. */
  readonly periodMs: number;
  readonly burstMs: number;
  readonly burst: number;
  /** How far beyond the best price an order may reach. */
  readonly reachPpm: number;
}
/** Position, in mean orders, at which a taker only reduces it. */
const FULL_TAKE = 120;

/** People who trade at the market, in bursts, and now and then through several levels at once. */
export function take(trader: Trader, style: TakeStyle): Act {
  const { random } = trader;
  const lots = trader.lotsOf(style.quote);
  let left = 0;
  let isBid = true;
  return () => {
    if (left === 0) {
      isBid = random() < 0.5 - trader.inventoryLots / (lots * FULL_TAKE * 2);
      left = 1 + Math.floor(random() * random() * style.burst);
    }
    left--;
    trader.take(isBid, drawLots(lots, random), style.reachPpm);
    return trader.randomIntervalUs(left > 0 ? style.burstMs : style.periodMs);
  };
}

export interface LeverageStyle {
  /** Initial margin of each bet. */
  readonly quote: number;
  readonly times: number;
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

/** Bets the whole margin on a direction; ends with a profit, at the time limit, or by liquidation. */
export function leverage(trader: Trader, { quote, times }: LeverageStyle): Act {
  const { account, random } = trader;
  const { market } = trader.venue;
  const goalAtoms = BigInt(Math.round(quote * TAKE_PROFIT_SHARE)) * ATOMS_PER_QUOTE;
  let leaveAtUs = 0;
  account.leverages[market.index] = times;
  return (nowUs) => {
    const lots = trader.inventoryLots;
    if (lots === 0) {
      // What is left of the last bet goes, and the margin of the next one comes in.
      account.quoteAtoms = BigInt(quote) * ATOMS_PER_QUOTE;
      trader.take(random() < 0.5, trader.lotsOf(quote * times * USED_SHARE), BET_REACH_PPM);
      leaveAtUs = nowUs + between(MAX_HOLD_S, random) * US_PER_S;
      return trader.waitUs(CHECK_MS);
    }
    const { unrealisedAtoms } = getMargin(account, [market]);
    if (unrealisedAtoms < goalAtoms && nowUs < leaveAtUs) return trader.waitUs(CHECK_MS);
    trader.send(lots < 0, 1, Math.abs(lots), "market");
    return between(REST_S, random) * US_PER_S;
  };
}

/** Value of the position, and the margin that it has at its best. */
const DANGER = { quote: 60_000, margin: 1260 };
const ATTEMPTS_US = 3 * US_PER_S;
const WATCH_US = 60 * US_PER_S;

/** Holds a long position with little margin: takes the profit out when it is safe, and begins anew after a liquidation. */
export function endanger(trader: Trader): Act {
  const { account, venue } = trader;
  const { exchange } = venue;
  const lots = trader.lotsOf(DANGER.quote);
  const marginAtoms = BigInt(DANGER.margin) * ATOMS_PER_QUOTE;
  return () => {
    const missing = lots - trader.inventoryLots;
    if (missing > 0) trader.take(true, missing, BET_REACH_PPM);
    const { equityAtoms, unrealisedAtoms } = getMargin(account, exchange.markets);
    if (missing <= 0 && equityAtoms < 2n * marginAtoms) return WATCH_US;
    account.quoteAtoms = marginAtoms - unrealisedAtoms;
    exchange.touch(account);
    return ATTEMPTS_US;
  };
}
