// What a busy market sends, as bodies of updates: the same in every run.
import type { Store } from "../src/state/store.ts";
import { fold } from "../test/views/filled-store.ts";

export const FRAME_MS = 17;
const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const LEVELS = 60;

/** The nth round, at a time after the start: all that a market's view shows has changed. */
export function marketUpdates(n: number, ms: number): readonly [channel: string, body: object][] {
  const middle = 9_696_782 + ((n * 7) % 11);
  const level = (ticks: number, salt: number) => ({
    price_ticks: String(ticks),
    size_base_lots: String(1 + ((n * 7919 + salt * 104_729) % 9999)),
  });
  const side = (sign: number) =>
    Array.from({ length: LEVELS }, (_, i) => level(middle + sign * (1 + i * 3), i * sign + LEVELS));
  const orderbook = { bids: side(-1), asks: side(1) };
  const timestamp_ns = `${START_MS + Math.floor(ms)}000000`;
  const candle = {
    open_time_ms: START_MS + Math.floor(ms / MINUTE_MS) * MINUTE_MS,
    ...{ open: "96960.50", high: "97010.00", low: "96900.00", close: (middle / 100).toFixed(2) },
    ...{ volume_base: `${n}.5`, volume_quote: "1000", trades: n },
  };
  return [
    ["orderbook/perp/1", { orderbook }],
    ["bbo/perp/1", { bbo: { bid: orderbook.bids[0], ask: orderbook.asks[0] } }],
    ["trades/perp/1", { trades: [{ timestamp_ns, ...level(middle, 3), taker_is_bid: n % 3 > 0 }] }],
    ["candles/perp/1/1m", { candles: [candle] }],
  ];
}

/** Folds the round of the nth frame. */
export function receiveMarket(store: Store, n: number): void {
  const ms = n * FRAME_MS;
  for (const [channel, body] of marketUpdates(n, ms)) fold(store, channel, body, ms);
}
