// What audits by snapshot have found, in words.
import { type ChannelAudits, MAX_EXAMPLES } from "../state/audit.ts";
import { formatAge } from "../units/time.ts";

/** `12 s ago: 40 rows, none differ`, and what has changed by it; empty before anything was tried. */
export function formatAudits(audits: ChannelAudits, nowMs: number): string {
  const { last, changed, changes, failure } = audits;
  const words: string[] = [];
  if (last !== undefined) {
    const age = formatAge(Math.max(0, nowMs - last.atMs));
    const [first] = last.differences;
    const differing =
      first === undefined
        ? "none differ"
        : `${count(last.differences.length)} differ, first: ${first.part} ${first.row} ${first.how}`;
    words.push(`${age} ago: ${last.compared} rows, ${differing}`);
  }
  if (changed !== undefined)
    words.push(`changed ${changes === 1 ? "once" : `${changes} times`}: ${changed}`);
  if (failure !== undefined) words.push(`not compared: ${failure}`);
  return words.join("; ");
}

function count(differences: number): string {
  return differences < MAX_EXAMPLES ? `${differences}` : `${MAX_EXAMPLES} or more`;
}
