// Publishes transactions to subscribers: one feed per subscribed channel, with one text for all its subscribers.
import { CHANNELS, type ChannelKind, parseChannel } from "../../wire/channels.ts";
import type { Interpretations } from "../scenarios/interpretations.ts";
import type { Connection } from "../server/connection.ts";
import { ACCOUNT_FEEDS } from "./account-feeds.ts";
import type { Feed, FeedContext, OpenFeed } from "./feed.ts";
import { MARKET_FEEDS } from "./market-feeds.ts";

const FEEDS: { readonly [K in ChannelKind]: OpenFeed<K> } = { ...MARKET_FEEDS, ...ACCOUNT_FEEDS };

type Subscriber = Pick<Connection, "receive">;

interface OpenChannel {
  readonly feed: Feed;
  readonly isSequenced: boolean;
  /** Transaction of the last frame, or of the state in the first one. */
  sequence: number;
  /** What each subscriber has received so far. */
  readonly subscribers: Map<Subscriber, Received>;
}

type Received = "nothing" | "unnumbered frames" | "numbered frames";

interface Links {
  readonly previous_sequence: string | null;
  readonly sequence: string | null;
}
const NO_LINKS: Links = { previous_sequence: null, sequence: null };

/** The feeds of subscribed channels, open from the first subscriber to the last. */
export class Publisher {
  readonly #context: FeedContext;
  readonly #channels = new Map<string, OpenChannel>();
  readonly #stop: () => void;

  constructor(context: FeedContext) {
    this.#context = context;
    this.#stop = context.exchange.onTransaction((index) => this.#publish(index));
  }

  /** Subscribes and sends the first frame. @returns false if the channel names nothing that exists */
  subscribe(name: string, subscriber: Subscriber): boolean {
    const channel = this.#channels.get(name) ?? this.#open(name);
    if (channel === undefined) return false;
    channel.subscribers.set(subscriber, "nothing");
    const payload = channel.feed.first();
    if (payload === undefined) return true;
    const links = channel.isSequenced ? firstLinks(this.#context.interpretations, channel) : {};
    send(name, channel, links, this.#textOf(name, links, payload), subscriber);
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
    const feed = (FEEDS[channel.kind] as OpenFeed<ChannelKind>)(this.#context, channel);
    if (feed === undefined) return undefined;
    const { isSequenced } = CHANNELS[channel.kind];
    const open = { feed, isSequenced, sequence: feed.sequence, subscribers: new Map() };
    this.#channels.set(name, open);
    return open;
  }

  #publish(index: number): void {
    for (const [name, channel] of this.#channels) {
      const payload = channel.feed.change(index);
      if (payload === undefined) continue;
      const links = channel.isSequenced
        ? nextLinks(this.#context.interpretations, channel, index)
        : {};
      const text = this.#textOf(name, links, payload);
      for (const subscriber of channel.subscribers.keys())
        send(name, channel, links, text, subscriber);
    }
  }

  /** The timestamp of an update is that of the last transaction it includes. */
  #textOf(channel: string, links: Partial<Links>, payload: object): string {
    const { exchange, time } = this.#context;
    const timestamp_ns = time.ns(exchange.nowUs);
    return JSON.stringify({ type: "update", channel, timestamp_ns, ...links, ...payload });
  }
}

function firstLinks(
  { sequences, first_previous }: Interpretations,
  { sequence }: OpenChannel,
): Links {
  if (sequences !== "chained" || sequence === 0) return NO_LINKS;
  const text = String(sequence);
  return { previous_sequence: first_previous === "same" ? text : null, sequence: text };
}

/** Sequence links of a frame for a transaction. */
function nextLinks({ sequences }: Interpretations, channel: OpenChannel, index: number): Links {
  const { sequence, feed } = channel;
  channel.sequence = index;
  if (sequences === "null") return NO_LINKS;
  const previous_sequence = sequence === 0 || feed.isReset === true ? null : String(sequence);
  return { previous_sequence, sequence: String(index) };
}

function send(
  channel: string,
  { isSequenced, subscribers }: OpenChannel,
  { sequence }: Partial<Links>,
  text: string,
  subscriber: Subscriber,
): void {
  const before = subscribers.get(subscriber);
  const isNumbered = typeof sequence === "string";
  if (before !== "numbered frames")
    subscribers.set(subscriber, isNumbered ? "numbered frames" : "unnumbered frames");
  const isFirst = before === "nothing";
  const isMissable = isNumbered && before === "numbered frames";
  subscriber.receive({ type: "update", text, channel, isSequenced, isFirst, isMissable });
}
