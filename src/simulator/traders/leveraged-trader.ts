// A leveraged trader bets its whole margin on a direction, takes a profit if it comes, and is liquidated if not.

import { unrealised } from "../accounts/margin.ts";
import { ATOMS_PER_QUOTE, notionalAtoms } from "../accounts/money.ts";
import { deposit } from "../exchange/cash-desk.ts";
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";

export interface LeveragedStyle {
  /** Margin in quote currency that it starts each bet with. */
  readonly quote: number;
  readonly leverage: readonly [number, number];
  readonly periodMs: number;
}

const US_PER_S = 1_000_000;
/** Profit in parts of the margin at which it leaves. */
const CONTENT = 0.8;
/** It bets this part of what its leverage allows, so that the first fee does not liquidate it. */
const CAUTION = 0.85;
const PATIENCE_S: readonly [number, number] = [600, 3000];
/** Time from a bet to the first look at it, and from the end of one bet to the next. */
const FIRST_LOOK_S: readonly [number, number] = [2, 20];
const REST_S: readonly [number, number] = [20, 180];

export class LeveragedTrader implements Actor {
  readonly #desk: Desk;
  readonly #style: LeveragedStyle;
  #leaveAtUs = 0;

  constructor(desk: Desk, style: LeveragedStyle) {
    this.#desk = desk;
    this.#style = style;
  }

  act(nowUs: number): number {
    const { inventoryLots } = this.#desk;
    if (inventoryLots === 0) return this.#open(nowUs);
    const position = this.#desk.account.positions[this.#desk.market.index];
    const profit = position === undefined ? 0n : unrealised(this.#desk.market, position);
    const goal = BigInt(Math.round(this.#style.quote * CONTENT)) * ATOMS_PER_QUOTE;
    if (profit < goal && nowUs < this.#leaveAtUs) return this.#desk.waitUs(this.#style.periodMs);
    this.#desk.send(inventoryLots < 0, 1, Math.abs(inventoryLots), "market");
    return this.#seconds(REST_S);
  }

  #open(nowUs: number): number {
    const { exchange, account, market, random } = this.#desk;
    const margin = BigInt(this.#style.quote) * ATOMS_PER_QUOTE;
    deposit(exchange, account, margin - account.quoteAtoms);
    const [low, high] = this.#style.leverage;
    const leverage = Math.round(low + random() * (high - low));
    account.leverages[market.index] = leverage;
    const lotValue = Number(notionalAtoms(market.spec, market.midTicks, 1));
    const lots = Math.floor((Number(margin) * leverage * CAUTION) / lotValue);
    if (lots > 0) this.#desk.take(random() < 0.5, lots, this.#desk.ticksOf(300));
    this.#leaveAtUs = nowUs + this.#seconds(PATIENCE_S);
    return this.#seconds(FIRST_LOOK_S);
  }

  #seconds([low, high]: readonly [number, number]): number {
    return (low + this.#desk.random() * (high - low)) * US_PER_S;
  }
}
