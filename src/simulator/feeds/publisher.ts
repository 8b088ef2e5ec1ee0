// Publishes transactions to subscribers: one feed per subscribed channel, with one text for all its subscribers.
import { CHANNELS, type Kind, parseChannel } from "../../wire/channels.ts";
import type { Connection } from "../server/connection.ts";
import { ACCOUNT_FEEDS } from "./account-feeds.ts";
import type { Feed, FeedContext, OpenFeed } from "./feed.ts";
import { MARKET_FEEDS } from "./market-feeds.ts";

const FEEDS: { readonly [K in Kind]: OpenFeed<K> } = { ...MARKET_FEEDS, ...ACCOUNT_FEEDS };

type Subscriber = Pick<Connection, "receive">;

interface OpenChannel {
  readonly feed: Feed;
  readonly isSequenced: boolean;
  /** Transaction of the last frame, or of the state in the first one. */
  sequence: number;
  /** True for those that have received their first frame. */
  readonly subscribers: Map<Subscriber, boolean>;
}

interface Links {
  readonly previous_sequence: string | null;
  readonly sequence: string | null;
}

/** The feeds of subscribed channels, open from the first subscriber to the last. */
export class Publisher {
  readonly #context: FeedContext;
  readonly #isNumbered: boolean;
  readonly #channels = new Map<string, OpenChannel>();
  readonly #stop: () => void;

  constructor(context: FeedContext) {
    this.#context = context;
    this.#isNumbered = context.readings.sequences === "chained";
    this.#stop = context.exchange.onTransaction((index) => this.#publish(index));
  }

  /** Subscribes and sends the first frame. @returns false if the channel names nothing that exists */
  subscribe(name: string, subscriber: Subscriber): boolean {
    const channel = this.#channels.get(name) ?? this.#open(name);
    if (channel === undefined) return false;
    channel.subscribers.set(subscriber, false);
    const payload = channel.feed.first();
    if (payload !== undefined) {
      const text = this.#textOf(name, this.#links(channel, null, channel.sequence), payload);
      this.#send(name, channel, text, subscriber);
    }
    return true;
  }

  /** Ends a subscription, if there is one; closes a feed without subscribers. */
  unsubscribe(name: string, subscriber: Subscriber): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    channel.subscribers.delete(subscriber);
    if (channel.subscribers.size === 0) this.#channels.delete(name);
  }

  stop(): void {
    this.#stop();
    this.#channels.clear();
  }

  #open(name: string): OpenChannel | undefined {
    const channel = parseChannel(name);
    if (channel === undefined) return undefined;
    const feed = (FEEDS[channel.kind] as OpenFeed<Kind>)(this.#context, channel);
    if (feed === undefined) return undefined;
    const isSequenced = CHANNELS[channel.kind].isNumbered;
    const open = { feed, isSequenced, sequence: feed.sequence, subscribers: new Map() };
    this.#channels.set(name, open);
    return open;
  }

  #publish(index: number): void {
    for (const [name, channel] of this.#channels) {
      const payload = channel.feed.change(index);
      if (payload === undefined) continue;
      const text = this.#textOf(name, this.#links(channel, channel.sequence, index), payload);
      channel.sequence = index;
      for (const subscriber of channel.subscribers.keys()) {
        this.#send(name, channel, text, subscriber);
      }
    }
  }

  #links({ isSequenced }: OpenChannel, previous: number | null, sequence: number): Partial<Links> {
    if (!isSequenced) return {};
    if (!this.#isNumbered) return { previous_sequence: null, sequence: null };
    const previous_sequence = previous === null ? null : String(previous);
    return { previous_sequence, sequence: String(sequence) };
  }

  #send(name: string, channel: OpenChannel, text: string, subscriber: Subscriber): void {
    const isFirst = channel.subscribers.get(subscriber) === false;
    channel.subscribers.set(subscriber, true);
    const isNumbered = channel.isSequenced && this.#isNumbered;
    subscriber.receive({ text, channel: name, isFirst, isNumbered });
  }

  /** The timestamp of an update is that of the last transaction it includes. */
  #textOf(channel: string, links: Partial<Links>, payload: object): string {
    const { exchange, time } = this.#context;
    const timestamp_ns = time.ns(exchange.nowUs);
    return JSON.stringify({ type: "update", channel, timestamp_ns, ...links, ...payload });
  }
}
