// A service of some markets that never stops: whole books, trades, quotes, candles and statistics, at a pace that a test sets,
// for as many reconnects and subscriptions as it likes.
import { createRandom } from "../../src/units/random.ts";
import { ScriptedService } from "./scripted-service.ts";

const MARKETS = ["1", "2", "3", "4"];
const KINDS = ["bbo", "orderbook", "trades", "candles", "market-stats"] as const;
const DEPTH = 10;
const LOWEST_PRICE = 1_000_000;
/** Prices that the markets have in turn: with each new one, sums by price would grow. */
const BUSY_PRICES = 10;

type Kind = (typeof KINDS)[number];

/** Five channels of each of four markets, in the order in which they speak. */
export const BUSY_CHANNELS: readonly string[] = MARKETS.flatMap((id) =>
  KINDS.map((kind) => `${kind}/perp/${id}${kind === "candles" ? "/1m" : ""}`),
);

/** What a frame of each kind holds, in the words of the wire. */
const PAYLOADS: Readonly<Record<Kind, (price: number, size: number, atMs: number) => string>> = {
  bbo: (price, size) => `"bbo":{"bid":${level(price - 1, size)},"ask":${level(price + 1, size)}}`,
  orderbook: (price, size) =>
    `"orderbook":{"bids":[${side(price, -1, size)}],"asks":[${side(price, 1, size)}]}`,
  trades: (price, size, atMs) =>
    `"trades":[{"timestamp_ns":"${atMs}000000","price_ticks":"${price}","size_base_lots":"${size}","taker_is_bid":true}]`,
  candles: (price, size, atMs) =>
    `"candles":[{"open_time_ms":${atMs - (atMs % 60_000)},"open":"1","high":"${price}","low":"1","close":"${price}","volume_base":"${size}","volume_quote":"2","trades":3}]`,
  "market-stats": (price) => `"market_stats":[{"market_id":1,"mark_price":"${price}"}]`,
};

const level = (price: number, size: number) =>
  `{"price_ticks":"${price}","size_base_lots":"${size}"}`;

const side = (price: number, direction: number, size: number) =>
  Array.from({ length: DEPTH }, (_, i) => level(price + direction * (i + 1), size + i)).join();

/** Answers what it is asked, and publishes when it is asked to. */
export class BusyService extends ScriptedService {
  readonly #random = createRandom(24);
  readonly #sequences = new Map<string, number>();
  #turn = 0;
  #wallMs = 0;

  /** Opens the connection that has been asked for; those of before are let go. */
  accept(): void {
    this.peers.splice(0, this.peers.length - 1);
    this.last.accept();
    this.last.hello();
  }

  /** Answers all commands that have come. */
  answer(wallMs: number): void {
    this.#wallMs = wallMs;
    for (const command of this.last.commands.splice(0)) this.obey(this.last, command);
  }

  override first(channel: string): string {
    this.#sequences.set(channel, 0);
    return this.#next(channel, this.#wallMs);
  }

  /** Moves when all channels have had their turn. */
  get #price(): number {
    return LOWEST_PRICE + (Math.floor(this.#turn / BUSY_CHANNELS.length) % BUSY_PRICES);
  }

  /** One message of the channel whose turn it is. */
  publishNext(wallMs: number): void {
    const channel = BUSY_CHANNELS[this.#turn % BUSY_CHANNELS.length] ?? "";
    if (this.last.channels.has(channel)) this.publishOn(channel, wallMs);
    this.#turn++;
  }

  /** A message of a channel that is held, stamped with that time. */
  publishOn(channel: string, wallMs: number): void {
    this.last.send(this.#next(channel, wallMs));
  }

  #next(channel: string, wallMs: number): string {
    const atMs = Math.floor(wallMs);
    const [kind = ""] = channel.split("/");
    const size = 1 + Math.floor(this.#random() * 1e6);
    const payload = PAYLOADS[kind as Kind](this.#price, size, atMs);
    const sequence = this.#sequences.get(channel) ?? 0;
    this.#sequences.set(channel, sequence + 1);
    const previous = sequence === 0 ? "null" : `"${sequence}"`;
    const isChained = kind !== "bbo" && kind !== "candles";
    const chain = isChained ? `"previous_sequence":${previous},"sequence":"${sequence + 1}",` : "";
    return `{"type":"update","channel":"${channel}","timestamp_ns":"${atMs}000000",${chain}${payload}}`;
  }
}
