// Publishes transactions to subscribers: one feed per subscribed channel, with one text for all its subscribers.
import { CHANNELS, type Kind, parseChannel } from "../wire/channels.ts";
import type { Connection } from "./connection.ts";
import { FEEDS, type Feed, type OpenFeed } from "./feeds.ts";
import { nsText } from "./records.ts";
import type { World } from "./world.ts";

type Subscriber = Pick<Connection, "receive">;

interface OpenChannel {
  readonly name: string;
  readonly feed: Feed;
  /** Its frames carry their transaction and the one before. */
  readonly isNumbered: boolean;
  /** Transaction of the last frame, or of the state in the first one. */
  sequence: number;
  /** True for those that have received their first frame. */
  readonly subscribers: Map<Subscriber, boolean>;
}

/** The feeds of subscribed channels, open from the first subscriber to the last. */
export class Publisher {
  readonly #world: World;
  readonly #channels = new Map<string, OpenChannel>();
  readonly #stop: () => void;

  constructor(world: World) {
    this.#world = world;
    this.#stop = world.exchange.onTransaction((index) => this.#publish(index));
  }

  /** Subscribes and sends the first frame. @returns false if the channel names nothing that exists */
  subscribe(name: string, subscriber: Subscriber): boolean {
    const channel = this.#channels.get(name) ?? this.#open(name);
    if (channel === undefined) return false;
    channel.subscribers.set(subscriber, false);
    const body = channel.feed.first();
    if (body !== undefined) {
      this.#send(channel, this.#textOf(channel, null, channel.sequence, body), subscriber);
    }
    return true;
  }

  /** Ends a subscription, if there is one; closes a feed without subscribers. */
  unsubscribe(name: string, subscriber: Subscriber): void {
    const channel = this.#channels.get(name);
    channel?.subscribers.delete(subscriber);
    if (channel?.subscribers.size === 0) this.#channels.delete(name);
  }

  stop(): void {
    this.#stop();
    this.#channels.clear();
  }

  #open(name: string): OpenChannel | undefined {
    const parts = parseChannel(name);
    if (parts === undefined) return undefined;
    const feed = (FEEDS[parts.kind] as OpenFeed<Kind>)(this.#world, parts);
    if (feed === undefined) return undefined;
    const { isNumbered } = CHANNELS[parts.kind];
    const channel = { name, feed, isNumbered, sequence: feed.sequence(), subscribers: new Map() };
    this.#channels.set(name, channel);
    return channel;
  }

  #publish(index: number): void {
    for (const channel of this.#channels.values()) {
      if (channel.feed.sequence() !== index) continue;
      const body = channel.feed.change(index);
      if (body === undefined) continue;
      const text = this.#textOf(channel, channel.sequence, index, body);
      channel.sequence = index;
      for (const subscriber of channel.subscribers.keys()) this.#send(channel, text, subscriber);
    }
  }

  #send(channel: OpenChannel, text: string, subscriber: Subscriber): void {
    const { name, isNumbered, subscribers } = channel;
    const isFirst = subscribers.get(subscriber) === false;
    subscribers.set(subscriber, true);
    subscriber.receive({ text, channel: name, isFirst, isNumbered });
  }

  /** The timestamp of an update is that of the last transaction it includes. */
  #textOf(channel: OpenChannel, previous: number | null, sequence: number, body: object): string {
    const previous_sequence = previous === null ? null : String(previous);
    const numbers = channel.isNumbered && { previous_sequence, sequence: String(sequence) };
    const timestamp_ns = nsText(this.#world.exchange.nowUs);
    const head = { type: "update", channel: channel.name, timestamp_ns };
    return JSON.stringify({ ...head, ...numbers, ...body });
  }
}
