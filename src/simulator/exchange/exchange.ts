// The exchange: what accounts may do, and how each trade affects them. Everything happens inside a transaction, and each part
// of the state stores the index of the last transaction that changed it.
import type { Random } from "../../units/random.ts";
import type { MarketSpec } from "../scenario.ts";
import {
  type Account,
  type AccountSetup,
  applyFill,
  createAccount,
  emptyPosition,
} from "./account.ts";
import { type Liquidation, Log, PackedTrades, type TradeRow } from "./log.ts";
import { Market } from "./market.ts";
import { feeAtoms, notionalAtoms } from "./money.ts";
import { isLive, type Order, type OrderRequest, removeFrom } from "./order-book.ts";

/** The index before the first transaction: large, like that of a chain that has been running for long. */
const GENESIS_INDEX = 52_000_000;
const FIRST_ORDER_ID = 9_000_001;
const FIRST_TRADE_ID = 700_000_001;
const FIRST_LIQUIDATION_ID = 4_100_001;
const MAX_LIQUIDATIONS = 50_000;
/** Limit prices of market orders: every counter-order is within them. */
const MARKET_BID_TICKS = Number.MAX_SAFE_INTEGER;
const MARKET_ASK_TICKS = 0;
/** Most transactions of the chain are not ours: indexes jump by up to this much, usually by far less. */
const MAX_INDEX_STEP = 40;

/** A trade as its parties see it. */
interface Terms {
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly takerIsBid: boolean;
  readonly makerClientOrderId: number;
  readonly takerClientOrderId: number;
}

/** All markets and accounts. Orders and money move only between `begin` and `commit`. */
export class Exchange {
  readonly markets: readonly Market[];
  readonly accounts: Account[] = [];
  /** Those of the published owner. */
  readonly published: Account[] = [];
  readonly trades: Log<TradeRow>;
  readonly liquidations = new Log<Liquidation>(FIRST_LIQUIDATION_ID, MAX_LIQUIDATIONS);
  /** Time of the running or last transaction. */
  nowUs = 0;
  /** Of the running transaction, of the first one, and of the last one with changes. */
  index: number;
  readonly firstIndex: number;
  lastIndex = GENESIS_INDEX;
  readonly #random: Random;
  readonly #listeners = new Set<(index: number) => void>();
  /** Markets whose books the running transaction changed. */
  readonly #changed = new Set<Market>();
  #orderId = FIRST_ORDER_ID;
  #isChanged = false;

  /**
   * @param maxTrades minimum of stored trades
   * @param random used only for the steps of the transaction index
   */
  constructor(specs: readonly MarketSpec[], maxTrades: number, random: Random) {
    this.trades = new Log(FIRST_TRADE_ID, maxTrades, new PackedTrades(maxTrades * 1.1 + 1));
    this.#random = random;
    this.markets = specs.map((spec, index) => {
      const market: Market = new Market(index, spec, (maker, taker, sizeLots) =>
        this.#match(market, maker, taker, sizeLots),
      );
      return market;
    });
    this.index = this.#nextIndex();
    this.firstIndex = this.index;
  }

  /** @throws {RangeError} for an unknown index; so does `account` */
  market(index: number): Market {
    return this.markets[index] ?? fail(`no market ${index}`);
  }

  account(index: number): Account {
    return this.accounts[index] ?? fail(`no account ${index}`);
  }

  /** @param atoms that it begins with */
  openAccount(setup: AccountSetup, atoms: bigint): Account {
    const account = createAccount(this.accounts.length, setup, atoms);
    this.accounts.push(account);
    if (setup.isPublished) this.published.push(account);
    this.touch(account);
    return account;
  }

