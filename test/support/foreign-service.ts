// Somebody else's service of the same interface document: written from the document alone, with its own
// way of doing what the document leaves open. It shares no code with the program or with its simulator.
import type { IncomingMessage, ServerResponse } from "node:http";
import { listedTrade } from "./listed-trade.ts";
import { type Peer, ScriptedService } from "./scripted-service.ts";
import { runSettled } from "./settled-run.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** How the service tells its trades in REST. */
interface ForeignScale {
  /** Digits after the point of a tick and of a lot: 2 is 0.01. */
  readonly tickPlaces: number;
  readonly lotPlaces: number;
  /** Each so manieth price is ten times too high. */
  readonly lieEvery?: number;
}

interface ListedTrade {
  readonly timestamp_ns: string;
  readonly price_ticks: string;
  readonly size_base_lots: string;
  readonly taker_is_bid: boolean;
}

/** Decimal text of a whole number of 10^-places. */
function pointed(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return places === 0 ? whole : `${whole}.${digits.slice(-places)}`;
}

/** The candle of the one minute in which everything happens, in currency. */
function foreignCandle(trades: readonly ListedTrade[], scale: ForeignScale | undefined) {
  const { tickPlaces = 0, lotPlaces = 0 } = scale ?? {};
  const prices = trades.map(({ price_ticks }) => BigInt(price_ticks));
  const text = (ticks = 0n) => pointed(ticks, tickPlaces);
  const extreme = (isBetter: (a: bigint, b: bigint) => boolean) =>
    text(prices.reduce((best, price) => (isBetter(price, best) ? price : best)));
  const lots = trades.reduce((sum, trade) => sum + BigInt(trade.size_base_lots), 0n);
  return {
    open_time_ms: 1_800_000_000_000,
    open: text(prices[0]),
    high: extreme((a, b) => a > b),
    low: extreme((a, b) => a < b),
    close: text(prices.at(-1)),
    volume_base: pointed(lots, lotPlaces),
    volume_quote: "0.5",
    trades: prices.length,
  };
}

/** A page of `GET /markets/1/trades`, by a cursor that is the place of a trade from the beginning. */
function foreignPage(
  trades: readonly ListedTrade[],
  { tickPlaces, lotPlaces, lieEvery = 0 }: ForeignScale,
  query: URLSearchParams,
): string {
  const end = Math.min(Number(query.get("before") ?? trades.length + 1) - 1, trades.length);
  const start = Math.max(0, end - Number(query.get("limit") ?? 100));
  const records = trades.slice(start, end).map((trade, i) => {
    const place = start + i + 1;
    const isLie = lieEvery > 0 && place % lieEvery === 0;
    return listedTrade({
      trade_id: `${place}`,
      tx_hash: `0x${place}`,
      price: pointed(BigInt(trade.price_ticks), isLie ? tickPlaces - 1 : tickPlaces),
      quantity: pointed(BigInt(trade.size_base_lots), lotPlaces),
      taker_is_bid: trade.taker_is_bid,
      timestamp_ms: Number(BigInt(trade.timestamp_ns) / 1_000_000n),
    });
  });
  return JSON.stringify(records.reverse());
}

/** What it makes of the points that the document leaves open. */
export interface ForeignOptions {
  /** Whole books in each frame, or the first whole and then changes. */
  readonly book: "whole" | "changes";
  /** When hello comes. */
  readonly hello: "at-once" | "late" | "never";
  readonly protocolVersion: number;
  /** Added to every price, so that they can be larger than any Number can hold. */
  readonly priceOffset: bigint;
  /** Trades that a new subscription is told again. */
  readonly backlog: number;
  /** The connection is cut once, this long after the first subscribe. */
  readonly cutAfterMs: number | undefined;
  /** The market stands still from this long after the first subscribe, so that its last state can be compared. */
  readonly quietAfterMs: number;
  /** What ticks and lots are worth in candles and REST; without it there is no REST, and a tick is 1. */
  readonly scale: ForeignScale | undefined;
  /** Records of channels of which the document does not list the fields, by channel. */
  readonly records: Readonly<Record<string, readonly object[]>>;
  /** Its timer. Returns the undo. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

const DEFAULTS: ForeignOptions = {
  book: "changes",
  hello: "at-once",
  protocolVersion: 1,
  priceOffset: 0n,
  backlog: 50,
  cutAfterMs: undefined,
  quietAfterMs: 1500,
  scale: undefined,
  records: {},
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const STEP_MS = 15;
const LATE_HELLO_MS = 1200;
const FIRST_SEQUENCE = 9_007_199_254_740_990n;
const KNOWN = /^(?:bbo|orderbook|trades)\/perp\/1$|^candles\/perp\/1\/1m$/;

type Side = Map<bigint, bigint>;

const levelsOf = (side: Iterable<[bigint, bigint]>) =>
  [...side].map(([price, size]) => ({ price_ticks: `${price}`, size_base_lots: `${size}` }));

/** Starts a service with one market, perp/1. */
export async function startForeignService(options: Partial<ForeignOptions> = {}) {
  const market = new ForeignMarket({ ...DEFAULTS, ...options });
  const { wsUrl, baseUrl, close } = await market.service.listen(market.onRequest);
  return Object.assign(market, {
    wsUrl,
    baseUrl,
    close() {
      market.stop();
      return close();
    },
  });
}

export type ForeignService = Awaited<ReturnType<typeof startForeignService>>;

/** Uses a service with one market, perp/1, for a run on a virtual clock. */
export const withForeignService = <T>(
  options: Partial<ForeignOptions>,
  use: (service: ForeignService, clock: VirtualClock) => Promise<T>,
): Promise<T> =>
  runSettled(async (clock) => {
    const service = await startForeignService({ ...options, after: clock.after });
    return use(service, clock).finally(service.close);
  });

class ForeignMarket {
  readonly trades: ListedTrade[] = [];
  /** Every update frame that was sent, with its channel, in order. */
  readonly sent: { readonly channel: string; readonly frame: string }[] = [];
  readonly service = new ScriptedService({
    message: "unknown here",
    onOpen: (peer) => this.#greet(peer),
    answer: (channel) => this.#subscribe(channel),
  });
  readonly #options: ForeignOptions;
  readonly #bids: Side = new Map();
  readonly #asks: Side = new Map();
  readonly #timers = new Set<() => void>();
  #sequence = FIRST_SEQUENCE;
  #lastOf = new Map<string, bigint>();
  #timeNs = 1_800_000_000_000_000_000n;
  #random = 12_345;
  #asked: string | undefined;
  #hasStarted = false;

