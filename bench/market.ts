// What a busy market sends, the same in every run, and screens that show it.
import type { Store } from "../src/state/store.ts";
import { VIEWS } from "../src/views/views.ts";
import { createRig, type RigOptions } from "../test/screen/rig.tsx";
import { fold } from "../test/views/filled-store.ts";

export const FRAME_MS = 17;
export const START_MS = Date.UTC(2026, 0, 1);
export const [COLUMNS, ROWS] = [120, 40];
const MINUTE_MS = 60_000;
const USUAL_LEVELS = 60;

/** Bodies of the nth round, at a time after the start: all that a market's view shows has changed. */
export function marketUpdates(n: number, ms: number, levels = USUAL_LEVELS) {
  const middle = 9_696_782 + ((n * 7) % 11);
  const level = (ticks: number, salt: number) => ({
    price_ticks: String(ticks),
    size_base_lots: String(1 + ((n * 7919 + salt * 104_729) % 9999)),
  });
  const side = (sign: number) =>
    Array.from({ length: levels }, (_, i) => level(middle + sign * (1 + i * 3), i * sign + levels));
  const orderbook = { bids: side(-1), asks: side(1) };
  const trade = { ...level(middle, 3), timestamp_ns: `${START_MS + Math.floor(ms)}000000` };
  const candle = {
    open_time_ms: START_MS + Math.floor(ms / MINUTE_MS) * MINUTE_MS,
    ...{ open: "96960.50", high: "97010.00", low: "96900.00", close: (middle / 100).toFixed(2) },
    ...{ volume_base: `${n}.5`, volume_quote: "1000", trades: n },
  };
  return Object.entries({
    "orderbook/perp/1": { orderbook },
    "bbo/perp/1": { bbo: { bid: orderbook.bids[0], ask: orderbook.asks[0] } },
    "trades/perp/1": { trades: [{ ...trade, taker_is_bid: n % 3 > 0 }] },
    "candles/perp/1/1m": { candles: [candle] },
  });
}

/** Folds the round of the nth frame. */
export function receiveMarket(store: Store, n: number, levels?: number): void {
  const ms = n * FRAME_MS;
  for (const [channel, body] of marketUpdates(n, ms, levels)) fold(store, channel, body, ms);
}

export type Rig = ReturnType<typeof createRig>;

/** A screen of 120x40 without a window. */
export function openScreen(store: object, more: Partial<RigOptions> = {}): Rig {
  return createRig({ views: VIEWS, store, columns: COLUMNS, rows: ROWS, ...more });
}

/** The time of a frame passes, and it is drawn. */
export function drawFrame({ clock, terminal }: Rig): void {
  clock.advance(FRAME_MS);
  terminal.screen.frameNow(true);
}
