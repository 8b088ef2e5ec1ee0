// Trading strategies: functions of a trader and the parameters of its style that return what the trader does at each act. In
// styles, `…Ppm` is a distance in millionths of the price, `quote` the size of an order in quote currency, `periodMs` the mean
// time between two acts.
import { ATOMS_PER_QUOTE, getMargin, notionalAtoms } from "../exchange/money.ts";
import { isLive, type Order } from "../exchange/order-book.ts";
import type { Act } from "../exchange/schedule.ts";
import type { Trader } from "./trader.ts";

const US_PER_S = 1_000_000;

interface Style {
  readonly quote: number;
  readonly periodMs: number;
}

export interface LadderStyle extends Style {
  readonly levels: number;
  /** Distance between levels, and from the fair price to the first one. */
  readonly gridPpm: number;
  readonly gapPpm: number;
  /** Size of the first level; deeper ones grow to three times that. */
  readonly quote: number;
}
/** Inventory, in first-level sizes, at which a ladder is shifted by one gap plus one grid step. */
const FULL_SKEW = 30;
/** An order with less than this fraction of its size left is replaced. */
const WORN = 1 / 3;

/**
 * A market maker: orders on both sides of the fair price, on a grid, so that a small move of the price changes only the ends of
 * the ladder.
 */
