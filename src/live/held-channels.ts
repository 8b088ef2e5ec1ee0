// Which channels are subscribed: those on the screen, and those of the markets and the account that were on it last, so
// that going back shows at once what has been, without a hole.

import type { HeldGroup } from "../screen/views/view.ts";
import type { Store } from "../state/store.ts";
import type { Stream } from "../stream/stream.ts";
import type { Clock } from "../units/clock.ts";
import { parseChannel } from "../wire/channels.ts";
import { ERROR_CODES } from "../wire/limits.ts";
import type { StreamEvent } from "../wire/stream-event.ts";

/** The market that is shown and three before it; the account that is watched; the overview of its address. */
const MAX_GROUPS: Readonly<Record<HeldGroup["kind"], number>> = {
  market: 4,
  account: 1,
  overview: 1,
};
/** Channels in all: those on the screen always, the others as far as they fit, whole groups at a time. */
const MAX_CHANNELS = 64;
/** What was shown last stays in the store, so that going back shows it at once, marked as old. */
const MAX_REMEMBERED = 64;

interface Group extends HeldGroup {
  readonly channels: readonly string[];
}

/** What it works on. */
export interface HeldChannelsOptions {
  readonly stream: Pick<Stream, "subscribe">;
  readonly store: Pick<Store, "forget">;
  readonly clock: Pick<Clock, "next">;
}

/** Subscriptions as a set: what is neither shown nor of a group that was shown lately is given back. */
export class HeldChannels {
  readonly #stream: HeldChannelsOptions["stream"];
  readonly #store: HeldChannelsOptions["store"];
  readonly #clock: HeldChannelsOptions["clock"];
  readonly #releases = new Map<string, () => void>();
  /** Channels that were given back, the latest last. */
  readonly #released = new Set<string>();
  /** The least recently shown first. */
  #groups: readonly Group[] = [];
  #shown: ReadonlySet<string> = new Set();
  #maxChannels = MAX_CHANNELS;

  constructor({ stream, store, clock }: HeldChannelsOptions) {
    this.#stream = stream;
    this.#store = store;
    this.#clock = clock;
  }

  /** Subscribes what is shown. @param group of what it is, where it should stay when something else is shown */
  hold(shown: readonly string[], group: HeldGroup | undefined): void {
    this.#shown = new Set(shown);
    if (group !== undefined)
      this.#groups = within([
        ...this.#groups.filter((each) => !isSame(each, group)),
        { ...group, channels: shown },
      ]);
    this.#apply();
  }

  get markets(): readonly string[] {
    return this.#groups.flatMap(({ kind, name }) => (kind === "market" ? name : []));
  }

  /** The name means another market now: nothing of the old one stays, neither subscribed nor remembered. */
  drop(market: string): void {
    this.#groups = this.#groups.filter(({ kind, name }) => kind !== "market" || name !== market);
    this.#apply();
    for (const channel of this.#released) {
      if (nameOfMarket(channel) !== market) continue;
      this.#released.delete(channel);
      this.#store.forget(channel);
    }
  }

  /**
   * A service may have a limit of subscriptions that is shown nowhere: what is shown comes before what was. A channel
   * that is refused for another reason costs the others nothing but that they are not held so long.
   */
  onEvent(event: StreamEvent): void {
    if (event.type !== "refused" && event.type !== "unavailable") return;
    if (event.type === "refused" && event.code === ERROR_CODES.unknownResource) return;
    const { channel } = event;
    // The stream is in the middle of what it publishes.
    this.#clock.next(() => this.#makeRoomFor(channel));
  }

  #makeRoomFor(channel: string): void {
    const isCrowded = this.#releases.size > this.#shown.size;
    if (!isCrowded || !this.#shown.has(channel)) return;
    this.#maxChannels = this.#releases.size - 1;
    this.#releases.get(channel)?.();
    this.#releases.delete(channel);
    this.#apply();
  }

  #apply(): void {
    const held = new Set(this.#shown);
    for (const { channels } of this.#groups.toReversed()) {
      const more = channels.filter((channel) => !held.has(channel));
      if (held.size + more.length > this.#maxChannels) break;
      for (const channel of more) held.add(channel);
    }
    for (const [channel, release] of this.#releases) {
      if (held.has(channel)) continue;
      this.#releases.delete(channel);
      release();
      this.#remember(channel);
    }
    for (const channel of held) {
      if (this.#releases.has(channel)) continue;
      this.#released.delete(channel);
      this.#releases.set(channel, this.#stream.subscribe(channel));
    }
  }

  #remember(channel: string): void {
    this.#released.add(channel);
    const [oldest] = this.#released;
    if (this.#released.size <= MAX_REMEMBERED || oldest === undefined) return;
    this.#released.delete(oldest);
    this.#store.forget(oldest);
  }
}

function nameOfMarket(channel: string): string | undefined {
  const parts = parseChannel(channel);
  if (parts === undefined || !("marketId" in parts) || parts.marketId === undefined)
    return undefined;
  return `${"marketType" in parts ? parts.marketType : "perp"}/${parts.marketId}`;
}

function isSame(a: HeldGroup, b: HeldGroup): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** The newest of each kind, as many as are held of it. */
function within(groups: readonly Group[]): readonly Group[] {
  return groups.filter(
    ({ kind }, i) =>
      groups.slice(i + 1).filter((each) => each.kind === kind).length < MAX_GROUPS[kind],
  );
}