  /** Called after each transaction with changes, before the record of what it touched is cleared. @returns its undo */
  onTransaction(listener: (index: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  begin(timeUs: number): void {
    this.nowUs = timeUs;
  }

  /** Ends the running transaction; without changes, it is as if it had never happened. */
  commit(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    for (const market of this.#changed) market.bookSequence = this.index;
    this.lastIndex = this.index;
    for (const listener of this.#listeners) listener(this.index);
    for (const market of this.#changed) market.book.clearTouched();
    // To clear a set makes garbage even if it is empty.
    if (this.#changed.size > 0) this.#changed.clear();
    for (const { changedOrders } of this.published) {
      if (changedOrders !== undefined && changedOrders.size > 0) changedOrders.clear();
    }
    this.index = this.#nextIndex();
  }

  /** Marks the running transaction as changing something, and `account` as changed by it. */
  touch(account?: Account): void {
    this.#isChanged = true;
    if (account !== undefined) account.sequence = this.index;
  }

  /** Executes a new order. Traders have more money than they use: nothing is held back for orders. */
  place(account: Account, market: Market, request: OrderRequest): Order {
    const { isBid, sizeLots, terms, clientOrderId } = request;
    const anyPrice = isBid ? MARKET_BID_TICKS : MARKET_ASK_TICKS;
    // Spelled out: with object spread, trading takes twice as long.
    const order: Order = {
      id: this.#orderId++,
      account: account.index,
      market: market.index,
      isBid,
      priceTicks: terms === "market" ? anyPrice : request.priceTicks,
      sizeLots,
      terms,
      clientOrderId,
      createdAtUs: this.nowUs,
      remainingLots: sizeLots,
      status: "open",
      level: undefined,
    };
    this.touch(account);
    account.changedOrders?.add(order);
    market.book.submit(order);
    if (market.book.isTouched) this.#changed.add(market);
    if (order.level !== undefined) account.orders.push(order);
    return order;
  }

  cancel(order: Order): void {
    if (order.level === undefined) return;
    const account = this.account(order.account);
    this.touch(account);
    account.changedOrders?.add(order);
    const market = this.market(order.market);
    market.book.cancel(order);
    this.#changed.add(market);
    removeFrom(account.orders, order);
  }

  /** Records a trade and settles it: money, positions, fees, candles, open interest. The two may be the same account. */
  trade(market: Market, maker: Account, taker: Account, terms: Terms): void {
    const { spec } = market;
    const { priceTicks, sizeLots, takerIsBid } = terms;
    this.trades.add({
      index: this.index,
      timeUs: this.nowUs,
      market: market.index,
      priceTicks,
      sizeLots,
      takerIsBid,
      maker: maker.index,
      taker: taker.index,
      makerClientOrderId: terms.makerClientOrderId,
      takerClientOrderId: terms.takerClientOrderId,
    });
    market.tradeSequence = this.index;
    this.touch(maker);
    this.touch(taker);
    const notional = notionalAtoms(spec, priceTicks, sizeLots);
    const takerLots = takerIsBid ? sizeLots : -sizeLots;
    settle(market, maker, -takerLots, notional, feeAtoms(notional, spec.makerFeePpm));
    settle(market, taker, takerLots, notional, feeAtoms(notional, spec.takerFeePpm));
    market.lastTicks = priceTicks;
    market.candles.add(this.nowUs, priceTicks, sizeLots, notional);
  }

  #match(market: Market, maker: Order, taker: Order, sizeLots: number): void {
    const account = this.account(maker.account);
    if (!isLive(maker)) removeFrom(account.orders, maker);
    account.changedOrders?.add(maker);
    this.trade(market, account, this.account(taker.account), {
      priceTicks: maker.priceTicks,
      sizeLots,
      takerIsBid: taker.isBid,
      makerClientOrderId: maker.clientOrderId,
      takerClientOrderId: taker.clientOrderId,
    });
  }

  #nextIndex(): number {
    const random = this.#random();
    return this.lastIndex + 1 + Math.floor(random * random * random * MAX_INDEX_STEP);
  }
}

function fail(message: string): never {
  throw new RangeError(message);
}

function settle(
  market: Market,
  account: Account,
  signedLots: number,
  notional: bigint,
  fee: bigint,
): void {
  const { index } = market;
  const position = account.positions[index] ?? emptyPosition();
  account.positions[index] = position;
  account.quoteAtoms -= fee;
  if (!market.isPerp) {
    position.lots += signedLots;
    account.quoteAtoms += signedLots > 0 ? -notional : notional;
    return;
  }
  const longBefore = Math.max(position.lots, 0);
  account.quoteAtoms += applyFill(position, signedLots, notional / BigInt(Math.abs(signedLots)));
  position.feesAtoms += fee;
  market.openInterestLots += Math.max(position.lots, 0) - longBefore;
}
