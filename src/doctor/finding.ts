// What the doctor has found: one line for each check, and one for each point that the interface leaves open.

/** `ok`: as it should be. `warn`: it works, but the user should know. `fail`: it does not. `unknown`: not seen. */
export type Verdict = "ok" | "warn" | "fail" | "unknown";

/** One check, and what came of it. */
export interface Finding {
  /** Stable word for scripts, such as `stream.hello`. */
  readonly id: string;
  readonly verdict: Verdict;
  /** The fact, with figures. Text of the service may be in it. */
  readonly fact: string;
}

/** How much is known of an open point (docs/readings.md). */
export type Knowledge = "verified" | "inferred" | "assumed" | "unknown";

/** A point that the interface does not show, and what was seen of it. */
export interface OpenPoint {
  readonly section: string;
  readonly point: string;
  readonly known: Knowledge;
  readonly seen: string;
}

/** Makes findings of one group: `at("hello")` is `stream.hello`. */
export function findingsIn(group: string) {
  return (name: string, verdict: Verdict, fact: string): Finding => ({
    id: `${group}.${name}`,
    verdict,
    fact,
  });
}

/** `3 frames`, `1 frame`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

/** Milliseconds in words: `0.4 ms`, `12 ms`. */
export function ms(value: number): string {
  return value < 10 ? `${Math.max(0, value).toFixed(1)} ms` : `${Math.round(value)} ms`;
}
