// A store that a test feeds with frames of one market, perp/1, on a clock of its own.

import { Store } from "../../src/state/store.ts";
import { createDecoder, type ReceivedUpdate } from "../../src/wire/decode.ts";
import type { Link, StreamEvent } from "../../src/wire/stream-event.ts";

export const CHANNELS = {
  bbo: "bbo/perp/1",
  orderbook: "orderbook/perp/1",
  trades: "trades/perp/1",
  candles: "candles/perp/1/1m",
  stats: "market-stats/perp/1",
  fundingRates: "funding-rates/1",
  markets: "markets",
} as const;

type Amount = number | bigint | string;

/** A level in the words of the wire. */
export function level(price: Amount, size: Amount = 1) {
  return { price_ticks: `${price}`, size_base_lots: `${size}` };
}

/** Levels as [price, size], or as text: `99:1 98:2`. */
export type Levels = string | readonly (readonly [price: Amount, size: Amount])[];

export function levelsOf(levels: Levels) {
  if (typeof levels !== "string") return levels.map(([price, size]) => level(price, size));
  return Array.from(levels.matchAll(/(\d+):(\d+)/g), ([, price = "", size]) => level(price, size));
}

/** A trade in the words of the wire. */
export function traded(price: Amount, size: Amount, takerIsBid: boolean, timestampNs: string) {
  return { ...level(price, size), timestamp_ns: timestampNs, taker_is_bid: takerIsBid };
}

const decoder = createDecoder();

/** A frame as the stream would read it. */
export function received(frame: object): ReceivedUpdate {
  const decoded = decoder.decode(JSON.stringify(frame));
  if (!decoded.ok || decoded.received.type !== "update") throw new Error(JSON.stringify(decoded));
  return decoded.received;
}

export class MarketFeed {
  readonly store = new Store();
  nowMs = 0;
  /** Keeps what is told, before the store has it. */
  historyBuffer: { event(event: StreamEvent): void } | undefined;
  readonly #suspects: string[] = [];

  /** What should have been fetched anew so far. */
  get suspects(): readonly string[] {
    for (const [channel, reason] of this.store.takeSuspects()) {
      this.#suspects.push(`${channel}: ${reason}`);
    }
    return this.#suspects;
  }

  advance(ms: number): void {
    this.nowMs += ms;
  }

  link(state: Link["state"], part: Partial<Link> = {}): void {
    const link: Link = {
      state,
      reconnects: 0,
      aliveAtMs: this.nowMs,
      roundTripMs: undefined,
      retryAtMs: undefined,
      protocolVersion: 1,
      fault: undefined,
      ...part,
    };
    this.say({ type: "link", link });
  }

  /** Without names, the channels of the market. */
  subscribe(...channels: readonly string[]): void {
    const all = channels.length > 0 ? channels : Object.values(CHANNELS);
    for (const channel of all) this.say({ type: "subscribing", channel });
  }

  connect(part: Partial<Link> = {}): void {
    this.link("open", part);
    this.subscribe();
  }

  /** Any event, as the stream would tell it. */
  say(event: {
    type: StreamEvent["type"];
    channel?: string | undefined;
    [key: string]: unknown;
  }): void {
    const told = { atMs: this.nowMs, ...event } as unknown as StreamEvent;
    this.historyBuffer?.event(told);
    this.store.dispatch(told);
  }

  update(channel: string, fields: object, isFirst = false): void {
    const frame = { type: "update", channel, timestamp_ns: `${this.nowMs}000000`, ...fields };
    this.say({ type: "update", channel, update: received(frame), isFirst });
  }

  /** The first update of a numbered channel. */
  first(channel: string, fields: object, sequence: string | null = "1"): void {
    this.update(channel, { previous_sequence: null, sequence, ...fields }, true);
  }

  /** The update that follows the one before it. */
  next(channel: string, sequence: number, fields: object): void {
    const chain = { previous_sequence: `${sequence - 1}`, sequence: `${sequence}` };
    this.update(channel, { ...chain, ...fields });
  }

  bbo(bid: Amount, ask: Amount, size: Amount = 1): void {
    this.update(CHANNELS.bbo, { bbo: { bid: level(bid, size), ask: level(ask, size) } });
  }

  book(bids: Levels, asks: Levels, sequence: number, isFirst = false): void {
    const orderbook = { bids: levelsOf(bids), asks: levelsOf(asks) };
    if (isFirst) this.first(CHANNELS.orderbook, { orderbook }, `${sequence}`);
    else this.next(CHANNELS.orderbook, sequence, { orderbook });
  }

  trade(price: Amount, size: Amount, takerIsBid = true, timestampNs = `${this.nowMs}000000`): void {
    const trades = [traded(price, size, takerIsBid, timestampNs)];
    this.update(CHANNELS.trades, { previous_sequence: null, sequence: null, trades });
  }

  candle(minute: number, open: string, high: string, low: string, close: string): void {
    const prices = { open, high, low, close };
    const open_time_ms = 1_800_000_000_000 + minute * 60_000;
    const rest = { volume_base: "1.5", volume_quote: "2", trades: 3 };
    this.update(CHANNELS.candles, { candles: [{ open_time_ms, ...prices, ...rest }] });
  }
}
