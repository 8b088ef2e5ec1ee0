// The results of a bench: figures, each with its goal.
import { median, quantile } from "./statistics.ts";

/** An upper or lower bound for our own figure or for the ratio. */
export interface Goal {
  readonly of: "ours" | "ratio";
  readonly bound: "most" | "least";
  readonly value: number;
}

/** One line of a bench's table. */
export interface Figure {
  /** Number of the goal, such as T1; empty for a figure that only explains others. */
  readonly id: string;
  readonly what: string;
  /** Unit of `ours` and `other`. */
  readonly unit: string;
  readonly ours: number;
  /** The reference that ours is compared with: name and figure. */
  readonly other?: { readonly name: string; readonly value: number } | undefined;
  /** The comparison, in the direction of the goal. */
  readonly ratio?: number | undefined;
  readonly goal?: Goal | undefined;
  /** Why a part of it is missing. */
  readonly note?: string | undefined;
}

/** A figure without a comparison. */
export function figure(
  id: string,
  what: string,
  unit: string,
  ours: number,
  goal?: Goal | undefined,
): Figure {
  return { id, what, unit, ours, goal };
}

/** The goal for p99, as for a frame in S1. */
const MAX_FRAME_MS = 4;

/** Median and p99 of frame times; with `isHeld`, p99 is checked against S9. */
export function medianAndP99(what: string, times: readonly number[], isHeld = true): Figure[] {
  const goal = isHeld ? atMost("ours", MAX_FRAME_MS) : undefined;
  return [
    figure("", what, "ms", median(times)),
    figure(isHeld ? "S9" : "", `${what}, p99`, "ms", quantile(times, 0.99), goal),
  ];
}

/** How much to measure. A smoke run only shows that the bench works: its figures mean nothing. */
export interface Effort {
  readonly isSmoke: boolean;
  /** The full amount, or a small one for a smoke run. */
  pick(full: number, smoke: number): number;
}

/** A bench: measures, and returns its figures. */
export type Measure = (effort: Effort) => Promise<readonly Figure[]>;

export const atMost = (of: Goal["of"], value: number): Goal => ({ of, bound: "most", value });
export const atLeast = (of: Goal["of"], value: number): Goal => ({ of, bound: "least", value });

/** @returns undefined without a goal or a value */
export function isMet({ ours, ratio, goal }: Figure): boolean | undefined {
  const value = goal?.of === "ratio" ? ratio : ours;
  if (goal === undefined || value === undefined || Number.isNaN(value)) return undefined;
  return goal.bound === "most" ? value <= goal.value : value >= goal.value;
}
