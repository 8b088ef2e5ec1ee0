// A feed produces the frames of one channel: a first frame for each subscriber, then one for each transaction that concerns the
// channel, with the same text for all. Feeds only read the exchange and never influence it.
import type { ChannelParts, Interval } from "../wire/channels.ts";
import type { Kind } from "../wire/frames.ts";
import { ACCOUNT_LISTS, type Bodies, type OpenRecord } from "../wire/frames.ts";
import type { Account, FundingPayment } from "./exchange/account.ts";
import type { TradeRow } from "./exchange/log.ts";
import type { FundingRate, Market } from "./exchange/market.ts";
import { bestOf } from "./exchange/order-book.ts";
import * as records from "./records.ts";
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
    const isNamed = ({ spec }: Market) => spec.type === type && String(spec.id) === id;
    const market = world.exchange.markets.find(isNamed);
    return market && open(world, market, interval);
  };
}

/** The current candle at each change; the first frame of a new period also contains the candle that ended. */
function ofCandles<K extends "candles" | "mark-candles">(kind: K): OpenFeed<K> {
  const isMark = kind === "mark-candles";
  return ofMarket((_, market, interval) => {
    const candles = (isMark ? market.markCandles : market.candles).of(interval);
    const newest = (count: number) =>
      candles.slice(-count).map((each) => records.candleRow(market.spec, each, isMark));
    let openTimeMs = candles.at(-1)?.openTimeMs;
    return {
      sequence: () => (isMark ? market.markSequence : market.tradeSequence),
      first: () => (candles.length === 0 ? undefined : { candles: newest(1) }),
      change() {
        const before = openTimeMs;
        openTimeMs = candles.at(-1)?.openTimeMs;
        return { candles: newest(openTimeMs === before ? 1 : 2) };
      },
    };
  });
}

/** Only a first frame: what does not change while the simulator runs. */
function constant<B>({ exchange }: World, first: () => B) {
  return { sequence: () => exchange.firstIndex, first, change: () => undefined };
}

export const FEEDS: { readonly [K in Kind]: OpenFeed<K> } = {
  /** A frame for each transaction that changes price or size of the best bid or offer. */
  bbo: ofMarket((_, market) => {
    const best = (isBid: boolean) => {
      const level = bestOf(market.book.side(isBid));
      return level === undefined ? null : records.levelRow(level.priceTicks, level.sizeLots);
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
        levels
          .filter((level) => level.isBid === isBid)
          .map(({ priceTicks, sizeLots }) => records.levelRow(priceTicks, sizeLots));
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
    const ours = { value: market.index, in: ["market"] } as const;
    return {
      sequence: () => market.tradeSequence,
      first() {
        const rows = exchange.trades.newest(BACKLOG, ours).reverse();
        return rows.length === 0 ? undefined : { trades: rows.map(records.tradeRow) };
      },
      change: (index) => ({ trades: exchange.trades.since(index, ours).map(records.tradeRow) }),
    };
  }),

  candles: ofCandles("candles"),
  "mark-candles": ofCandles("mark-candles"),

  markets: (world) =>
    constant(world, () => ({ markets: world.exchange.markets.map(records.marketRow) })),

  /** Prices and 24-hour figures of one market, or of all of a type, at each mark price. */
  "market-stats": ({ exchange }, { type, market: id }) => {
    const markets = exchange.markets.filter(
      ({ spec }) => spec.type === type && (id === undefined || String(spec.id) === id),
    );
    if (id !== undefined && markets.length === 0) return undefined;
    const first = () => ({
      market_stats: markets.map((market) => records.statsRow(market, exchange.nowUs)),
    });
    return {
      sequence: () => Math.max(exchange.firstIndex, ...markets.map((each) => each.markSequence)),
      first,
      change: first,
    };
  },

  /** First the settled rates and the predicted one, then each rate as it changes or settles. */
  "funding-rates": ofMarket((world, market) => {
    const { settledFunding } = market;
    const body = (...rates: readonly (FundingRate | undefined)[]) => ({
      funding_rates: rates.flatMap((rate) =>
        rate ? [records.fundingRow(world, market, rate)] : [],
      ),
    });
    return {
      sequence: () => market.fundingSequence,
      first: () => body(...settledFunding, market.nextFunding),
      change() {
        const settled = settledFunding.at(-1);
        return body(settled?.timeUs === world.exchange.nowUs ? settled : market.nextFunding);
      },
    };
  }),

  accounts: (world, { address }) =>
    address === world.catalogue.owner.address
      ? constant(world, () => records.catalogueRows(world.catalogue))
      : undefined,

  /**
   * First all rows, then after each transaction all but orders and leverages, of which only what it changed. Fills and payments
   * are always new ones only.
   */
  account: (world, { address, subaccount }) => {
    const { catalogue } = world;
    const account = catalogue.accounts[Number(subaccount)];
    if (address !== catalogue.owner.address || String(account?.subaccountId) !== subaccount) return;
    return account && ofAccount(world, account);
  },
};

function ofAccount(world: World, account: Account): Feed<"account"> {
  const { exchange } = world;
  const own = { value: account.index, in: ["maker", "taker"] } as const;
  const body = (
    lists: Readonly<Record<string, readonly OpenRecord[]>>,
    trades: readonly TradeRow[],
    payments: readonly FundingPayment[],
  ) => ({
    account: records.summaryRow(world, account),
    balances: records.balanceRows(world, account),
    ...lists,
    fills: trades.map((row) => records.fillRow(world, account, row)),
    funding_payments: payments.map((payment) => records.paymentRow(world, payment)),
  });
  return {
    sequence: () => account.sequence,
    first() {
      const lists = {
        positions: positionsOf(world, account),
        leverages: records.leverageRows(world, account),
        orders: account.orders.map((order) => records.orderRow(world, order)),
      };
      const fills = exchange.trades.newest(BACKLOG, own).reverse();
      return body(lists, fills, account.payments.slice(-BACKLOG));
    },
    change(index) {
      const orders = [...exchange.changedOrders].filter((each) => each.account === account.index);
      const lists = {
        positions: positionsOf(world, account, index),
        orders: orders.map((order) => records.orderRow(world, order)),
      };
      const payments = account.payments.filter((payment) => payment.index === index);
      const all: Record<string, unknown> = body(lists, exchange.trades.since(index, own), payments);
      for (const list of ACCOUNT_LISTS)
        if ((all[list] as OpenRecord[])?.length === 0) delete all[list];
      return all;
    },
  };
}

/** The open ones, and those that have ended in this transaction, of size 0. */
function positionsOf(world: World, account: Account, index?: number): OpenRecord[] {
  return world.exchange.markets.flatMap((market) => {
    const position = account.positions[market.index];
    if (!market.isPerp || position === undefined) return [];
    const isShown = position.lots !== 0 || position.sequence === index;
    return isShown ? [records.positionRow(world, account, market, position)] : [];
  });
}
