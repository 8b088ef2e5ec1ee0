// A stream that is opened before anybody can take what it brings: connection, hello and first subscriptions go on while
// the screen is loaded.
import type { StreamListener } from "../wire/stream-event.ts";
import { Stream, type StreamOptions } from "./stream.ts";

type ToleratesGaps = NonNullable<StreamOptions["toleratesGaps"]>;

export interface EarlyStream {
  readonly stream: Stream;
  /** Hands over the events so far and those that follow, in order, from the next microtask on. Called once. */
  take(onEvent: StreamListener, toleratesGaps: ToleratesGaps): void;
  /** Ends it where nobody has taken it. */
  close(): void;
}

/** @param channels subscribed at once, until whoever takes the stream has had the time to subscribe */
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
        // What is published may bring more events: they come behind those that wait.
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
