// A stream opened before its events can be consumed: connection, hello and first subscriptions proceed while the screen is
// loaded.
import type { StreamListener } from "../wire/stream-event.ts";
import { Stream, type StreamOptions } from "./stream.ts";

type ToleratesGaps = NonNullable<StreamOptions["toleratesGaps"]>;

export interface EarlyStream {
  readonly stream: Stream;
  /** Delivers the events so far and all later ones, in order, from the next microtask on. Call once. */
  take(onEvent: StreamListener, toleratesGaps: ToleratesGaps): void;
  /** Closes the stream unless it was taken. */
  close(): void;
}

/** @param channels subscribed at once, and kept until the taker has had time to subscribe */
export function openEarlyStream(
  options: Omit<StreamOptions, "onEvent" | "toleratesGaps">,
  channels: readonly string[],
): EarlyStream {
  const waiting: Parameters<StreamListener>[0][] = [];
  let publish: StreamListener = (event) => waiting.push(event);
  let toleratesGaps: ToleratesGaps = () => false;
  let isTaken = false;
  const stream = new Stream({
    ...options,
    onEvent: (event) => publish(event),
    toleratesGaps: (channel) => toleratesGaps(channel),
  });
  const releases = channels.map((channel) => stream.subscribe(channel));
  stream.open();
  return {
    stream,
    take(onEvent, tolerates) {
      isTaken = true;
      queueMicrotask(() => {
        toleratesGaps = tolerates;
        // Publishing may cause more events: they are queued after the waiting ones.
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift())
          onEvent(event);
        publish = onEvent;
        for (const release of releases) release();
      });
    },
    close() {
      if (!isTaken) stream.close();
    },
  };
}
