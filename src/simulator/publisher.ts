// Publishes transactions to subscribers: one feed per subscribed channel, with one text for all its subscribers.
import { parseChannel } from "../wire/channels.ts";
import { CHANNELS, type Kind } from "../wire/frames.ts";
import type { Connection } from "./connection.ts";
import { FEEDS, type Feed, type OpenFeed } from "./feeds.ts";
import { nsText } from "./records.ts";
import type { World } from "./world.ts";

interface OpenChannel {
  readonly name: string;
  readonly feed: Feed;
  /** Its frames carry their transaction and the one before. */
  readonly isNumbered: boolean;
  /** Transaction of the last frame, or of the state in the first one. */
  sequence: number;
  /** True for those that have received their first frame. */
  readonly subscribers: Map<Connection, boolean>;
}

/** The feeds of subscribed channels, open from the first subscriber to the last. */
export class Publisher {
  readonly #world: World;
  readonly #channels = new Map<string, OpenChannel>();

  constructor(world: World) {
    this.#world = world;
    world.exchange.onTransaction = (index) => this.#publish(index);
  }

  /** That of the last transaction. */
  get timestampNs(): string {
    return nsText(this.#world.exchange.nowUs);
  }

  /** Subscribes and sends the first frame. @returns false if the channel names nothing that exists */
  subscribe(name: string, subscriber: Connection): boolean {
    const channel = this.#channels.get(name) ?? this.#open(name);
    if (channel === undefined) return false;
    channel.subscribers.set(subscriber, false);
    const body = channel.feed.first();
    if (body !== undefined) this.#send(channel, [subscriber], null, body);
    return true;
  }

  /** Ends a subscription, if there is one; closes a feed without subscribers. */
  unsubscribe(name: string, subscriber: Connection): void {
    const channel = this.#channels.get(name);
    channel?.subscribers.delete(subscriber);
    if (channel?.subscribers.size === 0) this.#channels.delete(name);
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
      const previous = String(channel.sequence);
      channel.sequence = index;
      this.#send(channel, channel.subscribers.keys(), previous, body);
    }
  }

  #send(
    { name, sequence, isNumbered, subscribers }: OpenChannel,
    receivers: Iterable<Connection>,
    previous_sequence: string | null,
    body: object,
  ): void {
    const head = { type: "update", channel: name, timestamp_ns: this.timestampNs };
    const numbers = isNumbered && { previous_sequence, sequence: String(sequence) };
    const text = JSON.stringify({ ...head, ...numbers, ...body });
    for (const receiver of receivers) {
      const isFirst = subscribers.get(receiver) === false;
      subscribers.set(receiver, true);
      receiver.receive({ text, channel: name, isFirst, isNumbered });
    }
  }
}
