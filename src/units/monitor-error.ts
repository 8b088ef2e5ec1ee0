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
  if (!(error instanceof Error)) return String(error);
  const { code = "", address = "", port, hostname } = error as NetworkError;
  const where = `${address.includes(":") ? `[${address}]` : address}:${port}`;
  return NETWORK_WORDS[code]?.(address === "" ? undefined : where, hostname) ?? error.message;
}

interface NetworkError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

type Words = (where: string | undefined, hostname: string | undefined) => string | undefined;
/** What happens every day, in words of every day. */
const NETWORK_WORDS: Readonly<Record<string, Words>> = {
  ECONNREFUSED: (where) => where && `nobody listens at ${where}`,
  EHOSTUNREACH: (where) => where && `no way to ${where}`,
  ENETUNREACH: (where) => where && `no network to ${where}`,
  ENOTFOUND: (_, hostname) => hostname && `no host is called ${hostname}`,
  EAI_AGAIN: (_, hostname) => hostname && `where ${hostname} is cannot be found out now`,
};

/** Wrong usage: the message names the option or argument, the advice shows its form; empty if there is none. */
export class UsageError extends MonitorError {
  constructor(message: string, advice = "") {
    super("usage", "usage", message, { advice });
  }
}

/** The service could not be reached, or its response does not conform to the interface. Never contains request headers. */
export class ServiceError extends MonitorError {
  constructor(code: string, message: string, facts: ErrorFacts = {}) {
    super(code, "failed", message, facts);
  }
}
