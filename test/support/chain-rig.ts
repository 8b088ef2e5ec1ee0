// A live session on a virtual clock, against a service that a test plays frame by frame. Everything is looked at as a user
// would: what the panes say and hold, and what `tail --events` prints.
import { onTestFinished } from "vitest";
import { openSession } from "../../src/live/session.ts";
import { type TailEvent, tailEvent } from "../../src/live/tail-event.ts";
import { createRandom } from "../../src/units/random.ts";
import type { ChannelKind } from "../../src/wire/channels.ts";
import { ScriptedService } from "./scripted-service.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export const PERP = {
  book: "orderbook/perp/1",
  other: "orderbook/perp/2",
  trades: "trades/perp/1",
  bbo: "bbo/perp/1",
  stats: "market-stats/perp",
  funding: "funding-rates/1",
} as const;
const ADDRESS = "1".repeat(32);
export const ACCOUNT = `account/${ADDRESS}/0`;
export const ACCOUNTS = `accounts/${ADDRESS}`;

/** [previous, sequence]; the server time of a frame is that of the clock, and all differ. */
export type Numbers = readonly [previous: string | null, sequence: string | null];

export function openChainRig(channels: readonly string[]) {
  const clock = createVirtualClock();
  const service = new ScriptedService();
  const told: TailEvent[] = [];
  let frames = 0n;
  const nextNs = () => `${BigInt(Math.floor(clock.wall())) * 1_000_000n + ++frames}`;
  const live = openSession({
    openSocket: service.connect,
    clock,
    random: createRandom(1),
    onEvent: (event) => {
      const line = tailEvent(event);
      if (line !== undefined) told.push(line);
    },
  });
  onTestFinished(() => live.close());
  for (const channel of channels) live.stream.subscribe(channel);
  const connect = () => {
    service.last.accept();
    service.last.hello();
  };
  connect();

  return {
    clock,
    service,
    live,
    store: live.store,
    connect,
    /** Sends an update. @returns its text, to be sent again */
    say(channel: string, [previous, sequence]: Numbers, payload: object, atNs = nextNs()): string {
      const message = JSON.stringify({
        type: "update",
        channel,
        timestamp_ns: atNs,
        previous_sequence: previous,
        sequence,
        ...payload,
      });
      service.last.send(message);
      return message;
    },
    /** Waits until the client ends the subscription, and lets it begin another. */
    resubscribe(channel: string): void {
      const isAsked = () => service.last.takeCommands().includes(`unsubscribe ${channel}`);
      for (let waitedMs = 0; !isAsked() && waitedMs < 60_000; waitedMs += 100) clock.advance(100);
      service.last.unsubscribed(channel);
    },
    /** Names of what `tail --events` has printed since the last call. */
    takeTold: (): string[] => told.splice(0).map(({ event }) => event),
    takeLines: (): TailEvent[] => told.splice(0),
    slice: <K extends ChannelKind>(kind: K, channel: string) => live.store.slice(kind, channel),
    state(channel: string): string {
      const slice = live.store.slices.find((each) => each.channel === channel);
      return slice === undefined ? "none" : live.store.paneState(slice, clock.now());
    },
    feed: (channel: string) => live.store.slices.find((each) => each.channel === channel)?.feed,
  };
}

/** Levels as [price, size], or as text: `99:1 98:2`. */
type Levels = string | readonly (readonly [price: number, size: number])[];
const levelsOf = (levels: Levels) => {
  const text =
    typeof levels === "string" ? levels : levels.map((level) => level.join(":")).join(" ");
  return Array.from(text.matchAll(/(\d+):(\d+)/g), ([, price = "", size = ""]) => ({
    price_ticks: price,
    size_base_lots: size,
  }));
};

export const book = (bids: Levels, asks: Levels) => ({
  orderbook: { bids: levelsOf(bids), asks: levelsOf(asks) },
});

/** Trades of these ids, each of a moment of its own. */
export const trades = (...ids: number[]) => ({
  trades: ids.map((id) => ({
    timestamp_ns: `${id}`,
    price_ticks: `${id}`,
    size_base_lots: "1",
    taker_is_bid: true,
  })),
});
