// The exchange: what accounts may do, and how each trade affects them. Everything happens inside a transaction, and each part
// of the state stores the index of the last transaction that changed it.
import type { Random } from "../../units/random.ts";
import { type Account, applyFill, emptyPosition, type Owner } from "./account.ts";
import { LIQUIDATION, Log, TRADE } from "./log.ts";
import { createMarket, type Market, type MarketSpec } from "./market.ts";
import { priced } from "./money.ts";
import { type Order, type OrderRequest, removeFrom } from "./order-book.ts";

/** The index before the first transaction: large, like that of a chain that has been running for long. */
export const GENESIS_INDEX = 52_000_000;
const FIRST_ORDER_ID = 9_000_001;
const FIRST_TRADE_ID = 700_000_001;
const FIRST_LIQUIDATION_ID = 4_100_001;
const MAX_LIQUIDATIONS = 50_000;
/** Most transactions of the chain are not ours: indexes jump by up to this much, usually by far less. */
const MAX_INDEX_STEP = 40;

/** Client order ids are of a range of the market. */
export const CLIENT_ORDER_IDS = 100_000_000;

/** Who trades, by which of its orders. */
export type Party = Pick<Order, "account" | "clientOrderId">;

/** An act of a trader or of the exchange itself, inside a transaction. @returns microseconds until the next one */
export type Act = (nowUs: number) => number;

/** All markets and accounts. Orders and money move only inside `transact`. */
export class Exchange {
  readonly markets: readonly Market[];
  readonly accounts: Account[] = [];
  /** Those of the published owner, whose changes the stream shows. */
  readonly published: Account[] = [];
  readonly trades;
  readonly liquidations = new Log(LIQUIDATION, FIRST_LIQUIDATION_ID, MAX_LIQUIDATIONS);
  /** Called after each transaction with changes, before the record of what it touched is cleared. */
  onTransaction: (index: number) => void = () => {};
  /** Time of the running or last transaction. */
  nowUs = 0;
  /** Of the running transaction, and of the last one with changes. */
  index: number;
  lastIndex = GENESIS_INDEX;
  /** The next one last. Equal times keep the order in which they were added. */
  readonly #wakeUps: { readonly act: Act; atUs: number }[] = [];
  readonly #random: Random;
  /** Orders of published accounts that the running transaction placed or changed. */
  readonly changedOrders = new Set<Order>();
  #orderId = FIRST_ORDER_ID;
  #isChanged = false;

  /** @param random used only for the steps of the transaction index */
  constructor(specs: readonly MarketSpec[], maxTrades: number, random: Random) {
    this.trades = new Log(TRADE, FIRST_TRADE_ID, maxTrades);
    this.#random = random;
    this.markets = specs.map((spec, index) => {
      const market: Market = createMarket(index, spec, (maker, taker, sizeLots) =>
        this.#match(market, maker, taker, sizeLots),
      );
      return market;
    });
    this.index = this.#nextIndex();
  }

  /** @param index of one that there is; so for `account` */
  market(index: number): Market {
    return this.markets[index] as Market;
  }

  account(index: number): Account {
    return this.accounts[index] as Account;
  }

  /** @param quoteAtoms what it begins with */
  openAccount(owner: Owner, quoteAtoms: number, subaccountId = 0, isPublished = false): Account {
    const account = {
      ...{ index: this.accounts.length, owner, subaccountId, quoteAtoms },
      ...{ positions: [], leverages: [], orders: [], payments: [], sequence: this.index },
    };
    this.accounts.push(account);
    if (isPublished) this.published.push(account);
    return account;
  }

  /** Simulated time of the next act; Infinity if there is none. */
  get nextUs(): number {
    return this.#wakeUps[this.#wakeUps.length - 1]?.atUs ?? Number.POSITIVE_INFINITY;
  }

  schedule(act: Act, atUs: number): void {
    const later = this.#wakeUps.findLastIndex((each) => each.atUs > atUs);
    this.#wakeUps.splice(later + 1, 0, { act, atUs });
  }

  /**
   * Advances simulated time up to and including a moment; each act that is due is one transaction.
   * @param maxSteps stop after this many acts, so that a long span can be run in turns
   * @returns true if the moment was reached
   */
  runUntil(timeUs: number, maxSteps = Number.POSITIVE_INFINITY): boolean {
    for (let steps = 0; this.nextUs <= timeUs; steps++) {
      const next = steps < maxSteps ? this.#wakeUps.pop() : undefined;
      if (next === undefined) return false;
      const { act, atUs } = next;
      this.transact(atUs, () => {
        this.schedule(act, atUs + Math.max(1, Math.round(act(atUs))));
      });
    }
    return true;
  }

