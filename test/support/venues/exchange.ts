// A tiny true exchange: real books, trades, an account. What it holds is the ledger that a client's picture is held to.
// The same seed gives the same market. Prices are whole ticks, sizes whole lots, money whole millionths of the quote asset.

export type Side = "bid" | "ask";

/** What a position is kept by within its market: alone, one for each side (hedge mode), or apart with its own margin. */
export type Bucket = "net" | "long" | "short" | "isolated";

export type Mode = "net" | "hedge" | "isolated";

export const INTERVALS_MS = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
} as const;
export type Interval = keyof typeof INTERVALS_MS;

/** The smallest step of time. */
export const STEP_MS = 100;
const QUOTE = "USDC";
const FUNDING_MS = 5000;
const HISTORY_MS = 120_000;
const MAKER_FEE_PPM = 100n;
const TAKER_FEE_PPM = 450n;

export interface Trade {
  readonly id: number;
  /** The transaction: all prints of one sweep have the same. */
  readonly sequence: number;
  readonly timeNs: bigint;
  readonly price: number;
  readonly size: number;
  readonly takerIsBid: boolean;
  readonly maker: Order | undefined;
  readonly taker: Order | undefined;
}

export interface Candle {
  readonly openMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  size: number;
  quote: bigint;
  count: number;
}

export interface Order {
  readonly id: number;
  readonly market: Market;
  readonly side: Side;
  readonly bucket: Bucket;
  readonly price: number;
  readonly size: number;
  filled: number;
  status: "open" | "partly filled" | "filled" | "cancelled";
  readonly createdNs: bigint;
  updatedNs: bigint;
}

export interface Fill {
  readonly trade: Trade;
  readonly order: Order;
  readonly isMaker: boolean;
  readonly fee: bigint;
  readonly realised: bigint;
  readonly sizeBefore: number;
}

export interface Position {
  /** Another one after each close and each turn. */
  readonly id: number;
  readonly market: Market;
  readonly bucket: Bucket;
  readonly openedNs: bigint;
  readonly side: "long" | "short";
  /** Signed. */
  size: number;
  /** What the open size cost, unsigned. */
  cost: bigint;
  realised: bigint;
  funding: bigint;
  updatedNs: bigint;
  /** The mark price that the account was last told. */
  mark: number;
  isClosed: boolean;
}

export interface Balance {
  readonly asset: string;
  readonly digits: number;
  total: bigint;
}

export interface FundingRate {
  readonly market: Market;
  readonly timeMs: number;
  /** In hundred-millionths. */
  readonly rate: number;
}

export interface Payment {
  readonly id: number;
  readonly market: Market;
  readonly bucket: Bucket;
  readonly timeMs: number;
  readonly rate: number;
  readonly size: number;
  /** Negative: paid. */
  readonly amount: bigint;
}

/** What a market's statistics say. Prices undefined: it has not traded. */
export interface Figures {
  readonly last: number | undefined;
  readonly first: number | undefined;
  readonly high: number | undefined;
  readonly low: number | undefined;
  readonly mark: number;
  readonly index: number;
  readonly size: number;
  readonly quote: bigint;
  readonly count: number;
  readonly openInterest: number;
  readonly rate: number;
  readonly nextFundingMs: number;
}

interface Resting {
  size: number;
  readonly own: Order | undefined;
}

type Life = Partial<Record<"listed" | "tradesFrom" | "halted" | "delisted", number>>;

interface Plan {
  readonly type: "perp" | "spot";
  readonly base: string;
  readonly tickDigits: number;
  readonly lotDigits: number;
  readonly price: number;
  /** In ms after the start. */
  readonly life: Life;
}

const PLANS: readonly Plan[] = [
  plan("perp", "BTC", 1, 4, 969_727),
  plan("perp", "ETH", 2, 3, 338_596),
  plan("spot", "SOL", 2, 2, 15_231),
  plan("perp", "QUIET", 3, 1, 4210, { tradesFrom: 8000 }),
  plan("perp", "FRESH", 3, 1, 77_100, { listed: 6000 }),
  plan("perp", "GONE", 3, 0, 912, { halted: 5000, delisted: 9000 }),
];

