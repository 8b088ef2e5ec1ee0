// The one-word state of a pane's data. Derived from feed, link and clock each time it is shown and never stored: a stored
// state would stay green when frames stop.
import type { Link } from "../wire/stream-event.ts";
import type { Feed } from "./feed.ts";

/**
 * `waiting`: nothing received yet. `live`: received just now. `quiet`: the link lives, the channel says nothing new.
 * `stale`: the data may be old, because the link gives no sign of life, because nothing says that the silent channel
 * still stands, or because what is received is late. `resync`: what is shown is being replaced. `offline`: no connection, or
 * the stream is unavailable. `refused`: the service said no. `off`: nobody subscribes to it. `listed`: rows of a REST
 * listing, as of the moment at which they were asked for.
 */
export const PANE_STATES = [
  "waiting",
  "live",
  "quiet",
  "stale",
  "resync",
  "offline",
  "refused",
  "off",
  "listed",
] as const;
export type PaneState = (typeof PANE_STATES)[number];

/** States in which nothing newer is known to exist: in every other one, what is shown is of before. */
const CURRENT: ReadonlySet<PaneState> = new Set<PaneState>(["live", "quiet", "listed"]);

/** False where what is shown may have been overtaken: it must not look or count as if it were so now. */
export function isCurrent(state: PaneState): boolean {
  return CURRENT.has(state);
}

/** `live` is never said of anything older, by the time since it came and by how late it came. */
const LIVE_FOR_MS = 1000;
/** A link that gave no sign of life for this long (a ping goes out every 10 s) is suspect. */
const STALE_AFTER_MS = 12_000;
/**
 * A silent channel is asked every five minutes whether it stands, from half a minute of silence on. When that
 * is due and has not been answered, silence proves nothing any more. Interpretation: docs/adr/0020.
 */
const UNCONFIRMED_AFTER_MS = 345_000;

export interface PaneFacts {
  readonly feed: Feed;
  readonly link: Link | undefined;
  /** True when the data contradicts itself or its evidence. */
  readonly isInconsistent: boolean;
}

export function paneStateAt({ feed, link, isInconsistent }: PaneFacts, nowMs: number): PaneState {
  if (feed.phase === "refused") return "refused";
  if (feed.phase === "left") return "off";
  if (link?.state !== "open" || feed.phase === "unavailable") return "offline";
  if (feed.phase === "resync" || isInconsistent) return "resync";
  if (feed.phase === "waiting" || feed.lastFrameAtMs === undefined) return "waiting";
  return receivedStateAt(feed, feed.lastFrameAtMs, link, nowMs);
}

/** Of a channel that is received: how sure is it that nothing newer exists? */
function receivedStateAt(feed: Feed, lastFrameAtMs: number, link: Link, nowMs: number): PaneState {
  if (feed.phase === "suspect") return "stale";
  const aliveAtMs = Math.max(link.aliveAtMs ?? 0, lastFrameAtMs);
  if (nowMs - aliveAtMs > STALE_AFTER_MS) return "stale";
  if (link.isLate || nowMs - vouchedAtMs(feed) > UNCONFIRMED_AFTER_MS) return "stale";
  const lagMs = feed.lagMs ?? 0;
  if (lagMs > LIVE_FOR_MS) return "stale";
  return nowMs - lastFrameAtMs + lagMs > LIVE_FOR_MS ? "quiet" : "live";
}

/** Last time at which the channel was known to stand: it spoke, or the service confirmed it. */
function vouchedAtMs({ lastFrameAtMs = 0, confirmedAtMs = 0 }: Feed): number {
  return Math.max(lastFrameAtMs, confirmedAtMs);
}

export function paneAgeMs(feed: Feed, nowMs: number): number | undefined {
  return feed.lastFrameAtMs === undefined ? undefined : nowMs - feed.lastFrameAtMs;
}
