// An account at any transaction, worked out anew from what happened to it: its trades and its cash flows.
import type { MarketType } from "../../wire/channels.ts";
import type { Account, CashFlow } from "../accounts/account.ts";
import { feeAtoms, notionalAtoms } from "../accounts/money.ts";
import { applyFill, emptyPosition, type Position } from "../accounts/position.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { TradeRow } from "./trade-table.ts";

/** Amounts in quote atoms (millionths of the quote currency). */
export interface AccountState {
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
  if (account.changes === undefined)
    throw new RangeError("cash flows are kept for published accounts");
  if (account.firstCashFlow > 0) throw new RangeError("the first cash flows are no longer kept");
  if (trades.first > 0) throw new RangeError("the first trades are no longer kept");
  const running: Running = {
    quoteAtoms: 0n,
    positions: markets.map(emptyPosition),
    lots: markets.map(() => 0),
  };
  for (const flow of account.cashFlows) if (flow.index <= index) replayCash(running, flow);
  for (let row = 0; row < trades.end && trades.indexAt(row) <= index; row++) {
    const trade = trades.at(row);
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
