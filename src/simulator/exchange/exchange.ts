// The exchange: what accounts may do, and how each trade affects them. Everything happens inside a transaction, and each part
// of the state stores the index of the last transaction that changed it.
import type { Random } from "../../units/random.ts";
import { isLive, type Order, type OrderRequest, removeFrom } from "../engine/order-book.ts";
import { type Liquidation, Log, type TradeRow } from "../ledger/log.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";
import { Account, type AccountSetup, applyFill } from "./account.ts";
import { Market } from "./market.ts";
import { feeAtoms, heldAtoms, heldLots, notionalAtoms } from "./money.ts";

/** Called after each transaction with changes, before the record of what it touched is cleared. */
export type OnTransaction = (index: number, timeUs: number) => void;

/** The index before the first transaction: large, like that of a chain that has been running for long. */
const GENESIS_INDEX = 52_000_000;
const FIRST_ORDER_ID = 9_000_001;
const FIRST_TRADE_ID = 700_000_001;
const FIRST_LIQUIDATION_ID = 4_100_001;
const MAX_LIQUIDATIONS = 100_000;
/** Limit prices of market orders: every counter-order is within them. */
const MARKET_BID_TICKS = Number.MAX_SAFE_INTEGER;
const MARKET_ASK_TICKS = 0;
/** Most transactions of the chain are not ours: indexes jump by up to this much, usually by far less. */
const MAX_INDEX_STEP = 40;

/** All markets and accounts. Orders and money move only between `begin` and `commit`. */
export class Exchange {
  readonly markets: readonly Market[];
  readonly accounts: Account[] = [];
  readonly trades: Log<TradeRow>;
  readonly liquidations = new Log<Liquidation>(FIRST_LIQUIDATION_ID, MAX_LIQUIDATIONS);
  /** Time of the running or last transaction. */
  nowUs = 0;
  /** Index of the first transaction, which set everything up, and of the last one with changes. */
  readonly firstIndex: number;
  lastIndex = GENESIS_INDEX;
  readonly #random: Random;
  readonly #published: Account[] = [];
  readonly #listeners = new Set<OnTransaction>();
  /** Index of the running transaction. */
  index = 0;
  #orderId = FIRST_ORDER_ID;
  #isChanged = false;

  /**
   * @param maxTrades minimum of stored trades
   * @param random used only for the steps of the transaction index
   */
  constructor(specs: readonly MarketSpec[], maxTrades: number, random: Random) {
    this.trades = new Log(FIRST_TRADE_ID, maxTrades);
    this.#random = random;
    this.markets = specs.map(
      (spec, index) =>
        new Market(index, spec, (maker, taker, sizeLots) => this.#trade(maker, taker, sizeLots)),
    );
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

  openAccount(setup: AccountSetup): Account {
    const account = new Account(this.accounts.length, this.markets.length, setup);
    this.accounts.push(account);
    if (setup.isPublished) this.#published.push(account);
    return account;
  }

  onTransaction(listener: OnTransaction): () => void {
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
    for (const market of this.markets) {
      if (market.book.isTouched) market.bookSequence = this.index;
    }
    this.lastIndex = this.index;
    for (const listener of this.#listeners) listener(this.index, this.nowUs);
    for (const market of this.markets) market.book.clearTouched();
    for (const account of this.#published) {
      if (account.sequence === this.index) account.changedOrders?.clear();
    }
    this.index = this.#nextIndex();
  }

  /** Marks the running transaction as changing something, and `account` as changed by it. */
  touch(account?: Account): void {
    this.#isChanged = true;
    if (account !== undefined) account.sequence = this.index;
  }

  /** Executes a new order. A spot order that the account cannot back is rejected. */
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
    if (this.#isBacked(account, market, order)) market.book.submit(order);
    else order.status = "rejected";
    if (order.level !== undefined) account.orders.push(order);
    return order;
  }

  cancel(order: Order): void {
    if (order.level === undefined) return;
    const account = this.account(order.account);
    this.touch(account);
    account.changedOrders?.add(order);
    this.market(order.market).book.cancel(order);
    removeFrom(account.orders, order);
  }

  /** Spot orders must be backed including their fee. A market order has no price, so it cannot be. */
  #isBacked(
    account: Account,
    market: Market,
    { isBid, priceTicks, sizeLots, terms }: Order,
  ): boolean {
    if (market.isPerp) return true;
    if (terms === "market") return false;
    if (!isBid) {
      const lots = account.positions[market.index]?.lots ?? 0;
      return lots - heldLots(account, market) >= sizeLots;
    }
    const notional = notionalAtoms(market.spec, priceTicks, sizeLots);
    const cost = notional + feeAtoms(notional, market.spec.takerFeePpm);
    return account.quoteAtoms - heldAtoms(account, this.markets) >= cost;
  }

  #trade(maker: Order, taker: Order, sizeLots: number): void {
    const market = this.market(taker.market);
    const makerAccount = this.account(maker.account);
    if (!isLive(maker)) removeFrom(makerAccount.orders, maker);
    makerAccount.changedOrders?.add(maker);
    const trade = {
      index: this.index,
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
    market.tradeSequence = this.index;
    this.touch(makerAccount);
    settleTrade(this, market, trade, makerAccount, this.account(taker.account));
  }

  #nextIndex(): number {
    const random = this.#random();
    return this.lastIndex + 1 + Math.floor(random * random * random * MAX_INDEX_STEP);
  }
}

function fail(message: string): never {
  throw new RangeError(message);
}

/** Money comes in from outside, or leaves (negative). */
export function deposit(exchange: Exchange, account: Account, atoms: bigint): void {
  exchange.touch(account);
  account.quoteAtoms += atoms;
}

/** Base currency of a spot market comes in from outside. */
export function depositLots(
  exchange: Exchange,
  account: Account,
  market: Market,
  lots: number,
): void {
  exchange.touch(account);
  const position = account.positions[market.index];
  if (position !== undefined) position.lots += lots;
}

/** Applies a trade: money, positions, fees, candles, open interest. Maker and taker may be the same account. */
function settleTrade(
  exchange: Exchange,
  market: Market,
  { priceTicks, sizeLots, takerIsBid }: Omit<TradeRow, "id">,
  maker: Account,
  taker: Account,
): void {
  const { spec } = market;
  const notional = notionalAtoms(spec, priceTicks, sizeLots);
  const makerFee = feeAtoms(notional, spec.makerFeePpm);
  const takerFee = feeAtoms(notional, spec.takerFeePpm);
  const takerLots = takerIsBid ? sizeLots : -sizeLots;
  settle(market, maker, -takerLots, notional, makerFee);
  settle(market, taker, takerLots, notional, takerFee);
  market.lastTicks = priceTicks;
  market.candles.add(exchange.nowUs, priceTicks, sizeLots, notional);
}

function settle(
  market: Market,
  account: Account,
  signedLots: number,
  notional: bigint,
  fee: bigint,
): void {
  const position = account.positions[market.index];
  if (position === undefined) return;
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
