// With which of the states that were held is a snapshot to be compared? Pure. Interpretation: docs/adr/0050.
import type { AuditJournal } from "../state/audit-journal.ts";
import { compareUint } from "../units/uint.ts";
import { SNAPSHOT_SETTLE_MS } from "./audit-connection.ts";

/** The watched channel may be this late behind the snapshot. */
const CATCH_UP_MS = 10_000;
/** Without numbers: nothing came on the watched channel from the second subscribe until this long after the snapshot. */
const IDLE_MS = 2000;
/** The same where the snapshot has a number that the channel does not: that of the newest transaction anywhere, perhaps. */
const IDLE_OTHER_MS = 5000;

/** Why frames are not compared whose order is not known. */
export const UNNUMBERED = "frames without a sequence came meanwhile";

/** What is known when a place is looked for. */
export interface PlaceFacts {
  readonly journal: Pick<AuditJournal, "end" | "sequenceAt" | "placeOf" | "lastAtMs">;
  /** Of the snapshot: digit text without leading zeros, or null. */
  readonly sequence: string | null;
  readonly snapshotAtMs: number;
  /** Sequence of a frame of the watched channel that is about to be folded; undefined when none is. */
  readonly incoming: string | null | undefined;
  /** The watched connection has given a sign of life since the snapshot: what was sent on it before has come. */
  readonly isHeard: boolean;
  readonly nowMs: number;
}

/** The place to compare with, or why there is none, in words; undefined while it is not known yet. */
export function placeToCompare(facts: PlaceFacts): number | string | undefined {
  const { journal, sequence } = facts;
  const held = journal.sequenceAt(journal.end);
  if (sequence === null || held === null) {
    return isIdle(facts) ? silentPlace(facts, IDLE_MS) : UNNUMBERED;
  }
  const place = journal.placeOf(sequence);
  if (place !== undefined) return wholePlace(facts, sequence, place);
  if (compareUint(held, sequence) > 0) return "no frame of the watched channel had its sequence";
  if (isIdle(facts)) return silentPlace(facts, IDLE_OTHER_MS);
  const isLate = facts.nowMs - facts.snapshotAtMs >= CATCH_UP_MS;
  return isLate ? "the watched channel did not reach its sequence" : undefined;
}

/** A place is whole when a frame of another transaction follows it, or nothing does for a moment. */
function wholePlace(
  facts: PlaceFacts,
  sequence: string,
  place: number,
): number | string | undefined {
  const { journal, incoming } = facts;
  const next = place < journal.end ? journal.sequenceAt(place + 1) : incoming;
  if (next === null) return UNNUMBERED;
  if (next === undefined) return idlePlace(facts, SNAPSHOT_SETTLE_MS, place);
  return next === sequence ? undefined : place;
}

function isIdle({ journal, incoming }: PlaceFacts): boolean {
  return journal.end === 0 && incoming === undefined;
}

/** The first place, once nothing has come for that long although the connection lives. */
function silentPlace(facts: PlaceFacts, idleMs: number): number | undefined {
  return facts.isHeard ? idlePlace(facts, idleMs) : undefined;
}

/** The place, once nothing has come for that long. */
function idlePlace(
  { journal, snapshotAtMs, nowMs }: PlaceFacts,
  idleMs: number,
  place = 0,
): number | undefined {
  return nowMs - Math.max(snapshotAtMs, journal.lastAtMs ?? 0) >= idleMs ? place : undefined;
}
