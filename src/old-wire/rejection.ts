// Why external data was not accepted, as a value: decoding reports it instead of throwing.
import type * as z from "zod/mini";

/** Kind of fault: stable codes, shown and counted. */
export type RejectionReason =
  | "not-json"
  | "too-deep"
  | "not-an-object"
  | "unknown-type"
  | "unknown-channel"
  | "wrong-shape"
  | "foreign-row";

/** A message that was not accepted: where it failed, why, and its beginning. */
export interface Rejection {
  readonly reason: RejectionReason;
  /** Where in the message, such as `orderbook.bids[3].price_ticks`; empty for the whole message. */
  readonly path: string;
  readonly detail: string;
  /** Channel named by the message, if it is a string. */
  readonly channel: string | undefined;
  /** The first characters of the message, as received. */
  readonly sample: string;
}

/** An undocumented field or value in a message that was accepted anyway. */
export interface Drift {
  readonly path: string;
  readonly detail: string;
}

/** Maximum length of stored external text, and maximum number of stored drifts. */
const SAMPLE_LENGTH = 200;
const MAX_DRIFTS = 10;

/**
 * A rejection of a message, storing only its beginning.
 * @param detail what is wrong, as text
 * @param where path of the fault, and the channel named by the message
 */
export function reject(
  message: string,
  reason: RejectionReason,
  detail: string,
  { path = "", channel }: { path?: string; channel?: unknown } = {},
): Rejection {
  // Longer text cannot be a channel name.
  const isName = typeof channel === "string" && channel.length <= SAMPLE_LENGTH;
  const name = isName ? channel : undefined;
  return { reason, path, detail, channel: name, sample: message.slice(0, SAMPLE_LENGTH) };
}

/** An issue's path in JavaScript notation. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

/** The first fault reported by a schema, as readable text. */
export function firstIssue(error: z.core.$ZodError): Drift {
  return getIssues(error)[0] ?? { path: "", detail: "does not fit" };
}

/** The faults reported by a schema, at most ten. */
export function getIssues({ issues }: z.core.$ZodError): readonly Drift[] {
  return issues.slice(0, MAX_DRIFTS).map((issue) => ({
    path: formatPath(issue.path).slice(0, SAMPLE_LENGTH),
    detail: issue.message.slice(0, SAMPLE_LENGTH),
  }));
}
