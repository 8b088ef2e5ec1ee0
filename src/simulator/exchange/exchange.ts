// The exchange: what accounts may do, and what each trade does to them. Everything happens inside a
// transaction, and every piece of state remembers the index of the transaction that changed it last.
import type { Random } from "../../units/random.ts";
import { Account, type AccountSetup } from "../accounts/account.ts";
import { canBack, hold } from "../accounts/spot-holds.ts";
import { createOrder, isLive, type Order, type OrderRequest } from "../engine/order.ts";
import type { LiquidationLog } from "../ledger/liquidation-log.ts";
import type { TradeRow, TradeTable } from "../ledger/trade-table.ts";
import { Market } from "./market.ts";
import type { MarketSpec } from "./market-spec.ts";
import { settleTrade } from "./settlement.ts";
import { Treasury } from "./treasury.ts";

/** Called after each transaction that changed anything, before what it touched is forgotten. */
export type OnTransaction = (index: number, timeUs: number) => void;

/** The index before the first transaction: large enough to look like a chain that has been running. */
const GENESIS_INDEX = 52_000_000;
const FIRST_ORDER_ID = 9_000_001;
/** Most transactions of the chain are not ours: indexes jump by up to this much, often by far less. */
const MAX_INDEX_STEP = 40;

interface ExchangeSetup {
  readonly specs: readonly MarketSpec[];
  readonly trades: TradeTable;
  readonly liquidations: LiquidationLog;
  /** Feeds the steps of the transaction index and nothing else. */
  readonly random: Random;
}

/** All markets and accounts. Orders and money move only between `begin` and `commit`. */
export class Exchange {
  readonly markets: readonly Market[];
  readonly accounts: Account[] = [];
  readonly treasury: Treasury;
  readonly trades: TradeTable;
  readonly liquidations: LiquidationLog;
  /** Simulated time of the running or last transaction, in microseconds. */
  nowUs = 0;
  /** Index of the first transaction, which set everything up, and of the last one that changed anything. */
  readonly firstIndex: number;
  lastIndex = GENESIS_INDEX;
  /** First trade row of the running transaction. */
  firstTrade = 0;
  readonly #random: Random;
  readonly #published: Account[] = [];
  readonly #listeners = new Set<OnTransaction>();
  #index = 0;
  #orderId = FIRST_ORDER_ID;
  #isChanged = false;

  constructor({ specs, trades, liquidations, random }: ExchangeSetup) {
    this.trades = trades;
    this.liquidations = liquidations;
    this.#random = random;
    this.markets = specs.map(
      (spec, index) =>
        new Market(index, spec, (maker, taker, sizeLots) => this.#trade(maker, taker, sizeLots)),
    );
    this.treasury = new Treasury(specs.length);
    this.#index = this.#nextIndex();
    this.firstIndex = this.#index;
  }

  /** Index of the running transaction. */
  get index(): number {
    return this.#index;
  }

  openAccount(setup: AccountSetup): Account {
    const account = new Account(this.accounts.length, this.markets.length, setup);
    this.accounts.push(account);
    if (setup.isPublished) this.#published.push(account);
    return account;
  }

  /** Calls back after each transaction. Returns its undo. */
  onTransaction(listener: OnTransaction): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  begin(timeUs: number): void {
    this.nowUs = timeUs;
    this.firstTrade = this.trades.end;
  }

  /** Ends the running transaction; one that changed nothing has never been. */
  commit(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    for (const market of this.markets) {
      if (market.book.isTouched) market.bookSequence = this.#index;
    }
    this.lastIndex = this.#index;
    for (const listener of this.#listeners) listener(this.#index, this.nowUs);
    for (const market of this.markets) market.book.clearTouched();
    for (const account of this.#published) {
      if (account.sequence === this.#index) account.changes?.clear();
    }
    this.#index = this.#nextIndex();
  }

  /** Notes that the running transaction changes something, and where an account is concerned, in which one. */
  touch(account?: Account): void {
    this.#isChanged = true;
    if (account !== undefined) account.sequence = this.#index;
  }

  /** Executes a new order. A spot order that the account cannot back is rejected. */
  place(account: Account, market: Market, request: OrderRequest): Order {
    const order = createOrder(this.#orderId++, account.index, market.index, request, this.nowUs);
    this.touch(account);
    account.changes?.orders.add(order);
    if (!market.isPerp && !canBack(account, market.index, market.spec, request)) {
      order.status = "rejected";
      return order;
    }
    market.book.submit(order);
    if (order.level !== undefined) {
      account.openOrder(order);
      if (!market.isPerp) this.#hold(account, market, order, order.remainingLots);
    }
    return order;
  }

  /** Cancels an open order. Nothing happens when it is not open. */
  cancel(order: Order): void {
    const { account, market } = this.#of(order);
    if (order.level === undefined) return;
    this.touch(account);
    account.changes?.orders.add(order);
    market.book.cancel(order);
    this.#close(account, market, order);
  }

  /**
   * Gives an open order another price or size. A smaller size at the same price keeps its place in the
   * queue; anything else is a cancel and a new order.
   * @returns the order that stands for it now, which may have traded, or the old one when it was not open.
   */
  replace(order: Order, priceTicks: number, sizeLots: number): Order {
    if (order.level === undefined) return order;
    const { account, market } = this.#of(order);
    if (priceTicks === order.priceTicks && sizeLots <= order.remainingLots) {
      this.touch(account);
      account.changes?.orders.add(order);
      if (!market.isPerp) this.#hold(account, market, order, sizeLots - order.remainingLots);
      market.book.reduce(order, sizeLots);
      return order;
    }
    const { isBid, terms, clientOrderId } = order;
    this.cancel(order);
    return this.place(account, market, { isBid, priceTicks, sizeLots, terms, clientOrderId });
  }

  #trade(maker: Order, taker: Order, sizeLots: number): void {
    const makerAccount = this.#of(maker).account;
    const { account: takerAccount, market } = this.#of(taker);
    if (!market.isPerp) this.#hold(makerAccount, market, maker, -sizeLots);
    if (!isLive(maker)) makerAccount.closeOrder(maker);
    makerAccount.changes?.orders.add(maker);
    const trade: TradeRow = {
      index: this.#index,
      timeUs: this.nowUs,
      market: market.index,
      priceTicks: maker.priceTicks,
      sizeLots,
      takerIsBid: taker.isBid,
      maker: maker.account,
      taker: taker.account,
      makerClientOrderId: maker.clientOrderId,
      takerClientOrderId: taker.clientOrderId,
    };
    this.trades.add(trade);
    market.tradeSequence = this.#index;
    this.touch(makerAccount);
    settleTrade(this, market, trade, makerAccount, takerAccount);
  }

  #close(account: Account, market: Market, order: Order): void {
    account.closeOrder(order);
    if (!market.isPerp) this.#hold(account, market, order, -order.remainingLots);
  }

  #hold(account: Account, market: Market, order: Order, sizeLots: number): void {
    hold(account, market.spec, order, sizeLots);
    if (order.isBid) {
      if (account.changes !== undefined) account.changes.hasQuote = true;
    } else {
      account.changes?.holdings.add(market.index);
    }
  }

  #of(order: Order): { account: Account; market: Market } {
    const account = this.accounts[order.account];
    const market = this.markets[order.market];
    if (account === undefined || market === undefined) throw new RangeError("a foreign order");
    return { account, market };
  }

  #nextIndex(): number {
    const luck = this.#random();
    return this.lastIndex + 1 + Math.floor(luck * luck * luck * MAX_INDEX_STEP);
  }
}