  constructor(options: ForeignOptions) {
    this.#options = options;
    for (let i = 1n; i <= 20n; i++) {
      this.#bids.set(options.priceOffset + 5000n - i, 10n + i);
      this.#asks.set(options.priceOffset + 5000n + i, 10n + i);
    }
  }

  readonly onRequest = ({ url = "", headers }: IncomingMessage, to: ServerResponse): void => {
    this.#asked = headers.authorization;
    const { pathname, searchParams } = new URL(url, "http://service");
    const { scale } = this.#options;
    const isKnown = scale !== undefined && pathname === "/rest/markets/1/trades";
    to.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    to.end(isKnown ? foreignPage(this.trades, scale, searchParams) : "{}");
  };

  /** Best first, as the JSON of the program should show them. */
  get book() {
    const sorted = (side: Side, isBid: boolean) =>
      levelsOf([...side].sort(([a], [b]) => (a < b === isBid ? 1 : -1)));
    return { bids: sorted(this.#bids, true), asks: sorted(this.#asks, false) };
  }

  get bbo() {
    const { bids, asks } = this.book;
    return { bid: bids[0] ?? null, ask: asks[0] ?? null };
  }

  /** Of the newest request to the listings; of the newest connection where there was none. */
  get authorization(): string | undefined {
    return this.#asked ?? this.service.last.headers.authorization;
  }

  /** Connections that were accepted. */
  get connections(): number {
    return this.service.peers.length;
  }

  /** Channels that are subscribed now, on any connection. */
  get held(): string[] {
    return this.service.open.flatMap(({ channels }) => [...channels]).sort();
  }

  /** Somebody has looked, and by itself it will send nothing more. */
  get isStill(): boolean {
    return this.#hasStarted && this.#timers.size === 0;
  }

  /** A trade at this price, sent to all who hold its channel; for markets that stand still by themselves. */
  trade(priceTicks: bigint): void {
    this.#sequence += 1n;
    this.#timeNs += 1_000_000_000n;
    const trade = {
      timestamp_ns: `${this.#timeNs}`,
      price_ticks: `${priceTicks}`,
      size_base_lots: "1",
      taker_is_bid: true,
    };
    this.trades.push(trade);
    this.#publish("trades/perp/1", [trade]);
  }

  stop(): void {
    for (const cancel of this.#timers) cancel();
  }

  #after(ms: number, callback: () => void): void {
    const cancel = this.#options.after(ms, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
  }

  #greet(peer: Peer): void {
    const { hello, protocolVersion } = this.#options;
    if (hello === "at-once") peer.hello(protocolVersion);
    if (hello === "late") this.#after(LATE_HELLO_MS, () => peer.hello(protocolVersion));
  }

  #subscribe(channel: string): string[] | undefined {
    if (!KNOWN.test(channel) && !(channel in this.#options.records)) return undefined;
    this.#start();
    const frame = this.#frame(channel, this.#snapshot(channel), null, this.#heldBy(channel));
    this.sent.push({ channel, frame });
    return [frame];
  }

  /** The market begins to move when somebody looks. */
  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { cutAfterMs, quietAfterMs } = this.#options;
    if (cutAfterMs !== undefined) {
      this.#after(cutAfterMs, () => {
        for (const peer of this.service.open) peer.end();
      });
    }
    const steps = Math.floor(quietAfterMs / STEP_MS);
    for (let i = 1; i <= steps; i++) this.#after(i * STEP_MS, () => this.#move());
  }

