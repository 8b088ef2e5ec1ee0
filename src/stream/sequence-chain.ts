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
 * Sequence last folded in; the run of frames that looked late and yet follow each other; the sequence that was held
 * when the channel was subscribed anew, for services that do not number their first frame.
 */
export interface Chain {
  readonly held: string | undefined;
  readonly floor?: string | undefined;
  readonly late: { readonly sequence: string; readonly run: number } | undefined;
}

/** Nothing has been received. */
export const emptyChain: Chain = { held: undefined, late: undefined };

/** The chain of a channel that is subscribed anew on the same connection. Never throws. */
export function restartChain({ held, floor }: Chain): Chain {
  return { ...emptyChain, floor: held ?? floor };
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
export function advanceChain(
  chain: Chain,
  frame: Pick<SequencedUpdate, "previous_sequence" | "sequence">,
): { chain: Chain; verdict: ChainVerdict } {
  if (frame.sequence === null) return { chain, verdict: "unnumbered" };
  const sequence = stripZeros(frame.sequence);
  const follows: Chain = { held: sequence, late: undefined };
  if (chain.held === undefined) {
    const isOld = chain.floor !== undefined && compareUint(sequence, chain.floor) <= 0;
    return isOld ? judgeLate(chain, sequence, frame) : { chain: follows, verdict: "start" };
  }
  if (compareUint(sequence, chain.held) <= 0) return judgeLate(chain, sequence, frame);
  if (frame.previous_sequence === null) return { chain: follows, verdict: "start" };
  const isNext = stripZeros(frame.previous_sequence) === chain.held;
  return { chain: follows, verdict: isNext ? "next" : "gap" };
}

function judgeLate(
  chain: Chain,
  sequence: string,
  frame: Pick<SequencedUpdate, "previous_sequence">,
): { chain: Chain; verdict: ChainVerdict } {
  const previous = frame.previous_sequence;
  const follows = previous !== null && stripZeros(previous) === chain.late?.sequence;
  const run = follows && chain.late !== undefined ? chain.late.run + 1 : 1;
  if (run > MAX_LATE_RUN) return { chain: emptyChain, verdict: "gap" };
  return { chain: { ...chain, late: { sequence, run } }, verdict: "late" };
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
