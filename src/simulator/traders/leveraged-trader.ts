// A leveraged trader bets its whole margin on a direction, in one market or in several at once, takes a
// profit if it comes, and is liquidated if not.
import type { Random } from "../../units/random.ts";
import { deposit } from "../exchange/exchange.ts";
import { ATOMS_PER_QUOTE, marginOf, notionalAtoms } from "../exchange/money.ts";
import type { Actor } from "../exchange/schedule.ts";
import type { Desk } from "./desk.ts";
import { between } from "./luck.ts";

/** How a leveraged trader bets. */
export interface LeveragedStyle {
  /** Margin in quote currency that it starts each bet with. */
  readonly quote: number;
  readonly leverage: readonly [number, number];
}

const US_PER_S = 1_000_000;
const LOOK_MS = 2000;
/** Profit in parts of the margin at which it leaves. */
const CONTENT = 0.8;
/** It bets this part of what its leverage allows, so that the first fee does not liquidate it. */
const CAUTION = 0.85;
/** How far an order may reach for its size, in millionths of the price. */
const REACH_PPM = 300;
const PATIENCE_S: readonly [number, number] = [600, 3000];
/** Time from a bet to the first look at it, and from the end of one bet to the next. */
const FIRST_LOOK_S: readonly [number, number] = [2, 20];
const REST_S: readonly [number, number] = [20, 180];

/** Acts on one desk in each market that it bets in, all of one account. */
export class LeveragedTrader implements Actor {
  readonly #first: Desk;
  readonly #desks: readonly Desk[];
  readonly #style: LeveragedStyle;
  #leaveAtUs = 0;

  /** @param first a desk in a perpetual market; `others` are desks of the same account in other ones */
  constructor(style: LeveragedStyle, first: Desk, ...others: readonly Desk[]) {
    this.#style = style;
    this.#first = first;
    this.#desks = [first, ...others];
  }

  act(nowUs: number): number {
    const isOpen = this.#desks.some(({ inventoryLots }) => inventoryLots !== 0);
    if (!isOpen) return this.#open(nowUs);
    const { account, exchange } = this.#first;
    const { unrealisedAtoms } = marginOf(account, exchange.markets);
    const goal = BigInt(Math.round(this.#style.quote * CONTENT)) * ATOMS_PER_QUOTE;
    if (unrealisedAtoms < goal && nowUs < this.#leaveAtUs) return this.#first.waitUs(LOOK_MS);
    for (const desk of this.#desks) {
      const lots = desk.inventoryLots;
      if (lots !== 0) desk.send(lots < 0, 1, Math.abs(lots), "market");
    }
    return seconds(this.#first.random, REST_S);
  }

  #open(nowUs: number): number {
    const { exchange, account, random } = this.#first;
    const margin = BigInt(this.#style.quote) * ATOMS_PER_QUOTE;
    deposit(exchange, account, margin - account.quoteAtoms);
    for (const desk of this.#desks) this.#bet(desk);
    this.#leaveAtUs = nowUs + seconds(random, PATIENCE_S);
    return seconds(random, FIRST_LOOK_S);
  }

  #bet(desk: Desk): void {
    const { account, market, random } = desk;
    const leverage = Math.round(between(random, this.#style.leverage));
    account.leverages[market.index] = leverage;
    const lotAtoms = Number(notionalAtoms(market.spec, market.midTicks, 1));
    const quote = (this.#style.quote / this.#desks.length) * leverage * CAUTION;
    const lots = Math.floor((quote * Number(ATOMS_PER_QUOTE)) / lotAtoms);
    if (lots > 0) desk.take(random() < 0.5, lots, desk.ticksOf(REACH_PPM));
  }
}

/** A time within a range of seconds, in microseconds. */
function seconds(random: Random, range: readonly [number, number]): number {
  return between(random, range) * US_PER_S;
}
