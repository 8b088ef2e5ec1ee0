// What a bench answers, and how it measures: both sides in turn in one run, because the machine is never quiet and only ratios count.

export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly other?: { readonly name: string; readonly value: number } | undefined;
  /** How many times better or dearer, as `what` says. */
  readonly ratio?: number | undefined;
  readonly goal?: Goal;
}

/** Of our own figure, or of the ratio. */
export type Goal = readonly [of: "ours" | "ratio", is: "≤" | "≥", bound: number];

export function isMet({ ours, ratio, goal }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  const [of, is, bound] = goal;
  const value = of === "ours" ? ours : ratio;
  return value === undefined ? undefined : is === "≤" ? value <= bound : value >= bound;
}

/** @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The median of the ratios of pairs. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, i) => value / (below[i] ?? Number.NaN)));
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds of this process on a CPU so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Does a piece of work and answers what it cost. */
export type Side = () => number | Promise<number>;

/** Costs of each side, one a turn; the order is reversed each turn, and the first turns do not count. */
export async function inTurns(
  turns: number,
  sides: readonly Side[],
  uncounted = 2,
): Promise<number[][]> {
  const costs: number[][] = sides.map(() => []);
  for (let turn = -uncounted; turn < turns; turn++) {
    const order = [...sides.entries()];
    if (turn % 2 !== 0) order.reverse();
    for (const [at, side] of order) {
      const cost = await side();
      if (turn >= 0) costs[at]?.push(cost);
    }
  }
  return costs;
}
