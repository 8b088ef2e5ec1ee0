// The exchange: what accounts may do, and what each trade does to them. Everything happens inside a
// transaction, and every piece of state remembers the index of the transaction that changed it last.
import type { Random } from "../../units/random.ts";
import {
  createOrder,
  isLive,
  type Order,
  type OrderRequest,
  removeFrom,
} from "../engine/order-book.ts";
import { type Liquidation, Log, type TradeRow } from "../ledger/log.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";
import { Account, type AccountSetup, applyFill, type CashFlow } from "./account.ts";
import { Market } from "./market.ts";
import { feeAtoms, notionalAtoms } from "./money.ts";

/** Called after each transaction that changed anything, before what it touched is forgotten. */
export type OnTransaction = (index: number, timeUs: number) => void;

/** The index before the first transaction: large enough to look like a chain that has been running. */
const GENESIS_INDEX = 52_000_000;
const FIRST_ORDER_ID = 9_000_001;
const FIRST_TRADE_ID = 700_000_001;
const FIRST_LIQUIDATION_ID = 4_100_001;
const MAX_LIQUIDATIONS = 100_000;
/** Most transactions of the chain are not ours: indexes jump by up to this much, often by far less. */
const MAX_INDEX_STEP = 40;

/** All markets and accounts. Orders and money move only between `begin` and `commit`. */
export class Exchange {
  readonly markets: readonly Market[];
  readonly accounts: Account[] = [];
  /** Where money goes that belongs to no account, and how much came in from outside, in quote atoms: nothing is ever lost. */
  readonly treasury = {
    /** Fees less rebates. */
    feesAtoms: 0n,
    /** Pays what a liquidated account cannot; its debt is what it paid so far. */
    insuranceAtoms: 0n,
    /** What cutting funding payments to whole atoms left over. */
    fundingResidueAtoms: 0n,
    /** Money and base currency (in lots, by market index) that accounts brought in, less what they took out. */
    depositedAtoms: 0n,
    depositedLots: [] as number[],
  };
  readonly trades: Log<TradeRow>;
  readonly liquidations = new Log<Liquidation>(FIRST_LIQUIDATION_ID, MAX_LIQUIDATIONS);
  /** Of the running or last transaction. */
  nowUs = 0;
  /** Index of the first transaction, which set everything up, and of the last one that changed anything. */
  readonly firstIndex: number;
  lastIndex = GENESIS_INDEX;
  readonly #random: Random;
  readonly #published: Account[] = [];
  readonly #listeners = new Set<OnTransaction>();
  /** Of the running transaction. */
  index = 0;
  #orderId = FIRST_ORDER_ID;
  #isChanged = false;

  /**
   * @param maxTrades how many are kept at least
   * @param random feeds the steps of the transaction index and nothing else
   */
  constructor(specs: readonly MarketSpec[], maxTrades: number, random: Random) {
    this.trades = new Log(FIRST_TRADE_ID, maxTrades);
    this.#random = random;
    this.markets = specs.map(
      (spec, index) =>
        new Market(index, spec, (maker, taker, sizeLots) => this.#trade(maker, taker, sizeLots)),
    );
    this.treasury.depositedLots.push(...specs.map(() => 0));
    this.index = this.#nextIndex();
    this.firstIndex = this.index;
  }

  /** @throws {RangeError} for an index that no market has; so does the next one */
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

  /** Ends the running transaction; one that changed nothing has never been. */
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

  /** Notes that the running transaction changes something, and where an account is concerned, in which one. */
  touch(account?: Account): void {
    this.#isChanged = true;
    if (account !== undefined) account.sequence = this.index;
  }

  /** Executes a new order. A spot order that the account cannot back is rejected. */
  place(account: Account, market: Market, request: OrderRequest): Order {
    const order = createOrder(this.#orderId++, account.index, market.index, request, this.nowUs);
    this.touch(account);
    account.changedOrders?.add(order);
    if (!isBacked(account, market, request)) {
      order.status = "rejected";
      return order;
    }
    market.book.submit(order);
    if (order.level !== undefined) {
      account.orders.push(order);
      hold(account, market, order, order.remainingLots);
    }
    return order;
  }

  cancel(order: Order): void {
    const { account, market } = this.#of(order);
    if (order.level === undefined) return;
    this.touch(account);
    account.changedOrders?.add(order);
    market.book.cancel(order);
    removeFrom(account.orders, order);
    hold(account, market, order, -order.remainingLots);
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
      account.changedOrders?.add(order);
      hold(account, market, order, sizeLots - order.remainingLots);
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
    hold(makerAccount, market, maker, -sizeLots);
    if (!isLive(maker)) removeFrom(makerAccount.orders, maker);
    makerAccount.changedOrders?.add(maker);
    const trade = this.trades.add({
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
    });
    market.tradeSequence = this.index;
    this.touch(makerAccount);
    settleTrade(this, market, trade, makerAccount, takerAccount);
  }

  #of(order: Order): { account: Account; market: Market } {
    return { account: this.account(order.account), market: this.market(order.market) };
  }

  #nextIndex(): number {
    const random = this.#random();
    return this.lastIndex + 1 + Math.floor(random * random * random * MAX_INDEX_STEP);
  }
}

