// Counters of a run. Separate from the store, which forgets unsubscribed channels: a counter must never decrease.
import { MASK } from "../select/mask.ts";
import type { LinkState, StreamEvent } from "../wire/stream-event.ts";

export interface ChannelCounts {
  readonly gaps: number;
  readonly resyncs: number;
  readonly rejected: number;
}

/** Stands for messages that were rejected and named no requested channel. No real channel has this name. */
const NO_CHANNEL = "link";

const NONE: ChannelCounts = { gaps: 0, resyncs: 0, rejected: 0 };

/** Counts since the start of the run. Only requested channels are counted: a service could name anything. */
export class RunCounts {
  readonly channels = new Map<string, ChannelCounts>([[NO_CHANNEL, NONE]]);
  readonly firings = new Map<string, number>();
  /** Addresses in the order in which they were requested; each keeps its number while masked. */
  readonly #addresses = new Map<string, number>();
  readonly isMasked: boolean;
  reconnects = 0;
  #hasBeenOpen = false;
  #state: LinkState = "connecting";

  /** @param isMasked replaces each address by a number */
  constructor(isMasked = false) {
    this.isMasked = isMasked;
  }

  observe(event: StreamEvent): void {
    switch (event.type) {
      case "update":
        return;
      case "subscribing":
        if (!this.channels.has(event.channel)) this.channels.set(event.channel, NONE);
        return;
      case "lost":
      case "gap":
        this.#count(event.channel, "gaps");
        return;
      case "resync":
        this.#count(event.channel, "resyncs");
        return;
      case "rejected":
        this.#count(event.channel, "rejected");
        return;
      case "link":
        this.#onLink(event.link.state);
    }
  }

  /** A rule is now watched: it counts from 0. @param words as displayed, with hidden parts masked */
  addRule(words: string): void {
    if (!this.firings.has(words)) this.firings.set(words, 0);
  }

  fire(words: string): void {
    this.firings.set(words, (this.firings.get(words) ?? 0) + 1);
  }

  nameOf(address: string): string {
    if (!this.isMasked) return address;
    const number = this.#addresses.get(address) ?? this.#addresses.size + 1;
    this.#addresses.set(address, number);
    return `${MASK}${number}`;
  }

  #count(channel: string | undefined, what: keyof ChannelCounts): void {
    const name = channel !== undefined && this.channels.has(channel) ? channel : NO_CHANNEL;
    const counts = this.channels.get(name) ?? NONE;
    this.channels.set(name, { ...counts, [what]: counts[what] + 1 });
  }

  #onLink(state: LinkState): void {
    const isOpening = state === "open" && this.#state !== "open";
    if (isOpening && this.#hasBeenOpen) this.reconnects++;
    this.#hasBeenOpen ||= isOpening;
    this.#state = state;
  }
}
