// An event as the line of a recording that keeps it.
import { type Entry, getAcceptance } from "../../src/timeline/entry.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";

/** @param offsetMs of the wall clock before the event's */
export function entryOf(event: StreamEvent, offsetMs = 0): Entry {
  const stamp = { t: event.atMs, w: event.atMs + offsetMs };
  if (event.type !== "update") return { ...stamp, event };
  return { ...stamp, in: event.update.message, update: getAcceptance(event) };
}
