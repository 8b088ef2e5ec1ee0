// What is known about a subscribed channel; plain data, part of the store.
import type { Kind } from "../wire/frames.ts";

export type Phase =
  /** There is no connection, or it is not this channel's turn yet. */
  | "closed"
  /** Subscribe was sent; the next frame is the first. */
  | "subscribing"
  | "open"
  /** The unsubscribe of a refresh was sent. */
  | "ending"
  /** Not subscribed; asked for again at a time that is known. */
  | "unavailable"
  /** The service says that there is no such channel. */
  | "refused";

/** How often; since the channel was first subscribed. */
export interface Counts {
  gaps: number;
  resyncs: number;
  refreshes: number;
  rejected: number;
  late: number;
}

/** Times are monotonic milliseconds. */
export interface ChannelStatus {
  readonly channel: string;
  readonly kind: Kind;
  phase: Phase;
  /** Something is known to be missing from what is held. */
  isBroken: boolean;
  /** What is held contradicts another channel. */
  isContradicted: boolean;
  /** Of the newest first frame, and of the newest accepted one. */
  firstAtMs: number | undefined;
  lastAtMs: number | undefined;
  /** Between two frames, on average of the last ones. */
  everyMs: number | undefined;
  counts: Counts;
  /** Of the last error about it: code and text of the service. */
  error: { readonly code: number; readonly message: string } | undefined;
}

export function createStatus(channel: string, kind: Kind): ChannelStatus {
  return {
    channel,
    kind,
    phase: "closed",
    isBroken: false,
    isContradicted: false,
    firstAtMs: undefined,
    lastAtMs: undefined,
    everyMs: undefined,
    counts: { gaps: 0, resyncs: 0, refreshes: 0, rejected: 0, late: 0 },
    error: undefined,
  };
}

const AVERAGED_FRAMES = 16;

export function noteFrame(status: ChannelStatus, nowMs: number): void {
  const { lastAtMs, everyMs } = status;
  if (lastAtMs !== undefined) {
    const gapMs = nowMs - lastAtMs;
    status.everyMs = everyMs === undefined ? gapMs : everyMs + (gapMs - everyMs) / AVERAGED_FRAMES;
  }
  status.lastAtMs = nowMs;
}
