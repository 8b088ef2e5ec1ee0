// The truth about the simulated exchange: exact, complete, never delayed, never faulty. Texts
// are those of the wire, so that what a client shows can be compared letter by letter.

import type { BookSide } from "../../src/simulator/engine/order-book.ts";
import { isPartyTo } from "../../src/simulator/exchange/account.ts";
import type { Market } from "../../src/simulator/exchange/market.ts";
import type { FeedContext } from "../../src/simulator/feeds/feed.ts";
import {
  createLastCandle,
  createLevel,
  createMarkCandle,
  createTrade,
} from "../../src/simulator/feeds/market-feeds.ts";
import type { TradeRow } from "../../src/simulator/ledger/log.ts";
import { createLiquidationRecord, createTradeRecord } from "../../src/simulator/rest/listings.ts";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../../src/simulator/simulator.ts";
import type { Interval, MarketType } from "../../src/wire/channels.ts";
import type { Trade } from "../../src/wire/frames.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";

/** A trade in both its forms, with the transaction index that no record shows. */
export interface LedgerTrade {
  readonly index: number;
  readonly trade: Trade;
  readonly record: TradeRecord;
}

/** What really happened. */
export type Ledger = ReturnType<typeof createLedger>;

export interface TruthfulSimulator extends Simulator {
  readonly ledger: Ledger;
}

export async function startTruthfulSimulator(
  options: SimulatorOptions,
): Promise<TruthfulSimulator> {
  const simulator = await startSimulator(options);
  return { ...simulator, ledger: createLedger(simulator.context) };
}

/** All of its methods throw a RangeError for a market or a subaccount that does not exist. */
function createLedger(context: FeedContext) {
  const { exchange, time, catalogue } = context;
  const market = (type: MarketType, id: number): Market => {
    const found = exchange.markets.find(({ spec }) => spec.type === type && spec.id === id);
    if (found === undefined) throw new RangeError(`no market ${type}/${id}`);
    return found;
  };
  const published = (subaccountId: number) => {
    const account = catalogue.accounts.find((each) => each.setup.subaccountId === subaccountId);
    if (account === undefined) throw new RangeError(`no subaccount ${subaccountId}`);
    return account;
  };
  const trades = (matches: (row: TradeRow) => boolean, afterIndex = -1): LedgerTrade[] =>
    exchange.trades
      .since(afterIndex + 1)
      .filter(matches)
      .map((row) => ({
        index: row.index,
        trade: createTrade(context, row),
        // Its hash takes longer than all else, and few look at it.
        get record() {
          return createTradeRecord(context, row);
        },
      }));
  return {
    /** Index of the last transaction. */
    get lastIndex() {
      return exchange.lastIndex;
    },
    /** Calls back after each transaction, with its index and its time in Unix nanoseconds. Returns its undo. */
    onTransaction: (listener: (index: number, timestampNs: string) => void) =>
      exchange.onTransaction((index, timeUs) => listener(index, time.ns(timeUs))),
    /** As it is now: all levels, best first, and the index of the transaction that changed it last. */
    book(type: MarketType, id: number) {
      const { book, bookSequence } = market(type, id);
      const side = ({ levels }: BookSide) =>
        levels.map(({ priceTicks, sizeLots }) => createLevel(priceTicks, sizeLots)).reverse();
      return { sequence: bookSequence, bids: side(book.bids), asks: side(book.asks) };
    },
    /** All trades of a market that are kept, oldest first; with an index, those after that transaction. */
    trades(type: MarketType, id: number, afterIndex?: number) {
      const { index } = market(type, id);
      return trades((row) => row.market === index, afterIndex);
    },
    /** The same of a published subaccount, over all markets. */
    fills(subaccountId: number, afterIndex?: number) {
      const account = published(subaccountId);
      return trades((row) => isPartyTo(account, row), afterIndex);
    },
    /** All of them, oldest first. */
    liquidations: () =>
      exchange.liquidations.rows.map((row) => ({
        index: row.index,
        record: createLiquidationRecord(context, row),
      })),
    candles(type: MarketType, id: number, interval: Interval) {
      const { candles, spec } = market(type, id);
      return candles.series(interval).candles.map((candle) => createLastCandle(spec, candle));
    },
    markCandles(id: number, interval: Interval) {
      const { markCandles, spec } = market("perp", id);
      return markCandles.series(interval).candles.map((candle) => createMarkCandle(spec, candle));
    },
    /** Money and open positions of a published subaccount as they are now, in quote atoms (millionths). */
    account(subaccountId: number) {
      const { quoteAtoms, positions } = published(subaccountId);
      return {
        quoteAtoms,
        positions: exchange.markets.flatMap(({ index, isPerp, spec }) => {
          const position = positions[index];
          return isPerp && position !== undefined && position.lots !== 0
            ? [{ marketId: spec.id, ...position }]
            : [];
        }),
      };
    },
  };
}
