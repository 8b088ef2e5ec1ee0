// mark-candles: as candles, of the mark price of a perpetual market; one sample for each mark price.
import type { Interval } from "../../protocol/channel.ts";
import type { MarkCandle, MarkCandlesUpdate } from "../../protocol/channels/mark-candles.ts";
import type { MarketSpec } from "../exchange/market-spec.ts";
import type { Candle } from "../ledger/candle-series.ts";
import { priceText } from "../wire/text.ts";
import { PeriodTurn } from "./candles.ts";
import { type Feed, type FeedContext, findMarket, updateOf } from "./feed.ts";

/** @returns undefined when there is no such perpetual market */
export function openMarkCandlesFeed(
  context: FeedContext,
  name: string,
  channel: { readonly marketId: string; readonly interval: Interval },
): Feed | undefined {
  const market = findMarket(context, "perp", channel.marketId);
  if (market === undefined) return undefined;
  const { candles } = market.markCandles.series(channel.interval);
  const turn = new PeriodTurn(candles);
  const frame = (shown: readonly Candle[]): MarkCandlesUpdate => ({
    ...updateOf(context, name),
    candles: shown.map((candle) => markCandleOf(market.spec, candle)),
  });
  return {
    isChained: false,
    first: () => (candles.length === 0 ? undefined : frame(candles.slice(-1))),
    change: (index) => (market.markSequence === index ? frame(turn.shown()) : undefined),
  };
}

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