function plan(
  type: Plan["type"],
  base: string,
  tickDigits: number,
  lotDigits: number,
  price: number,
  life: Life = {},
): Plan {
  return { type, base, tickDigits, lotDigits, price, life };
}

/**
 * Signed sizes that the account goes to, and when, in ms after the start: it opens, adds, turns round, closes, opens on the
 * other side, turns again.
 */
const TARGETS: Readonly<Record<string, Readonly<Record<Bucket, string>>>> = {
  BTC: {
    net: "-5000: 50, 2000: 80, 5000: 140, 8000: -60, 12000: 0, 14000: -40, 17000: 30",
    long: "-5000: 50, 2000: 80, 5000: 140, 12000: 0, 15000: 30",
    short: "3000: -30, 8000: -60, 16000: 0",
    isolated: "4000: -25, 11000: -35, 16000: 0",
  },
  ETH: {
    net: "3000: -60, 9000: 0, 13000: 90",
    long: "3000: 60, 9000: 0, 13000: 90",
    short: "-4000: -20",
    isolated: "-4000: 15, 10000: 0",
  },
};

function targetAt(base: string, bucket: Bucket, atMs: number): number | undefined {
  const found = TARGETS[base]?.[bucket].split(", ").find((each) => each.startsWith(`${atMs}: `));
  return found === undefined ? undefined : Number(found.split(": ")[1]);
}

const QUOTED = new Set(["BTC", "ETH", "SOL"]);

export class Market {
  readonly bids = new Map<number, Resting[]>();
  readonly asks = new Map<number, Resting[]>();
  /** Oldest first. */
  readonly trades: Trade[] = [];
  readonly candles = new Map<Interval, Candle[]>();
  readonly markCandles = new Map<Interval, Candle[]>();
  readonly rates: FundingRate[] = [];
  readonly listedMs: number;
  index: number;
  openInterest = 5000;
  status: "unlisted" | "open" | "halted" | "delisted" = "open";

  readonly number: number;
  readonly plan: Plan;

  constructor(number: number, plan: Plan, startMs: number) {
    this.number = number;
    this.plan = plan;
    this.index = plan.price;
    this.listedMs = startMs + (plan.life.listed ?? -86_400_000);
  }

  get type() {
    return this.plan.type;
  }
  get base() {
    return this.plan.base;
  }
  get isListed() {
    return this.status === "open" || this.status === "halted";
  }

  /** Best first: price and whole size of each level. */
  levels(side: Side): readonly (readonly [number, number])[] {
    return [...(side === "bid" ? this.bids : this.asks)]
      .sort(([a], [b]) => (side === "bid" ? b - a : a - b))
      .map(([price, queue]) => [price, queue.reduce((sum, { size }) => sum + size, 0)] as const);
  }

  best(side: Side): number | undefined {
    const prices = [...(side === "bid" ? this.bids : this.asks).keys()];
    if (prices.length === 0) return undefined;
    return side === "bid" ? Math.max(...prices) : Math.min(...prices);
  }

  get mark(): number {
    return Math.floor(((this.best("bid") ?? this.index) + (this.best("ask") ?? this.index)) / 2);
  }

  /** Exact: ticks and lots have together no more than six digits. */
  quote(price: number, size: number): bigint {
    const { tickDigits, lotDigits } = this.plan;
    return BigInt(price) * BigInt(size) * 10n ** BigInt(6 - tickDigits - lotDigits);
  }
}

