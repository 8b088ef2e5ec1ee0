// The one word for how current a channel is. Derived when it is asked for: a stored one would stay green when frames stop.
import type { Link } from "../stream/link.ts";
import type { ChannelStatus } from "../stream/status.ts";

export type ChannelState =
  | "waiting"
  | "live"
  | "quiet"
  | "stale"
  | "resync"
  | "offline"
  | "refused"
  | "off"
  | "listed";

const LIVE_FOR_MS = 1000;
/** Two pings are sent in this time. */
const STALE_AFTER_MS = 12_000;
const UNAVAILABLE = 503;

/** @param nowMs monotonic. @param status undefined: the channel is not subscribed */
export function channelState(
  status: ChannelStatus | undefined,
  link: Link,
  nowMs: number,
): ChannelState {
  if (status === undefined) return "off";
  if (status.phase === "refused") return "refused";
  if (isOffline(status, link)) return "offline";
  if (status.isBroken || status.isContradicted) return "resync";
  if (status.lastAtMs === undefined) return "waiting";
  if (isStale(link, nowMs)) return "stale";
  return nowMs - status.lastAtMs > LIVE_FOR_MS ? "quiet" : "live";
}

/** The first attempt to connect is no outage yet. */
function isOffline({ phase, error }: ChannelStatus, link: Link): boolean {
  if (link.state !== "open") return link.aliveAtMs !== undefined || link.fault !== undefined;
  return phase === "unavailable" && error?.code === UNAVAILABLE;
}

function isStale({ isLate, aliveAtMs }: Link, nowMs: number): boolean {
  return isLate || (aliveAtMs !== undefined && nowMs - aliveAtMs > STALE_AFTER_MS);
}
