// Why bytes from outside were not accepted, as a value: decoding never throws.
import type * as z from "zod/mini";

/** What kind of fault it is; stable words, shown and counted. */
export type RejectionReason =
  | "not-json"
  | "too-deep"
  | "not-an-object"
  | "unknown-type"
  | "unknown-channel"
  | "wrong-shape"
  | "foreign-row";

/** A message that was not accepted: where it failed, why, and how it began. */
export interface Rejection {
  readonly reason: RejectionReason;
  /** Place of the fault in the message, such as `orderbook.bids[3].price_ticks`; empty for the whole. */
  readonly path: string;
  readonly detail: string;
  /** Channel that the message named, where it named one in text. */
  readonly channel: string | undefined;
  /** The first characters of the message, as received. */
  readonly sample: string;
}

/** A field or a word that the document does not list, in a message that was accepted all the same. */
export interface Drift {
  readonly path: string;
  readonly detail: string;
}

/** What is kept of any text from outside, and of how many faults. */
const SAMPLE_LENGTH = 200;
const MAX_DRIFTS = 10;

/**
 * A rejection of a message, of which only the beginning is kept.
 * @param detail what is wrong, as text
 * @param where place of the fault, and the channel that the message named.
 */
export function reject(
  message: string,
  reason: RejectionReason,
  detail: string,
  { path = "", channel }: { path?: string; channel?: unknown } = {},
): Rejection {
  // A longer name is no channel name.
  const isName = typeof channel === "string" && channel.length <= SAMPLE_LENGTH;
  const name = isName ? channel : undefined;
  return { reason, path, detail, channel: name, sample: message.slice(0, SAMPLE_LENGTH) };
}

/** The place of an issue in the way that JavaScript would write it. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

/** The first fault that a schema names, worded for people. */
export function firstIssue(error: z.core.$ZodError): Drift {
  return getIssues(error)[0] ?? { path: "", detail: "does not fit" };
}

/** What a schema finds fault with, at most ten things of it. */
export function getIssues({ issues }: z.core.$ZodError): readonly Drift[] {
  return issues.slice(0, MAX_DRIFTS).map((issue) => ({
    path: formatPath(issue.path).slice(0, SAMPLE_LENGTH),
    detail: issue.message.slice(0, SAMPLE_LENGTH),
  }));
}