function fail(message: string): never {
  throw new RangeError(message);
}

/**
 * Moves money for another reason than a trade. `deposit`: quote currency, or base currency of a spot market, comes in from outside (or
 * leaves: negative). `funding`: a position earns (or pays). `insurance`: pays what an account cannot.
 */
export function moveCash(
  exchange: Exchange,
  account: Account,
  flow: { kind: CashFlow["kind"]; atoms?: bigint; market?: number; lots?: number },
): void {
  const { kind, atoms = 0n, market = 0, lots = 0 } = flow;
  const { treasury, index } = exchange;
  exchange.touch(account);
  account.quoteAtoms += atoms;
  if (kind === "deposit") treasury.depositedAtoms += atoms;
  else if (kind === "insurance") treasury.insuranceAtoms -= atoms;
  else {
    treasury.fundingResidueAtoms -= atoms;
    const position = account.positions[market];
    if (position !== undefined) position.fundingAtoms += atoms;
  }
  const holding = account.holdings[market];
  if (holding !== undefined) holding.lots += lots;
  treasury.depositedLots[market] = (treasury.depositedLots[market] ?? 0) + lots;
  account.keepCashFlow({ index, kind, market, atoms, lots });
}

/** What a trade moves: money, positions, holdings, fees, candles, open interest. Both accounts may be the same one. */
function settleTrade(
  exchange: Exchange,
  market: Market,
  { priceTicks, sizeLots, takerIsBid }: TradeRow,
  maker: Account,
  taker: Account,
): void {
  const { spec } = market;
  const notional = notionalAtoms(spec, priceTicks, sizeLots);
  const makerFee = feeAtoms(notional, spec.makerFeePpm);
  const takerFee = feeAtoms(notional, spec.takerFeePpm);
  const takerLots = takerIsBid ? sizeLots : -sizeLots;
  const settle = market.isPerp ? settlePerp : settleSpot;
  settle(market, maker, -takerLots, notional, makerFee);
  settle(market, taker, takerLots, notional, takerFee);
  exchange.treasury.feesAtoms += makerFee + takerFee;
  market.lastTicks = priceTicks;
  market.candles.add(exchange.nowUs, priceTicks, sizeLots, notional);
}

type Settle = (
  market: Market,
  account: Account,
  signedLots: number,
  notional: bigint,
  fee: bigint,
) => void;

const settlePerp: Settle = (market, account, signedLots, notional, fee) => {
  const position = account.positions[market.index];
  if (position === undefined) return;
  const longBefore = Math.max(position.lots, 0);
  const realised = applyFill(position, signedLots, notional / BigInt(Math.abs(signedLots)));
  position.feesAtoms += fee;
  account.quoteAtoms += realised - fee;
  market.openInterestLots += Math.max(position.lots, 0) - longBefore;
};

const settleSpot: Settle = (market, account, signedLots, notional, fee) => {
  const holding = account.holdings[market.index];
  if (holding === undefined) return;
  holding.lots += signedLots;
  account.quoteAtoms += (signedLots > 0 ? -notional : notional) - fee;
};

/** Spot orders are backed with their fee, so that nothing is sold twice. A market order has no price to back. */
function isBacked(
  account: Account,
  { index, isPerp, spec }: Market,
  { isBid, priceTicks, sizeLots, terms }: OrderRequest,
): boolean {
  if (isPerp) return true;
  if (terms === "market") return false;
  if (!isBid) {
    const holding = account.holdings[index];
    return holding !== undefined && holding.lots - holding.heldLots >= sizeLots;
  }
  const notional = notionalAtoms(spec, priceTicks, sizeLots);
  const cost = notional + feeAtoms(notional, spec.takerFeePpm);
  return account.quoteAtoms - account.heldAtoms >= cost;
}

/** Sets aside (or, with a negative size, sets free) what backs a part of a resting spot order. */
function hold(
  account: Account,
  { index, isPerp, spec }: Market,
  { isBid, priceTicks }: Order,
  sizeLots: number,
): void {
  if (isPerp) return;
  const holding = account.holdings[index];
  if (isBid) {
    const atoms = notionalAtoms(spec, priceTicks, Math.abs(sizeLots));
    account.heldAtoms += sizeLots < 0 ? -atoms : atoms;
  } else if (holding !== undefined) holding.heldLots += sizeLots;
}
