// The one word that a pane says about its data. Derived anew from feed, link and clock whenever it is
// shown, never stored: a stored state would stay green when nothing comes any more.
import type { Link } from "../protocol/stream-event.ts";
import type { Feed } from "./feed.ts";

/**
 * `waiting`: nothing received yet. `live`: received just now. `quiet`: the link lives, the channel says
 * nothing new. `stale`: the link gives no sign of life, so the data may be old. `resync`: what is shown is
 * being replaced. `offline`: no connection, or the stream is unavailable. `refused`: the service said no.
 */
export type PaneState = "waiting" | "live" | "quiet" | "stale" | "resync" | "offline" | "refused";

/** A channel that says nothing for this long is quiet. */
const QUIET_AFTER_MS = 5000;
/** A link that gave no sign of life for this long (a ping goes out every 10 s) is doubtful. */
const STALE_AFTER_MS = 12_000;

export interface PaneFacts {
  readonly feed: Feed;
  readonly link: Link | undefined;
  /** True when the data contradicts itself or its witness. */
  readonly isUntrue: boolean;
}

/** Never throws. */
export function paneStateAt({ feed, link, isUntrue }: PaneFacts, nowMs: number): PaneState {
  if (feed.phase === "refused") return "refused";
  if (link?.state !== "open" || feed.phase === "unavailable") return "offline";
  if (feed.phase === "resync" || isUntrue) return "resync";
  if (feed.phase === "waiting" || feed.lastFrameAtMs === undefined) return "waiting";
  const aliveAtMs = Math.max(link.aliveAtMs ?? 0, feed.lastFrameAtMs);
  if (nowMs - aliveAtMs > STALE_AFTER_MS) return "stale";
  return nowMs - feed.lastFrameAtMs > QUIET_AFTER_MS ? "quiet" : "live";
}

/** Age of the last frame in milliseconds; undefined before the first. Never throws. */
export function paneAgeMs(feed: Feed, nowMs: number): number | undefined {
  return feed.lastFrameAtMs === undefined ? undefined : nowMs - feed.lastFrameAtMs;
}
