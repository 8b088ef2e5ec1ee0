// A service of some markets that never stops: whole books, trades, quotes, candles and statistics, at a pace that a test sets,
// for as many reconnects and subscriptions as it likes.
import { createRandom } from "../../src/units/random.ts";
import { FakeService } from "./fake-service.ts";

const MARKETS = ["1", "2", "3", "4"];
const KINDS = ["bbo", "orderbook", "trades", "candles", "market-stats"] as const;
const DEPTH = 10;

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

/** Answers what it is asked, and speaks when it is told to. */
export class BusyService extends FakeService {
  readonly #random = createRandom(24);
  readonly #held = new Map<string, number>();
  #price = 1_000_000;
  #turn = 0;

  /** Opens the connection that has been asked for; those of before are let go. */
  accept(): void {
    this.connections.splice(0, this.connections.length - 1);
    this.#held.clear();
    this.last.accept();
    this.last.hello();
  }

  /** Answers all commands that have come. */
  answer(wallMs: number): void {
    for (const { type, channel } of this.last.commands.splice(0)) {
      if (type === "unsubscribe") {
        this.#held.delete(channel);
        this.last.unsubscribed(channel);
      } else if (this.#held.has(channel)) {
        this.last.error(409, channel);
      } else {
        this.#held.set(channel, 0);
        this.say(channel, wallMs);
      }
    }
  }

  /** One message of the channel whose turn it is; the price moves when all have spoken of it. */
  speak(wallMs: number): void {
    const channel = BUSY_CHANNELS[this.#turn++ % BUSY_CHANNELS.length] ?? "";
    if (this.#turn % BUSY_CHANNELS.length === 1) this.#price += Math.floor(this.#random() * 9) - 3;
    if (this.#held.has(channel)) this.say(channel, wallMs);
  }

  /** A message of a channel that is held, stamped with that time. */
  say(channel: string, wallMs: number): void {
    const atMs = Math.floor(wallMs);
    const [kind = ""] = channel.split("/");
    const size = 1 + Math.floor(this.#random() * 1e6);
    const payload = PAYLOADS[kind as Kind](this.#price, size, atMs);
    const sequence = this.#held.get(channel) ?? 0;
    this.#held.set(channel, sequence + 1);
    const previous = sequence === 0 ? "null" : `"${sequence}"`;
    const isChained = kind !== "bbo" && kind !== "candles";
    const chain = isChained ? `"previous_sequence":${previous},"sequence":"${sequence + 1}",` : "";
    this.last.say(
      `{"type":"update","channel":"${channel}","timestamp_ns":"${atMs}000000",${chain}${payload}}`,
    );
  }
}
