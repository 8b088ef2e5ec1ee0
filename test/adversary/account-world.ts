/** What is really there in one account, and what each transaction changes in it. Nothing here knows how changes are sent. */
import type { Random } from "./random.ts";
import {
  type AccountList,
  type AccountMarket,
  type AccountStyle,
  accountRecord,
  type Balance,
  balanceRecord,
  EXACT,
  fillRecord,
  IDENTIFYING,
  type OpenRecord,
  type Order,
  orderRecord,
  type Position,
  paymentRecord,
  positionRecord,
  writeRecord,
} from "./stream-rows.ts";
import { parseExact } from "./truth-check.ts";

export interface AccountOptions {
  style: AccountStyle;
  markets: readonly AccountMarket[];
  maxOrders: number;
  /** Share of fills that equal the fill before them in every field. */
  twinFillShare: number;
  /** Most that one transaction does. */
  burst: number;
  hasZeroStops: boolean;
  startsEmpty: boolean;
  /** A changed order comes with its ids and what changed in it only. */
  sendsPartialOrders: boolean;
  /** A position whose price moves comes with what says which it is and what changed in it only; one that is traded, whole. */
  sendsPartialPositions: boolean;
}

/** `zero` is a row of nothing, which may be shown or not; `ended` was sent for the last time. */
export interface AccountRow {
  market: number;
  state: "open" | "zero" | "ended";
  text: string;
  /** What changed in it, where that is all that is sent. */
  partial?: string;
}

/** What a transaction touched: by list, the rows as they are now. */
export type AccountChange = Partial<Record<AccountList, AccountRow[]>> & { account?: string };

/** What a row was before the transaction of that step; empty of a new one. */
type Changing = { before: string; step: number };
type OrderRow = AccountRow & Changing & { order: Order };
type PositionRow = AccountRow & Changing & { position: Position };
type BalanceRow = AccountRow & { balance: Balance };

export class AccountWorld {
  readonly orders: OrderRow[] = [];
  readonly positions: PositionRow[] = [];
  readonly balances: BalanceRow[] = [];
  readonly leverages: AccountRow[] = [];
  readonly fills: AccountRow[] = [];
  readonly funding_payments: AccountRow[] = [];
  account: string;
  readonly #options: AccountOptions;
  readonly #random: Random;
  readonly #idsByMarket: number[];
  #orderNumber = 0;
  /** Numbers of orders that the next transaction may give again. */
  readonly #usedNumbers = new Set<number>();
  #freed: number[] = [];
  /** An order of which the next transaction is another fill, equal to the last. */
  #refilled: OrderRow | undefined;
  #lastFillSize = 0;
  #step = 0;
  #change: AccountChange = {};
  #nowMs = 0;

  constructor(options: AccountOptions, random: Random, startMs: number) {
    this.#options = options;
    this.#random = random;
    this.#nowMs = startMs;
    this.#idsByMarket = options.markets.map(() => 0);
    this.account = writeRecord(accountRecord(1_000_000, 0, options.style));
    this.#createBalances();
    options.markets.forEach(({ type }, market) => {
      // A leverage names no market type: two markets of one id would be one row.
      if (type === "spot") return;
      this.leverages.push({ market, state: "open", text: this.#leverageText(market, 5) });
    });
    if (options.startsEmpty) return;
    for (let i = 0; i < options.maxOrders / 2; i++) this.#place();
    for (let i = 0; i < 4; i++) this.#fillSome();
    this.#change = {};
    this.#refilled = undefined;
  }

  #leverageText(market: number, leverage: number): string {
    return JSON.stringify({ market_id: this.#options.markets[market]?.id ?? 0, leverage });
  }

  #createBalances(): void {
    const { balanceKey } = this.#options.style;
    const isIsolated = balanceKey === "isolated-margins" || balanceKey === "amt-ccy-twice";
    const count = this.#random.int(1, 12);
    for (let asset = 0; asset < count; asset++) {
      const margins = isIsolated && asset < 2 ? [0, 1, 2] : [0];
      for (const margin of margins) {
        const amount = this.#random.int(0, 900_000);
        const balance: Balance = { asset, margin, amount, locked: 0 };
        const row: BalanceRow = { market: margin, state: "open", text: "", balance };
        this.#renderBalance(row);
        this.balances.push(row);
      }
    }
  }

  #touch(list: AccountList, row: AccountRow): void {
    const rows = this.#change[list];
    if (rows === undefined) this.#change[list] = [row];
    else if (list === "fills" || list === "funding_payments" || !rows.includes(row)) rows.push(row);
  }

  /** What differs from the row as it was before this transaction, and nothing for a new one. */
  #renderPartial(row: AccountRow & Changing, record: OpenRecord): void {
    if (row.before === "") return;
    const before = parseExact(row.before) as OpenRecord;
    const isKept = ([name, value]: [string, unknown]): boolean =>
      IDENTIFYING.has(name) || JSON.stringify(before[name]) !== JSON.stringify(value);
    row.partial = writeRecord(Object.fromEntries(Object.entries(record).filter(isKept)));
  }

