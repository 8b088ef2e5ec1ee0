// candles: the current candle, again after each trade; at the turn of a period the one that ended comes with it.
import type { Interval, MarketType } from "../../protocol/channel.ts";
import type { CandlesUpdate, LastCandle } from "../../protocol/channels/candles.ts";
import type { MarketSpec } from "../exchange/market-spec.ts";
import type { Candle } from "../ledger/candle-series.ts";
import { priceText, quoteText, sizeText } from "../wire/text.ts";
import { type Feed, type FeedContext, findMarket, updateOf } from "./feed.ts";

/** @returns undefined when there is no such market */
export function openCandlesFeed(
  context: FeedContext,
  name: string,
  channel: {
    readonly marketType: MarketType;
    readonly marketId: string;
    readonly interval: Interval;
  },
): Feed | undefined {
  const market = findMarket(context, channel.marketType, channel.marketId);
  if (market === undefined) return undefined;
  const { candles } = market.candles.series(channel.interval);
  const turn = new PeriodTurn(candles);
  const frame = (shown: readonly Candle[]): CandlesUpdate => ({
    ...updateOf(context, name),
    candles: shown.map((candle) => lastCandleOf(market.spec, candle)),
  });
  return {
    isChained: false,
    first: () => (candles.length === 0 ? undefined : frame(candles.slice(-1))),
    change: (index) => (market.tradeSequence === index ? frame(turn.shown()) : undefined),
  };
}

/** Says which candles a frame shows: the last one, and the one before it when a period has just begun. */
export class PeriodTurn {
  readonly #candles: readonly Candle[];
  #openTimeMs: number | undefined;

  constructor(candles: readonly Candle[]) {
    this.#candles = candles;
    this.#openTimeMs = candles.at(-1)?.openTimeMs;
  }

  shown(): readonly Candle[] {
    const openTimeMs = this.#candles.at(-1)?.openTimeMs;
    const hasTurned = openTimeMs !== this.#openTimeMs;
    this.#openTimeMs = openTimeMs;
    return this.#candles.slice(hasTurned ? -2 : -1);
  }
}

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
