// Where a frame belongs in its subscription. Pure; the order of the tests is the rule.

import type { Dialect } from "../dialect/dialect.ts";
import { compareUint, stripZeros } from "../units/uint.ts";
import type { Update } from "../wire/frames.ts";

export interface Chain {
  /** Of the newest accepted frame; undefined until the first. */
  sequence: string | null | undefined;
  previous: string | null;
  /** No frame but the first has been accepted. */
  isFresh: boolean;
  /** Accepted messages with the held sequence, to recognise repeats. */
  texts: string[];
  /** Accepted frames of this subscription. */
  frames: number;
  /** One of them has named the one before it: then null means something. */
  isNaming: boolean;
}

/** Where an update that is folded belongs. Only tapes and accounts go on behind a gap. */
export type Place = "first" | "next" | "part" | "gap";
export type Judgement = Place | "late" | "repeat";

/** In a transaction of more parts than this, a repeat may be taken for a part. */
const MAX_TEXTS = 64;

export function createChain(): Chain {
  return {
    sequence: undefined,
    previous: null,
    isFresh: false,
    texts: [],
    frames: 0,
    isNaming: false,
  };
}

type Numbered = Pick<Update, "sequence" | "previous" | "text">;

export function judge(chain: Chain, frame: Numbered, dialect: Dialect): Judgement {
  const { sequence } = frame;
  if (chain.sequence === undefined) return "first";
  if (chain.sequence === null || sequence === null) return "next";
  return judgeNumbered(chain, frame, { sequence, held: chain.sequence }, dialect);
}

function judgeNumbered(
  chain: Chain,
  { previous, text }: Numbered,
  { sequence, held }: { readonly sequence: string; readonly held: string },
  dialect: Dialect,
): Judgement {
  if (chain.texts.includes(text)) return "repeat";
  // Before lateness: a count that begins again still names the frame before.
  if (previous === held) return "next";
  if (chain.isFresh && isAtMost(sequence, held)) return "late";
  if (sequence === held && previous === chain.previous) return "part";
  if (previous === null)
    return chain.isNaming && dialect.nullPrevious.value === "snapshot" ? "first" : "next";
  return dialect.chain.value === "none" ? "next" : "gap";
}

function isAtMost(sequence: string, held: string): boolean {
  return compareUint(stripZeros(sequence), stripZeros(held)) <= 0;
}

/** Takes note of a frame that was accepted. */
export function advance(chain: Chain, { sequence, previous, text }: Numbered): void {
  if (previous !== null && previous === chain.sequence) chain.isNaming = true;
  if (sequence !== chain.sequence) chain.texts = [];
  if (sequence !== null && chain.texts.length < MAX_TEXTS) chain.texts.push(text);
  chain.isFresh = chain.sequence === undefined;
  chain.sequence = sequence;
  chain.previous = previous;
  chain.frames++;
}