  #begin(row: AccountRow & Changing): void {
    if (row.step === this.#step) return;
    row.before = row.text;
    row.step = this.#step;
    delete row.partial;
  }

  /** A price has moved. What is not there any more only a whole row says, as does what was traded in the same transaction. */
  #renderMarked(row: PositionRow): void {
    const isFirst = row.step !== this.#step;
    this.#begin(row);
    const isPart = isFirst || row.partial !== undefined;
    const record = positionRecord(row.position, this.#options.style);
    row.text = writeRecord(record);
    this.#touch("positions", row);
    if (!this.#options.sendsPartialPositions || row.before === "") return;
    delete row.partial;
    const before = Object.keys(parseExact(row.before) as OpenRecord);
    if (isPart && before.every((name) => name in record)) this.#renderPartial(row, record);
  }

  #renderOrder(row: OrderRow): void {
    const record = orderRecord(row.order, this.#options.style);
    this.#begin(row);
    if (this.#options.sendsPartialOrders) this.#renderPartial(row, record);
    row.text = writeRecord(record);
    this.#touch("orders", row);
  }

  #renderBalance(row: BalanceRow): void {
    row.text = writeRecord(balanceRecord(row.balance, this.#options.style));
    row.state = row.balance.amount === 0 ? "zero" : "open";
    this.#touch("balances", row);
  }

  #renderPosition(row: PositionRow): void {
    const { position } = row;
    this.#begin(row);
    delete row.partial;
    row.state = position.size === 0 ? "ended" : "open";
    position.isClosed = row.state === "ended";
    if (position.isClosed && this.#options.style.positionEnd === "closed-flag")
      position.size = 1_000;
    row.text = writeRecord(positionRecord(position, this.#options.style));
    if (row.state === "ended") this.positions.splice(this.positions.indexOf(row), 1);
    this.#touch("positions", row);
  }

  #orderId(market: number): string | number {
    const number = this.#orderNumber;
    this.#idsByMarket[market] = (this.#idsByMarket[market] ?? 0) + 1;
    switch (this.#options.style.orderIds) {
      case "unique-text":
        return String(7_000 + number);
      case "unique-number":
        return 7_000 + number;
      case "mixed":
        return number % 3 === 0 ? `x-${number}` : 7_000 + number;
      case "by-market":
        return this.#idsByMarket[market] ?? 0;
      case "number-and-text":
        return number % 2 === 0 ? String(7_000 + number - 1) : 7_000 + number;
      case "long-number":
        return `${EXACT}9007199254${String(740_992 + number).padStart(6, "0")}`;
      case "reused":
        return this.#smallestFree();
      case "none":
        return "";
      case "long-text":
        return `9007199254740${String(993 + number).padStart(6, "0")}`;
      case "number-then-text":
        return number < 15 ? 7_000 + number : `o-${number}`;
    }
  }

  #smallestFree(): number {
    let number = 1;
    while (this.#usedNumbers.has(number)) number++;
    this.#usedNumbers.add(number);
    return number;
  }

  #place(): void {
    const random = this.#random;
    const market = random.int(0, this.#options.markets.length - 1);
    this.#orderNumber++;
    const isStop = this.#options.hasZeroStops && random.chance(0.25);
    const price = 10_000 + random.int(0, 400) * 5;
    const order: Order = {
      number: this.#orderNumber,
      id: this.#orderId(market),
      market: this.#options.markets[market] as AccountMarket,
      side: random.pick(["buy", "sell"]),
      price,
      size: isStop ? 0 : random.int(1, 5) * 1_000,
      filled: 0,
      status: this.#options.style.formatOpen[0] ?? "open",
      isReduceOnly: random.chance(0.2),
      isOver: false,
      trigger: isStop ? price + 50 : 0,
    };
    const row: OrderRow = { market, state: "open", text: "", order, before: "", step: -1 };
    this.orders.push(row);
    this.#renderOrder(row);
  }

  #amend(): void {
    if (this.orders.length === 0) {
      this.#place();
      return;
    }
    const row = this.#random.pick(this.orders);
    row.order.price += this.#random.int(-4, 5) * 5;
    const canDropFlag = !this.#options.sendsPartialOrders;
    if (canDropFlag && this.#random.chance(0.3)) row.order.isReduceOnly = !row.order.isReduceOnly;
    this.#renderOrder(row);
  }

  #endOrder(row: OrderRow): void {
    row.state = "ended";
    row.order.status = this.#random.pick(this.#options.style.formatEnd);
    row.order.isOver = true;
    if (typeof row.order.id === "number") this.#freed.push(row.order.id);
    this.orders.splice(this.orders.indexOf(row), 1);
    this.#renderOrder(row);
  }

  #cancel(): void {
    if (this.orders.length === 0) {
      this.#place();
      return;
    }
    this.#endOrder(this.#random.pick(this.orders));
  }

  /** A fill of an order: the order, a fill or its twins, the position and a balance change. */
  #fillSome(): void {
    const row = this.orders.length > 0 ? this.#random.pick(this.orders) : undefined;
    if (row === undefined || row.order.trigger > 0) this.#place();
    else this.#fill(row, Math.min(row.order.size - row.order.filled, this.#random.int(1, 3) * 500));
  }

  #fill(row: OrderRow, size: number): void {
    const { order } = row;
    order.filled += size;
    const isTwin = this.#random.chance(this.#options.twinFillShare);
    const count = isTwin ? 2 : 1;
    for (let i = 0; i < count; i++) this.#appendFill(order, row.market, size / count);
    // The next transaction, in the same millisecond, may fill as much of it.
    if (isTwin && order.filled + size / 2 < order.size) this.#refilled = row;
    if (order.filled >= order.size) this.#endOrder(row);
    else {
      order.status = this.#options.style.formatOpen[1] ?? order.status;
      this.#renderOrder(row);
    }
    this.#movePosition(row.market, order.side === "buy" ? size : -size, order.price);
    this.#moveBalance(this.balances[0], -order.side.length * 100);
  }

