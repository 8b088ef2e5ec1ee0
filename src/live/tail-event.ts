// The lines that `tail --events` prints about the connection and the channels.
import { formatDropped, formatGap, formatNumbering } from "../state/event-log.ts";
import type { StreamEvent } from "../wire/stream-event.ts";

/** An event without its time. `channel` is null if it concerns the connection. */
export interface TailEvent {
  readonly event: string;
  readonly channel: string | null;
  readonly detail: string;
}

type Printed = Exclude<StreamEvent["type"], "link" | "update">;
type Line<T> = (
  event: Extract<StreamEvent, { type: T }>,
) => readonly [event: string, detail: string];

/** Other events are not printed. */
const LINES: { readonly [T in Printed]?: Line<T> } = {
  gap: (event) => ["gap", formatGap(event)],
  late: (event) => [event.isRepeat ? "repeat" : "late", formatDropped(event)],
  lost: ({ reason = "" }) => ["lost", reason],
  numbering: (event) => ["numbering", formatNumbering(event)],
  resync: ({ reason }) => ["resync", reason],
  rejected: ({ rejection: { reason, path, detail } }) => [
    "rejected",
    `${reason}${path === "" ? "" : ` at ${path}`}: ${detail}`,
  ],
  refused: ({ code, message }) => ["refused", `${code}: ${message}`],
  unavailable: ({ message }) => ["refused", `503: ${message}`],
  "service-error": ({ code, message }) => ["refused", `${code}: ${message}`],
};

/** @returns undefined for events that are not printed, and for link events: see `createTailEvents` */
export function tailEvent(event: StreamEvent): TailEvent | undefined {
  const line = LINES[event.type as Printed] as Line<Printed> | undefined;
  if (line === undefined) return undefined;
  const [name, detail] = line(event as Parameters<Line<Printed>>[0]);
  return { event: name, channel: ("channel" in event ? event.channel : null) ?? null, detail };
}

/** The same, plus lines when the connection opens or is lost, but not when we close it. */
export function createTailEvents(): (event: StreamEvent) => TailEvent | undefined {
  let wasOpen = false;
  return (event) => {
    if (event.type !== "link") return tailEvent(event);
    const { state, fault } = event.link;
    const isOpen = state === "open";
    if (isOpen === wasOpen || state === "closed") return undefined;
    wasOpen = isOpen;
    return isOpen
      ? { event: "connected", channel: null, detail: "" }
      : { event: "disconnected", channel: null, detail: fault?.detail ?? "" };
  };
}
