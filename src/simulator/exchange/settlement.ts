// What a trade moves: money, positions, holdings, fees, candles, open interest.
import type { Account } from "../accounts/account.ts";
import { feeAtoms, notionalAtoms } from "../accounts/money.ts";
import { applyFill } from "../accounts/position.ts";
import type { TradeRow } from "../ledger/trade-table.ts";
import type { Exchange } from "./exchange.ts";
import type { Market } from "./market.ts";

/** Settles one trade between two accounts, which may be the same one. Must run inside a transaction. Never throws. */
export function settleTrade(
  exchange: Exchange,
  market: Market,
  { priceTicks, sizeLots, takerIsBid }: TradeRow,
  makerAccount: Account,
  takerAccount: Account,
): void {
  const { spec } = market;
  const notional = notionalAtoms(spec, priceTicks, sizeLots);
  const makerFee = feeAtoms(notional, spec.makerFeePpm);
  const takerFee = feeAtoms(notional, spec.takerFeePpm);
  const settle = market.isPerp ? settlePerp : settleSpot;
  const takerLots = takerIsBid ? sizeLots : -sizeLots;
  settle(market, makerAccount, -takerLots, notional, makerFee);
  settle(market, takerAccount, takerLots, notional, takerFee);
  noteFill(exchange, makerAccount);
  if (takerAccount !== makerAccount) noteFill(exchange, takerAccount);
  exchange.treasury.feesAtoms += makerFee + takerFee;
  market.lastTicks = priceTicks;
  market.candles.add(exchange.nowUs, priceTicks, sizeLots, notional);
}

/** The newest trade of the table is one of this account. */
function noteFill({ trades }: Exchange, { changes }: Account): void {
  if (changes === undefined) return;
  changes.trades.push(trades.end - 1);
  changes.hasQuote = true;
  changes.hasSummary = true;
}

function settlePerp(
  market: Market,
  account: Account,
  signedLots: number,
  notional: bigint,
  fee: bigint,
): void {
  const position = account.positions[market.index];
  if (position === undefined) return;
  const longBefore = Math.max(position.lots, 0);
  const realised = applyFill(position, signedLots, notional / BigInt(Math.abs(signedLots)));
  position.feesAtoms += fee;
  account.quoteAtoms += realised - fee;
  market.openInterestLots += Math.max(position.lots, 0) - longBefore;
  account.changes?.positions.add(market.index);
}

function settleSpot(
  market: Market,
  account: Account,
  signedLots: number,
  notional: bigint,
  fee: bigint,
): void {
  const holding = account.holdings[market.index];
  if (holding === undefined) return;
  holding.lots += signedLots;
  account.quoteAtoms += (signedLots > 0 ? -notional : notional) - fee;
  account.changes?.holdings.add(market.index);
}
