// The sequence chain of one channel: does a frame follow the one before it? Pure.
import type { SequencedUpdate } from "../protocol/channels/update.ts";
import type { ReceivedUpdate } from "../protocol/decode.ts";
import { compareUint, stripZeros } from "../units/uint.ts";

/**
 * What a frame is to its chain.
 * `start`: it begins a chain, because it is the first since the subscribe or its previous is null.
 * `next`: it follows the frame before. `late`: it is not newer than what is held. `gap`: frames were missed.
 * `unnumbered`: its sequence is null, so nothing can be said.
 */
export type ChainVerdict = "start" | "next" | "late" | "gap" | "unnumbered";

/**
 * Sequence last folded in, and the run of frames that looked late and yet follow each other. For services that do not
 * number their first frame: the sequence that was held when the channel was subscribed anew, the server time of that
 * first frame, and whether such a time has been found to say nothing.
 */
export interface Chain {
  readonly held: string | undefined;
  readonly floor?: string | undefined;
  readonly sinceNs?: string | undefined;
  readonly isTimeless?: boolean;
  readonly late: { readonly sequence: string; readonly run: number } | undefined;
}

/** What a chain looks at of a frame. */
type Link = Pick<SequencedUpdate, "previous_sequence" | "sequence" | "timestamp_ns">;

interface Judged {
  readonly chain: Chain;
  readonly verdict: ChainVerdict;
}

/** Nothing has been received. */
export const emptyChain: Chain = { held: undefined, late: undefined };

/** The chain of a channel that is subscribed anew on the same connection. Never throws. */
export function restartChain({ held, floor, isTimeless = false }: Chain): Chain {
  return { ...emptyChain, floor: held ?? floor, isTimeless };
}

/** The chain behind the first update of a subscription: without a number, the one of before bounds it. Never throws. */
export function beginChain(chain: Chain, first: Link): Chain {
  return advanceChain(first.sequence === null ? chain : emptyChain, first).chain;
}

/** Takes note of a frame that came when nobody wanted it: what comes later must be newer. Never throws. */
export function passOver(chain: Chain, { sequence }: Pick<SequencedUpdate, "sequence">): Chain {
  if (sequence === null) return chain;
  const passed = stripZeros(sequence);
  const { floor } = chain;
  return floor !== undefined && compareUint(passed, floor) <= 0
    ? chain
    : { ...chain, floor: passed };
}

/**
 * Late frames that chain among themselves this often are not late: the sequence held must be wrong
 * (one damaged digit would otherwise silence the channel for good).
 */
const MAX_LATE_RUN = 3;

/**
 * Judges a frame. Reading: docs/adr/0002: sequences only grow, in jumps; previous names the frame before on
 * this channel; a null previous starts anew. Never throws.
 */
export function advanceChain(chain: Chain, frame: Link): Judged {
  if (frame.sequence === null) return { chain: sinceTime(chain, frame), verdict: "unnumbered" };
  const sequence = stripZeros(frame.sequence);
  const { isTimeless = false } = chain;
  const follows: Chain = { held: sequence, isTimeless, late: undefined };
  if (chain.held === undefined) {
    const isOld = chain.floor !== undefined && compareUint(sequence, chain.floor) <= 0;
    if (isOld || isBeforeFirst(chain, frame)) return judgeLate(chain, sequence, frame);
    // What looked older than the first frame is in the chain behind it: that time says nothing.
    if (chain.sinceNs !== undefined && followsLate(chain, frame)) return timelessGap;
    return { chain: follows, verdict: "start" };
  }
  if (compareUint(sequence, chain.held) <= 0) return judgeLate(chain, sequence, frame);
  if (frame.previous_sequence === null) return { chain: follows, verdict: "start" };
  const isNext = stripZeros(frame.previous_sequence) === chain.held;
  return { chain: follows, verdict: isNext ? "next" : "gap" };
}

function judgeLate(chain: Chain, sequence: string, frame: Link): Judged {
  const run = followsLate(chain, frame) && chain.late !== undefined ? chain.late.run + 1 : 1;
  if (run > MAX_LATE_RUN) return chain.sinceNs === undefined ? gap : timelessGap;
  return { chain: { ...chain, late: { sequence, run } }, verdict: "late" };
}

const gap: Judged = { chain: emptyChain, verdict: "gap" };
const timelessGap: Judged = { chain: { ...emptyChain, isTimeless: true }, verdict: "gap" };

function followsLate({ late }: Chain, { previous_sequence }: Link): boolean {
  return previous_sequence !== null && stripZeros(previous_sequence) === late?.sequence;
}

function sinceTime(chain: Chain, { timestamp_ns }: Link): Chain {
  if (chain.held !== undefined || chain.isTimeless === true) return chain;
  return { ...chain, sinceNs: stripZeros(timestamp_ns) };
}

/** A frame of before the subscribe has come behind a first frame without a number. */
function isBeforeFirst({ sinceNs }: Chain, { timestamp_ns }: Link): boolean {
  return sinceNs !== undefined && compareUint(stripZeros(timestamp_ns), sinceNs) < 0;
}

/** While a second subscribe is unanswered: may this be the first frame of a new subscription? Never throws. */
export function mayBeFirst(
  verdict: ChainVerdict,
  { previous_sequence }: Pick<SequencedUpdate, "previous_sequence">,
): boolean {
  return previous_sequence === null || (verdict !== "late" && verdict !== "next");
}

/** Kinds whose frames have no place in a chain; one may still bring a field of that name, which is then not listed. */
type Unsequenced = "bbo" | "candles" | "mark-candles";
const UNSEQUENCED: ReadonlySet<string> = new Set<Unsequenced>(["bbo", "candles", "mark-candles"]);

/** True for an update whose frame carries previous_sequence and sequence by its kind (6.3). Never throws. */
export function isSequenced(
  update: ReceivedUpdate,
): update is Exclude<ReceivedUpdate, { kind: Unsequenced }> {
  return !UNSEQUENCED.has(update.kind);
}
