// What every JSON snapshot says of its channels, of scales and of the link.
import type { PaneState } from "../state/pane-state.ts";
import type { MarketScale } from "../state/scales.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { formatDecimal } from "../units/decimal.ts";

interface PaneJson {
  readonly state: PaneState;
  readonly age_ms: number | null;
  readonly gaps: number;
  readonly resyncs: number;
  readonly rejected: number;
  readonly late: number;
  readonly drift: number;
}

/** State and counts of one channel; ages are milliseconds, null before the first frame. Never throws. */
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

/** State of the connection; `connecting` before anything is known. Never throws. */
export function linkJson({ link }: Store): object {
  return {
    state: link?.state ?? "connecting",
    reconnects: link?.reconnects ?? 0,
    protocol_version: link?.protocolVersion ?? null,
  };
}

/** What a tick and a lot are worth, and how that is known; null while it is not. Never throws. */
export function scaleJson({ scale, source, pairs, contradictions, doubt }: MarketScale): object {
  return {
    tick_size: scale === undefined ? null : formatDecimal(scale.tickSize),
    lot_size: scale === undefined ? null : formatDecimal(scale.lotSize),
    source,
    pairs,
    contradictions,
    doubt: doubt === "" ? null : doubt,
  };
}