export class Exchange {
  readonly mode: Mode;
  nowMs: number;
  /** Counts transactions of the whole exchange. */
  sequence = 7_000_000;
  readonly markets: readonly Market[];
  /** Open ones by id. */
  readonly orders = new Map<number, Order>();
  readonly endedOrders: Order[] = [];
  /** Open ones. */
  readonly positions: Position[] = [];
  readonly closedPositions: Position[] = [];
  readonly balances: Balance[] = [
    { asset: QUOTE, digits: 6, total: 50_000_000_000n },
    { asset: "SOL", digits: 2, total: 4000n },
  ];
  readonly fills: Fill[] = [];
  readonly payments: Payment[] = [];
  readonly #startMs: number;
  readonly #random: () => number;
  #nextId = 900_000;
  #nsOfStep = 0n;

  /** @param startMs when a client may come; two minutes of history lie before */
  constructor(seed: number, startMs: number, mode: Mode) {
    this.mode = mode;
    this.#random = mulberry32(seed);
    this.#startMs = startMs;
    this.markets = PLANS.map((plan, number) => new Market(number, plan, startMs));
    this.nowMs = startMs - HISTORY_MS;
    while (this.nowMs < startMs) this.step();
  }

  get elapsedMs() {
    return this.nowMs - this.#startMs;
  }

  /** One step of time. */
  step(): void {
    this.nowMs += STEP_MS;
    this.#nsOfStep = 0n;
    this.sequence++;
    this.#calendar();
    for (const market of this.markets) {
      if (market.status !== "open") continue;
      this.#crowd(market);
      this.#quoteOwn(market);
      this.#follow(market);
      for (const interval of Object.keys(INTERVALS_MS) as Interval[]) {
        addToCandle(market.markCandles, interval, this.nowMs, market.mark, 0, 0n);
      }
    }
    if (this.nowMs % FUNDING_MS === 0) this.#fund();
  }

  /** Tells the account the present marks. */
  markPositions(): void {
    for (const position of this.positions) position.mark = position.market.mark;
  }

  figures(market: Market): Figures {
    const day = market.candles.get("1d") ?? [];
    const { trades } = market;
    return {
      last: trades.at(-1)?.price,
      first: trades[0]?.price,
      high: day.length > 0 ? Math.max(...day.map(({ high }) => high)) : undefined,
      low: day.length > 0 ? Math.min(...day.map(({ low }) => low)) : undefined,
      mark: market.mark,
      index: market.index,
      size: day.reduce((sum, { size }) => sum + size, 0),
      quote: day.reduce((sum, { quote }) => sum + quote, 0n),
      count: trades.length,
      openInterest: market.openInterest,
      rate: market.rates.at(-1)?.rate ?? 0,
      nextFundingMs: this.nowMs - (this.nowMs % FUNDING_MS) + FUNDING_MS,
    };
  }

  /** Of spot orders that rest. */
  locked(balance: Balance): bigint {
    let sum = 0n;
    for (const { market, side, price, size, filled } of this.orders.values()) {
      if (market.type !== "spot") continue;
      if (side === "bid" && balance.asset === QUOTE) sum += market.quote(price, size - filled);
      if (side === "ask" && balance.asset === market.base) sum += BigInt(size - filled);
    }
    return sum;
  }

  unrealised({ market, size, cost, mark }: Position): bigint {
    const value = market.quote(mark, Math.abs(size));
    return size < 0 ? cost - value : value - cost;
  }

