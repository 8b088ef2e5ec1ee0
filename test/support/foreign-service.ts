// Somebody else's service of the same interface document: written from the document alone, with its own
// way of doing what the document leaves open. It shares no code with the program or with its simulator.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { answerListing, foreignCandle, type ListedTrade } from "./foreign-listing.ts";
import { type ForeignOptions, USUAL } from "./foreign-options.ts";

const STEP_MS = 15;
const FIRST_SEQUENCE = 9_007_199_254_740_990n;
const LATE_HELLO_MS = 1200;

type Side = Map<bigint, bigint>;

/** Starts a service with one market, perp/1. */
export async function startForeignService(options: Partial<ForeignOptions> = {}) {
  const http = createServer();
  const server = new WebSocketServer({ server: http, path: "/v1/ws" });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const service = new ForeignService(http, server, { ...USUAL, ...options });
  const { port } = http.address() as AddressInfo;
  return Object.assign(service, {
    wsUrl: `ws://127.0.0.1:${port}/v1/ws`,
    baseUrl: `http://127.0.0.1:${port}/rest`,
  });
}

class ForeignService {
  readonly trades: ListedTrade[] = [];
  /** Every update frame that was sent, with its channel, in order. */
  readonly sent: { readonly channel: string; readonly frame: string }[] = [];
  authorization: string | undefined;
  /** Connections that were accepted. */
  connections = 0;
  readonly #options: ForeignOptions;
  readonly #http: Server;
  readonly #server: WebSocketServer;
  readonly #bids: Side = new Map();
  readonly #asks: Side = new Map();
  readonly #subscribers = new Map<WebSocket, Set<string>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #sequence = FIRST_SEQUENCE;
  #lastOf = new Map<string, bigint>();
  #timeNs = 1_800_000_000_000_000_000n;
  #random = 12_345;
  #hasStarted = false;

