// Recordings of the last minutes: how much they hold, and what their files are called. Apart from what writes them, which is loaded
// behind the first frame.
import { formatIsoMs } from "../units/time.ts";

/** What is written before the moment at which it is asked for, and behind it, where nobody says. */
export const BEFORE_MS = 120_000;
export const AFTER_MS = 60_000;

/** `2026-11-22T02-24-08Z-perp-1.jsonl`. @param what `perp/1`, or another word */
export function formatFlightName(wallMs: number, what: string): string {
  const time = formatIsoMs(wallMs).slice(0, 19).replaceAll(":", "-");
  return `${time}Z-${what.replaceAll("/", "-")}.jsonl`;
}

/** True for the name of such a file. */
export function isFlightName(name: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[\w-]+\.jsonl$/.test(name);
}
