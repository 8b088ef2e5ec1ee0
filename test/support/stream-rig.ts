// A stream on a virtual clock against a service played by hand, with its events written down.

import { Stream, type StreamOptions } from "../../src/stream/stream.ts";
import { createRandom } from "../../src/units/random.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { type Script, ScriptedService } from "./scripted-service.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export function createStreamRig(options: Partial<StreamOptions> = {}, script: Script = {}) {
  const clock = createVirtualClock();
  const service = new ScriptedService(script);
  const events: StreamEvent[] = [];
  const stream = new Stream({
    openSocket: service.connect,
    clock,
    random: createRandom(7),
    onEvent: (event) => events.push(event),
    ...options,
  });
  return {
    clock,
    service,
    stream,
    events,
    /** Events since the last call, without those of the link, as short words. */
    takeEvents: (): string[] =>
      events
        .splice(0)
        .filter(({ type }) => type !== "link")
        .map(wordEvent),
    /** Opens the connection and lets the service greet. */
    connect() {
      stream.open();
      service.last.accept();
      service.last.hello();
    },
  };
}

/** The same, connected, with these channels subscribed. */
export function openStreamRig(
  channels: readonly string[],
  ...options: Parameters<typeof createStreamRig>
) {
  const rig = createStreamRig(...options);
  const undo = channels.map((channel) => rig.stream.subscribe(channel));
  rig.connect();
  return { ...rig, undo: undo[0] as () => void };
}

function wordEvent(event: StreamEvent): string {
  const channel = "channel" in event ? ` ${event.channel}` : "";
  if (event.type === "update") {
    const sequence = "sequence" in event.update.frame ? ` ${event.update.frame.sequence}` : "";
    return `${event.isFirst ? "first" : "update"}${channel}${sequence}`;
  }
  return `${event.type}${channel}${"code" in event ? ` ${event.code}` : ""}`;
}

/** A book frame of perp/1 with the given place in the chain. */
export function bookFrame(
  previous: string | null,
  sequence: string | null,
  channel = "orderbook/perp/1",
) {
  return {
    type: "update",
    channel,
    timestamp_ns: "1",
    previous_sequence: previous,
    sequence,
    orderbook: { bids: [], asks: [] },
  };
}

export const bboFrame = {
  type: "update",
  channel: "bbo/perp/1",
  timestamp_ns: "1",
  bbo: { bid: null, ask: null },
};
