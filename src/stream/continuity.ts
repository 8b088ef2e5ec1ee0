// Is "previous names the frame before" true of this service? Evidence is counted for each channel kind.
// The rule holds until a service breaks it from the start; then only the order of frames is checked.
// Reading: docs/adr/0002.
import type { ChannelKind } from "../protocol/channel.ts";
import type { ChainVerdict } from "./sequence-chain.ts";

/** Frames that followed the one before, and frames that did not, of one channel kind. */
export interface ContinuityEvidence {
  readonly matches: number;
  readonly breaks: number;
}

/** Breaks without a single match after which the rule is dropped for a channel kind. */
const BREAKS_TO_DROP = 3;

/** Counts what is seen of the rule, and says whether it holds. Never throws. */
export interface Continuity {
  /** Counts a verdict and says whether a gap is to be acted on. */
  judge(kind: ChannelKind, verdict: ChainVerdict): boolean;
  evidence(kind: ChannelKind): ContinuityEvidence;
}

/** Begins without evidence, and with the rule in force. Never throws. Reading: docs/adr/0002. */
export function createContinuity(): Continuity {
  const counts = new Map<ChannelKind, ContinuityEvidence>();
  const evidence = (kind: ChannelKind) => counts.get(kind) ?? { matches: 0, breaks: 0 };
  return {
    evidence,
    judge(kind, verdict) {
      const { matches, breaks } = evidence(kind);
      if (verdict === "next") counts.set(kind, { matches: matches + 1, breaks });
      if (verdict !== "gap") return false;
      counts.set(kind, { matches, breaks: breaks + 1 });
      return matches > 0 || breaks + 1 < BREAKS_TO_DROP;
    },
  };
}