  /** Half of the last fill of two again: equal to each of them. */
  #refill(row: OrderRow): void {
    const { order } = row;
    const size = this.#lastFillSize;
    order.filled += size;
    this.#appendFill(order, row.market, size);
    this.#renderOrder(row);
    this.#movePosition(row.market, order.side === "buy" ? size : -size, order.price);
  }

  #appendFill(order: Order, market: number, size: number): void {
    const fill = {
      number: this.fills.length,
      orderNumber: order.number,
      orderId: order.id,
      market: order.market,
      side: order.side,
      price: order.price,
      size,
      timeMs: this.#nowMs,
    };
    const text = writeRecord(fillRecord(fill, this.#options.style));
    const row: AccountRow = { market, state: "open", text };
    this.#lastFillSize = size;
    this.fills.push(row);
    this.#touch("fills", row);
  }

  #movePosition(market: number, signed: number, price: number): void {
    const { positionKey } = this.#options.style;
    const side = signed > 0 ? "long" : "short";
    const margin = positionKey === "isolated-margins" ? this.#random.int(1, 2) : 0;
    const isHedged = positionKey === "market-and-side";
    const row = this.positions.find(
      (one) =>
        one.market === market &&
        one.position.margin === margin &&
        (!isHedged || one.position.side === side),
    );
    const size = Math.abs(signed);
    if (row === undefined) {
      const name = this.#options.markets[market] as AccountMarket;
      const position: Position = {
        market: name,
        side,
        margin,
        size,
        entry: price,
        upnl: 0,
        isClosed: false,
      };
      const changing = { before: "", step: -1 };
      const opened: PositionRow = { market, state: "open", text: "", position, ...changing };
      this.positions.push(opened);
      this.#forgetClosed(position);
      this.#renderPosition(opened);
      return;
    }
    this.#changePosition(row, side, size, price);
  }

  /** A position that is closed and opened again in one transaction is sent as it is at the end. */
  #forgetClosed(position: Position): void {
    const rows = this.#change.positions as PositionRow[] | undefined;
    if (rows === undefined) return;
    this.#change.positions = rows.filter(
      (one) =>
        one.state !== "ended" ||
        one.position.market !== position.market ||
        one.position.margin !== position.margin ||
        (this.#options.style.positionKey === "market-and-side" &&
          one.position.side !== position.side),
    );
  }

  #changePosition(row: PositionRow, side: "long" | "short", size: number, price: number): void {
    const { position } = row;
    if (position.side === side) {
      // A hedged side shrinks, too: now and then all of it is closed.
      const isClosed = position.size > 6_000;
      position.size = isClosed ? 0 : position.size + size;
    } else {
      position.size -= size;
      if (position.size < 0) {
        position.side = side;
        position.size = -position.size;
      }
    }
    position.entry = price;
    this.#renderPosition(row);
  }

  #moveBalance(row: BalanceRow | undefined, amount: number): void {
    if (row === undefined) return;
    row.balance.amount = Math.max(row.balance.amount + amount, 0);
    row.balance.locked = Math.max(row.balance.locked + (amount % 300), 0);
    this.#renderBalance(row);
  }

  #mark(): void {
    if (this.positions.length === 0) {
      this.#amend();
      return;
    }
    let equity = 1_000_000;
    for (const row of this.positions) {
      row.position.upnl += this.#random.int(-900, 900);
      equity += row.position.upnl;
      this.#renderMarked(row);
    }
    this.account = writeRecord(
      accountRecord(equity, this.positions.length * 5_000, this.#options.style),
    );
    this.#change.account = this.account;
  }

  #transfer(): void {
    const row = this.#random.pick(this.balances);
    const isEmptied = this.#random.chance(0.15);
    this.#moveBalance(row, isEmptied ? -row.balance.amount : this.#random.int(-5_000, 9_000));
  }

  #pay(): void {
    const market = this.#random.int(0, this.#options.markets.length - 1);
    const payment = {
      number: this.funding_payments.length,
      market: this.#options.markets[market] as AccountMarket,
      amount: this.#random.int(-3, 3) * 10,
      timeMs: this.#nowMs,
    };
    const text = writeRecord(paymentRecord(payment, this.#options.style));
    const row: AccountRow = { market, state: "open", text };
    this.funding_payments.push(row);
    this.#touch("funding_payments", row);
    this.#moveBalance(this.balances[0], payment.amount);
  }

  #lever(): void {
    const row = this.#random.pick(this.leverages);
    row.text = this.#leverageText(row.market, this.#random.int(1, 50));
    this.#touch("leverages", row);
  }

  #act(): void {
    const draw = this.#random.next();
    if (this.orders.length >= this.#options.maxOrders) this.#cancel();
    else if (draw < 0.3) this.#place();
    else if (draw < 0.42) this.#amend();
    else if (draw < 0.55) this.#cancel();
    else if (draw < 0.75) this.#fillSome();
    else if (draw < 0.9) this.#mark();
    else if (draw < 0.95) this.#transfer();
    else if (draw < 0.98) this.#pay();
    else this.#lever();
  }

  /** One transaction. True when the next one comes in the same millisecond. */
  step(nowMs: number): { change: AccountChange; isFollowed: boolean } {
    this.#nowMs = nowMs;
    this.#step++;
    this.#change = {};
    const refilled = this.#refilled;
    this.#refilled = undefined;
    if (refilled !== undefined && refilled.state === "open") this.#refill(refilled);
    else {
      const count = this.#random.chance(0.15) ? this.#random.int(2, this.#options.burst) : 1;
      for (let i = 0; i < count; i++) this.#act();
    }
    // An id is free again when the frame that ends its order has been sent.
    for (const number of this.#freed.splice(0)) this.#usedNumbers.delete(number);
    return { change: this.#change, isFollowed: this.#refilled !== undefined };
  }
}
