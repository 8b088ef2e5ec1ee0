// The truth about the simulated exchange: exact, complete, never delayed, never faulty. Texts
// are those of the wire, so that what a client shows can be compared letter by letter.

import type { BookSide } from "../../src/simulator/engine/order-book.ts";
import {
  type Account,
  applyFill,
  type CashFlow,
  emptyPosition,
  isPartyTo,
  type Position,
} from "../../src/simulator/exchange/account.ts";
import type { Exchange } from "../../src/simulator/exchange/exchange.ts";
import type { Market } from "../../src/simulator/exchange/market.ts";
import { feeAtoms, notionalAtoms } from "../../src/simulator/exchange/money.ts";
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
import type { Trade } from "../../src/wire/channels/trades.ts";
import type { Interval, MarketType } from "../../src/wire/channels.ts";
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
        levels
          .map(({ priceTicks, sizeLots }) => createLevel(context, priceTicks, sizeLots))
          .reverse();
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
    /**
     * Money, positions and holdings of a published subaccount after a transaction, worked out anew from
     * its trades and cash flows; without an index, as they are now.
     */
    account: (subaccountId: number, index = exchange.lastIndex) =>
      accountStateAt(exchange, published(subaccountId), index),
  };
}

/** Amounts in quote atoms (millionths of the quote currency). */
interface AccountState {
  readonly quoteAtoms: bigint;
  /** Perpetual markets in which the account has or had a position. */
  readonly positions: readonly ({ readonly marketId: number } & Readonly<Position>)[];
  /** Spot markets whose base currency it has or had, in lots. */
  readonly holdings: readonly {
    readonly type: MarketType;
    readonly marketId: number;
    readonly lots: number;
  }[];
}

interface Running {
  quoteAtoms: bigint;
  readonly positions: Position[];
  readonly lots: number[];
}

/**
 * @param index the transaction after which it is looked at
 * @throws {RangeError} for an account whose cash flows or first trades are not kept
 */
export function accountStateAt(exchange: Exchange, account: Account, index: number): AccountState {
  const { trades, markets } = exchange;
  if (!account.setup.isPublished)
    throw new RangeError("cash flows are kept for published accounts");
  if (account.firstCashFlow > 0) throw new RangeError("the first cash flows are no longer kept");
  const running: Running = {
    quoteAtoms: 0n,
    positions: markets.map(emptyPosition),
    lots: markets.map(() => 0),
  };
  for (const flow of account.cashFlows) if (flow.index <= index) replayCash(running, flow);
  for (const trade of trades.since(0)) {
    if (trade.index > index) break;
    if (trade.maker === account.index) replayTrade(exchange, running, trade, false);
    if (trade.taker === account.index) replayTrade(exchange, running, trade, true);
  }
  return stateOf(exchange, running);
}

function replayCash(running: Running, { market, kind, atoms, lots }: CashFlow): void {
  running.quoteAtoms += atoms;
  running.lots[market] = (running.lots[market] ?? 0) + lots;
  const position = running.positions[market];
  if (kind === "funding" && position !== undefined) position.fundingAtoms += atoms;
}

function replayTrade(
  exchange: Exchange,
  running: Running,
  trade: TradeRow,
  isTaker: boolean,
): void {
  const market = exchange.markets[trade.market];
  const position = running.positions[trade.market];
  if (market === undefined || position === undefined) return;
  const { spec } = market;
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  const fee = feeAtoms(notional, isTaker ? spec.takerFeePpm : spec.makerFeePpm);
  const isBuy = trade.takerIsBid === isTaker;
  const lots = isBuy ? trade.sizeLots : -trade.sizeLots;
  running.quoteAtoms -= fee;
  if (market.isPerp) {
    running.quoteAtoms += applyFill(position, lots, notional / BigInt(trade.sizeLots));
    position.feesAtoms += fee;
  } else {
    running.quoteAtoms += isBuy ? -notional : notional;
    running.lots[trade.market] = (running.lots[trade.market] ?? 0) + lots;
  }
}

function stateOf({ markets }: Exchange, { quoteAtoms, positions, lots }: Running): AccountState {
  return {
    quoteAtoms,
    positions: markets.flatMap(({ index, isPerp, spec }) => {
      const position = positions[index];
      const isOurs = isPerp && position !== undefined && isUsed(position);
      return isOurs ? [{ marketId: spec.id, ...position }] : [];
    }),
    holdings: markets.flatMap(({ index, isPerp, spec }) => {
      const held = lots[index] ?? 0;
      return isPerp || held === 0 ? [] : [{ type: spec.type, marketId: spec.id, lots: held }];
    }),
  };
}

function isUsed({ lots, feesAtoms, realisedAtoms }: Position): boolean {
  return lots !== 0 || feesAtoms !== 0n || realisedAtoms !== 0n;
}