  /** Runs a transaction; if it changes nothing, it is as if it had never happened. */
  transact(timeUs: number, act: () => void): void {
    this.nowUs = timeUs;
    act();
    if (!this.#isChanged) return;
    this.#isChanged = false;
    for (const market of this.markets)
      if (market.book.touched.size > 0) market.bookSequence = this.index;
    this.lastIndex = this.index;
    this.onTransaction(this.index);
    // To clear a set or map makes garbage even if it is empty.
    for (const { book } of this.markets) if (book.touched.size > 0) book.touched.clear();
    if (this.changedOrders.size > 0) this.changedOrders.clear();
    this.index = this.#nextIndex();
  }

  /** Marks the running transaction as changing something, and `account` as changed by it. */
  touch(account?: Account): void {
    this.#isChanged = true;
    if (account !== undefined) account.sequence = this.index;
  }

  /** Executes a new order. Traders have more money than they use: nothing is held back for orders. */
  place(account: Account, market: Market, request: OrderRequest): Order {
    const { isBid, sizeLots, terms } = request;
    const id = this.#orderId++;
    // Every counter-order is within the limit of a market order.
    const anyPrice = isBid ? Number.MAX_SAFE_INTEGER : 0;
    // Spelled out: with object spread, trading takes twice as long.
    const order: Order = {
      id,
      clientOrderId: market.index * CLIENT_ORDER_IDS + (id % CLIENT_ORDER_IDS),
      account: account.index,
      market: market.index,
      isBid,
      priceTicks: terms === "market" ? anyPrice : request.priceTicks,
      sizeLots,
      terms,
      createdAtUs: this.nowUs,
      remainingLots: sizeLots,
      status: "open",
      level: undefined,
    };
    this.#change(account, order);
    market.book.submit(order);
    if (order.level !== undefined) account.orders.push(order);
    return order;
  }

  cancel(order: Order): void {
    if (order.level === undefined) return;
    const account = this.account(order.account);
    this.#change(account, order);
    this.market(order.market).book.cancel(order);
    removeFrom(account.orders, order);
  }

  /** Records a trade and settles it: money, positions, fees, open interest. Who trades with himself pays both fees. */
  trade(market: Market, ticks: number, takerLots: number, maker: Party, taker: Party): void {
    const { notional, makerFee, takerFee } = priced(market.spec, ticks, takerLots);
    const bought = maker.account === taker.account ? 0 : takerLots;
    const gains = [
      this.#settle(market, maker, -bought, notional, makerFee),
      this.#settle(market, taker, bought, notional, takerFee),
    ];
    this.record(market, ticks, takerLots, maker, taker, gains);
    market.candles.add(this, ticks, Math.abs(takerLots));
  }

  /** Records a trade that moves no money, without its candles. @param gains what maker and taker realised */
  record(
    market: Market,
    ticks: number,
    takerLots: number,
    maker: Party,
    taker: Party,
    gains: readonly number[] = [0, 0],
  ): void {
    const place = [this.index, this.nowUs, market.index, ticks, takerLots] as const;
    const orders = [maker.clientOrderId, taker.clientOrderId] as const;
    this.trades.add(...place, maker.account, taker.account, ...orders, ...gains);
    this.touch();
    market.tradeSequence = this.index;
    market.lastTicks = ticks;
  }

  #match(market: Market, maker: Order, taker: Order, sizeLots: number): void {
    const account = this.account(maker.account);
    if (maker.level === undefined) removeFrom(account.orders, maker);
    this.#change(account, maker);
    this.trade(market, maker.priceTicks, taker.isBid ? sizeLots : -sizeLots, maker, taker);
  }

  #change(account: Account, order: Order): void {
    this.touch(account);
    if (this.published.includes(account)) this.changedOrders.add(order);
  }

  /** @returns realised profit in quote atoms */
  #settle(market: Market, party: Party, signedLots: number, notional: number, fee: number): number {
    const { index, isPerp } = market;
    const account = this.account(party.account);
    this.touch(account);
    account.positions[index] ??= emptyPosition();
    const position = account.positions[index];
    position.sequence = this.index;
    account.quoteAtoms -= fee;
    if (signedLots === 0) return 0;
    const lotAtoms = notional / Math.abs(signedLots);
    if (!isPerp) {
      position.lots += signedLots;
      account.quoteAtoms -= signedLots * lotAtoms;
      return 0;
    }
    const longBefore = Math.max(position.lots, 0);
    const gainAtoms = applyFill(position, signedLots, lotAtoms);
    account.quoteAtoms += gainAtoms;
    market.openInterestLots += Math.max(position.lots, 0) - longBefore;
    return gainAtoms;
  }

  #nextIndex(): number {
    const random = this.#random();
    return this.lastIndex + 1 + Math.floor(random * random * random * MAX_INDEX_STEP);
  }
}