  #calendar(): void {
    for (const market of this.markets) {
      const { listed = Number.NEGATIVE_INFINITY, halted, delisted } = market.plan.life;
      const hasCome = (ms: number | undefined) => ms !== undefined && this.elapsedMs >= ms;
      if (this.elapsedMs < listed) market.status = "unlisted";
      else if (hasCome(delisted)) market.status = "delisted";
      else market.status = hasCome(halted) ? "halted" : "open";
    }
    if (this.elapsedMs === 7000) this.#pay(QUOTE, 1_000_000_000n);
  }

  #crowd(market: Market): void {
    market.index = Math.max(50, market.index + this.#int(-3, 3));
    market.openInterest += this.#int(-4, 5);
    for (let actions = this.#int(1, 4); actions > 0; actions--) {
      const side: Side = this.#random() < 0.5 ? "bid" : "ask";
      const dice = this.#random();
      if (dice < 0.2) this.#takeSome(market, side);
      else if (dice < 0.55) this.#withdraw(market, side);
      else this.#rest(market, side);
    }
    for (const side of ["bid", "ask"] as const) {
      while (sideOf(market, side).size < 24) this.#rest(market, side);
    }
  }

  #takeSome(market: Market, side: Side): void {
    const { tradesFrom = Number.NEGATIVE_INFINITY } = market.plan.life;
    if (this.elapsedMs >= tradesFrom) this.#take(market, side, this.#int(1, 60), undefined);
  }

  /** Somebody's order rests near the index. Sizes are few, so that equal ones meet. */
  #rest(market: Market, side: Side): void {
    const distance = 1 + Math.floor(-Math.log(1 - this.#random()) * 14);
    const price = restingPrice(
      market,
      side,
      market.index + (side === "bid" ? -distance : distance),
    );
    enqueue(market, side, price, { size: 5 * this.#int(1, 8), own: undefined });
    this.sequence++;
  }

  #withdraw(market: Market, side: Side): void {
    const levels = sideOf(market, side);
    if (levels.size < 25) return;
    const price = [...levels.keys()][this.#int(0, levels.size - 1)] ?? 0;
    const rest = levels.get(price)?.filter(({ own }) => own !== undefined) ?? [];
    if (rest.length > 0) levels.set(price, rest);
    else levels.delete(price);
    this.sequence++;
  }

  /** A taker goes through as many levels as it needs, at one time. @returns what is left */
  #take(market: Market, side: Side, wanted: number, taker: Order | undefined): number {
    this.sequence++;
    const timeNs = this.#timeNs();
    const other: Side = side === "bid" ? "ask" : "bid";
    let left = wanted;
    while (left > 0) {
      const first = firstOf(market, other);
      if (first === undefined) break;
      if (taker && first.resting.own) {
        this.#cancel(first.resting.own);
        continue;
      }
      const size = Math.min(left, first.resting.size);
      left -= size;
      first.resting.size -= size;
      if (first.resting.size === 0) first.remove();
      const maker = first.resting.own;
      this.#print(market, {
        timeNs,
        price: first.price,
        size,
        takerIsBid: side === "bid",
        maker,
        taker,
      });
    }
    return left;
  }

  #print(market: Market, facts: Omit<Trade, "id" | "sequence">): void {
    const trade: Trade = { id: this.#nextId++, sequence: this.sequence, ...facts };
    const { price, size } = trade;
    market.trades.push(trade);
    for (const interval of Object.keys(INTERVALS_MS) as Interval[]) {
      addToCandle(
        market.candles,
        interval,
        Number(trade.timeNs / 1_000_000n),
        price,
        size,
        market.quote(price, size),
      );
    }
    for (const order of [trade.maker, trade.taker]) {
      if (order) this.#fill(order, trade, order === trade.maker);
    }
  }

  #fill(order: Order, trade: Trade, isMaker: boolean): void {
    const { market, side, bucket } = order;
    order.filled += trade.size;
    order.status = order.filled === order.size ? "filled" : "partly filled";
    order.updatedNs = trade.timeNs;
    if (order.status === "filled") this.#end(order);
    const quote = market.quote(trade.price, trade.size);
    const fee = (quote * (isMaker ? MAKER_FEE_PPM : TAKER_FEE_PPM)) / 1_000_000n;
    const signed = side === "bid" ? trade.size : -trade.size;
    const sizeBefore = this.position(market, bucket)?.size ?? 0;
    let realised = 0n;
    if (market.type === "spot") {
      this.#pay(market.base, BigInt(signed));
      this.#pay(QUOTE, side === "bid" ? -quote : quote);
    } else realised = this.#move(market, bucket, signed, trade);
    this.#pay(QUOTE, realised - fee);
    this.fills.push({ trade, order, isMaker, fee, realised, sizeBefore });
  }

  position(market: Market, bucket: Bucket): Position | undefined {
    return this.positions.find((each) => each.market === market && each.bucket === bucket);
  }

  /** @returns what the closed part brought */
  #move(market: Market, bucket: Bucket, signed: number, trade: Trade): bigint {
    const held = this.position(market, bucket);
    const isReducing = held !== undefined && held.size * signed < 0;
    if (!held || !isReducing) {
      this.#increase(market, bucket, signed, trade);
      return 0n;
    }
    const closed = Math.min(Math.abs(held.size), Math.abs(signed));
    const value = market.quote(trade.price, closed);
    const cost = (held.cost * BigInt(closed)) / BigInt(Math.abs(held.size));
    const realised = held.size > 0 ? value - cost : cost - value;
    held.size += closed * Math.sign(signed);
    held.cost -= cost;
    held.realised += realised;
    held.updatedNs = trade.timeNs;
    held.mark = market.mark;
    if (held.size === 0) {
      held.isClosed = true;
      this.positions.splice(this.positions.indexOf(held), 1);
      this.closedPositions.push(held);
    }
    const rest = signed - closed * Math.sign(signed);
    if (rest !== 0) this.#increase(market, bucket, rest, trade);
    return realised;
  }

  #increase(market: Market, bucket: Bucket, signed: number, { price, timeNs }: Trade): void {
    const held = this.position(market, bucket) ?? this.#open(market, bucket, signed, timeNs);
    held.size += signed;
    held.cost += market.quote(price, Math.abs(signed));
    held.updatedNs = timeNs;
    held.mark = market.mark;
  }

  #open(market: Market, bucket: Bucket, signed: number, openedNs: bigint): Position {
    const position: Position = {
      id: this.#nextId++,
      market,
      bucket,
      openedNs,
      side: signed < 0 ? "short" : "long",
      size: 0,
      cost: 0n,
      realised: 0n,
      funding: 0n,
      updatedNs: openedNs,
      mark: market.mark,
      isClosed: false,
    };
    this.positions.push(position);
    return position;
  }

  /** Own orders rest, grow old, and are cancelled. */
  #quoteOwn(market: Market): void {
    if (!QUOTED.has(market.base)) return;
    for (const order of [...this.orders.values()]) {
      const isOld = BigInt(this.nowMs) - order.createdNs / 1_000_000n > 3000n;
      if (order.market === market && isOld && this.#random() < 0.04) this.#cancel(order);
    }
    const count = [...this.orders.values()].filter((order) => order.market === market).length;
    if (count >= 4 || this.#random() > 0.08) return;
    const side: Side = this.#random() < 0.5 ? "bid" : "ask";
    const best = market.best(side) ?? market.index;
    const away = this.#int(-1, 3);
    const price = restingPrice(market, side, side === "bid" ? best - away : best + away);
    const hedged: Bucket = side === "bid" ? "long" : "short";
    const order = this.#order(
      market,
      side,
      this.mode === "hedge" ? hedged : "net",
      price,
      this.#int(4, 70),
    );
    this.orders.set(order.id, order);
    enqueue(market, side, price, { size: order.size, own: order });
    this.sequence++;
  }

  /** Takes what is missing to the position that the account should have by now. */
  #follow(market: Market): void {
    for (const bucket of BUCKETS[this.mode]) {
      const target = targetAt(market.base, bucket, this.elapsedMs);
      const signed = (target ?? 0) - (this.position(market, bucket)?.size ?? 0);
      if (target === undefined) continue;
      if (signed === 0) continue;
      const side: Side = signed > 0 ? "bid" : "ask";
      const order = this.#order(market, side, bucket, market.index, Math.abs(signed));
      if (this.#take(market, side, order.size, order) > 0) order.status = "cancelled";
      this.endedOrders.push(order);
    }
  }

  #order(market: Market, side: Side, bucket: Bucket, price: number, size: number): Order {
    const createdNs = this.#timeNs();
    const id = this.#nextId++;
    return {
      id,
      market,
      side,
      bucket,
      price,
      size,
      filled: 0,
      status: "open",
      createdNs,
      updatedNs: createdNs,
    };
  }

  #cancel(order: Order): void {
    const queue = sideOf(order.market, order.side).get(order.price) ?? [];
    const rest = queue.filter(({ own }) => own !== order);
    if (rest.length > 0) sideOf(order.market, order.side).set(order.price, rest);
    else sideOf(order.market, order.side).delete(order.price);
    order.status = "cancelled";
    order.updatedNs = this.#timeNs();
    this.#end(order);
    this.sequence++;
  }

  #end(order: Order): void {
    if (this.orders.delete(order.id)) this.endedOrders.push(order);
  }

  #fund(): void {
    for (const market of this.markets) {
      if (market.type !== "perp" || market.status !== "open") continue;
      const rate = this.#int(-1500, 3000);
      market.rates.push({ market, timeMs: this.nowMs, rate });
      for (const position of this.positions.filter((each) => each.market === market)) {
        const { bucket, size } = position;
        const amount = (-market.quote(market.mark, size) * BigInt(rate)) / 100_000_000n;
        position.funding += amount;
        this.#pay(QUOTE, amount);
        this.payments.push({
          id: this.#nextId++,
          market,
          bucket,
          timeMs: this.nowMs,
          rate,
          size,
          amount,
        });
      }
    }
  }

  #pay(asset: string, amount: bigint): void {
    const balance = this.balances.find((each) => each.asset === asset);
    if (balance) balance.total += amount;
  }

  /** Transactions of a step are a little more than a millisecond apart. */
  #timeNs(): bigint {
    this.#nsOfStep += 1_000_007n;
    return BigInt(this.nowMs - STEP_MS) * 1_000_000n + this.#nsOfStep;
  }

  #int(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }
}

