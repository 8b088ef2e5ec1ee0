// Spot orders are backed: a sell order by base currency, a bid by quote currency. Nothing is sold twice.
import type { Order, OrderRequest } from "../engine/order.ts";
import type { MarketSpec } from "../exchange/market-spec.ts";
import type { Account } from "./account.ts";
import { feeAtoms, notionalAtoms } from "./money.ts";

/** True when the account can back the whole order and its fee. A market order has no price to back. Never throws. */
export function canBack(
  account: Account,
  market: number,
  spec: MarketSpec,
  { isBid, priceTicks, sizeLots, terms }: OrderRequest,
): boolean {
  if (terms === "market") return false;
  if (!isBid) {
    const holding = account.holdings[market];
    return holding !== undefined && holding.lots - holding.heldLots >= sizeLots;
  }
  const notional = notionalAtoms(spec, priceTicks, sizeLots);
  const cost = notional + feeAtoms(notional, spec.takerFeePpm);
  return account.quoteAtoms - account.heldAtoms >= cost;
}

/** Sets aside (or, with a negative size, sets free) what backs a part of a resting order. Never throws. */
export function hold(account: Account, spec: MarketSpec, order: Order, sizeLots: number): void {
  if (order.isBid) {
    const atoms = notionalAtoms(spec, order.priceTicks, Math.abs(sizeLots));
    account.heldAtoms += sizeLots < 0 ? -atoms : atoms;
    return;
  }
  const holding = account.holdings[order.market];
  if (holding !== undefined) holding.heldLots += sizeLots;
}
