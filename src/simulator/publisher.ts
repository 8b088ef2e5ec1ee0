// Publishes transactions to subscribers: one feed per subscribed channel, with one text for all its subscribers.
import { parseChannel } from "../wire/channels.ts";
import { CHANNELS, type Kind } from "../wire/frames.ts";
import { FEEDS, type Feed, type OpenFeed } from "./feeds.ts";
import { nsText } from "./text.ts";
import type { World } from "./world.ts";

/** A frame of the service, before faults. */
export interface OutgoingFrame {
  readonly text: string;
  /** Empty for responses. */
  readonly channel: string;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
  /** True for an update that carries its sequence. */
  readonly isNumbered: boolean;
}

interface Subscriber {
  receive(frame: OutgoingFrame): void;
}

interface OpenChannel {
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

  constructor(world: World) {
    this.#world = world;
    world.exchange.onTransaction = (index) => this.#publish(index);
  }

  /** That of the last transaction. */
  get timestampNs(): string {
    return nsText(this.#world.exchange.nowUs);
  }

  /** Subscribes and sends the first frame. @returns false if the channel names nothing that exists */
  subscribe(name: string, subscriber: Subscriber): boolean {
    const channel = this.#channels.get(name) ?? this.#open(name);
    if (channel === undefined) return false;
    channel.subscribers.set(subscriber, false);
    this.#send(name, channel, [subscriber], null, channel.feed.first());
    return true;
  }

  /** Ends a subscription, if there is one; closes a feed without subscribers. */
  unsubscribe(name: string, subscriber: Subscriber): void {
    const subscribers = this.#channels.get(name)?.subscribers;
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) this.#channels.delete(name);
  }

  #open(name: string): OpenChannel | undefined {
    const parts = parseChannel(name);
    if (parts === undefined) return undefined;
    const feed = (FEEDS[parts.kind] as OpenFeed<Kind>)(this.#world, parts);
    if (feed === undefined) return undefined;
    const { isNumbered } = CHANNELS[parts.kind];
    const channel = { feed, isNumbered, sequence: feed.sequence(), subscribers: new Map() };
    this.#channels.set(name, channel);
    return channel;
  }

  #publish(index: number): void {
    for (const [name, channel] of this.#channels) {
      if (channel.feed.sequence() !== index) continue;
      const body = channel.feed.change(index);
      if (body === undefined) continue;
      const previous = String(channel.sequence);
      channel.sequence = index;
      this.#send(name, channel, channel.subscribers.keys(), previous, body);
    }
  }

  #send(
    channel: string,
    { sequence, isNumbered, subscribers }: OpenChannel,
    receivers: Iterable<Subscriber>,
    previous_sequence: string | null,
    body: object | undefined,
  ): void {
    if (body === undefined) return;
    const head = { type: "update", channel, timestamp_ns: this.timestampNs };
    const numbers = isNumbered && { previous_sequence, sequence: String(sequence) };
    const text = JSON.stringify({ ...head, ...numbers, ...body });
    for (const receiver of receivers) {
      const isFirst = subscribers.get(receiver) === false;
      subscribers.set(receiver, true);
      receiver.receive({ text, channel, isFirst, isNumbered });
    }
  }
}
