// A feed produces the frames of one channel: a first frame for each subscriber, then one for each transaction that concerns the
// channel, with the same text for all. Feeds only read the exchange and never influence it.
import type { ChannelParts, Interval, Kind } from "../wire/channels.ts";
import type { Bodies, Candle as CandleRecord, OpenRecord } from "../wire/frames.ts";
import { type Account, emptyPosition, type FundingPayment, isPartyTo } from "./exchange/account.ts";
import type { Candle } from "./exchange/candles.ts";
import type { TradeRow } from "./exchange/log.ts";
import type { Market } from "./exchange/market.ts";
import { bestOf } from "./exchange/order-book.ts";
import {
  balanceRows,
  catalogueRows,
  delegationRows,
  fillRow,
  fundingRow,
  lastCandleRow,
  levelRow,
  leverageRows,
  markCandleRow,
  marketRow,
  orderRow,
  paymentRow,
  positionRow,
  statsRow,
  summaryRow,
  tradeRow,
} from "./records.ts";
import type { World } from "./world.ts";

export interface Feed<K extends Kind = Kind> {
  /** Index of the last transaction that changed what the channel shows. */
  sequence(): number;
  /** The first frame of a new subscriber; undefined if there is no data yet. */
  first(): Bodies[K] | undefined;
  /** What that transaction changed, which has just ended; undefined if nothing that is told. */
  change(index: number): Bodies[K] | undefined;
}

/** @returns undefined if the channel names nothing that exists */
export type OpenFeed<K extends Kind> = (world: World, parts: ChannelParts) => Feed<K> | undefined;

/** Trades, fills and payments in a first frame. */
const BACKLOG = 50;

/** A feed of a single market; a perpetual one if the name has no market type. */
function ofMarket<K extends Kind>(
  open: (world: World, market: Market, interval: Interval) => Feed<K>,
): OpenFeed<K> {
  return (world, { type = "perp", market: id, interval = "1m" }) => {
    // Ids are compared as text: `01` is unknown.
    const market = world.exchange.markets.find(
      ({ spec }) => spec.type === type && String(spec.id) === id,
    );
    return market === undefined ? undefined : open(world, market, interval);
  };
}

/**
 * The current candle at each change; the first frame of a new period also contains the candle that ended.
 * @param candles oldest first; mutated as the market trades
 * @param sequence the transaction that last changed them
 */
function ofCandles(
  candles: readonly Candle[],
  row: (candle: Candle) => CandleRecord,
  sequence: () => number,
) {
  let openTimeMs = candles.at(-1)?.openTimeMs;
  return {
    sequence,
    first: () => (candles.length === 0 ? undefined : { candles: candles.slice(-1).map(row) }),
    change() {
      const last = candles.at(-1)?.openTimeMs;
      const hasTurned = last !== openTimeMs;
      openTimeMs = last;
      return { candles: candles.slice(hasTurned ? -2 : -1).map(row) };
    },
  };
}

