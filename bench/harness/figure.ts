// What a bench answers: figures, each with what it is held to.

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

/** @returns undefined when there is no goal or no figure to hold to it. Never throws. */
export function isMet({ ours, ratio, goal }: Figure): boolean | undefined {
  const value = goal?.of === "ratio" ? ratio : ours;
  if (goal === undefined || value === undefined || Number.isNaN(value)) return undefined;
  return goal.bound === "most" ? value <= goal.value : value >= goal.value;
}
