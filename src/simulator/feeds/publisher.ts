// Brings transactions to subscribers: one feed for each channel that anybody listens to, one text for all listeners.

import { type Channel, type ChannelKind, parseChannel } from "../../wire/channels.ts";
import type { Update } from "../../wire/update.ts";
import type { OutgoingFrame } from "../faults/fault.ts";
import { openAccountFeed, openAccountsFeed } from "./account-feeds.ts";
import type { Feed, FeedContext } from "./feed.ts";
import {
  openBboFeed,
  openCandlesFeed,
  openFundingRatesFeed,
  openMarkCandlesFeed,
  openMarketStatsFeed,
  openMarketsFeed,
  openOrderbookFeed,
  openTradesFeed,
} from "./market-feeds.ts";

/** Somebody who listens. */
export interface Subscriber {
  receive(frame: OutgoingFrame): void;
}

/** `isFresh` until the first frame. */
interface Subscription {
  isFresh: boolean;
}

interface OpenFeed {
  readonly feed: Feed;
  readonly subscribers: Map<Subscriber, Subscription>;
}

/** The feeds that somebody listens to, from the first subscriber of each to the last. */
export class Publisher {
  readonly #context: FeedContext;
  readonly #feeds = new Map<string, OpenFeed>();
  readonly #stop: () => void;

  constructor(context: FeedContext) {
    this.#context = context;
    this.#stop = context.exchange.onTransaction((index) => this.#publish(index));
  }

  /** Subscribes and sends the first frame. @returns false when the channel names nothing that exists */
  subscribe(name: string, subscriber: Subscriber): boolean {
    const open = this.#feeds.get(name) ?? this.#open(name);
    if (open === undefined) return false;
    const subscription: Subscription = { isFresh: true };
    open.subscribers.set(subscriber, subscription);
    const update = open.feed.first();
    if (update !== undefined) {
      send(name, open.feed, JSON.stringify(update), subscriber, subscription);
    }
    return true;
  }

  /** Ends a subscription; a feed without any is closed. Nothing happens when there was none. */
  unsubscribe(name: string, subscriber: Subscriber): void {
    const open = this.#feeds.get(name);
    if (open === undefined) return;
    open.subscribers.delete(subscriber);
    if (open.subscribers.size === 0) this.#feeds.delete(name);
  }

  stop(): void {
    this.#stop();
    this.#feeds.clear();
  }

  #open(name: string): OpenFeed | undefined {
    const channel = parseChannel(name);
    const feed = channel === undefined ? undefined : openFeed(this.#context, name, channel);
    if (feed === undefined) return undefined;
    const open = { feed, subscribers: new Map() };
    this.#feeds.set(name, open);
    return open;
  }

  #publish(index: number): void {
    for (const [name, { feed, subscribers }] of this.#feeds) {
      const update: Update | undefined = feed.change(index);
      if (update === undefined) continue;
      const text = JSON.stringify(update);
      for (const [subscriber, subscription] of subscribers) {
        send(name, feed, text, subscriber, subscription);
      }
    }
  }
}

function send(
  channel: string,
  { isChained }: Feed,
  text: string,
  subscriber: Subscriber,
  subscription: Subscription,
): void {
  const isFirst = subscription.isFresh;
  subscription.isFresh = false;
  subscriber.receive({ type: "update", text, channel, isChained, isFirst });
}

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
 * Opens the feed of a channel.
 * @returns undefined when it names a market or an account that does not exist
 */
function openFeed(context: FeedContext, name: string, channel: Channel): Feed | undefined {
  return (OPEN[channel.kind] as Open<Channel>)(context, name, channel);
}