export const FEEDS: { readonly [K in Kind]: OpenFeed<K> } = {
  /** A frame for each transaction that changes price or size of the best bid or offer. */
  bbo: ofMarket((_, market) => {
    const best = (isBid: boolean) => {
      const level = bestOf(market.book.side(isBid));
      return level === undefined ? null : levelRow(level);
    };
    const first = () => ({ bbo: { bid: best(true), ask: best(false) } });
    let before = JSON.stringify(first());
    return {
      sequence: () => market.bookSequence,
      first,
      change() {
        const now = first();
        const text = JSON.stringify(now);
        if (text === before) return undefined;
        before = text;
        return now;
      },
    };
  }),

  /** First a snapshot, then the levels changed by each transaction with their new size. */
  orderbook: ofMarket((_, market) => {
    const { book } = market;
    const body = (levels: ReturnType<typeof book.levels>) => {
      const side = (isBid: boolean) =>
        levels.filter((level) => level.isBid === isBid).map(levelRow);
      return { orderbook: { bids: side(true), asks: side(false) } };
    };
    return {
      sequence: () => market.bookSequence,
      first: () => body(book.levels()),
      change: () => body(book.touched()),
    };
  }),

  /** First recent trades, then those of each transaction, oldest first within a frame. */
  trades: ofMarket(({ exchange }, market) => {
    const isOurs = (row: TradeRow) => row.market === market.index;
    return {
      sequence: () => market.tradeSequence,
      first() {
        const rows = exchange.trades.newest(BACKLOG, isOurs).reverse();
        return rows.length === 0 ? undefined : { trades: rows.map(tradeRow) };
      },
      change: (index) => ({ trades: exchange.trades.since(index, isOurs).map(tradeRow) }),
    };
  }),

  candles: ofMarket((_, market, interval) =>
    ofCandles(
      market.candles.of(interval),
      (candle) => lastCandleRow(market.spec, candle),
      () => market.tradeSequence,
    ),
  ),

  /** One sample for each mark price. */
  "mark-candles": ofMarket((_, market, interval) =>
    ofCandles(
      market.markCandles.of(interval),
      (candle) => markCandleRow(market.spec, candle),
      () => market.markSequence,
    ),
  ),

  /** Only a first frame: the list does not change while the simulator runs. */
  markets: ({ exchange }) => ({
    sequence: () => exchange.firstIndex,
    first: () => ({ markets: exchange.markets.map(marketRow) }),
    change: () => undefined,
  }),

  /** Prices and 24-hour figures of one market, or of all of a type, at each mark price. */
  "market-stats": ({ exchange }, { type, market: id }) => {
    const markets = exchange.markets.filter(
      ({ spec }) => spec.type === type && (id === undefined || String(spec.id) === id),
    );
    if (id !== undefined && markets.length === 0) return undefined;
    const first = () => ({
      market_stats: markets.map((market) => statsRow(market, exchange.nowUs)),
    });
    return {
      sequence: () => Math.max(exchange.firstIndex, ...markets.map((each) => each.markSequence)),
      first,
      change: first,
    };
  },

  /** First the settled rates and the predicted one, then each rate as it changes or settles. */
  "funding-rates": ofMarket((_, market) => {
    const { settledFunding } = market;
    let lastSettled = settledFunding.at(-1);
    const body = (rates: readonly (typeof lastSettled)[]) => ({
      funding_rates: rates
        .filter((rate) => rate !== undefined)
        .map((rate) => fundingRow(market.spec, rate)),
    });
    return {
      sequence: () => market.fundingSequence,
      first: () => body([...settledFunding, market.nextFunding]),
      change() {
        const settled = settledFunding.at(-1);
        const isNew = settled !== lastSettled;
        lastSettled = settled;
        return body([isNew ? settled : market.nextFunding]);
      },
    };
  }),

  /** Only a first frame: neither subaccounts nor delegations change while the simulator runs. */
  accounts: ({ catalogue, exchange }, { address }) => {
    if (address !== catalogue.owner.address) return undefined;
    return {
      sequence: () => exchange.firstIndex,
      first: () => ({
        subaccounts: catalogueRows(catalogue),
        delegations: delegationRows(catalogue),
      }),
      change: () => undefined,
    };
  },

  /**
   * First all rows, then after each transaction all but orders and leverages, of which only what it changed. Fills and payments
   * are always new ones only.
   */
  account: (world, { address, subaccount }) => {
    const { catalogue, exchange } = world;
    const account = exchange.published.find((each) => String(each.subaccountId) === subaccount);
    if (address !== catalogue.owner.address || account === undefined) return undefined;
    const endedPositions = watchPositions(world, account);
    const news = (trades: readonly TradeRow[], payments: readonly FundingPayment[]) => ({
      fills: trades.map((row) => fillRow(world, account, row)),
      funding_payments: payments.map((payment) => paymentRow(world, payment)),
    });
    const totals = () => ({
      account: summaryRow(world, account),
      balances: balanceRows(world, account),
    });
    const isOwn = (row: TradeRow) => isPartyTo(account, row);
    return {
      sequence: () => account.sequence,
      first: () => ({
        ...totals(),
        positions: openPositions(world, account),
        leverages: leverageRows(world, account),
        orders: account.orders.map((order) => orderRow(world, order)),
        ...news(exchange.trades.newest(BACKLOG, isOwn).reverse(), account.payments.slice(-BACKLOG)),
      }),
      change(index) {
        const payments = account.payments.filter((payment) => payment.index === index);
        return {
          ...totals(),
          ...withoutEmpty({
            positions: [...endedPositions(), ...openPositions(world, account)],
            orders: [...(account.changedOrders ?? [])].map((order) => orderRow(world, order)),
            ...news(exchange.trades.since(index, isOwn), payments),
          }),
        };
      },
    };
  },
};

function withoutEmpty<T extends Readonly<Record<string, readonly unknown[]>>>(
  lists: T,
): Partial<T> {
  const filled = Object.entries(lists).filter(([, rows]) => rows.length > 0);
  return Object.fromEntries(filled) as Partial<T>;
}

function openPositions(world: World, account: Account): OpenRecord[] {
  return world.exchange.markets.flatMap((market) => {
    const position = account.positions[market.index];
    if (!market.isPerp || position === undefined || position.lots === 0) return [];
    return [positionRow(world, account, market, position)];
  });
}

/**
 * Rows of positions that have ended since the last call: of size 0, on their former side. One that changed sides ends, and is a
 * new one too.
 */
function watchPositions(world: World, account: Account): () => OpenRecord[] {
  const lotsNow = () => account.positions.map(({ lots }) => lots);
  let lotsBefore = lotsNow();
  return () => {
    const ended = world.exchange.markets.flatMap((market) => {
      const position = account.positions[market.index] ?? emptyPosition();
      const lots = lotsBefore[market.index] ?? 0;
      if (!market.isPerp || lots === 0 || Math.sign(lots) === Math.sign(position.lots)) return [];
      const closed = { ...position, lots: 0, costAtoms: 0n };
      return [positionRow(world, account, market, closed, lots)];
    });
    lotsBefore = lotsNow();
    return ended;
  };
}
