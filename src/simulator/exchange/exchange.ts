// The exchange: what accounts may do, and how each trade affects them. Everything happens inside a transaction, and each part
// of the state stores the index of the last transaction that changed it.
import type { Random } from "../../units/random.ts";
import { type Account, applyFill, emptyPosition, type Owner } from "./account.ts";
import { LIQUIDATION, Log, TRADE, type TradeRow } from "./log.ts";
import { Market, type MarketSpec } from "./market.ts";
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

/** A trade without its place in time. */
type Trade = Omit<TradeRow, "id" | "index" | "timeUs" | "market">;

/** All markets and accounts. Orders and money move only between `begin` and `commit`. */
export class Exchange {
  readonly markets: readonly Market[];
  readonly accounts: Account[] = [];
  /** Those of the published owner. */
  readonly published: Account[] = [];
  readonly trades;
  readonly liquidations = new Log(LIQUIDATION, FIRST_LIQUIDATION_ID, MAX_LIQUIDATIONS);
  /** Called after each transaction with changes, before the record of what it touched is cleared. */
  onTransaction: (index: number) => void = () => {};
  /** Time of the running or last transaction. */
  nowUs = 0;
  /** Of the running transaction, of the first one, and of the last one with changes. */
  index: number;
  readonly firstIndex: number;
  lastIndex = GENESIS_INDEX;
  readonly #random: Random;
  /** Orders of published accounts that the running transaction placed or changed. */
  readonly changedOrders = new Set<Order>();
  /** Markets whose books the running transaction changed. */
  readonly #changed = new Set<Market>();
  #orderId = FIRST_ORDER_ID;
  #isChanged = false;

  /** @param random used only for the steps of the transaction index */
  constructor(specs: readonly MarketSpec[], maxTrades: number, random: Random) {
    this.trades = new Log(TRADE, FIRST_TRADE_ID, maxTrades);
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

  /** @param quoteAtoms what it begins with */
  openAccount(owner: Owner, quoteAtoms: bigint, subaccountId = 0, isPublished = false): Account {
    const account = {
      ...{ index: this.accounts.length, owner, subaccountId, isPublished, quoteAtoms },
      ...{ positions: [], leverages: [], orders: [], payments: [], sequence: this.index },
    };
    this.accounts.push(account);
    if (isPublished) this.published.push(account);
    this.touch();
    return account;
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
    this.onTransaction(this.index);
    for (const market of this.#changed) market.book.clearTouched();
    // To clear a set makes garbage even if it is empty.
    if (this.#changed.size > 0) this.#changed.clear();
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
    this.#change(account, order);
    market.book.submit(order);
    if (market.book.isTouched) this.#changed.add(market);
    if (order.level !== undefined) account.orders.push(order);
    return order;
  }

  cancel(order: Order): void {
    if (order.level === undefined) return;
    const account = this.account(order.account);
    this.#change(account, order);
    const market = this.market(order.market);
    market.book.cancel(order);
    this.#changed.add(market);
    removeFrom(account.orders, order);
  }

  /** Records a trade and settles it: money, positions, fees, open interest. Who trades with himself pays both fees. */
  trade(market: Market, trade: Trade): void {
    this.record(market, trade);
    const { priceTicks, maker, taker, takerLots } = trade;
    const { makerFeePpm, takerFeePpm } = market.spec;
    const notional = notionalAtoms(market.spec, priceTicks, Math.abs(takerLots));
    const bought = maker === taker ? 0 : takerLots;
    this.#settle(market, maker, -bought, notional, feeAtoms(notional, makerFeePpm));
    this.#settle(market, taker, bought, notional, feeAtoms(notional, takerFeePpm));
  }

  /** Records a trade that moves no money. */
  record(market: Market, trade: Trade): void {
    const { priceTicks, takerLots } = trade;
    // Spelled out for speed, as an order is.
    this.trades.add({
      index: this.index,
      timeUs: this.nowUs,
      market: market.index,
      priceTicks,
      takerLots,
      maker: trade.maker,
      taker: trade.taker,
      makerClientOrderId: trade.makerClientOrderId,
      takerClientOrderId: trade.takerClientOrderId,
    });
    this.touch();
    market.tradeSequence = this.index;
    market.lastTicks = priceTicks;
    market.candles.add(this.nowUs, priceTicks, Math.abs(takerLots));
  }

  #match(market: Market, maker: Order, taker: Order, sizeLots: number): void {
    const account = this.account(maker.account);
    if (!isLive(maker)) removeFrom(account.orders, maker);
    this.#change(account, maker);
    this.trade(market, {
      priceTicks: maker.priceTicks,
      takerLots: taker.isBid ? sizeLots : -sizeLots,
      maker: maker.account,
      taker: taker.account,
      makerClientOrderId: maker.clientOrderId,
      takerClientOrderId: taker.clientOrderId,
    });
  }

  #change(account: Account, order: Order): void {
    this.touch(account);
    if (account.isPublished) this.changedOrders.add(order);
  }

  #settle(market: Market, party: number, signedLots: number, notional: bigint, fee: bigint): void {
    const { index, isPerp } = market;
    const account = this.account(party);
    this.touch(account);
    account.positions[index] ??= emptyPosition();
    const position = account.positions[index];
    position.sequence = this.index;
    account.quoteAtoms -= fee;
    if (signedLots === 0) return;
    if (!isPerp) {
      position.lots += signedLots;
      account.quoteAtoms += signedLots > 0 ? -notional : notional;
      return;
    }
    const longBefore = Math.max(position.lots, 0);
    account.quoteAtoms += applyFill(position, signedLots, notional / BigInt(Math.abs(signedLots)));
    market.openInterestLots += Math.max(position.lots, 0) - longBefore;
  }

  #nextIndex(): number {
    const random = this.#random();
    return this.lastIndex + 1 + Math.floor(random * random * random * MAX_INDEX_STEP);
  }
}

function fail(message: string): never {
  throw new RangeError(message);
}