  #pick(n: number): number {
    this.#random = (this.#random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((this.#random / 2_147_483_648) * n);
  }

  /** One transaction: a taker, and makers who change a few levels. */
  #move(): void {
    this.#sequence += BigInt(1 + this.#pick(7));
    this.#timeNs += BigInt(STEP_MS) * 1_000_000n + BigInt(this.#pick(1000));
    const before = JSON.stringify(this.bbo);
    const changes = { bids: new Map<bigint, bigint>(), asks: new Map<bigint, bigint>() };
    const trades = this.#take(changes);
    this.#quote(changes);
    const isWhole = this.#options.book === "whole";
    this.#publish(
      "orderbook/perp/1",
      isWhole ? this.book : { bids: levelsOf(changes.bids), asks: levelsOf(changes.asks) },
    );
    if (before !== JSON.stringify(this.bbo)) this.#publish("bbo/perp/1", this.bbo);
    if (trades.length > 0) {
      this.#publish("trades/perp/1", trades);
      this.#publish("candles/perp/1/1m", [foreignCandle(this.trades, this.#options.scale)]);
    }
  }

  #take(changes: { bids: Side; asks: Side }): ListedTrade[] {
    if (this.#pick(3) > 0) return [];
    const isBid = this.#pick(2) === 0;
    const level = isBid ? this.book.asks[0] : this.book.bids[0];
    if (level === undefined) return [];
    const [side, changed] = isBid ? [this.#asks, changes.asks] : [this.#bids, changes.bids];
    const price = BigInt(level.price_ticks);
    const size = side.get(price) ?? 0n;
    const taken = this.#pick(2) === 0 ? size : 1n;
    changed.set(price, size - taken);
    if (size === taken) side.delete(price);
    else side.set(price, size - taken);
    // Two equal trades of one moment, where there is enough for two.
    const parts = taken > 1n && taken % 2n === 0n ? [taken / 2n, taken / 2n] : [taken];
    const trades = parts.map((part) => ({
      timestamp_ns: `${this.#timeNs}`,
      price_ticks: `${price}`,
      size_base_lots: `${part}`,
      taker_is_bid: isBid,
    }));
    this.trades.push(...trades);
    return trades;
  }

  #quote(changes: { bids: Side; asks: Side }): void {
    for (let i = this.#pick(4); i >= 0; i--) {
      const isBid = this.#pick(2) === 0;
      const [side, changed] = isBid ? [this.#bids, changes.bids] : [this.#asks, changes.asks];
      const price = this.#freePrice(isBid);
      const isRemoved = side.has(price) && side.size > 5 && this.#pick(2) === 0;
      const size = isRemoved ? 0n : BigInt(1 + this.#pick(90));
      changed.set(price, size);
      side.set(price, size);
      if (isRemoved) side.delete(price);
    }
  }

  /** A price on the own side of the other side's best. */
  #freePrice(isBid: boolean): bigint {
    const { bid, ask } = this.bbo;
    const edge = BigInt((isBid ? ask : bid)?.price_ticks ?? this.#options.priceOffset + 5000n);
    const away = BigInt(1 + this.#pick(25));
    return isBid ? edge - away : edge + away;
  }

  #snapshot(channel: string): object {
    const [kind] = channel.split("/");
    const records = this.#options.records[channel];
    if (records !== undefined) return records;
    if (kind === "orderbook") return this.book;
    if (kind === "bbo") return this.bbo;
    if (kind === "trades") return this.trades.slice(-this.#options.backlog);
    return this.trades.length === 0 ? [] : [foreignCandle(this.trades, this.#options.scale)];
  }

  #heldBy(channel: string): bigint {
    return this.#lastOf.get(channel) ?? FIRST_SEQUENCE;
  }

  #publish(channel: string, payload: object): void {
    const frame = this.#frame(channel, payload, this.#heldBy(channel), this.#sequence);
    this.#lastOf.set(channel, this.#sequence);
    for (const peer of this.service.open) {
      if (!peer.channels.has(channel)) continue;
      this.sent.push({ channel, frame });
      peer.send(frame);
    }
  }

  #frame(channel: string, payload: object, previous: bigint | null, sequence: bigint): string {
    const [kind = ""] = channel.split("/");
    const previous_sequence = previous === null ? null : `${previous}`;
    const chain = { previous_sequence, sequence: `${sequence}` };
    return JSON.stringify({
      type: "update",
      channel,
      timestamp_ns: `${this.#timeNs}`,
      ...(kind === "bbo" || kind === "candles" ? {} : chain),
      [kind.replace("-", "_")]: payload,
    });
  }
}
