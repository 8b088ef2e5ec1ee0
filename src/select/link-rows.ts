// The link and every channel on it, a row each: state, sequence, faults with their first examples, and how what is open
// in the interface is read.

import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { formatAge } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import { formatAudits } from "./audit-words.ts";
import { selectLinkReading } from "./link-readings.ts";
import { formatLink, selectPaneStatus } from "./status.ts";

/** Two clocks further apart than this are worth a word. */
const SKEW_SHOWN_MS = 2000;

/** A row for each channel, in the order first asked for. Never throws. */
export function selectLinkRows(store: Store, nowMs: number): readonly OpenRecord[] {
  return store.slices.map((slice) => rowOf(store, slice, nowMs));
}

function rowOf(store: Store, slice: Slice, nowMs: number): OpenRecord {
  const { channel, feed } = slice;
  const { state, age, note } = selectPaneStatus(store, slice, nowMs);
  const { rejection, drift, confirmedAtMs, lagMs } = feed;
  return {
    channel,
    state,
    age,
    note,
    frames: feed.frames,
    gaps: feed.gaps,
    resyncs: feed.resyncs,
    rejected: feed.rejected,
    drift: feed.drifts,
    late: feed.late,
    lag: lagMs === undefined ? "" : `${Math.round(lagMs)} ms`,
    ...selectLinkReading(slice, nowMs),
    sequence: feed.sequence ?? "",
    previous: previousWords(store, slice),
    confirmed: confirmedAtMs === undefined ? "" : `${formatAge(nowMs - confirmedAtMs)} ago`,
    audit: formatAudits(store.auditsOf(channel), nowMs),
    first_rejected:
      rejection === undefined ? "" : `${rejection.reason} ${rejection.path}: ${rejection.detail}`,
    first_drift: drift === undefined ? "" : `${drift.path}: ${drift.detail}`,
  };
}

/** What `previous_sequence` names on this channel. Interpretation: docs/adr/0002. */
function previousWords({ counts }: Store, { kind, feed }: Slice): string {
  if (feed.sequence === undefined) return "";
  const found = counts.numbering[kind];
  if (found === undefined || found.previous === "frame") return "the frame before";
  if (found.previous === "nothing") {
    return `always null: missed frames are not seen by it (${found.frames} frames)`;
  }
  return `the transaction before on the service: missed frames are not seen by it (${found.unseen} of ${found.frames} named what never came)`;
}

/** Kinds whose missed frames cannot be seen by their sequences. */
function blindWords({ numbering }: Store["counts"]): string {
  const kinds = Object.entries(numbering).filter(([, found]) => found.previous !== "frame");
  if (kinds.length === 0) return "";
  return `missed frames of ${kinds.map(([kind]) => kind).join(", ")} are not seen by their sequences`;
}

/** The link itself: `open 12 ms`, reconnects, version, skew, what no channel answers for. Never throws. */
export function selectLinkWords(store: Store, nowMs: number): readonly string[] {
  const { link, counts } = store;
  const { skewMs, protocolVersion, reconnects = 0, isLate, fault } = link ?? {};
  const isSkewed = skewMs !== undefined && Math.abs(skewMs) > SKEW_SHOWN_MS;
  return [
    formatLink(link, nowMs),
    isLate ? "comes late" : "",
    protocolVersion === undefined ? "no hello" : `protocol ${protocolVersion}`,
    `reconnects ${reconnects}`,
    isSkewed ? `our clock ${skewMs > 0 ? "+" : "-"}${formatAge(Math.abs(skewMs))}` : "",
    counts.rejected === 0 ? "" : `${counts.rejected} rejected without a channel`,
    counts.probingOff === undefined ? "" : `silent channels are not asked: ${counts.probingOff}`,
    blindWords(counts),
    store.auditsOff === undefined ? "" : `no audits by snapshot: ${store.auditsOff}`,
    link?.state === "open" && fault !== undefined ? `last fault: ${fault.detail}` : "",
  ];
}
