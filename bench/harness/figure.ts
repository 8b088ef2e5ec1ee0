// What a bench answers: figures, each with what it is held to.
import { median, quantile } from "./statistics.ts";

/** What a figure is held to: this side of a bound, for our own figure or for the ratio. */
export interface Goal {
  readonly of: "ours" | "ratio";
  readonly bound: "most" | "least";
  readonly value: number;
}

/** One line of a bench's table. */
export interface Figure {
  /** Number of the goal in docs/performance.md, such as T1; empty for a figure that only explains others. */
  readonly id: string;
  readonly what: string;
  /** Unit of `ours` and `other`. */
  readonly unit: string;
  readonly ours: number;
  /** What we are compared with: its name and its figure. */
  readonly other?: { readonly name: string; readonly value: number } | undefined;
  /** The comparison, in the direction that the goal names. */
  readonly ratio?: number | undefined;
  readonly goal?: Goal | undefined;
  /** Why a part of it is missing. */
  readonly note?: string | undefined;
}

/** A figure that is compared with nothing. */
export function figure(
  id: string,
  what: string,
  unit: string,
  ours: number,
  goal?: Goal | undefined,
): Figure {
  return { id, what, unit, ours, goal };
}

/** The p99 of a frame of S1. */
const MAX_FRAME_MS = 4;

/** The median of times of frames, and their p99, which is held to S9. */
export function halfAndMost(what: string, times: readonly number[], isHeld = true): Figure[] {
  const goal = isHeld ? atMost("ours", MAX_FRAME_MS) : undefined;
  return [
    figure("", what, "ms", median(times)),
    figure(isHeld ? "S9" : "", `${what}, p99`, "ms", quantile(times, 0.99), goal),
  ];
}

/** How much is measured. `smoke` only shows that the bench works: its figures mean nothing. */
export interface Effort {
  readonly isSmoke: boolean;
  /** The full amount, or a small one for a smoke run. */
  pick(full: number, smoke: number): number;
}

/** What a bench is: it measures, and answers its figures. */
export type Measure = (effort: Effort) => Promise<readonly Figure[]>;

export const atMost = (of: Goal["of"], value: number): Goal => ({ of, bound: "most", value });
export const atLeast = (of: Goal["of"], value: number): Goal => ({ of, bound: "least", value });

/** @returns undefined when there is no goal or no figure to hold to it */
export function isMet({ ours, ratio, goal }: Figure): boolean | undefined {
  const value = goal?.of === "ratio" ? ratio : ours;
  if (goal === undefined || value === undefined || Number.isNaN(value)) return undefined;
  return goal.bound === "most" ? value <= goal.value : value >= goal.value;
}
