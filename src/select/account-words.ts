// Words for fields of a subaccount that mean more than they say: the state of a subaccount, a right that has ended, how
// near a position is to its liquidation. Word, glyph and (in the interface) colour: none of them is the only sign.

import { readTimeNs } from "../state/time-value.ts";
import { NS_PER_MS } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type Cell, cellOf } from "./cells.ts";
import { textOf } from "./fields.ts";
import { TO_LIQUIDATION } from "./positions.ts";

/** Glyphs of the catalogue's states (2.2). */
const GLYPHS: Readonly<Record<string, string>> = { active: "●", restricted: "◐", closed: "×" };
const BAR_CELLS = 6;
/** Left blocks of one to seven eighths: a cell of a table is text, and draws no bar. */
const EIGHTHS = " ▏▎▍▌▋▊▉";

/** `● active`; a word that the document does not list gets a question mark. Never throws. */
export function formatStatus(status: string): string {
  return `${GLYPHS[status] ?? "?"} ${status}`;
}

/** Words for rows of the catalogue's subaccounts. Never throws. */
export function subaccountWords(record: OpenRecord, column: string): Cell | undefined {
  if (column !== "status" || typeof record.status !== "string") return undefined;
  return { text: formatStatus(record.status), kind: "text" };
}

/** Words for rights: one that has ended before `wallMs` (Unix milliseconds) says so. Never throws. */
export function delegationWords(wallMs: number) {
  return (record: OpenRecord, column: string): Cell | undefined => {
    if (column !== "expires_at_ns") return undefined;
    const ns = readTimeNs(record.expires_at_ns);
    if (ns === undefined) return undefined;
    const { text } = cellOf(column, record.expires_at_ns);
    return ns <= BigInt(wallMs) * NS_PER_MS ? { text: `expired ${text}`, kind: "time" } : undefined;
  };
}

/** Words for positions: a bar beside the distance to the liquidation; the shorter, the nearer. Never throws. */
export function positionWords(record: OpenRecord, column: string): Cell | undefined {
  if (column !== TO_LIQUIDATION || record[column] === undefined) return undefined;
  const percent = textOf(record[column]);
  return { text: `${bar(Number(percent) / 100)} ${percent.padStart(5)} %`, kind: "number" };
}

function bar(share: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * BAR_CELLS * 8);
  const full = "█".repeat(Math.floor(eighths / 8));
  return (full + (EIGHTHS[eighths % 8] ?? "")).slice(0, BAR_CELLS).padEnd(BAR_CELLS);
}
