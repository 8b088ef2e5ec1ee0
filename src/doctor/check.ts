// One result of the doctor.

/** `ok`: as it should be. `warn`: works, but the user should know. `fail`: does not work. `unknown`: not seen. */
export type Verdict = "ok" | "warn" | "fail" | "unknown";
export const VERDICTS: readonly Verdict[] = ["ok", "warn", "fail", "unknown"];

export interface Check {
  /** Stable, for scripts: `stream.hello`. */
  readonly id: string;
  readonly verdict: Verdict;
  /** With figures; may hold text of the service. */
  readonly fact: string;
}

export function check(id: string, verdict: Verdict, fact: string): Check {
  return { id, verdict, fact };
}

/** `3 frames`, `1 frame`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** `0.4 ms`, `12 ms`. */
export function ms(value: number): string {
  return value < 10 ? `${Math.max(0, value).toFixed(1)} ms` : `${Math.round(value)} ms`;
}