  constructor(http: Server, server: WebSocketServer, options: ForeignOptions) {
    this.#http = http;
    this.#server = server;
    this.#options = options;
    for (let i = 1n; i <= 20n; i++) {
      this.#bids.set(options.priceOffset + 5000n - i, 10n + i);
      this.#asks.set(options.priceOffset + 5000n + i, 10n + i);
    }
    server.on("connection", (peer, { headers }) => this.#accept(peer, headers.authorization));
    const { scale } = options;
    http.on("request", ({ url = "" }, to) => answerListing(this.trades, scale, url, to));
  }

  /** Best first, as the JSON of the program should show them. */
  get book() {
    const list = (side: Side, isBid: boolean) =>
      [...side]
        .sort(([a], [b]) => (a < b === isBid ? 1 : -1))
        .map(([price, size]) => ({ price_ticks: `${price}`, size_base_lots: `${size}` }));
    return { bids: list(this.#bids, true), asks: list(this.#asks, false) };
  }

  /** Channels that are subscribed now, on any connection. */
  get held(): string[] {
    return [...this.#subscribers.values()].flatMap((channels) => [...channels]).sort();
  }

  /** Somebody has looked, and by itself it will send nothing more. */
  get isStill(): boolean {
    return this.#hasStarted && this.#timers.size === 0;
  }

  /** A trade at this price, told to all who hold its channel; for markets that stand still by themselves. */
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
    this.#tell("trades/perp/1", [trade]);
  }

  get bbo() {
    const { bids, asks } = this.book;
    return { bid: bids[0] ?? null, ask: asks[0] ?? null };
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const peer of this.#server.clients) peer.terminate();
    this.#server.close();
    this.#http.closeAllConnections();
    this.#http.close();
    await once(this.#http, "close");
  }

  #after(ms: number, callback: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, ms);
    this.#timers.add(timer);
  }

  #accept(peer: WebSocket, authorization?: string): void {
    this.connections++;
    this.authorization = authorization;
    const { hello, protocolVersion } = this.#options;
    const greet = () =>
      peer.send(
        `{"type":"hello","protocol_version":${protocolVersion},"keepalive_timeout_ms":120000}`,
      );
    if (hello === "at-once") greet();
    if (hello === "late") this.#after(LATE_HELLO_MS, greet);
    this.#subscribers.set(peer, new Set());
    peer.on("message", (data) => this.#obey(peer, JSON.parse(String(data))));
    peer.on("close", () => this.#subscribers.delete(peer));
  }

  #obey(peer: WebSocket, command: { type: string; channel: string }): void {
    const channels = this.#subscribers.get(peer);
    const { channel } = command;
    const answer = (frame: object) =>
      peer.send(JSON.stringify({ ...frame, timestamp_ns: `${this.#timeNs}` }));
    if (command.type === "unsubscribe") {
      channels?.delete(channel);
      answer({ type: "unsubscribed", channel });
    } else if (!this.#isKnown(channel)) {
      answer({ type: "error", channel, code: 404, message: "unknown here" });
    } else if (channels?.has(channel)) {
      answer({ type: "error", channel, code: 409, message: "already subscribed" });
    } else {
      channels?.add(channel);
      this.#start();
      this.#send(peer, channel, this.#frame(channel, this.#whole(channel), null));
    }
  }

  #isKnown(channel: string): boolean {
    const pattern = /^(?:bbo|orderbook|trades)\/perp\/1$|^candles\/perp\/1\/1m$/;
    return pattern.test(channel) || channel in this.#options.records;
  }

  /** The market begins to move when somebody looks. */
  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { cutAfterMs, quietAfterMs } = this.#options;
    if (cutAfterMs !== undefined) {
      this.#after(cutAfterMs, () => {
        for (const peer of this.#server.clients) peer.terminate();
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
    const list = (side: Side) =>
      [...side].map(([price, size]) => ({ price_ticks: `${price}`, size_base_lots: `${size}` }));
    const isWhole = this.#options.book === "whole";
    this.#tell(
      "orderbook/perp/1",
      isWhole ? this.book : { bids: list(changes.bids), asks: list(changes.asks) },
    );
    if (before !== JSON.stringify(this.bbo)) this.#tell("bbo/perp/1", this.bbo);
    if (trades.length > 0) {
      this.#tell("trades/perp/1", trades);
      this.#tell("candles/perp/1/1m", [foreignCandle(this.trades, this.#options.scale)]);
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

  #whole(channel: string): object {
    const [kind] = channel.split("/");
    const records = this.#options.records[channel];
    if (records !== undefined) return records;
    if (kind === "orderbook") return this.book;
    if (kind === "bbo") return this.bbo;
    if (kind === "trades") return this.trades.slice(-this.#options.backlog);
    return this.trades.length === 0 ? [] : [foreignCandle(this.trades, this.#options.scale)];
  }

  #tell(channel: string, payload: object): void {
    const previous = this.#lastOf.get(channel) ?? FIRST_SEQUENCE;
    const frame = this.#frame(channel, payload, previous);
    this.#lastOf.set(channel, this.#sequence);
    for (const [peer, channels] of this.#subscribers) {
      if (channels.has(channel)) this.#send(peer, channel, frame);
    }
  }

  #send(peer: WebSocket, channel: string, frame: string): void {
    this.sent.push({ channel, frame });
    peer.send(frame);
  }

  #frame(channel: string, payload: object, previous: bigint | null): string {
    const [kind = ""] = channel.split("/");
    const isChained = kind !== "bbo" && kind !== "candles";
    const sequence = this.#lastOf.get(channel) ?? FIRST_SEQUENCE;
    const now = previous === null ? sequence : this.#sequence;
    const chain = {
      previous_sequence: previous === null ? null : `${previous}`,
      sequence: `${now}`,
    };
    return JSON.stringify({
      type: "update",
      channel,
      timestamp_ns: `${this.#timeNs}`,
      ...(isChained ? chain : {}),
      [kind.replace("-", "_")]: payload,
    });
  }
}
