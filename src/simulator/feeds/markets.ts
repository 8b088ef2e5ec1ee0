// markets: the list of markets. It does not change while the simulator runs, so there is only the first frame.
import type { MarketsUpdate } from "../../wire/channels/markets.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { MarginTier, MarketSpec } from "../exchange/market-spec.ts";
import { ppmText } from "../wire/text.ts";
import { type Feed, type FeedContext, updateOf } from "./feed.ts";
import { SequenceChain } from "./sequence-chain.ts";

/** Opens the feed of the list of markets. Never throws. */
export function openMarketsFeed(context: FeedContext, name: string): Feed {
  const { exchange, readings } = context;
  const chain = new SequenceChain(readings, exchange.firstIndex);
  const frame = (): MarketsUpdate => ({
    ...updateOf(context, name),
    ...chain.first(),
    markets: exchange.markets.map(({ spec }) => marketOf(context, spec)),
  });
  return { isChained: true, first: frame, change: () => undefined };
}

/**
 * A Market record. Its fields are not shown in the interface: these are plausible ones. Rates are
 * fractions of 1, `max_notional` is in quote currency, a last tier without one has no end.
 */
function marketOf({ scale }: FeedContext, spec: MarketSpec): OpenRecord {
  return {
    market_type: spec.type,
    market_id: spec.id,
    symbol: spec.symbol,
    status: "open",
    base_asset: spec.baseAsset,
    quote_asset: spec.quoteAsset,
    tick_size: scale.tickSize(spec),
    lot_size: scale.lotSize(spec),
    min_size_base_lots: scale.lots(1),
    maker_fee_rate: ppmText(spec.makerFeePpm),
    taker_fee_rate: ppmText(spec.takerFeePpm),
    ...(spec.type === "perp" ? { margin_tiers: spec.marginTiers.map(marginTierOf) } : {}),
  };
}

function marginTierOf(tier: MarginTier, index: number, tiers: readonly MarginTier[]): OpenRecord {
  return {
    tier: index + 1,
    max_notional: index === tiers.length - 1 ? null : String(tier.maxNotional),
    max_leverage: tier.maxLeverage,
    maintenance_margin_rate: ppmText(tier.maintenancePpm),
  };
}