const BUCKETS = {
  net: ["net"],
  hedge: ["long", "short"],
  isolated: ["net", "isolated"],
} as const satisfies Record<string, readonly Bucket[]>;

const sideOf = (market: Market, side: Side) => (side === "bid" ? market.bids : market.asks);

function enqueue(market: Market, side: Side, price: number, resting: Resting): void {
  const levels = sideOf(market, side);
  const queue = levels.get(price);
  if (queue) queue.push(resting);
  else levels.set(price, [resting]);
}

/** Who is taken from next. */
function firstOf(market: Market, side: Side) {
  const price = market.best(side);
  const queue = price === undefined ? undefined : sideOf(market, side).get(price);
  const resting = queue?.[0];
  if (price === undefined || queue === undefined || resting === undefined) return undefined;
  const remove = () => {
    queue.shift();
    if (queue.length === 0) sideOf(market, side).delete(price);
  };
  return { price, resting, remove };
}

/** The price that is asked for, or the nearest that takes nothing. */
function restingPrice(market: Market, side: Side, price: number): number {
  const other = market.best(side === "bid" ? "ask" : "bid");
  if (other === undefined) return Math.max(1, price);
  return side === "bid" ? Math.max(1, Math.min(price, other - 1)) : Math.max(price, other + 1);
}

function addToCandle(
  candles: Map<Interval, Candle[]>,
  interval: Interval,
  nowMs: number,
  price: number,
  size: number,
  quote: bigint,
): void {
  const openMs = nowMs - (nowMs % INTERVALS_MS[interval]);
  const list = candles.get(interval) ?? [];
  candles.set(interval, list);
  let candle = list.at(-1);
  if (candle?.openMs !== openMs) {
    candle = {
      openMs,
      open: price,
      high: price,
      low: price,
      close: price,
      size: 0,
      quote: 0n,
      count: 0,
    };
    list.push(candle);
  }
  candle.high = Math.max(candle.high, price);
  candle.low = Math.min(candle.low, price);
  candle.close = price;
  candle.size += size;
  candle.quote += quote;
  candle.count++;
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
