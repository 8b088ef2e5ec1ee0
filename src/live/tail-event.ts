// The lines that `tail --events` adds: what happens to the connection and to the channels.

import { gapWords, lateWords, numberingWords } from "../state/log-line.ts";
import type { StreamEvent } from "../wire/stream-event.ts";

/** A line of `--events` without its time. `channel` is null where it is about the connection. */
export interface TailEvent {
  readonly event:
    | "connected"
    | "disconnected"
    | "gap"
    | "repeat"
    | "late"
    | "lost"
    | "numbering"
    | "resync"
    | "rejected"
    | "refused";
  readonly channel: string | null;
  readonly detail: string;
}

/** @returns undefined for events that are not printed; link events are printed by `createLinkEvents`. */
export function tailEvent(event: StreamEvent): TailEvent | undefined {
  switch (event.type) {
    case "gap":
      return { event: "gap", channel: event.channel, detail: gapWords(event) };
    case "late": {
      const name = event.isRepeat ? "repeat" : "late";
      return { event: name, channel: event.channel, detail: lateWords(event) };
    }
    case "lost":
      return { event: "lost", channel: event.channel, detail: event.reason ?? "" };
    case "numbering":
      return { event: "numbering", channel: null, detail: numberingWords(event) };
    case "resync":
      return { event: "resync", channel: event.channel, detail: event.reason };
    case "rejected": {
      const { reason, path, detail } = event.rejection;
      const place = path === "" ? "" : ` at ${path}`;
      return {
        event: "rejected",
        channel: event.channel ?? null,
        detail: `${reason}${place}: ${detail}`,
      };
    }
    case "refused":
      return {
        event: "refused",
        channel: event.channel,
        detail: `${event.code}: ${event.message}`,
      };
    case "unavailable":
      return { event: "refused", channel: event.channel, detail: `503: ${event.message}` };
    case "service-error":
      return { event: "refused", channel: null, detail: `${event.code}: ${event.message}` };
    default:
      return undefined;
  }
}

/** Tells when the connection opens and when it is lost, but not when we end it ourselves. */
export function createLinkEvents(): (event: StreamEvent) => TailEvent | undefined {
  let wasOpen = false;
  return (event) => {
    if (event.type !== "link") return undefined;
    const { state, fault } = event.link;
    const isOpen = state === "open";
    if (isOpen === wasOpen || state === "closed") return undefined;
    wasOpen = isOpen;
    return isOpen
      ? { event: "connected", channel: null, detail: "" }
      : { event: "disconnected", channel: null, detail: fault?.detail ?? "" };
  };
}
