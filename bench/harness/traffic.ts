// Frames as a service would send them, from a seed: chained, of plausible sizes, each with a text of its own.

import { createRandom } from "../../src/units/random.ts";
import type { PriceLevel } from "../../src/wire/channels/orderbook.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";

const START_NS = 1_763_700_000_000_000_000n;
const START_SEQUENCE = 88_123_456_789;
const START_PRICE = 9_123_456;
const ACCOUNT = "4Nd1mYQ8r5xkz9DLeXcqxvTnB7oZ2GgPpU3sVhWaKfJt";

/** Makes the frames of one connection, in order. */
export class Traffic {
  readonly #random;
  readonly #sequences = new Map<string, number>();
  #sequence = START_SEQUENCE;
  #timestampNs = START_NS;
  #price = START_PRICE;
  /** Resting sizes by price, as last sent. */
  readonly #resting = new Map<number, PriceLevel>();

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  /** Moves the price; later frames follow it. */
  move(): this {
    this.#price += this.#below(7) - 3;
    return this;
  }

  bbo(market = 1): string {
    return this.#update(`bbo/perp/${market}`, {
      bbo: { bid: this.#level(this.#price - 1), ask: this.#level(this.#price + 1) },
    });
  }

  /** A snapshot with this many levels of each side, an eighth of them changed; 100 levels are about 10 KB. */
  book(levels: number, market = 1): string {
    const side = (direction: number): PriceLevel[] => {
      const found: PriceLevel[] = [];
      for (let price = this.#price + direction; found.length < levels; price += direction) {
        if (price % 3 > 0) found.push(this.#restingAt(price));
      }
      return found;
    };
    const orderbook = { bids: side(-1), asks: side(1) };
    return this.#chained(`orderbook/perp/${market}`, { orderbook });
  }

  #restingAt(price: number): PriceLevel {
    const held = this.#resting.get(price);
    if (held !== undefined && this.#below(8) > 0) return held;
    const level = this.#level(price);
    this.#resting.set(price, level);
    return level;
  }

  trades(count: number, market = 1): string {
    const trades = Array.from({ length: count }, (): Trade => {
      const { price_ticks, size_base_lots } = this.#level(this.#price + this.#below(5) - 2);
      const taker_is_bid = this.#below(2) === 0;
      return { timestamp_ns: this.#now(), price_ticks, size_base_lots, taker_is_bid };
    });
    return this.#chained(`trades/perp/${market}`, { trades });
  }

  candles(market = 1): string {
    const price = () => `${90_000 + this.#below(9999)}.${10 + this.#below(89)}`;
    const candle = () => ({
      open_time_ms: 1_763_700_000_000,
      open: price(),
      high: price(),
      low: price(),
      close: price(),
      volume_base: `${this.#below(9999)}.${this.#below(99_999)}`,
      volume_quote: `${this.#below(99_999_999)}.${this.#below(99)}`,
      trades: this.#below(5000),
    });
    return this.#update(`candles/perp/${market}/1m`, { candles: [candle()] });
  }

  /** A snapshot of an account; the interface does not show the fields of its records (2.3). */
  account(orders: number, positions: number): string {
    const amount = () => `${this.#below(99_999_999)}.${100_000 + this.#below(899_999)}`;
    return this.#chained(`account/${ACCOUNT}/0`, {
      balances: [{ asset_id: 0, total: amount(), available: amount() }],
      positions: Array.from({ length: positions }, (_, market_id) => ({
        market_id,
        side: this.#below(2) === 0 ? "long" : "short",
        size_base_lots: String(this.#below(1e9)),
        entry_price: amount(),
        unrealized_pnl: amount(),
        margin_mode: "cross",
      })),
      leverages: Array.from({ length: positions }, (_, market_id) => ({ market_id, leverage: 5 })),
      orders: Array.from({ length: orders }, () => ({
        order_id: String(8_812_345_678_900 + this.#below(1e9)),
        market_id: this.#below(40),
        side: this.#below(2) === 0 ? "buy" : "sell",
        ...this.#level(this.#price + this.#below(1000) - 500),
        status: "open",
        created_at_ns: this.#now(),
      })),
    });
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #level(price: number): PriceLevel {
    return { price_ticks: String(price), size_base_lots: String(1 + this.#below(99_999_999)) };
  }

  #now(): string {
    this.#timestampNs += BigInt(100_000 + this.#below(4_900_000));
    return this.#timestampNs.toString();
  }

  #update(channel: string, fields: object): string {
    return JSON.stringify({ type: "update", channel, timestamp_ns: this.#now(), ...fields });
  }

  #chained(channel: string, fields: object): string {
    const previous = this.#sequences.get(channel);
    this.#sequence += 1 + this.#below(8);
    this.#sequences.set(channel, this.#sequence);
    return this.#update(channel, {
      previous_sequence: previous === undefined ? null : String(previous),
      sequence: String(this.#sequence),
      ...fields,
    });
  }
}

/** A plausible second of several markets: 2,000 bbo, 200 books of 10 KB, 500 trades, some candles and accounts. */
export function mixedTraffic(seed: number, share: number): string[] {
  const traffic = new Traffic(seed);
  const makers: readonly [perSecond: number, make: (market: number) => string][] = [
    [2000, (market) => traffic.move().bbo(market)],
    [200, (market) => traffic.book(100, market)],
    [500, (market) => traffic.trades(1 + (market % 3), market)],
    [100, (market) => traffic.candles(market)],
    [20, () => traffic.account(20, 5)],
  ];
  const due = makers.flatMap(([perSecond, make]) =>
    Array.from({ length: Math.ceil(perSecond * share) }, (_, i) => ({
      at: i / Math.ceil(perSecond * share),
      make: () => make(1 + (i % 20)),
    })),
  );
  return due.sort((a, b) => a.at - b.at).map(({ make }) => make());
}
