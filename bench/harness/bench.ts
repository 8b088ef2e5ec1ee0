// The frame of a bench: a process of its own that is told how much to measure, and answers its figures.
import type { Effort, Figure, Measure } from "./figure.ts";

/** What a bench sends to its parent. */
export interface BenchAnswer {
  readonly figures: readonly Figure[];
}

/** Set in the environment of a bench that is only to show that it works. */
export const SMOKE_VARIABLE = "MONITOR_BENCH_SMOKE";

/** Measures and answers. Every bench ends with this call. */
export async function runBench(measure: Measure): Promise<void> {
  const isSmoke = process.env[SMOKE_VARIABLE] === "1";
  const effort: Effort = { isSmoke, pick: (full, smoke) => (isSmoke ? smoke : full) };
  const figures = await measure(effort);
  const answer: BenchAnswer = { figures };
  await new Promise((resolve) => process.send?.(answer, resolve));
  process.exit(0);
}

/**
 * A package of bench/package.json, which may not be installed: a smoke run needs no network.
 * @returns undefined when it is not there
 */
export async function optionalPackage<T>(name: string): Promise<T | undefined> {
  try {
    return (await import(name)) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
