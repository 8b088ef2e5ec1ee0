// mark-candles: as candles, of the mark price of a perpetual market; one sample for each mark price.
import type { MarkCandle } from "../../wire/channels/mark-candles.ts";
import type { MarketSpec } from "../exchange/market-spec.ts";
import type { Candle } from "../ledger/candle-series.ts";
import { priceText } from "../wire/text.ts";
import { type CandleChannel, candleFeed } from "./candle-feed.ts";
import { feedOfMarket } from "./feed.ts";

/** Opens the feed of a perpetual market's candles of mark prices. */
export const openMarkCandlesFeed = feedOfMarket<CandleChannel>((context, name, market, channel) => {
  const { candles } = market.markCandles.series(channel.interval);
  const record = (candle: Candle) => markCandleOf(market.spec, candle);
  return candleFeed(context, name, { candles, record, sequence: () => market.markSequence });
});

/** A candle of mark prices as the stream shows it. Never throws. */
export function markCandleOf(spec: MarketSpec, candle: Candle): MarkCandle {
  return {
    open_time_ms: candle.openTimeMs,
    open: priceText(spec, candle.open),
    high: priceText(spec, candle.high),
    low: priceText(spec, candle.low),
    close: priceText(spec, candle.close),
    samples: candle.count,
  };
}
