// The ten channel kinds and what opens a feed for each.
import type { Channel, ChannelKind } from "../../wire/channels.ts";
import { openAccountFeed } from "./account.ts";
import { openAccountsFeed } from "./accounts.ts";
import { openBboFeed } from "./bbo.ts";
import { openCandlesFeed } from "./candles.ts";
import type { Feed, FeedContext } from "./feed.ts";
import { openFundingRatesFeed } from "./funding-rates.ts";
import { openMarkCandlesFeed } from "./mark-candles.ts";
import { openMarketStatsFeed } from "./market-stats.ts";
import { openMarketsFeed } from "./markets.ts";
import { openOrderbookFeed } from "./orderbook.ts";
import { openTradesFeed } from "./trades.ts";

type Open<C extends Channel> = (context: FeedContext, name: string, channel: C) => Feed | undefined;

const OPEN: { readonly [K in ChannelKind]: Open<Extract<Channel, { kind: K }>> } = {
  bbo: openBboFeed,
  orderbook: openOrderbookFeed,
  trades: openTradesFeed,
  candles: openCandlesFeed,
  "mark-candles": openMarkCandlesFeed,
  markets: openMarketsFeed,
  "market-stats": openMarketStatsFeed,
  "funding-rates": openFundingRatesFeed,
  accounts: openAccountsFeed,
  account: openAccountFeed,
};

/**
 * Opens the feed of a channel. Never throws.
 * @returns undefined when it names a market or an account that does not exist
 */
export function openFeed(context: FeedContext, name: string, channel: Channel): Feed | undefined {
  return (OPEN[channel.kind] as Open<Channel>)(context, name, channel);
}
