// The errors that this program reports itself: a stable code, a short message, advice, and facts.

/** Determines the exit code: 1, 2 or 3, in this order (docs/reference.md). */
export type ErrorKind = "failed" | "usage" | "unproven";

export interface ErrorFacts {
  /** What the user can do about it, in one line. */
  readonly advice?: string;
  readonly cause?: unknown;
}

/** An expected failure: shown to the user as one line, without a stack. */
export class MonitorError extends Error {
  /** Stable identifier, so that no code matches on message text: `usage`, `unreachable`, `port-in-use` … */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly advice: string | undefined;

  constructor(code: string, kind: ErrorKind, message: string, { advice, cause }: ErrorFacts = {}) {
    super(message, { cause });
    this.name = new.target.name;
    this.code = code;
    this.kind = kind;
    this.advice = advice;
  }
}

/** Message of any thrown value; may contain external text. What holds other errors, as of a name with several addresses, says those. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(errorText))].join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** Wrong usage: the message names the option or argument, the advice shows its form; empty if there is none. */
export class UsageError extends MonitorError {
  constructor(message: string, advice = "") {
    super("usage", "usage", message, { advice });
  }
}

/** The service could not be reached, or its response does not conform to the interface. */
export class ServiceError extends MonitorError {
  constructor(code: string, message: string, facts: ErrorFacts = {}) {
    super(code, "failed", message, facts);
  }
}

/** A listing could not be read. Never contains request headers. */
export class HistoryError extends MonitorError {
  constructor(code: string, message: string, facts: ErrorFacts = {}) {
    super(code, "failed", message, facts);
  }
}
