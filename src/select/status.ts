// The state of the link and of panes as text.

import type { Feed } from "../state/feed.ts";
import { type PaneState, paneAgeMs } from "../state/pane-state.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { formatAge, MINUTE_MS, SECOND_MS } from "../units/time.ts";
import type { Link } from "../wire/stream-event.ts";

/** State and age of a pane's data, and a note. */
export interface PaneStatus {
  readonly state: PaneState;
  /** `0.4s`; empty before the first frame. */
  readonly age: string;
  /** The reason, or what happens next; empty if there is nothing to add. */
  readonly note: string;
}

export const WAITING: PaneStatus = { state: "waiting", age: "", note: "" };

/** A pane that has waited longer than this shows a note. */
const NO_DATA_AFTER_MS = 10_000;

/** State of what is shown: without a connection, a channel that was left cannot be subscribed again and is offline, too. */
export function selectShownState(store: Store, slice: Slice, nowMs: number): PaneState {
  const state = store.paneState(slice, nowMs);
  return state === "off" && store.link?.state !== "open" ? "offline" : state;
}

/** State, age and reason of a pane, by the feed behind it. */
export function selectPaneStatus(
  store: Store,
  slice: Slice,
  nowMs: number,
  state = selectShownState(store, slice, nowMs),
): PaneStatus {
  const ageMs = paneAgeMs(slice.feed, nowMs);
  return {
    state,
    age: ageMs === undefined ? "" : formatAge(Math.max(0, ageMs)),
    note: formatNote(state, slice.feed, store.link, nowMs),
  };
}

function formatNote(state: PaneState, feed: Feed, link: Link | undefined, nowMs: number): string {
  if (state === "waiting") {
    const waitedMs = nowMs - (feed.askedAtMs ?? nowMs);
    return waitedMs > NO_DATA_AFTER_MS ? "no data yet" : "";
  }
  if (feed.phase === "unavailable" && feed.retryAtMs !== undefined) {
    return `unavailable, next try in ${formatWait(feed.retryAtMs - nowMs)}`;
  }
  if (state === "stale" && feed.phase !== "suspect") {
    return link?.isLate ? "comes late" : "not confirmed";
  }
  return ["stale", "refused", "resync"].includes(state) ? (feed.reason ?? "") : "";
}

/** Remaining seconds, rounded up. */
function formatWait(ms: number): string {
  return ms < MINUTE_MS ? `${Math.max(0, Math.ceil(ms / SECOND_MS))}s` : formatAge(ms);
}

/** The link as text: `open 12 ms`, `offline, next try in 3s: connect ECONNREFUSED …`. */
export function formatLink(link: Link | undefined, nowMs: number): string {
  if (link === undefined) return "starting";
  if (link.state === "open") {
    const trip = link.roundTripMs;
    return trip === undefined ? "open" : `open ${formatRoundTrip(trip)}`;
  }
  const fault = link.fault === undefined ? "" : `: ${link.fault.detail}`;
  if (link.state === "waiting" && link.retryAtMs !== undefined) {
    return `offline, next try in ${formatWait(link.retryAtMs - nowMs)}${fault}`;
  }
  return `${link.state}${fault}`;
}

/** `0.4 ms`, `12 ms`. */
export function formatRoundTrip(ms: number): string {
  return ms < 10 ? `${Math.max(0, ms).toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
