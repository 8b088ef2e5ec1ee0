// What every JSON snapshot says of its channels and of the link.
import type { PaneState } from "../store/pane-state.ts";
import type { Slice } from "../store/slices.ts";
import type { Store } from "../store/store.ts";

interface PaneJson {
  readonly state: PaneState;
  readonly age_ms: number | null;
  readonly gaps: number;
  readonly resyncs: number;
  readonly rejected: number;
  readonly late: number;
  readonly drift: number;
}

export function paneJson(store: Store, slice: Slice, nowMs: number): PaneJson {
  const { feed } = slice;
  const { lastFrameAtMs } = feed;
  return {
    state: store.paneState(slice, nowMs),
    age_ms: lastFrameAtMs === undefined ? null : Math.round(nowMs - lastFrameAtMs),
    gaps: feed.gaps,
    resyncs: feed.resyncs,
    rejected: feed.rejected,
    late: feed.late,
    drift: feed.drifts,
  };
}

export function linkJson({ link }: Store): object {
  return {
    state: link?.state ?? "connecting",
    reconnects: link?.reconnects ?? 0,
    protocol_version: link?.protocolVersion ?? null,
  };
}
