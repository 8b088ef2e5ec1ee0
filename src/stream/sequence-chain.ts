// The sequence chain of one channel: does a frame follow the one before it? Pure.
import type { SequencedUpdate } from "../protocol/channels/update.ts";
import { compareUint, stripZeros } from "../units/uint.ts";

/**
 * What a frame is to its chain.
 * `start`: it begins a chain, because it is the first since the subscribe or its previous is null.
 * `next`: it follows the frame before. `late`: it is not newer than what is held. `gap`: frames were missed.
 * `unnumbered`: its sequence is null, so nothing can be said.
 */
export type ChainVerdict = "start" | "next" | "late" | "gap" | "unnumbered";

/** Sequence last folded in; the run of frames that looked late and yet follow each other. */
export interface Chain {
  readonly held: string | undefined;
  readonly late: { readonly sequence: string; readonly run: number } | undefined;
}

export const emptyChain: Chain = { held: undefined, late: undefined };

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
  if (chain.held === undefined) return { chain: follows, verdict: "start" };
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
  return { chain: { held: chain.held, late: { sequence, run } }, verdict: "late" };
}
