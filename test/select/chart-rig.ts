// Candles of minutes, and the chart of them.
import { type ChartOptions, selectCandleChart } from "../../src/screen/views/market/chart.ts";
import { EXACT } from "../../src/select/display.ts";
import type { LastCandle } from "../../src/wire/channels/candles.ts";

export const MINUTE_MS = 60_000;
export const BASE_MS = 1_800_000_000_000;
export const ROOM = { columns: 60, rows: 12 };

/** With the newest candle at the right edge, where nothing else is said. */
export const selectChart = (candles: readonly LastCandle[], part: Partial<ChartOptions> = {}) =>
  selectCandleChart(candles, {
    ...ROOM,
    volumeRows: 3,
    pitch: 2,
    margin: 0,
    intervalMs: MINUTE_MS,
    display: EXACT,
    unfinished: new Set<number>(),
    rebuilt: new Set<number>(),
    gaps: [],
    newestMs: candles.at(-1)?.open_time_ms ?? BASE_MS,
    ...part,
  });

export const candle = (minute: number, part: Partial<LastCandle> = {}): LastCandle => ({
  open_time_ms: BASE_MS + minute * MINUTE_MS,
  open: "10",
  high: "12",
  low: "8",
  close: "11",
  volume_base: "1",
  volume_quote: "1",
  trades: 1,
  ...part,
});
