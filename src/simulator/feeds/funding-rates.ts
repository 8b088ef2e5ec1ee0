// funding-rates: the settled rates of a market and the one to come first, then each rate as it moves and settles.

import { formatDecimal } from "../../units/decimal.ts";
import type { FundingRatesUpdate } from "../../wire/channels/funding-rates.ts";
import type { OpenRecord } from "../../wire/update.ts";
import { FUNDING_PLACES, type FundingRate } from "../accounts/funding.ts";
import type { Market } from "../exchange/market.ts";
import { priceText } from "../wire/text.ts";
import { type FeedContext, feedOfMarket, updateOf } from "./feed.ts";
import { type Links, SequenceChain } from "./sequence-chain.ts";

/** Opens the feed of a perpetual market's funding rates. */
export const openFundingRatesFeed = feedOfMarket((context, name, market) => {
  const { settledFunding } = market;
  const chain = new SequenceChain(context.readings, market.fundingSequence);
  let lastSettled = settledFunding.at(-1);
  const frame = (
    links: Links,
    rates: readonly (FundingRate | undefined)[],
  ): FundingRatesUpdate => ({
    ...updateOf(context, name),
    ...links,
    funding_rates: rates.flatMap((rate) =>
      rate === undefined ? [] : [fundingRateOf(context, market, rate)],
    ),
  });
  return {
    isChained: true,
    first: () => frame(chain.first(), [...settledFunding, market.nextFunding]),
    change(index) {
      if (market.fundingSequence !== index) return undefined;
      const settled = settledFunding.at(-1);
      const isNew = settled !== lastSettled;
      lastSettled = settled;
      return frame(chain.next(index), [isNew ? settled : market.nextFunding]);
    },
  };
});

/** A funding rate as a fraction of 1 for one interval. Never throws. */
export function fundingText(rate: bigint): string {
  return formatDecimal({ mantissa: rate, places: FUNDING_PLACES });
}

/**
 * A FundingRate record. Its fields are not shown in the interface: these are plausible ones. The rate is
 * a fraction of 1 for the interval that ends at `funding_time_ns`; a `predicted` one becomes `settled`
 * at that time.
 */
function fundingRateOf({ time }: FeedContext, { spec }: Market, rate: FundingRate): OpenRecord {
  return {
    market_type: spec.type,
    market_id: spec.id,
    symbol: spec.symbol,
    funding_rate: fundingText(rate.rate),
    status: rate.isSettled ? "settled" : "predicted",
    mark_price: priceText(spec, rate.markTicks),
    index_price: priceText(spec, rate.indexTicks),
    funding_interval_ms: rate.intervalMs,
    funding_time_ns: time.ns(rate.timeUs),
  };
}
