// The one-word state of a pane's data. Derived from feed, link and clock at each drawing and never stored: a stored state would
// stay green after frames stop.
import type { Link } from "../wire/stream-event.ts";
import type { Feed } from "./feed.ts";

/**
 * `waiting`: nothing received yet. `live`: just received. `quiet`: the link is alive, the channel has nothing new.
 * `stale`: the data may be old, because the link shows no sign of life, because nothing confirms that the silent channel still
 * stands, or because frames are late. `resync`: what is shown is being replaced. `offline`: no connection, or the stream is
 * unavailable. `refused`: the service rejected the subscription. `off`: not subscribed. `listed`: rows of a REST listing, as of
 * the time of the request.
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

/** States in which nothing newer is known to exist; in all others, what is shown may be out of date. */
const CURRENT: ReadonlySet<PaneState> = new Set<PaneState>(["live", "quiet", "listed"]);

/** False when what is shown may be out of date: it must not be presented or counted as current. */
export function isCurrent(state: PaneState): boolean {
  return CURRENT.has(state);
}

/** Maximum age of `live` data: time since it arrived plus its lag. */
const LIVE_FOR_MS = 1000;
/** A link without a sign of life for this long is suspect (a ping is sent every 10 s). */
const STALE_AFTER_MS = 12_000;
/**
 * A silent channel is probed every five minutes, starting after half a minute of silence. When a probe is overdue without a
 * response, silence no longer means that nothing changed.
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

/** For a channel that is receiving: how sure is it that nothing newer exists? */
function receivedStateAt(feed: Feed, lastFrameAtMs: number, link: Link, nowMs: number): PaneState {
  if (feed.phase === "suspect") return "stale";
  const aliveAtMs = Math.max(link.aliveAtMs ?? 0, lastFrameAtMs);
  if (nowMs - aliveAtMs > STALE_AFTER_MS) return "stale";
  if (link.isLate || nowMs - vouchedAtMs(feed) > UNCONFIRMED_AFTER_MS) return "stale";
  const lagMs = feed.lagMs ?? 0;
  const ageMs = nowMs - lastFrameAtMs;
  // A lag that does not grow delays later frames by as much: after that long a silence there are none.
  if (lagMs > LIVE_FOR_MS && ageMs <= Math.max(lagMs, STALE_AFTER_MS)) return "stale";
  return ageMs + lagMs > LIVE_FOR_MS ? "quiet" : "live";
}

/** Last time the channel was known to stand: a frame arrived, or the service confirmed it. */
function vouchedAtMs({ lastFrameAtMs = 0, confirmedAtMs = 0 }: Feed): number {
  return Math.max(lastFrameAtMs, confirmedAtMs);
}

export function paneAgeMs(feed: Feed, nowMs: number): number | undefined {
  return feed.lastFrameAtMs === undefined ? undefined : nowMs - feed.lastFrameAtMs;
}