export function ladder(trader: Trader, style: LadderStyle): Act {
  const grid = trader.ticksOf(style.gridPpm);
  const gap = trader.ticksOf(style.gapPpm);
  const lots = trader.lotsOf(style.quote);
  /** One side, starting with its first level; bids descend. */
  const sideOf = (isBid: boolean) => ({
    stepTicks: isBid ? -grid : grid,
    firstTicks: 0,
    orders: new Array<Order | undefined>(style.levels).fill(undefined),
  });
  const bids = sideOf(true);
  const asks = sideOf(false);

  /** Re-aligns a side with its first price: orders still in place stay, the others are canceled. */
  const clear = ({ orders, firstTicks, stepTicks }: typeof bids) => {
    const old = orders.filter((order) => order !== undefined && isLive(order));
    orders.fill(undefined);
    for (const order of old) {
      if (order === undefined) continue;
      const level = (order.priceTicks - firstTicks) / stepTicks;
      const isWorn = order.remainingLots < order.sizeLots * WORN;
      if (level >= 0 && level < orders.length && !isWorn) orders[level] = order;
      else trader.venue.exchange.cancel(order);
    }
  };
  const sizeAt = (level: number) => {
    const depth = 1 + (2 * level) / style.levels;
    return Math.max(1, Math.round(lots * depth * (0.4 + 1.2 * trader.random())));
  };
  const fill = ({ orders, firstTicks, stepTicks }: typeof bids) => {
    for (let level = 0; level < orders.length; level++) {
      const price = firstTicks + level * stepTicks;
      orders[level] ??= trader.rest(stepTicks < 0, price, sizeAt(level));
    }
  };

  return () => {
    const load = trader.inventoryLots / (lots * FULL_SKEW);
    const centre = trader.venue.fair.ticks - Math.round(load * (gap + grid));
    bids.firstTicks = Math.floor((centre - gap) / grid) * grid;
    asks.firstTicks = Math.ceil((centre + gap) / grid) * grid;
    // Both sides are cleared before either is filled, so that new bids do not meet the trader's own old asks.
    for (const side of [bids, asks]) clear(side);
    for (const side of [bids, asks]) fill(side);
    return trader.waitUs(style.periodMs);
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
  const { market, fair, exchange } = trader.venue;
  const limit = trader.ticksOf(style.limitPpm);
  const lots = trader.lotsOf(style.quote);

  /** The best price while the spread is narrow; otherwise inside it, close to the other side. */
  const inside = (ours: number, theirs: number) => {
    if (Math.abs(theirs - ours) <= NARROW_TICKS) return ours;
    const left = 1 + Math.floor(trader.random() * NARROW_TICKS);
    return theirs - Math.sign(theirs - ours) * left;
  };
  const isWithinLimit = (isBid: boolean, price: number) =>
    isBid ? price <= fair.ticks + limit : price >= fair.ticks - limit;
  const renew = (order: Order | undefined, isBid: boolean): Order | undefined => {
    const ours = market.book.best(isBid);
    const theirs = market.book.best(!isBid);
    if (ours === undefined || theirs === undefined) return order;
    if (order !== undefined && isLive(order)) {
      if (order.priceTicks === ours && isWithinLimit(isBid, ours)) return order;
      exchange.cancel(order);
    }
    return place(isBid, inside(ours, theirs));
  };
  const place = (isBid: boolean, price: number) => {
    const load = isBid ? trader.inventoryLots : -trader.inventoryLots;
    if (load > lots * FULL_JOIN || !isWithinLimit(isBid, price)) return undefined;
    const size = Math.max(1, Math.round(lots * (0.3 + 1.4 * trader.random())));
    return trader.rest(isBid, price, size);
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
  const reach = trader.ticksOf(style.reachPpm);
  let left = 0;
  let isBid = true;
  return () => {
    if (left === 0) {
      const load = trader.inventoryLots / (lots * FULL_TAKE);
      isBid = random() < 0.5 - Math.max(-0.5, Math.min(0.5, load * 0.5));
      left = 1 + Math.floor(random() * random() * style.burst);
    }
    left--;
    trader.take(isBid, trader.drawLots(lots), reach);
    return trader.randomIntervalUs(left > 0 ? style.burstMs : style.periodMs);
  };
}

interface ArbitrageStyle extends Style {
  /** Distance from the fair price at which an order counts as stale. */
  readonly edgePpm: number;
}

/** Takes stale orders: this makes the book follow the fair price. */
export function arbitrage(trader: Trader, style: ArbitrageStyle): Act {
  const { market, fair } = trader.venue;
  const edge = trader.ticksOf(style.edgePpm);
  const lots = trader.lotsOf(style.quote);
  const takeUpTo = (isBid: boolean, reachTicks: number) => {
    trader.take(isBid, Math.max(1, Math.round(lots * (0.5 + trader.random()))), reachTicks);
  };
  return () => {
    const { ticks } = fair;
    const ask = market.book.best(false) ?? ticks;
    const bid = market.book.best(true) ?? ticks;
    if (ask < ticks - edge) takeUpTo(true, ticks - edge - ask);
    else if (bid > ticks + edge) takeUpTo(false, bid - ticks - edge);
    return trader.waitUs(style.periodMs);
  };
}

export interface LeverageStyle {
  /** Initial margin of each bet. */
  readonly quote: number;
  readonly leverage: readonly [number, number];
}
const CHECK_MS = 2000;
/** Takes profit at this fraction of the margin. */
const TAKE_PROFIT_SHARE = 0.8;
/** Uses this fraction of the possible leverage, so that the first fee does not liquidate it. */
const USED_SHARE = 0.85;
const BET_REACH_PPM = 300;
const MAX_HOLD_S: readonly [number, number] = [600, 3000];
/** Time from a bet to its first check, and from the end of one bet to the next. */
const FIRST_CHECK_S: readonly [number, number] = [2, 20];
const REST_S: readonly [number, number] = [20, 180];

/** Bets the whole margin on a direction; ends with a profit, at the time limit, or by liquidation. */
export function leverage(trader: Trader, style: LeverageStyle): Act {
  const { account, random } = trader;
  const { exchange, market } = trader.venue;
  const seconds = (range: readonly [number, number]) => trader.between(range) * US_PER_S;
  let leaveAtUs = 0;

  const open = (nowUs: number) => {
    // What is left of the last bet goes, and the margin of the next one comes in.
    account.quoteAtoms = BigInt(style.quote) * ATOMS_PER_QUOTE;
    exchange.touch(account);
    const times = Math.round(trader.between(style.leverage));
    account.leverages[market.index] = times;
    const lotAtoms = Number(notionalAtoms(market.spec, market.midTicks, 1));
    const quote = style.quote * times * USED_SHARE;
    const lots = Math.floor((quote * Number(ATOMS_PER_QUOTE)) / lotAtoms);
    if (lots > 0) trader.take(random() < 0.5, lots, trader.ticksOf(BET_REACH_PPM));
    leaveAtUs = nowUs + seconds(MAX_HOLD_S);
    return seconds(FIRST_CHECK_S);
  };

  return (nowUs) => {
    const lots = trader.inventoryLots;
    if (lots === 0) return open(nowUs);
    const { unrealisedAtoms } = getMargin(account, exchange.markets);
    const goal = BigInt(Math.round(style.quote * TAKE_PROFIT_SHARE)) * ATOMS_PER_QUOTE;
    if (unrealisedAtoms < goal && nowUs < leaveAtUs) return trader.waitUs(CHECK_MS);
    trader.send(lots < 0, 1, Math.abs(lots), "market");
    return seconds(REST_S);
  };
}

interface DangerStyle {
  readonly quote: number;
  /** What money comes or goes to: so many millionths of the position's value. */
  readonly marginPpm: number;
}
const ATTEMPTS_US = 3 * US_PER_S;
const WATCH_US = 60 * US_PER_S;
const DANGER_REACH_PPM = 200;

/** Holds a long position with little margin: takes the profit out when it is safe, and begins anew after a liquidation. */
export function endanger(trader: Trader, { quote, marginPpm }: DangerStyle): Act {
  const { account, venue } = trader;
  const { exchange } = venue;
  const lots = trader.lotsOf(quote);
  const marginAtoms = (BigInt(quote) * ATOMS_PER_QUOTE * BigInt(marginPpm)) / 1_000_000n;
  return () => {
    const missing = lots - trader.inventoryLots;
    if (missing > 0) trader.take(true, missing, trader.ticksOf(DANGER_REACH_PPM));
    const { equityAtoms, unrealisedAtoms } = getMargin(account, exchange.markets);
    if (missing <= 0 && equityAtoms < 2n * marginAtoms) return WATCH_US;
    account.quoteAtoms = marginAtoms - unrealisedAtoms;
    exchange.touch(account);
    return ATTEMPTS_US;
  };
}
