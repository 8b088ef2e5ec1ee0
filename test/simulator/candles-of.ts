// Candles by an oracle of its own, apart from the simulator's.
import { INTERVAL_MS } from "../../src/simulator/ledger/candles.ts";
import type { Interval } from "../../src/wire/channels.ts";
import type { Candle } from "../../src/wire/frames.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { millionths } from "./folding.ts";

/** Candles worked out anew from REST records, in the order in which they were made. */
export function candlesOf(records: readonly TradeRecord[], interval: Interval): object[] {
  const periods = new Map<number, TradeRecord[]>();
  for (const record of records) {
    const period = Math.floor(record.timestamp_ms / INTERVAL_MS[interval]);
    const trades = periods.get(period) ?? [];
    trades.push(record);
    periods.set(period, trades);
  }
  return [...periods].map(([period, trades]) => {
    const prices = trades.map(({ price }) => price);
    const sorted = prices.toSorted((a, b) => Number(millionths(a) - millionths(b)));
    const sum = (values: string[]) => values.reduce((total, each) => total + millionths(each), 0n);
    return {
      open_time_ms: period * INTERVAL_MS[interval],
      open: prices[0],
      high: sorted.at(-1),
      low: sorted[0],
      close: prices.at(-1),
      volume_base: sum(trades.map(({ quantity }) => quantity)),
      volume_quote: sum(trades.map(({ quote_notional }) => quote_notional)),
      trades: trades.length,
    };
  });
}

/** A candle with its volumes in millionths. */
export const exact = (candle: Candle) => ({
  ...candle,
  volume_base: millionths(candle.volume_base ?? ""),
  volume_quote: millionths(candle.volume_quote ?? ""),
});
