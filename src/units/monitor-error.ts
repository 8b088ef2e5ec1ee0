// The errors that this program reports itself: a stable code, a short message, what to do, and the facts.

/** Which exit code an error leads to: 1, 2 or 3, in this order (docs/reference.md). */
export type ErrorKind = "failed" | "usage" | "unproven";

export interface ErrorFacts {
  /** What the user can do about it: one line. */
  readonly advice?: string;
  readonly cause?: unknown;
}

/** An expected failure: one line for the user, never a stack. */
export class MonitorError extends Error {
  /** Stable word, never matched by text: `usage`, `unreachable`, `port-in-use` … */
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

/** What was thrown, in words; whatever it is, it may hold text from outside. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Wrong use: the message names the option or argument, the advice its form. */
export class UsageError extends MonitorError {
  constructor(message: string, advice: string) {
    super("usage", "usage", message, { advice });
  }
}

/** The service could not be reached, or answered with something else than the interface. */
export class ServiceError extends MonitorError {
  constructor(code: string, message: string, facts: ErrorFacts = {}) {
    super(code, "failed", message, facts);
  }
}

/** A listing could not be read (`failed`), or cannot be proven to be whole (`unproven`). Request headers are never part of it. */
export class HistoryError extends MonitorError {
  constructor(
    code: string,
    message: string,
    { kind = "failed", ...facts }: ErrorFacts & { readonly kind?: "failed" | "unproven" } = {},
  ) {
    super(code, kind, message, facts);
  }
}
