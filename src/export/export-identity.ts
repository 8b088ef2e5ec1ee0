// What an export is, as text: the same for all that make the same file, so that one can go on with another's.
import { createHash } from "node:crypto";
import type { Listings } from "../config/service.ts";

/** Everything that decides about the bytes of a file. Times are Unix milliseconds. */
interface ExportFacts extends Listings {
  /** `trades perp/1` */
  readonly name: string;
  readonly format: string;
  readonly order: "added" | "oldest first" | "newest first";
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly max?: number | undefined;
  /** Such as `raw cells`. */
  readonly more?: readonly string[];
}

/** Never throws. */
export function exportIdentity(facts: ExportFacts): string {
  const { name, baseUrl, headers, format, order, sinceMs, untilMs, max, more = [] } = facts;
  const words = [
    order,
    sinceMs !== undefined && `since ${sinceMs}`,
    untilMs !== undefined && `until ${untilMs}`,
    max !== undefined && `at most ${max}`,
    ...more,
  ];
  const whole = [`${name} of ${baseUrl}`, format, ...words.filter(Boolean)].join(", ");
  const digest = digestOf(headers, whole);
  return digest === undefined ? whole : `${whole}, with headers ${digest}`;
}

/** A service may list something else to somebody else. The values themselves must not be found in a file. */
function digestOf(headers: Listings["headers"], salt: string): string | undefined {
  const lines = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  if (lines.length === 0) return undefined;
  const digest = createHash("sha256").update(salt);
  for (const line of lines.sort()) digest.update(`\n${line}`);
  return digest.digest("hex").slice(0, DIGEST_DIGITS);
}

/** Enough to tell two apart. */
const DIGEST_DIGITS = 12;
