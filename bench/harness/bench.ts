// The frame of a bench: a process of its own that sends its figures to its parent.
import type { Effort, Figure, Measure } from "./figure.ts";

/** Sent by a bench to its parent. */
export interface BenchAnswer {
  readonly figures: readonly Figure[];
}

/** Environment variable that makes a bench a smoke run, which only shows that it works. */
export const SMOKE_VARIABLE = "MONITOR_BENCH_SMOKE";

/** Measures, sends the figures, and exits. Every bench ends with this call. */
export async function runBench(measure: Measure): Promise<void> {
  const isSmoke = process.env[SMOKE_VARIABLE] === "1";
  const effort: Effort = { isSmoke, pick: (full, smoke) => (isSmoke ? smoke : full) };
  const figures = await measure(effort);
  const answer: BenchAnswer = { figures };
  await new Promise((resolve) => process.send?.(answer, resolve));
  process.exit(0);
}

/**
 * Imports a package of bench/package.json, which may not be installed: a smoke run needs no network.
 * @returns undefined if it is not installed
 */
export async function optionalPackage<T>(name: string): Promise<T | undefined> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
