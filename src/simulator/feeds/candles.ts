// candles: the current candle, again after each trade; at the turn of a period the one that ended comes with it.
import type { LastCandle } from "../../wire/channels/candles.ts";
import type { MarketSpec } from "../exchange/market-spec.ts";
import type { Candle } from "../ledger/candle-series.ts";
import { priceText, quoteText, sizeText } from "../wire/text.ts";
import { type CandleChannel, candleFeed } from "./candle-feed.ts";
import { feedOfMarket } from "./feed.ts";

/** Opens the feed of a market's candles. */
export const openCandlesFeed = feedOfMarket<CandleChannel>((context, name, market, channel) => {
  const { candles } = market.candles.series(channel.interval);
  const record = (candle: Candle) => lastCandleOf(market.spec, candle);
  return candleFeed(context, name, { candles, record, sequence: () => market.tradeSequence });
});

/** A candle of last prices as the stream shows it. Never throws. */
export function lastCandleOf(spec: MarketSpec, candle: Candle): LastCandle {
  return {
    open_time_ms: candle.openTimeMs,
    open: priceText(spec, candle.open),
    high: priceText(spec, candle.high),
    low: priceText(spec, candle.low),
    close: priceText(spec, candle.close),
    volume_base: sizeText(spec, candle.volumeLots),
    volume_quote: quoteText(candle.volumeAtoms),
    trades: candle.count,
  };
}
