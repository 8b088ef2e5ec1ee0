// Names and lengths of recordings of the last minutes. Separate from their writer, which is loaded after the first frame.
import { formatIsoMs } from "../units/time.ts";

/** Default lengths before and after the moment of the request. */
export const BEFORE_MS = 120_000;
export const AFTER_MS = 60_000;

/** `2026-11-22T02-24-08Z-perp-1.jsonl`. @param what such as `perp/1` */
export function formatFlightName(wallMs: number, what: string): string {
  const time = formatIsoMs(wallMs).slice(0, 19).replaceAll(":", "-");
  return `${time}Z-${what.replaceAll("/", "-")}.jsonl`;
}

export function isFlightName(name: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[\w-]+\.jsonl$/.test(name);
}
