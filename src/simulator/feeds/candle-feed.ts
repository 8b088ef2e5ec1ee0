// What the candles of last prices and those of mark prices have in common: the current candle, again whenever it
// changes; at the turn of a period the one that ended comes with it.
import type { Interval } from "../../wire/channels.ts";
import type { Candle } from "../ledger/candle-series.ts";
import { type Feed, type FeedContext, type MarketChannel, updateOf } from "./feed.ts";

/** A channel of candles. */
export interface CandleChannel extends MarketChannel {
  readonly interval: Interval;
}

/** Whose candles they are. */
interface CandleSource<C> {
  /** Oldest first; grows and changes as the market trades. */
  readonly candles: readonly Candle[];
  readonly record: (candle: Candle) => C;
  /** The transaction that changed the last one. */
  readonly sequence: () => number;
}

/** The feed of one market's candles of one period. Never throws. */
export function candleFeed<C>(
  context: FeedContext,
  name: string,
  { candles, record, sequence }: CandleSource<C>,
): Feed {
  const turn = new PeriodTurn(candles);
  const frame = (shown: readonly Candle[]) => ({
    ...updateOf(context, name),
    candles: shown.map(record),
  });
  return {
    isChained: false,
    first: () => (candles.length === 0 ? undefined : frame(candles.slice(-1))),
    change: (index) => (sequence() === index ? frame(turn.shown()) : undefined),
  };
}

/** Says which candles a frame shows: the last one, and the one before it when a period has just begun. */
class PeriodTurn {
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
