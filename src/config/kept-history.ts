// What was typed in the palette in earlier runs.
import { MAX_REMEMBERED } from "../screen/palette/palette.ts";
import type { KeptState } from "./kept-state.ts";
import type { Merge } from "./merge.ts";

const HISTORY = "history";

/** Lines that were typed in the palette in earlier runs, the newest first. Never throws. */
export function readHistory(kept: KeptState | undefined): readonly string[] {
  return linesOf(kept?.get(HISTORY));
}

/** Keeps what was typed in the palette, the newest first; nothing when there is none. Never throws. */
export function keepHistory(kept: KeptState | undefined, lines: readonly string[]): void {
  const isNew = lines.length > 0 && lines.join("\n") !== readHistory(kept).join("\n");
  if (isNew) kept?.set(HISTORY, lines, oursFirst);
}

/** What this run has is newer than what another one has kept before it. */
const oursFirst: Merge = ({ ours, theirs }) =>
  [...new Set([...linesOf(ours), ...linesOf(theirs)])].slice(0, MAX_REMEMBERED);

function linesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((line) => typeof line === "string") : [];
}
